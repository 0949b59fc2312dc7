"""JSON as it travels: type aliases, narrowing functions, and Slack's refusal of a call."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

JsonObject = dict[str, Any]
JsonArray = list[Any]


def as_object(value: object) -> JsonObject | None:
    """The value as a JSON object; None for anything else."""
    return cast("JsonObject", value) if isinstance(value, dict) else None


def as_array(value: object) -> JsonArray | None:
    """The value as a JSON array; None for anything else."""
    return cast("JsonArray", value) if isinstance(value, list) else None


def without_none(fields: Mapping[str, Any]) -> JsonObject:
    """A copy without the fields whose value is None, as Slack leaves out unset fields."""
    return {name: value for name, value in fields.items() if value is not None}


class ApiError(Exception):
    """Carries Slack's error code, further fields of the answer, and headers with a 429."""

    def __init__(
        self,
        code: str,
        *,
        messages: Sequence[str] = (),
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        **fields: object,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.status = status
        self.headers = headers or {}
        self.body: JsonObject = {
            "ok": False,
            "error": code,
            **fields,
        }
        if messages:
            marked = [f"[ERROR] {message}" for message in messages]
            self.body["response_metadata"] = {"messages": marked}


def missing_field(name: str) -> ApiError:
    """The refusal of a call without a required argument."""
    return ApiError("invalid_arguments", messages=[f"missing required field: {name}"])
