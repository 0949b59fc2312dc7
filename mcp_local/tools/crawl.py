"""The tool that reads web pages: crawl_parallel."""

from functools import cache, partial
from typing import TYPE_CHECKING, Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from mcp_local.errors import ToolkitError
from mcp_local.fetch.urls import Allowance
from mcp_local.settings import Settings
from mcp_local.tools import FETCHES, SessionDir, local_tool, text_result
from mcp_local.workspace import open_workspace

if TYPE_CHECKING:
    from mcp_local.crawling import Crawler, Row

MAX_URLS_PER_CALL = 50

Urls = Annotated[
    list[str],
    Field(description="Full http or https addresses, 10 at a time is best, 50 at most."),
]


def register(server: MCPServer, settings: Settings) -> None:
    """Add the tool to the server. Raises ValueError naming a setting that cannot be read."""
    allowance = Allowance.from_settings(settings)

    @cache
    def crawler() -> "Crawler":
        # Imported by the first call: the HTTP client takes 10 MB.
        from mcp_local.browser import Browsers
        from mcp_local.crawling import Crawler
        from mcp_local.fetch.client import Client

        return Crawler(settings.workspaces_root, partial(Client, allowance), Browsers(settings))

    @local_tool(server, "Read web pages", FETCHES)
    async def crawl_parallel(
        urls: Urls, ctx: Context, session_dir: SessionDir = ""
    ) -> CallToolResult:
        """Read web pages in parallel and keep their main text for this session.

        Use it after a search, with the addresses whose full text you need: search results alone
        are only snippets. Each page is saved as a Markdown file in search_results/ and becomes a
        source that can be cited. The answer is a table (url, title, words, path, status), not
        the text: read that with read_local_file or find passages with search_corpus. A page read
        earlier in the session is answered from its file. A failed row says why; do not send the
        same address again, take another source.
        """
        workspace = open_workspace(settings, ctx, session_dir)
        if not 1 <= len(urls) <= MAX_URLS_PER_CALL:
            raise ToolkitError(
                f"Send between 1 and {MAX_URLS_PER_CALL} URLs a call, not {len(urls)}."
            )

        async def progress(done: int, total: int) -> None:
            await ctx.report_progress(done, total, f"Reading {done} of {total} pages")

        return _answer(await crawler().crawl(workspace, urls, progress))


def _answer(rows: "list[Row]") -> CallToolResult:
    successful = sum(row.ok for row in rows)
    stored = sum(row.is_stored for row in rows)
    note = "The texts are in the files named by path."
    if not successful:
        note = "No page could be read; try other sources."
    elif stored:
        note += f" {stored} already fetched earlier in this session."
    if 0 < successful < len(rows):
        note += " Failed pages cannot be cited; do not send them again."
    shown = ("url", "title", "words", "path", "status")
    answer = {
        "success": successful > 0,
        "successful": successful,
        "failed": len(rows) - successful,
        "pages": [
            {name: getattr(row, name) for name in shown} | ({"note": row.note} if row.note else {})
            for row in rows
        ],
        "note": note,
    }
    return text_result(answer)
