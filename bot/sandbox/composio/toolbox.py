"""All tools of the stand-in for a session: the app tools and the meta tools over them."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from bot.sandbox.composio.batches import BatchArguments, Batches
from bot.sandbox.composio.discovery import (
    Discovery,
    DiscoveryArguments,
    SchemaArguments,
    describe_absent_tool,
)
from bot.sandbox.composio.engine import SearchEngine
from bot.sandbox.composio.outcome import Outcome
from bot.sandbox.composio.search_tools import build_search_tools
from bot.sandbox.composio.sessions import Call, Session
from bot.sandbox.composio.tools import Tool

META_TOOLKIT = "composio"
DISCOVERY_DESCRIPTION = (
    "Finds the tools for what is to be done. Call it first, with one use case for each distinct "
    "step: it returns the slugs of fitting tools with their schemas, the state of the accounts "
    "they need, and hints. When nothing fits it says so; never make up a slug."
)
SCHEMA_DESCRIPTION = (
    "Returns the input schemas of tools by slug, for slugs that came without one. Unknown slugs "
    "come back with similar names."
)
BATCH_DESCRIPTION = (
    "Runs up to 50 tools side by side, such as several searches at once, and returns their "
    "results in the order asked. Use only slugs that COMPOSIO_SEARCH_TOOLS returned and arguments "
    "that fit their schemas. Each result has its own error: one that failed does not undo the rest."
)


class Toolbox:
    """Lists and runs the tools that a session may use, and records each call."""

    def __init__(self, engine: SearchEngine, clock: Callable[[], datetime]) -> None:
        self.calls: list[Call] = []
        apps = build_search_tools(engine)
        meta = _build_meta_tools(Discovery(apps, clock), Batches({t.slug: t for t in apps}))
        self._tools = {tool.slug: tool for tool in (*meta, *apps)}

    def list_tools(self, session: Session) -> list[Tool]:
        """The session's tools, meta tools first."""
        return [tool for tool in self._tools.values() if _may_use(session, tool)]

    async def execute(
        self, session: Session, slug: str, arguments: Mapping[str, Any]
    ) -> Outcome | None:
        """The outcome of a call, or None where the session has no tool of that name."""
        self.calls.append(
            Call(session_id=session.id, user_id=session.user_id, tool=slug, arguments=arguments)
        )
        tool = self._tools.get(slug)
        if tool is None or not _may_use(session, tool):
            return None
        return await tool.execute(session, arguments)

    def explain_absence(self, slug: str) -> str:
        """Why there is no tool of that name."""
        return describe_absent_tool(slug)


def _may_use(session: Session, tool: Tool) -> bool:
    return tool.toolkit == META_TOOLKIT or session.allows(tool.toolkit)


def _build_meta_tools(discovery: Discovery, batches: Batches) -> tuple[Tool, Tool, Tool]:
    return (
        Tool.define(
            "COMPOSIO_SEARCH_TOOLS",
            DiscoveryArguments,
            discovery.search,
            title="Find tools",
            toolkit=META_TOOLKIT,
            description=DISCOVERY_DESCRIPTION,
            effect="reads",
        ),
        Tool.define(
            "COMPOSIO_GET_TOOL_SCHEMAS",
            SchemaArguments,
            discovery.get_schemas,
            title="Get tool schemas",
            toolkit=META_TOOLKIT,
            description=SCHEMA_DESCRIPTION,
            effect="reads",
        ),
        Tool.define(
            "COMPOSIO_MULTI_EXECUTE_TOOL",
            BatchArguments,
            batches.execute,
            title="Run tools",
            toolkit=META_TOOLKIT,
            description=BATCH_DESCRIPTION,
            effect="acts",
        ),
    )
