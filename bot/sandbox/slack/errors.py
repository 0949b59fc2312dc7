"""The one error of the Web API side: a method refuses, and the server answers `ok: false`."""

from collections.abc import Sequence
from typing import Any


class ApiError(Exception):
    """Carries Slack's error code, further fields of the answer, and headers with a 429."""

    def __init__(
        self,
        code: str,
        *,
        messages: Sequence[str] = (),
        status: int = 200,
        headers: dict[str, str] | None = None,
        **fields: object,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.status = status
        self.headers = headers or {}
        self.body: dict[str, Any] = {"ok": False, "error": code, **fields}
        if messages:
            marked = [f"[ERROR] {message}" for message in messages]
            self.body["response_metadata"] = {"messages": marked}


def missing_field(name: str) -> ApiError:
    """The refusal of a call without a required argument."""
    return ApiError("invalid_arguments", messages=[f"missing required field: {name}"])
