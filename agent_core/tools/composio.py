"""Composio's tools: every person works through a session, and so the accounts, of their own."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager

from agent_core.errors import ComposioRefusedError, ToolServerError
from agent_core.ids import UserId
from agent_core.messages import ToolCall
from agent_core.models import ToolSpec
from agent_core.tools import Progress, ToolContext, ToolOutput
from agent_core.tools.composio_api import (
    ComposioSession,
    Sessions,
    is_person,
)
from agent_core.tools.names import server_prefix
from agent_core.tools.pins import Pins
from agent_core.tools.server import Clock, McpServer
from agent_core.tools.server_tools import ServerTools
from agent_core.tools.servers import HttpServer, HubLimits

logger = logging.getLogger(__name__)

SERVER_NAME = "composio"
_RETRY_AFTER_S = 30.0
_IDLE_AFTER_S = 900.0
_OF_THE_REQUEST = frozenset({400, 404, 409, 422})


class _Seat:
    """One person's connection: none until first needed."""

    def __init__(self) -> None:
        self.making = asyncio.Lock()
        self.tools: ServerTools | None = None
        self.used_at = 0.0
        self.users = 0

    @contextmanager
    def in_use(self, clock: Clock) -> Generator[None, None, None]:
        self.users += 1
        try:
            yield
        finally:
            self.users -= 1
            self.used_at = clock()


class ComposioTools:
    """A toolset named `mcp__composio__<SLUG>`; absent, without harm to others, when Composio is.

    A session is made when a person's first turn asks, kept while the person is active, and made
    anew when Composio does not know it any more.
    """

    def __init__(
        self,
        sessions: Sessions,
        *,
        api_key: str,
        pins: Pins | None = None,
        limits: HubLimits | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._sessions = sessions
        self._headers: Mapping[str, str] = {"x-api-key": api_key}
        self._pins = pins
        self._limits = limits or HubLimits()
        self._clock = clock
        self._seats: dict[UserId, _Seat] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._failures: dict[UserId | None, tuple[float, str]] = {}
        """When and why there was no session: for a person, or, under None, for anybody."""

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        if not is_person(context.asker):
            return ()
        seat = self._seat(context.asker)
        try:
            with seat.in_use(self._clock):
                return await (await self._tools(context.asker, seat)).specs()
        except ToolServerError as error:
            logger.debug("composio is left out: %s", error)
            return ()

    async def run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
        if not call.name.startswith(server_prefix(SERVER_NAME)):
            return ToolOutput(text=f"There is no tool {call.name}.", is_error=True)
        if not is_person(context.asker):
            return ToolOutput(text="Nobody asked, so no account can be used.", is_error=True)
        seat = self._seat(context.asker)
        try:
            with seat.in_use(self._clock):
                tools = await self._tools(context.asker, seat)
                return await tools.run(call, context, progress)
        except ToolServerError as error:
            return ToolOutput(text=str(error), is_error=True)

    async def close(self) -> None:
        """End all connections; bounded by the limits."""
        for seat in self._seats.values():
            self._leave(seat)
        self._seats.clear()
        if self._leaving:
            await asyncio.wait(self._leaving)
        await self._sessions.close()

    def _seat(self, user: UserId) -> _Seat:
        """The person's seat. Those who were long idle lose theirs."""
        now = self._clock()
        for other, seat in list(self._seats.items()):
            if other != user and not seat.users and now - seat.used_at > _IDLE_AFTER_S:
                self._leave(self._seats.pop(other))
        return self._seats.setdefault(user, _Seat())

    def _leave(self, seat: _Seat) -> None:
        if seat.tools is None:
            return
        task = asyncio.create_task(seat.tools.close())
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _tools(self, user: UserId, seat: _Seat) -> ServerTools:
        async with seat.making:
            if seat.tools is None:
                server = McpServer(
                    await self._server_for(user, self._sessions.of),
                    self._limits,
                    self._clock,
                    renew=lambda: self._server_for(user, self._sessions.renew),
                    pins=self._pins,
                )
                seat.tools = ServerTools(server, max_result_bytes=self._limits.max_result_bytes)
            return seat.tools

    async def _server_for(
        self, user: UserId, session_of: Callable[[UserId], Awaitable[ComposioSession]]
    ) -> HttpServer:
        """The session's address. A failure holds for half a minute, for whom it concerns."""
        for whom in (user, None):
            failed_at, reason = self._failures.get(whom, (0.0, ""))
            if reason and self._clock() - failed_at < _RETRY_AFTER_S:
                raise ToolServerError(reason)
        try:
            session = await session_of(user)
        except ToolServerError as error:
            whom = user if _is_about_one_person(error) else None
            self._failures[whom] = (self._clock(), str(error))
            logger.warning("composio is left out for now: %s", error)
            raise
        self._failures.pop(user, None)
        self._failures.pop(None, None)
        return HttpServer(name=SERVER_NAME, url=session.mcp_url, headers=self._headers)


def _is_about_one_person(error: ToolServerError) -> bool:
    """Whether Composio refused what was asked, and is well: it may serve the others."""
    return isinstance(error, ComposioRefusedError) and error.status in _OF_THE_REQUEST
