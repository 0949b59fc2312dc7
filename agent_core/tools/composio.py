"""Composio's tools: every person works through a session, and so the accounts, of their own.

Files that a result names by address land in the session.
"""

import asyncio
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from agent_core.errors import ComposioRefusedError, ToolServerError
from agent_core.ids import ToolCallId, UserId
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.tools import Progress, ToolContext, ToolOutput, Toolset
from agent_core.tools.composio_api import ComposioApi, is_person
from agent_core.tools.names import server_prefix
from agent_core.tools.payloads import is_list, is_object, parse, text_in
from agent_core.tools.pins import Pins
from agent_core.tools.pool import ServerPool
from agent_core.tools.server import Clock, McpServer
from agent_core.tools.server_tools import ServerTools
from agent_core.tools.servers import HttpServer, HubLimits

logger = logging.getLogger(__name__)

SERVER_NAME = "composio"
IDLE_AFTER_S = 900.0
_ADDRESS = "s3url"
_MAX_FILES = 10
_OF_THE_REQUEST = frozenset({400, 404, 409, 422})
"""Composio refused what was asked for one person, and is well: it may serve the others."""


class ComposioTools:
    """A toolset named `mcp__composio__<SLUG>`; absent, without harm to others, when Composio is.

    A session is made when a person's first turn asks, kept while the person is active, and made
    anew when Composio does not know it any more.
    """

    def __init__(
        self,
        api: ComposioApi,
        *,
        api_key: str,
        pins: Pins | None = None,
        limits: HubLimits | None = None,
        clock: Clock = time.monotonic,
        idle_after_s: float = IDLE_AFTER_S,
    ) -> None:
        self._api = api
        self._config = HttpServer(name=SERVER_NAME, url="", headers={"x-api-key": api_key})
        self._pins = pins
        self._limits = limits or HubLimits()
        self._clock = clock
        self._people = ServerPool(idle_after_s=idle_after_s)
        self._outage: tuple[float, str] | None = None
        """When and why nobody got a session."""

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        if not is_person(context.asker):
            return ()
        with self._people.use(context.asker, partial(self._tools_of, context.asker)) as tools:
            try:
                return await tools.specs()
            except ToolServerError as error:
                logger.debug("composio is left out: %s", error)
                return ()

    async def run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
        if not call.name.startswith(server_prefix(SERVER_NAME)):
            return ToolOutput(text=f"There is no tool {call.name}.", is_error=True)
        if not is_person(context.asker):
            return ToolOutput(text="Nobody asked, so no account can be used.", is_error=True)
        with self._people.use(context.asker, partial(self._tools_of, context.asker)) as tools:
            return await tools.run(call, context, progress)

    async def close(self) -> None:
        """End all connections; bounded by the limits."""
        await self._people.close()
        await self._api.close()

    def _tools_of(self, user: UserId) -> ServerTools:
        server = McpServer(
            self._config,
            self._limits,
            self._clock,
            locate=partial(self._locate, user),
            pins=self._pins,
        )
        return ServerTools(server, max_result_bytes=self._limits.max_result_bytes)

    async def _locate(self, user: UserId, is_lost: bool) -> HttpServer:
        """The address of the person's session. An outage is told to all, without asking again."""
        if self._outage and self._clock() - self._outage[0] < self._limits.retry_after_s:
            raise ToolServerError(self._outage[1])
        try:
            session = await (self._api.renew(user) if is_lost else self._api.of(user))
        except ToolServerError as error:
            if not (isinstance(error, ComposioRefusedError) and error.status in _OF_THE_REQUEST):
                self._outage = (self._clock(), str(error))
            logger.warning("composio is left out for now: %s", error)
            raise
        self._outage = None
        return replace(self._config, url=session.mcp_url)


@dataclass(frozen=True, slots=True)
class AppFiles:
    """Tools of apps. Files that their results name are fetched, and the result says where they are.

    Composio's own client does the same for those who call it directly; over MCP nobody does.
    """

    apps: Toolset
    local: Toolset
    """Has the tool that saves a file."""
    save: str
    """That tool's full name."""

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        return await self.apps.specs(context)

    async def run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
        output = await self.apps.run(call, context, progress)
        if output.is_error or _ADDRESS not in output.text:
            return output
        files = await asyncio.to_thread(_files_in, output.text)
        told = [
            await self._keep(number, file, call, context, progress)
            for number, file in enumerate(files[:_MAX_FILES], 1)
        ]
        if len(files) > _MAX_FILES:
            told.append(f"[Only the first {_MAX_FILES} of {len(files)} files were saved.]")
        return replace(output, text="\n\n".join([output.text, *told]))

    async def _keep(
        self,
        number: int,
        file: dict[str, str],
        call: ToolCall,
        context: ToolContext,
        progress: Progress,
    ) -> str:
        saving = ToolCall(
            id=ToolCallId(f"{call.id}:file{number}"), name=self.save, arguments=dict(file)
        )
        saved = await self.local.run(saving, context, progress)
        if saved.is_error:
            return f"[A file that this result names was not saved: {saved.text}]"
        return f"[{saved.text}]"


def _files_in(text: str) -> list[dict[str, str]]:
    """Each file that a result names, once, with the arguments that save it.

    Texts inside are not looked into: a mail may hold JSON, and what it names is its sender's wish.
    """
    named = {
        text_in(one, _ADDRESS): text_in(one, "name", "filename", "file_name")
        for one in _objects(parse(text))
        if text_in(one, _ADDRESS)
    }
    return [{_ADDRESS: url, "name": name} for url, name in named.items()]


def _objects(value: object) -> Iterator[JsonObject]:
    left = [value]
    for one in left:
        if is_object(one):
            yield one
            left.extend(one.values())
        elif is_list(one):
            left.extend(one)
