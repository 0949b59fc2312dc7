"""One server of the fleet as a toolset: a process for all sessions, or one for each of them."""

import asyncio
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from agent_core.errors import ToolServerError
from agent_core.messages import ToolCall
from agent_core.models import ToolSpec
from agent_core.tools import Progress, ToolContext, ToolOutput
from agent_core.tools.fleet.access import MAIN_AGENT
from agent_core.tools.fleet.servers import FleetServer
from agent_core.tools.names import server_prefix
from agent_core.tools.pins import Pins
from agent_core.tools.server import McpServer
from agent_core.tools.server_tools import ServerTools
from agent_core.tools.servers import HubLimits

_SHARED = ""
"""The seat of a server that all sessions share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetLimits:
    """Bounds on what one server of the fleet may cost."""

    start_timeout_s: float = 180.0
    """A first start may install the server's package."""
    first_list_wait_s: float = 8.0
    """How long an agent waits for tools never seen before; after that they come later."""
    idle_after_s: float = 900.0
    """A session's process ends when it was not used for so long."""
    max_processes: int = 24
    """Of one server; where there would be more, the one that was idle longest ends."""


class _Seat:
    """One process, or the place where it will be."""

    def __init__(self, tools: ServerTools) -> None:
        self.tools = tools
        self.users = 0
        self.used_at = 0.0
        self.leaving: asyncio.TimerHandle | None = None
        self.listing: asyncio.Task[tuple[ToolSpec, ...]] | None = None

    def stay(self) -> None:
        """Do not leave at the time that was set."""
        if self.leaving is not None:
            self.leaving.cancel()

    async def close(self) -> None:
        self.stay()
        if self.listing is not None:
            self.listing.cancel()
            await asyncio.wait({self.listing})
        await self.tools.close()


class FleetTools:
    """Offers a server that is on, to those who may use it.

    The process is started at the first call when the tools are known from earlier, else when an
    agent first asks for tools; starting never fails the agent that asks.
    """

    def __init__(
        self,
        server: FleetServer,
        *,
        hub_limits: HubLimits,
        limits: FleetLimits | None = None,
        pins: Pins | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server = server
        self._limits = limits or FleetLimits()
        self._hub_limits = replace(hub_limits, connect_timeout_s=self._limits.start_timeout_s)
        self._pins = pins
        self._clock = clock
        self._seats: dict[str, _Seat] = {}
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def name(self) -> str:
        return self._server.name

    @property
    def prefix(self) -> str:
        """What all full names of this server begin with."""
        return server_prefix(self.name)

    async def learn(self) -> Sequence[ToolSpec]:
        """The tools of a shared server, so that no agent waits for them; () for others.

        Raises:
            ToolServerError: the server is not to be had.
        """
        if self._server.scope == "session":
            return ()
        return await self._specs_at(self._seat(_SHARED, Path()))

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        """The tools to tell this agent of; none while the server is still being installed.

        Raises:
            ToolServerError: the server is not to be had.
        """
        if not self._admits(context):
            return ()
        with self._at_seat(context) as seat:
            return await self._specs_at(seat)

    async def run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
        """Run a call; every failure is a value."""
        if not self._admits(context):
            return ToolOutput(text=f"There is no tool {call.name}.", is_error=True)
        with self._at_seat(context) as seat:
            return await seat.tools.run(call, context, progress)

    async def close(self) -> None:
        """End all processes; bounded by the limits."""
        for key in list(self._seats):
            self._end(key)
        if self._ending:
            await asyncio.wait(self._ending)

    def _admits(self, context: ToolContext) -> bool:
        return self._server.access.admits(
            agent=context.agent or MAIN_AGENT, session=context.session, asker=context.asker
        )

    @contextmanager
    def _at_seat(self, context: ToolContext) -> Generator[_Seat]:
        """The seat of this context; it is not idle while the block is open."""
        key = context.session if self._server.scope == "session" else _SHARED
        seat = self._seat(key, context.workspace)
        seat.stay()
        seat.users += 1
        try:
            yield seat
        finally:
            seat.users -= 1
            seat.used_at = self._clock()
            self._end_later(key, seat)

    async def _specs_at(self, seat: _Seat) -> tuple[ToolSpec, ...]:
        listing = seat.listing
        if listing is None or listing.done():
            listing = seat.listing = asyncio.create_task(seat.tools.specs())
            listing.add_done_callback(_take_note)
        done, _ = await asyncio.wait({listing}, timeout=self._limits.first_list_wait_s)
        if not done:
            raise ToolServerError(f"The tool server {self.name} is still being started.")
        return listing.result()  # by now the seat may hold the listing of another caller

    def _seat(self, key: str, workspace: Path) -> _Seat:
        if key not in self._seats:
            self._make_room()
            self._seats[key] = _Seat(self._tools_for(workspace))
        return self._seats[key]

    def _tools_for(self, workspace: Path) -> ServerTools:
        is_own = self._server.scope == "session"
        server = McpServer(
            self._server.config_in(workspace),
            self._hub_limits,
            self._clock,
            pins=self._pins,
            workspace=workspace if is_own else None,
            waits=True,
        )
        return ServerTools(server, max_result_bytes=self._hub_limits.max_result_bytes)

    def _make_room(self) -> None:
        """End the process that was idle longest, where there are as many as there may be."""
        idle = [key for key, seat in self._seats.items() if not seat.users]
        if idle and len(self._seats) >= self._limits.max_processes:
            self._end(min(idle, key=lambda key: self._seats[key].used_at))

    def _end_later(self, key: str, seat: _Seat) -> None:
        if key == _SHARED or seat.users:
            return
        seat.stay()
        loop = asyncio.get_running_loop()
        seat.leaving = loop.call_later(self._limits.idle_after_s, self._end_if, key, seat)

    def _end_if(self, key: str, seat: _Seat) -> None:
        if self._seats.get(key) is seat and not seat.users:
            self._end(key)

    def _end(self, key: str) -> None:
        task = asyncio.create_task(self._seats.pop(key).close())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


def _take_note(listing: asyncio.Task[tuple[ToolSpec, ...]]) -> None:
    """A start that fails when nobody waits any more is told to the next who asks."""
    if not listing.cancelled():
        listing.exception()
