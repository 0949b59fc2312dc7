"""The worker: the process that has Composio's package, and how the core asks it.

The package is dear to import and reports each call to its telemetry unless it is told otherwise, so
this process never imports it: `mcp_local/composio_worker.py` does, as a tool server of our own. The
hub's machinery starts it at first need, starts it again when it died, makes a call again that only
reads, and ends it when it was idle; its end of the pipe closes with the bot, whatever ends that.
"""

import asyncio
import json
import logging
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agent_core.errors import ComposioRefusedError, ToolServerError
from agent_core.ids import RunId, SessionId, ToolCallId, TurnId, UserId
from agent_core.json_values import as_object, is_object
from agent_core.mcp import HubLimits, McpServer, PooledServer, StdioServer
from agent_core.messages import ToolCall
from agent_core.tools import ToolContext, full_name

logger = logging.getLogger(__name__)

WORKER = "composio_worker"
DEFAULT_BASE_URL = "https://backend.composio.dev"
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
WORKER_LIMITS = HubLimits(connect_timeout_s=90.0, retry_after_s=5.0, idle_after_s=600.0)
"""A busy machine takes its time for the import; one that is idle for ten minutes ends."""
_NETWORK = re.compile("(https?|all|no)_proxy|ssl_cert_(file|dir)", re.IGNORECASE)
"""What the worker inherits: how this machine reaches others."""
_READING = ("list_accounts", "describe_tool")
_DEFAULT_PORTS = {"http": 80, "https": 443}
OPTIONS: Mapping[str, Any] = {
    # What a person would have to approve must not be done by code in Composio's workbench, and a
    # call must not take a working connection away.
    "manage_connections": {
        "enable": True,
        "enable_wait_for_connections": False,
        "enable_connection_removal": False,
    },
    "workbench": {
        "enable": True,
        "enable_proxy_execution": False,
        "enable_tool_execution": False,
    },
    "proxy_execute": {"enable": False},
}
PRELOADED = ("COMPOSIO_SEARCH_WEB", "COMPOSIO_SEARCH_NEWS")
"""What a session is asked to list beside its meta tools, so that no search has to be found first.
One that does not list them runs them inside of COMPOSIO_MULTI_EXECUTE_TOOL, like all app tools."""
DIRECT_CHARS = 5_000_000
"""Of a result that comes directly; a longer one is left in the remote workbench."""
WISHES: Mapping[str, Any] = {
    "preload": {"tools": list(PRELOADED)},
    "workbench": {**OPTIONS["workbench"], "auto_offload_threshold": DIRECT_CHARS},
}
"""Options that not every account may have; all works without them."""
_NOT_GRANTED = frozenset({400, 402, 403, 404, 409, 422})
_START_S = 30.0
"""So long the process waits for a bot that is not heard yet: its import takes a whole core."""
_CALL_S = 20.0
"""A little more than the SDK's own patience."""
_NOBODY = ToolContext(
    session=SessionId(""),
    turn=TurnId(""),
    run=RunId(""),
    asker=UserId(""),
    workspace=Path(),
)


