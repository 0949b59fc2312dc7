"""The session directory: its layout, run.log, trace.json and summary.txt."""

from agent_core.workspaces.layout import (
    DOWNLOADS,
    RunLogs,
    SourceFacts,
    append_summary,
    check_room,
    cited_in,
    create_workspace,
    delete_files,
    known_pages,
    known_sources,
    products_of,
    renewal,
    space_taken,
    without_paths,
    write_text,
    write_trace,
)
from agent_core.workspaces.tables import safe_products
from agent_core.workspaces.trace import build_trace

__all__ = [
    "DOWNLOADS", "RunLogs", "SourceFacts", "append_summary", "build_trace", "check_room",
    "cited_in",
    "create_workspace", "delete_files", "known_pages", "known_sources",
    "products_of", "renewal",
    "safe_products", "space_taken", "without_paths", "write_text", "write_trace",
]  # fmt: skip
