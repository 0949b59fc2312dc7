"""The tools that end a research: list_sources and write_report."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from pathlib import PurePosixPath
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from mcp_local.browser import find_chromium
from mcp_local.prints import Prints
from mcp_local.settings import Settings
from mcp_local.sources import read_sources
from mcp_local.tools import ADDS_ONCE, READS, FilePath, local_tool, text_result
from mcp_local.workspace import Workspace, moment_of, open_workspace

MAX_FOLLOW_UPS = 3
FOLLOW_UP_CHARS = 75
"""As Slack and others show them on buttons; a longer question is left out."""

Title = Annotated[
    str,
    Field(description="The topic in a few words; the file is named after it."),
]
Markdown = Annotated[
    str,
    Field(
        description="The report's text: `## ` headings for themed sections, `### ` below them, "
        "lists, tables, `> [!NOTE] Title` info boxes (also TIP, KEY, WARNING), and [n#p] after "
        "each sentence taken from passage p of source n, or [n] where it rests on the source as a "
        "whole. No HTML, no title, contents or source list: the page adds "
        "them."
    ),
]
SectionFiles = Annotated[
    list[str],
    Field(
        description="Paths of Markdown files that hold sections, each from its `## ` heading on, "
        "in their order, behind `markdown`. What stays as it is need not be written again."
    ),
]
Summary = Annotated[
    str,
    Field(description="The executive summary as Markdown, 3 to 5 cited sentences."),
]
Language = Annotated[
    str,
    Field(description="Language of the report as a tag such as en, de or pt-BR."),
]
Citations = Annotated[
    list[str],
    Field(description="The addresses that [1], [2] and so on stand for in it."),
]
Counted = Annotated[
    str,
    Field(description="The count of the report beside it, which then stands for the answer's own."),
]
IsComprehensive = Annotated[
    bool,
    Field(
        description="Whether comprehensive, detailed or in-depth work was asked for, in whatever "
        "language and words."
    ),
]
FollowUps = Annotated[
    list[str],
    Field(
        description="2 or 3 questions that a reader may ask next, in the report's language, each "
        "whole and of at most 60 characters. They become buttons below it."
    ),
]


def register(server: MCPServer, settings: Settings, prints: Prints) -> None:
    """Add the tools to the server."""

    @local_tool(server, "Write the report", ADDS_ONCE)
    async def write_report(
        title: Title,
        ctx: Context,
        markdown: Markdown = "",
        sections: SectionFiles = [],  # noqa: B006 (a schema's default; nobody changes it)
        summary: Summary = "",
        language: Language = "en",
        is_comprehensive: IsComprehensive = False,
        follow_ups: FollowUps = [],  # noqa: B006 (a schema's default; nobody changes it)
    ) -> CallToolResult:
        """Turn a finished text with [n] citations into the HTML report that the person receives.

        Use it once all sources are read and, for fetched pages, after save_corpus. n is the number
        that save_corpus, search_corpus and list_sources show, n#p the id of a passage that
        search_corpus gave. Every citation is checked: one whose
        source does not exist or could not be fetched is refused by name, and nothing is written.
        `warnings` in the answer name figures and quotes that stand on none of the sources cited for
        them. A changed report becomes a new version beside the earlier ones; one that says the same
        as an earlier version is not written again, and that version is named. `version` says which
        one it is and what is new in it. `pdf` names the same report as PDF where a browser is set
        up, which is printed meanwhile: a tool that is given its path waits for it. The
        person gets both.
        """
        workspace = open_workspace(settings, ctx)
        today = moment_of(ctx).date()
        written = await asyncio.to_thread(
            _write,
            workspace,
            title,
            markdown,
            sections,
            summary,
            language,
            today,
            is_comprehensive,
        )
        path = written["path"]
        checked = written.pop("checked")
        if find_chromium(settings.crawl_browser):
            prints.begin(workspace, path)
            written["pdf"] = str(PurePosixPath(path).with_suffix(".pdf"))
        title = " · ".join(filter(None, [written["title"], written.get("version")]))
        by_number = {source["n"]: source["url"] for source in written["sources"]}
        cited = [by_number.get(n, "") for n in range(1, max(by_number) + 1)]
        asked_next = (" ".join(question.split()) for question in follow_ups)
        fitting = [question for question in asked_next if 0 < len(question) <= FOLLOW_UP_CHARS]
        report = {
            "path": path,
            "title": title,
            "mimetype": "text/html",
            "citations": cited,
            "follow_ups": fitting[:MAX_FOLLOW_UPS],
            "checked": checked,
        }
        return text_result(written, artifacts=[report])

    @local_tool(server, "Print a report", ADDS_ONCE)
    async def print_report(path: FilePath, title: Title, ctx: Context) -> CallToolResult:
        """Bring a report's PDF and the picture of its first page; both are made if need be."""
        files = await prints.files(open_workspace(settings, ctx), path)
        artifacts = [
            {"path": file, "title": title, "mimetype": kind} for kind, file in files.items()
        ]
        return text_result("", artifacts=artifacts)

    @local_tool(server, "Check an answer", READS)
    async def check_answer(
        markdown: Markdown,
        citations: Citations,
        language: Language,
        ctx: Context,
        counted: Counted = "",
    ) -> CallToolResult:
        """Bring an answer back with a mark behind each claim that its sources do not say."""
        workspace = open_workspace(settings, ctx)
        marked = await asyncio.to_thread(_mark, workspace, markdown, citations, language, counted)
        return text_result(marked)

    @local_tool(server, "List the sources", READS)
    async def list_sources(ctx: Context) -> CallToolResult:
        """List everything retrieved in this session with the number that a report cites it by.

        Use it before writing a report. `kind` page was read in full, `kind` snippet is only what a
        search said about a page. The numbers of the corpus stay; the others may move when pages are
        added with save_corpus, so list again after that.
        """
        workspace = open_workspace(settings, ctx)
        sources = await asyncio.to_thread(read_sources, workspace)
        return text_result({"sources": [source.row() for source in sources]})


def _mark(
    workspace: Workspace, markdown: str, citations: list[str], language: str, counted: str
) -> str:
    from mcp_local.report.answers import mark_answer  # as dear as what composes a report

    return mark_answer(markdown, citations, read_sources(workspace), language, counted)


def _write(
    workspace: Workspace,
    title: str,
    markdown: str,
    sections: Sequence[str],
    summary: str,
    language: str,
    today: date,
    is_comprehensive: bool,
) -> dict[str, Any]:
    # Imported by the first report: what composes one takes 5 MB.
    from mcp_local.report.compose import compose_report, sources_before, write_new_version

    files = [workspace.read_bytes(path).decode(errors="replace") for path in sections]
    report = compose_report(
        read_sources(workspace),
        today,
        title=title,
        markdown="\n\n".join([markdown, *files]),
        summary=summary,
        language=language,
        before=sources_before(workspace, title),
        is_comprehensive=is_comprehensive,
    )
    path, version = write_new_version(workspace, report.title, today, report.html, language)
    return {
        "success": True,
        "path": path,
        "title": report.title,
        **({"version": version} if version else {}),
        **({"shortfall": report.shortfall} if report.shortfall else {}),
        "citations": report.citations,
        "sources": [
            {"n": source.n, "url": source.url, "title": source.title} for source in report.cited
        ],
        "words": report.words,
        "claims": asdict(report.trust),
        "checked": report.checked,
        "warnings": report.warnings,
    }
