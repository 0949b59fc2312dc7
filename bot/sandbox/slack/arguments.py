"""The arguments of one call: query, form and JSON body merged, read by name and kind."""

import json
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from bot.sandbox.slack.errors import ApiError, missing_field
from bot.sandbox.slack.wire import JsonArray, JsonObject, as_array, as_object


class Arguments:
    """What the caller sent, the token left out. Values of forms are strings, of JSON anything."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values: JsonObject = {k: v for k, v in values.items() if k != "token"}

    def has(self, name: str) -> bool:
        return self.values.get(name) is not None

    def text(self, name: str) -> str:
        """The argument as text; empty when it is absent."""
        value = self.values.get(name)
        return value if isinstance(value, str) else "" if value is None else json.dumps(value)

    def required(self, name: str) -> str:
        """The argument as text; a call without it is refused."""
        if not (value := self.text(name)):
            raise missing_field(name)
        return value

    def flag(self, name: str) -> bool:
        return self.values.get(name) in (True, 1, "1", "true", "True")

    def number(self, name: str, default: int) -> int:
        value = self.values.get(name)
        try:
            return default if value in (None, "") else int(value)
        except (TypeError, ValueError):
            raise ApiError("invalid_arguments") from None

    def json_array(self, name: str, *, error: str = "invalid_arguments") -> JsonArray | None:
        """A JSON array, also one sent as a JSON string; anything else is refused with `error`."""
        value = self._decoded(name, error)
        if value is not None and as_array(value) is None:
            raise ApiError(error)
        return as_array(value)

    def json_object(self, name: str, *, error: str = "invalid_arguments") -> JsonObject | None:
        """A JSON object, also one sent as a JSON string; anything else is refused with `error`."""
        value = self._decoded(name, error)
        if value is not None and as_object(value) is None:
            raise ApiError(error)
        return as_object(value)

    def names(self, name: str) -> tuple[str, ...]:
        """A comma-separated list."""
        return tuple(part.strip() for part in self.text(name).split(",") if part.strip())

    def _decoded(self, name: str, error: str) -> object:
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value) if value else None
        except ValueError:
            raise ApiError(error) from None


async def read_arguments(request: web.Request) -> JsonObject:
    """Everything the request carries, the body winning over the query. Raises `ApiError`."""
    merged: JsonObject = dict(request.query)
    if not request.can_read_body:
        return merged
    if request.content_type == "application/json":
        return merged | await _json_body(request)
    if request.content_type in ("application/x-www-form-urlencoded", "multipart/form-data"):
        return merged | dict(await request.post())
    return merged


async def _json_body(request: web.Request) -> JsonObject:
    try:
        body = await request.json()
    except ValueError:
        raise ApiError("invalid_json") from None
    if (body := as_object(body)) is None:
        raise ApiError("json_not_object")
    return body
