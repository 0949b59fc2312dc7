"""The session directory: its layout, run.log, trace.json and summary.txt."""

from agent_core.workspaces.layout import (
    DOWNLOADS,
    create_workspace,
    renewal,
    without_paths,
    write_text,
)
from agent_core.workspaces.records import append_summary, write_trace
from agent_core.workspaces.run_log import RunLog, RunLogs, log_line
from agent_core.workspaces.sources import cited_in, known_sources
from agent_core.workspaces.trace import build_trace

__all__ = [
    "DOWNLOADS", "RunLog", "RunLogs", "append_summary", "build_trace", "cited_in",
    "create_workspace", "known_sources", "log_line", "renewal", "without_paths", "write_text",
    "write_trace",
]  # fmt: skip
