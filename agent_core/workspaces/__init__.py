"""The session directory: its layout, run.log, trace.json and summary.txt."""

from agent_core.workspaces.files import write_text
from agent_core.workspaces.layout import (
    DOWNLOADS,
    create_workspace,
    is_renewed,
    mark_renewed,
    settle_renewal,
)
from agent_core.workspaces.pages_read import pages_read
from agent_core.workspaces.run_log import RunLog, RunLogs, log_line
from agent_core.workspaces.sources import known_sources
from agent_core.workspaces.summary import append_summary
from agent_core.workspaces.trace import SessionInfo, build_trace
from agent_core.workspaces.trace_files import write_trace

__all__ = [
    "DOWNLOADS",
    "RunLog",
    "RunLogs",
    "SessionInfo",
    "append_summary",
    "build_trace",
    "create_workspace",
    "is_renewed",
    "known_sources",
    "log_line",
    "mark_renewed",
    "pages_read",
    "settle_renewal",
    "write_text",
    "write_trace",
]
