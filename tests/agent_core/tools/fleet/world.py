"""A server whose definitions a test rewrites, and the pins of a database of its own."""

import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agent_core.messages import JsonObject
from agent_core.sessions import Database
from agent_core.sessions.pins import ToolPins
from agent_core.tools.fleet import Access, FleetServer
from agent_core.tools.fleet.servers import Scope
from agent_core.tools.servers import StdioServer

TOLD = Path(__file__).with_name("told.py")
NOTE: JsonObject = {"type": "object", "properties": {"note": {"type": "string"}}}


def defined(name: str, description: str = "Does it.", **more: Any) -> JsonObject:
    """A tool as the protocol has it."""
    schema: JsonObject = {"type": "object", "properties": {}}
    return {"name": name, "description": description, "inputSchema": schema, **more}


class Told:
    """The server `told`; what it lists is what `lists` was last given."""

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
        return StdioServer(
            name="told",
            command=sys.executable,
            args=("-I", str(TOLD), str(self._tools), str(self._starts)),
        )

    def server(self, *, scope: Scope = "bot", access: Access | None = None) -> FleetServer:
        return FleetServer(
            name="told",
            transport="stdio",
            config=self.config,
            scope=scope,
            access=access or Access(),
        )


@asynccontextmanager
async def stored_pins(directory: Path) -> AsyncGenerator[ToolPins]:
    database = Database(f"sqlite:///{directory}/state.sqlite")
    try:
        await database.open()
        yield ToolPins(database)
    finally:
        await database.close()
