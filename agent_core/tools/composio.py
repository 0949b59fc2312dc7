"""Composio's tools: every person works through a session, and so the accounts, of their own.

Files that a result names by address land in the session.
"""

import asyncio
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agent_core.errors import ComposioRefusedError, ToolServerError
from agent_core.ids import ToolCallId, UserId
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.tools import Progress, ToolContext, ToolOutput, Toolset
from agent_core.tools.composio_api import ComposioApi, is_person
from agent_core.tools.hub import PooledServer
from agent_core.tools.names import server_prefix
from agent_core.tools.payloads import is_list, is_object, parse, text_in
from agent_core.tools.pins import Pins
from agent_core.tools.server import Clock, McpServer
from agent_core.tools.servers import HttpServer, HubLimits

SERVER_NAME = "composio"
_ADDRESS = "s3url"
_MAX_FILES = 10
_MAX_PEOPLE = 500
"""Who are connected at a time."""
_OF_THE_REQUEST = frozenset({400, 404, 409, 422})
"""Composio refused what was asked for one person, and is well: it may serve the others."""


def composio_server(
    api: ComposioApi,
    *,
    pins: Pins | None = None,
    limits: HubLimits | None = None,
    clock: Clock = time.monotonic,
) -> PooledServer:
    """Composio's tools, `mcp__composio__<SLUG>`, of each person's own session.

    A session is made when a person's first turn asks, and made anew when Composio does not know it
    any more. Where nobody asked, there are no tools. An outage is told to all,
    without asking again.
    """
    limits = replace(limits or HubLimits(), max_connections=_MAX_PEOPLE)
    config = HttpServer(name=SERVER_NAME, url="", headers={"x-api-key": api.api_key})
    outage = (-math.inf, "")

    def make(user: str, _: Path) -> McpServer:
        async def locate(is_lost: bool) -> HttpServer:
            nonlocal outage
            failed_at, reason = outage
            if clock() - failed_at < limits.retry_after_s:
                raise ToolServerError(reason)
            try:
                session = await (api.renew if is_lost else api.of)(UserId(user))
            except ToolServerError as error:
                is_refused = isinstance(error, ComposioRefusedError)
                if not is_refused or error.status not in _OF_THE_REQUEST:
                    outage = (clock(), str(error))
                raise
            return replace(config, url=session.mcp_url)

        return McpServer(config, limits, clock, locate=locate, pins=pins)

    return PooledServer(
        SERVER_NAME,
        key=lambda context: context.asker if is_person(context.asker) else None,
        make=make,
        limits=limits,
    )


@dataclass(frozen=True, slots=True)
class AppFiles:
    """Tools; files that results of apps name are fetched, and the result says where they are.

    Composio's own client does the same for those who call it directly; over MCP nobody does.
    """

    tools: Toolset
    save: str
    """The full name of the one that saves a file."""

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        return await self.tools.specs(context)

    async def run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
        output = await self.tools.run(call, context, progress)
        is_of_app = call.name.startswith(server_prefix(SERVER_NAME))
        if not is_of_app or output.is_error or _ADDRESS not in output.text:
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
        saved = await self.tools.run(saving, context, progress)
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
