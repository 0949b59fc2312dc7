"""A session on disk with the toolkit's server over it, as a test sees both."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from mcp.client import Client
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent, Tool

from mcp_local.browser import Browsers
from mcp_local.documents import Documents
from mcp_local.extract.reader import Readers
from mcp_local.prints import Prints
from mcp_local.settings import Settings
from mcp_local.sources import StoredPage, page_path, save_page
from mcp_local.tools import files, report, sources
from mcp_local.workspace import Workspace

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Answer:
    """What a tool call came back with."""

    result: CallToolResult

    @property
    def text(self) -> str:
        return "".join(
            block.text for block in self.result.content if isinstance(block, TextContent)
        )

    @property
    def failed(self) -> bool:
        return self.result.is_error

    @property
    def meta(self) -> dict[str, Any]:
        return self.result.meta or {}

    def json(self) -> Any:
        assert not self.failed, self.text
        return json.loads(self.text)


class Session:
    """One session directory below a workspaces root of its own."""

    def __init__(self, tmp_path: Path, *, browser: str = "off") -> None:
        self.root = (tmp_path / "workspaces").resolve()
        self.directory = self.root / "session_20261121_120000"
        self.directory.mkdir(parents=True)
        self.settings = Settings(workspaces_root=self.root, crawl_browser=browser)
        self.workspace = Workspace(self.directory)
        self.documents = Documents(Readers(count=1))
        self.now = ""
        """The moment of the calls, as their meta tells it; empty where it is silent."""
        self._pages = 0

    def add_page(self, url: str, text: str, title: str = "A page") -> str:
        """Put a fetched page into the session, later than the ones before; returns its path."""
        self._pages += 1
        page = StoredPage(
            url=url,
            final_url=url,
            title=title,
            description="",
            fetched_at=NOON + timedelta(minutes=self._pages),
            words=len(text.split()),
            path=page_path(url),
            markdown=text,
        )
        save_page(self.workspace, page)
        return page.path

    def add_search(self, name: str, hits: list[dict[str, Any]], at: datetime = NOON) -> None:
        """Put the saved results of a web search into the session."""
        content = {"type": "web", "timestamp": at.isoformat(), "tool": name, "results": hits}
        self.workspace.write_text(f"search_results/{name}.json", json.dumps(content))

    def read(self, path: str) -> str:
        """The text of a file in the session directory."""
        return (self.directory / path).read_text(encoding="utf-8")

    def server(self) -> MCPServer:
        """The file, corpus and report tools over this session's root."""
        server = MCPServer("toolkit", log_level="CRITICAL")
        browsers = Browsers(self.settings)
        prints = Prints(browsers)
        files.register(server, self.settings, self.documents, prints)
        sources.register(server, self.settings, self.documents, browsers)
        report.register(server, self.settings, prints)
        return server

    async def call(self, tool: str, **arguments: Any) -> Answer:
        """Call a tool as the bot does, with the session in the call's meta."""
        return await self.call_in(str(self.directory), tool, **arguments)

    async def call_in(self, directory: str, tool: str, **arguments: Any) -> Answer:
        """Call a tool with this as the session's directory."""
        async with self.process(directory) as call:
            return await call(tool, **arguments)

    @asynccontextmanager
    async def process(self, directory: str) -> AsyncGenerator[Callable[..., Awaitable[Answer]]]:
        """Calls of tools that one server answers; what it does beside them ends with it."""
        meta = {"session_dir": directory}
        meta |= {"now": self.now} if self.now else {}
        async with Client(self.server()) as client:

            async def call(tool: str, **arguments: Any) -> Answer:
                return Answer(await client.call_tool(tool, arguments, meta=cast("Any", meta)))

            yield call

    async def tools(self) -> dict[str, Tool]:
        """The tools as a client sees them."""
        async with Client(self.server()) as client:
            return {tool.name: tool for tool in (await client.list_tools()).tools}
