"""The errors that the Messages API answers with, and the faults that a test asks for."""

import asyncio
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from bot.sandbox.model.wire import Json

OK = 200
Cut = Literal["clean", "abrupt"]
TYPE_OF_STATUS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


class RefusedError(Exception):
    """The request is answered with an error of the given status and type."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        code: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.retry_after = retry_after


def error_body(error: RefusedError, request_id: str) -> Json:
    """The JSON body of an error answer."""
    kind = TYPE_OF_STATUS.get(error.status, "api_error")
    inner: Json = {"type": kind, "message": error.message}
    if error.code:
        inner["details"] = {"error_code": error.code}
    return {"type": "error", "error": inner, "request_id": request_id}


@dataclass(slots=True, kw_only=True, eq=False)
class Fault:
    """One scripted failure. Without `cut` it is an HTTP error."""

    status: int = 529
    """200 without `cut` only stalls: the reply goes on afterwards."""
    message: str = "Overloaded"
    error_code: str | None = None
    cut: Cut | None = None
    """End the stream after `after_events` events: politely, or by dropping the connection."""
    after_events: int = 0
    stall_s: float = 0.0
    """Silence before the fault takes effect (in a stream: after `after_events` events)."""
    retry_after: float | None = None
    kinds: Collection[str] = field(default_factory=frozenset[str])
    """Hit only requests of these kinds; empty hits every request."""
    times: int = 1
    """How many requests it still hits."""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Once it is set, nothing is silent any more."""

    async def silence(self) -> None:
        """Return when the silence has taken its time, or is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.stall_s):
                await self.over.wait()

    @property
    def is_http_error(self) -> bool:
        return self.cut is None and self.status != OK

    @property
    def error(self) -> RefusedError:
        return RefusedError(
            self.message, status=self.status, code=self.error_code, retry_after=self.retry_after
        )
