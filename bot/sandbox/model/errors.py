"""The errors that the Messages API answers with, and the faults that a test asks for."""

import asyncio
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from aiohttp import web

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
    """The request is answered with an error of the given status and its type."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        code: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self._code = code
        self._retry_after = retry_after

    def answer(self, request_id: str) -> web.Response:
        """The answer that tells it."""
        kind = TYPE_OF_STATUS.get(self.status, "api_error")
        inner: Json = {"type": kind, "message": str(self)}
        if self._code:
            inner["details"] = {"error_code": self._code}
        headers = {"request-id": request_id}
        if self._retry_after is not None:
            headers["retry-after"] = f"{self._retry_after:g}"
        body = {"type": "error", "error": inner, "request_id": request_id}
        return web.json_response(body, status=self.status, headers=headers)


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

    async def refuse(self) -> None:
        """Raise RefusedError where it is an HTTP error and not one of the stream."""
        if self.cut is None and self.status != OK:
            await self.silence()
            raise RefusedError(
                self.message, status=self.status, code=self.error_code, retry_after=self.retry_after
            )
