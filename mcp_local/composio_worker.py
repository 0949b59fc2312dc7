"""The process that has Composio's package: `python -m mcp_local.composio_worker`.

The package takes 60 MB and seconds to import, so the bot has it here and nowhere else. It is a
tool server of our own over stdio: the bot's hub starts it, starts it again when it died, and ends
it. MCP at a session's address is no part of it: the bot's hub speaks that itself.

Tracking off is a variable of the context, and the SDK reports each call without it; so it is set
before there is a client, a thread or a task. The client sends nothing twice and follows no
redirect: another origin must neither learn who asks for what, nor answer in Composio's place.
"""

# ruff: noqa: E402
import gc

from pydantic import BaseModel, ConfigDict

# While 1,500 modules are loaded: no look of the garbage collector at what stays anyway, and of
# their models each is built at its first use. That saves half of the time and 70 MB.
gc.disable()
BaseModel.model_config["defer_build"] = True

import json
import logging
import os
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class _AsReceived(BaseModel):
    """An answer of Composio's as it came; the client builds its models without a check anyway."""

    model_config = ConfigDict(extra="allow")


_SPARED: dict[str, type] = {
    "openai": object,
    "composio_client._generated.pydantic_gen": _AsReceived,
}
"""Modules of which only the names of classes are needed, with what those classes are here.

The SDK's default provider names OpenAI's types, and nothing here calls them: 22 MB and 0.4 s. The
client has 1,950 generated models, and no body or answer of ours has a name that they change: 32 MB.
"""


class _NamedOnly(ModuleType):
    """A module in which each name is a class without anything of its own."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):  # the import machinery looks for these
            raise AttributeError(name)
        return type(name, (_SPARED.get(self.__name__, object),), {"__module__": self.__name__})


class _WithoutSpared(MetaPathFinder, Loader):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        is_spared = fullname in _SPARED or fullname.partition(".")[0] in _SPARED
        return ModuleSpec(fullname, self, is_package=True) if is_spared else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _NamedOnly(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


sys.meta_path.insert(0, _WithoutSpared())

import httpx
from composio import Composio
from composio.core.models.base import allow_tracking
from composio.exceptions import ComposioError
from composio_client import APIConnectionError, APIError, APIStatusError
from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

from mcp_local.settings import Settings

del BaseModel.model_config["defer_build"]
gc.enable()

TIMEOUT_S = 15
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def open_composio(*, api_key: str, base_url: str) -> Any:
    """The SDK's client, without tracking, retries and redirects.

    A proxy cannot reach this machine's own ports.
    """
    allow_tracking.set(False)
    is_near = httpx.URL(base_url).host in _LOOPBACK
    http = httpx.Client(
        timeout=TIMEOUT_S,
        trust_env=not is_near,
        event_hooks={"response": [_without_location]},
    )
    return Composio(
        api_key=api_key,
        base_url=base_url,
        allow_tracking=False,
        max_retries=0,
        timeout=TIMEOUT_S,
        http_client=http,
    )


def _without_location(response: httpx.Response) -> None:
    """A redirect without an address is a refusal to the SDK, which would follow it otherwise."""
    response.headers.pop("location", None)


def build_server(composio: Any) -> MCPServer:
    """The server over an SDK's client: two tools, as only what reads may be asked again.

    They answer JSON: `answer`, or `refused` with the status, or `failed` in words.
    """
    router = composio.client.tool_router.session
    works: dict[str, Callable[..., Any]] = {
        # Not `composio.create`: of our options it drops two, that no call may remove a connection
        # and that no code in the workbench may call apps.
        "create_session": router.create,
        "delete_session": composio.sessions.delete,
        "link_account": router.link,
        "run_meta_tool": router.execute_meta,
        "delete_account": composio.connected_accounts.delete,
        "list_accounts": composio.connected_accounts.list,
        "describe_tool": composio.tools.get_raw_composio_tool_by_slug,
    }
    server = MCPServer("composio_worker", log_level="WARNING")

    @server.tool(annotations=ToolAnnotations(read_only_hint=True), structured_output=False)
    def read(work: str, arguments: dict[str, Any]) -> str:
        return _answer(works[work], arguments)

    @server.tool(annotations=ToolAnnotations(read_only_hint=False), structured_output=False)
    def act(work: str, arguments: dict[str, Any]) -> str:
        return _answer(works[work], arguments)

    _ = read, act
    return server


def _answer(work: Callable[..., Any], arguments: dict[str, Any]) -> str:
    allow_tracking.set(False)  # of this thread
    try:
        answer = work(**arguments)
    except (ComposioError, APIError) as error:
        return json.dumps(_failure(error))
    dump = getattr(answer, "model_dump", None)
    return json.dumps({"answer": dump(mode="json") if dump else answer})


def _failure(error: Exception) -> dict[str, Any]:
    if isinstance(error, APIConnectionError):
        return {"failed": f"Composio cannot be reached: {error.__cause__ or error}"}
    refusal = error if isinstance(error, APIStatusError) else error.__cause__
    if not isinstance(refusal, APIStatusError):
        return {"answer": None}  # not what it should be
    refused = {
        "status": refusal.status_code,
        "body": refusal.body,
        "retry_after": refusal.response.headers.get("retry-after", ""),
    }
    return {"refused": refused}


def main() -> None:
    """Serve until the bot closes its end, as its death does."""
    allow_tracking.set(False)
    gc.freeze()
    # Before MCPServer sets up its own handler: standard output belongs to the protocol.
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s")
    settings = Settings()
    composio = open_composio(
        api_key=settings.composio_api_key.get_secret_value(), base_url=settings.composio_base_url
    )
    build_server(composio).run()
    os._exit(0)  # a call that still waits for Composio has nobody to answer


if __name__ == "__main__":
    main()
