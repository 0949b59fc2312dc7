"""The little server of `servers/raw.py` as the hub is told of it, and pins of a database."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent_core.mcp import FleetServer, StdioServer
from agent_core.mcp.config import Scope, ServerAccess
from agent_core.messages import JsonObject
from agent_core.sessions import Database, ToolPins

RAW = Path(__file__).parent / "servers" / "raw.py"
NOTE: JsonObject = {"type": "object", "properties": {"note": {"type": "string"}}}
needs_pidfd = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="watches a foreign process")


def raw(
    manner: str = "well",
    *,
    name: str = "raw",
    received: Path | None = None,
    call_timeout_s: float = 20.0,
) -> StdioServer:
    """A server that misbehaves as told; `received` collects the lines that it gets."""
    extra = (str(received),) if received else ()
    return StdioServer(
        name=name,
        command=sys.executable,
        args=("-I", str(RAW), manner, *extra),
        call_timeout_s=call_timeout_s,
    )


def defined(name: str, description: str = "Does it.", **more: Any) -> JsonObject:
    """A tool as the protocol has it."""
    schema: JsonObject = {"type": "object", "properties": {}}
    return {"name": name, "description": description, "inputSchema": schema, **more}


class Told:
    """The server `told`, whose definitions a test rewrites."""

    def __init__(self, directory: Path) -> None:
        self._tools = directory / "tools.json"
        self._starts = directory / "starts"
        self.lists(defined("where"), defined("act"))

    def lists(self, *tools: JsonObject) -> None:
        self._tools.write_text(json.dumps(tools), encoding="utf-8")

    @property
    def starts(self) -> list[int]:
        """The process ids so far."""
        if not self._starts.exists():
            return []
        return [int(line) for line in self._starts.read_text(encoding="utf-8").split()]

    @property
    def config(self) -> StdioServer:
        args = ("-I", str(RAW), str(self._tools), os.devnull, str(self._starts))
        return StdioServer(name="told", command=sys.executable, args=args)

    def server(self, *, scope: Scope = "bot", access: ServerAccess | None = None) -> FleetServer:
        return FleetServer(
            name="told",
            transport="stdio",
            config=self.config,
            scope=scope,
            access=access or ServerAccess(),
        )


@asynccontextmanager
async def stored_pins(directory: Path) -> AsyncGenerator[ToolPins]:
    database = Database(f"sqlite:///{directory}/state.sqlite")
    try:
        await database.open()
        yield ToolPins(database)
    finally:
        await database.close()


@contextmanager
def watched(pid: int) -> Generator[asyncio.Event]:
    """An event that is set when the process, which is no child of ours, has ended."""
    gone = asyncio.Event()
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        gone.set()
        yield gone
        return
    asyncio.get_running_loop().add_reader(handle, gone.set)
    try:
        yield gone
    finally:
        asyncio.get_running_loop().remove_reader(handle)
        os.close(handle)
