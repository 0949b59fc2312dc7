"""What all REST handlers share: reading a body, paging a list, naming a route."""

import json
from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.sandbox.composio.errors import RestError, refuse_size
from bot.sandbox.composio.outcome import Data, describe_invalid

PREFIX = "/api/v3.1"
MAX_BYTES = 6_000_000
"""What the transport carries in one request or response."""
Model = TypeVar("Model", bound=BaseModel)
Handler = Callable[[Request], Awaitable[Response]]


def route(method: str, path: str, handler: Handler) -> Route:
    """One method of one path."""
    return Route(path, handler, methods=[method])


def paginate(items: list[Data]) -> Data:
    """A list that fits on one page."""
    return {
        "items": items,
        "total_pages": 1,
        "total_items": len(items),
        "current_page": 1,
        "next_cursor": None,
    }


def read_many(request: Request, name: str) -> list[str]:
    """A query parameter that may be repeated or hold several values with commas between."""
    names = (name, f"{name}[]")
    given = [value for each in names for value in request.query_params.getlist(each)]
    return [part for value in given for part in value.split(",") if part]


async def read(request: Request, model: type[Model]) -> Model:
    """The body as a model.

    Raises:
        RestError: it is not JSON, does not fit, or is too large.
    """
    return check(await read_json(request), model)


def check(body: Data, model: type[Model]) -> Model:
    """Raises RestError: the body does not fit the model."""
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise RestError(400, "HTTP_BadRequest", describe_invalid("this request", error)) from error


async def read_json(request: Request) -> Data:
    """Raises RestError: the body is not a JSON object, or is too large."""
    raw = await request.body()
    if len(raw) > MAX_BYTES:
        raise refuse_size("request")
    try:
        body: object = json.loads(raw or b"{}")
    except ValueError as error:
        raise RestError(400, "HTTP_BadRequest", "The body is not valid JSON") from error
    if not isinstance(body, dict):
        raise RestError(400, "HTTP_BadRequest", "The body must be a JSON object")
    return cast(Data, body)