def worker_process(
    *,
    api_key: str,
    base_url: str,
    environment: Mapping[str, str],
    limits: HubLimits = WORKER_LIMITS,
) -> PooledServer:
    """The process, not started yet; the key goes by its environment, which its user alone reads."""
    config = StdioServer(
        name=WORKER,
        command=sys.executable,
        args=("-m", "mcp_local.composio_worker"),
        env={
            **{name: value for name, value in environment.items() if _NETWORK.fullmatch(name)},
            "COMPOSIO_API_KEY": api_key,
            "COMPOSIO_BASE_URL": base_url,
            "PYDANTIC_DISABLE_PLUGINS": "__all__",  # nothing is traced there
            "MALLOC_ARENA_MAX": "2",
        },
        trusted=True,
        call_timeout_s=_CALL_S,
    )
    return PooledServer(
        WORKER,
        key=lambda _: WORKER,
        make=lambda _key, _workspace: McpServer(config, limits),
        limits=limits,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposioSession:
    """A person's Tool Router session."""

    id: str
    mcp_url: str


class ComposioWorker:
    """Composio, or whatever speaks its API at `base_url`. Nothing that acts is sent twice."""

    def __init__(
        self,
        process: PooledServer,
        *,
        api_key: str,
        base_url: str,
        may_start: asyncio.Event | None = None,
    ) -> None:
        self._process = process
        self._may_start = may_start
        self.api_key = api_key
        self.base_url = base_url
        self._wishes: Mapping[str, Any] = WISHES

    async def warm(self) -> None:
        """Start the process, if it is not there, so that a call soon finds it."""
        await self._wait_for_start()
        await self._process.specs(_NOBODY)

    async def _wait_for_start(self) -> None:
        """A turn that goes on after a crash needs the process before people are heard."""
        if self._may_start is None:
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self._may_start.wait(), _START_S)

    async def ask(self, work: str, **arguments: object) -> Mapping[str, Any]:
        """The object that Composio answers.

        Raises:
            ComposioRefusedError: it answers with an error.
            ToolServerError: there is no answer.
        """
        parts = urlsplit(self.base_url)
        if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
            raise ToolServerError("COMPOSIO_BASE_URL must be an https address: a key goes there.")
        call = ToolCall(
            id=ToolCallId(work),
            name=full_name(WORKER, "read" if work in _READING else "act"),
            arguments={"work": work, "arguments": arguments},
        )
        await self._wait_for_start()
        output = await self._process.run(call, _NOBODY, _ignore)
        if output.is_error:
            raise ToolServerError(output.text)
        answer = as_object(json.loads(output.text))
        if "refused" in answer:
            raise self._refusal(answer["refused"])
        if "failed" in answer:
            raise ToolServerError(answer["failed"])
        if not is_object(answer["answer"]):
            raise ComposioRefusedError("Composio's answer is not what it should be.", status=200)
        return answer["answer"]

    async def create_session(self, user: UserId) -> ComposioSession:
        """A new session, which is not stored."""
        if not is_person(user):
            raise ToolServerError("Nobody asked, so no account can be used.")
        made = await self._made(user)
        url = as_object(made.get("mcp")).get("url")
        if not isinstance(url, str):
            raise ToolServerError("Composio named no MCP address for the session.")
        if origin(url) != origin(self.base_url):
            raise ToolServerError("Composio named an MCP address of another origin; refused.")
        return ComposioSession(id=str(made.get("session_id")), mcp_url=url)

    async def delete_session(self, session: str) -> None:
        """Delete a session for good; a refusal says that it is not there."""
        with suppress(ComposioRefusedError):
            await self.ask("delete_session", session_id=session)

    async def close(self) -> None:
        """End the process, if there is one."""
        await self._process.close()

    async def _made(self, user: UserId) -> Mapping[str, Any]:
        """Composio's description of a new session, with the wishes where it grants them."""
        options = {"user_id": user, **OPTIONS}
        wishes = self._wishes  # another session may drop them meanwhile
        try:
            return await self.ask("create_session", **{**options, **wishes})
        except ComposioRefusedError as error:
            if not wishes or error.status not in _NOT_GRANTED:
                raise
        made = await self.ask("create_session", **options)
        logger.warning("Composio does not grant sessions these: %s", wishes)
        self._wishes = {}
        return made

    def _refusal(self, refused: Mapping[str, Any]) -> ComposioRefusedError:
        body = as_object(refused.get("body"))
        reason = as_object(body.get("error")).get("message") or body.get("error") or ""
        text = f"Composio refused: {refused['status']} {reason}".strip()
        if wait := refused.get("retry_after"):
            text = f"{text} (Retry-After: {wait})"
        # A key that the answer repeats would stand in the log.
        text = text.replace(self.api_key, "…")
        return ComposioRefusedError(text, status=refused["status"], body=body)


async def _ignore(_: str) -> None:
    """Nobody waits for progress."""


def is_person(user: UserId) -> bool:
    """Whether an id names one person of one team, and nothing that several could share."""
    team, _, person = user.partition(":")
    return all(part and part.casefold() != "default" for part in (team, person))


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port of a URL, the scheme's usual port filled in."""
    parts = urlsplit(url)
    port = None
    with suppress(ValueError):
        port = parts.port
    scheme = parts.scheme.lower()
    host = (parts.hostname or "").lower()
    return scheme, host, port or _DEFAULT_PORTS.get(scheme)
