"""Errors of the Messages API: refusals of a request, and failures that a test scripts."""

import asyncio
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from aiohttp import web

from bot.sandbox.model.wire import Json

OK = 200
StreamEnd = Literal["clean", "abrupt"]
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


@dataclass(eq=False)
class RefusedError(Exception):
    """A request is answered with an error of this status and of the status's type."""

    message: str
    status: int = 400
    code: str | None = None
    retry_after: float | None = None

    def answer(self, request_id: str) -> web.Response:
        """The API's error envelope."""
        error: Json = {
            "type": TYPE_OF_STATUS.get(self.status, "api_error"),
            "message": self.message,
        }
        if self.code:
            error["details"] = {"error_code": self.code}
        headers = {"request-id": request_id}
        if self.retry_after is not None:
            headers["retry-after"] = f"{self.retry_after:g}"
        body = {"type": "error", "error": error, "request_id": request_id}
        return web.json_response(body, status=self.status, headers=headers)


@dataclass(slots=True, kw_only=True, eq=False)
class ScriptedFault:
    """One scripted failure: an HTTP error, or with `cut` a stream that breaks off."""

    status: int = 529
    """200 without `cut` only stalls: the reply goes on afterwards."""
    message: str = "Overloaded"
    error_code: str | None = None
    cut: StreamEnd | None = None
    """End the stream after `after_events` events: politely, or by dropping the connection."""
    after_events: int = 0
    stall_s: float = 0.0
    """Silence before the fault takes effect (in a stream: after `after_events` events)."""
    retry_after: float | None = None
    kinds: Collection[str] = field(default_factory=frozenset[str])
    """Playbooks whose requests the fault hits; empty hits every request."""
    times: int = 1
    """How many requests the fault still hits."""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Setting the event ends the silence early."""

    async def silence(self) -> None:
        """Wait for `stall_s`, or until `over` is set."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.stall_s):
                await self.over.wait()

    async def refuse(self) -> None:
        """Raise RefusedError for an HTTP error; a fault of the stream passes."""
        if self.cut is None and self.status != OK:
            await self.silence()
            raise RefusedError(self.message, self.status, self.error_code, self.retry_after)
