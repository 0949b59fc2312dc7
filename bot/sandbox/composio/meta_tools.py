"""The meta tools: what a model is told of each."""

from dataclasses import dataclass

from bot.sandbox.composio.batches import BatchArguments, Batches
from bot.sandbox.composio.connections import ConnectionArguments, Connections
from bot.sandbox.composio.discovery import Discovery, DiscoveryArguments, SchemaArguments
from bot.sandbox.composio.sessions import Session
from bot.sandbox.composio.tools import Tool
from bot.sandbox.composio.workbench import Workbench
from bot.sandbox.composio.workbench.workbench import BashArguments, WorkbenchArguments

TOOLKIT = "composio"
FEATURES = {
    "COMPOSIO_MANAGE_CONNECTIONS": "manage_connections",
    "COMPOSIO_REMOTE_WORKBENCH": "workbench",
    "COMPOSIO_REMOTE_BASH_TOOL": "workbench",
}
"""Meta tools that a session may have been made without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaParts:
    """What the meta tools call."""

    discovery: Discovery
    batches: Batches
    connections: Connections
    workbench: Workbench


def is_offered(session: Session, tool: Tool) -> bool:
    """Whether a session has a meta tool."""
    feature = FEATURES.get(tool.slug)
    return feature is None or session.has(feature)


def build_meta_tools(parts: MetaParts) -> tuple[Tool, ...]:
    """The six meta tools, in the order in which they are listed."""
    return (
        Tool.define(
            "COMPOSIO_SEARCH_TOOLS",
            DiscoveryArguments,
            parts.discovery.search,
            title="Find tools",
            toolkit=TOOLKIT,
            description="Finds the tools for what is to be done. Call it first, with one use case "
            "for each distinct step: it returns the slugs of fitting tools with their schemas, the "
            "state of the accounts they need, and hints. When nothing fits it says so; never make "
            "up a slug.",
            tags=("readOnlyHint", "openWorldHint", "important"),
        ),
        Tool.define(
            "COMPOSIO_GET_TOOL_SCHEMAS",
            SchemaArguments,
            parts.discovery.get_schemas,
            title="Get tool schemas",
            toolkit=TOOLKIT,
            description="Returns the input schemas of tools by slug, for slugs that came without "
            "one. Unknown slugs come back with similar names.",
            tags=("readOnlyHint",),
        ),
        Tool.define(
            "COMPOSIO_MULTI_EXECUTE_TOOL",
            BatchArguments,
            parts.batches.execute,
            title="Run tools",
            toolkit=TOOLKIT,
            description="Runs up to 50 tools side by side, such as several searches at once, and "
            "returns their results in the order asked. Use only slugs that COMPOSIO_SEARCH_TOOLS "
            "returned and arguments that fit their schemas. Each result has its own error: one "
            "that failed does not undo the rest.",
            tags=("destructiveHint", "openWorldHint"),
        ),
        Tool.define(
            "COMPOSIO_MANAGE_CONNECTIONS",
            ConnectionArguments,
            parts.connections.manage,
            title="Manage connections",
            toolkit=TOOLKIT,
            description="Connects the person's accounts of apps, by toolkit slug. A toolkit that "
            "is connected comes back as active with the person's identity; for any other it begins "
            "a connection and returns a link that the person has to open and allow. Call it when "
            "COMPOSIO_SEARCH_TOOLS says that a toolkit has no active connection.",
            tags=("destructiveHint", "openWorldHint"),
        ),
        Tool.define(
            "COMPOSIO_REMOTE_WORKBENCH",
            WorkbenchArguments,
            parts.workbench.run,
            title="Run Python remotely",
            toolkit=TOOLKIT,
            description="Runs Python in a remote notebook whose names and files stay between "
            "calls. Use it for data too large for the conversation that lies in remote files; "
            "/mnt/files persists. In this sandbox it knows a small part of Python: os, base64, "
            "json, hashlib and math, no classes, functions or network.",
            tags=("destructiveHint", "openWorldHint"),
        ),
        Tool.define(
            "COMPOSIO_REMOTE_BASH_TOOL",
            BashArguments,
            parts.workbench.refuse_bash,
            title="Run a shell command remotely",
            toolkit=TOOLKIT,
            description="Runs a shell command beside the remote notebook. It is switched off in "
            "this sandbox and only ever answers with an error; use COMPOSIO_REMOTE_WORKBENCH.",
            tags=("destructiveHint", "openWorldHint"),
        ),
    )
