"""The session directory: its layout, run.log, trace.json and summary.txt."""

from agent_core.workspaces.deletion import RECORDS, delete_files, rewrite_texts
from agent_core.workspaces.layout import (
    DOWNLOADS,
    WORK_PRODUCTS,
    RunLogs,
    SourceFacts,
    append_summary,
    check_room,
    cited_in,
    create_workspace,
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
    "DOWNLOADS", "RECORDS", "WORK_PRODUCTS", "RunLogs", "SourceFacts", "append_summary",
    "build_trace", "check_room", "cited_in", "create_workspace", "delete_files", "known_pages",
    "known_sources", "products_of", "renewal", "rewrite_texts", "safe_products", "space_taken",
    "without_paths", "write_text", "write_trace",
]  # fmt: skip
