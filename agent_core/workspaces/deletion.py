"""Deletion in a workspace: records of turns, work products, and one person's words."""

import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from re import Pattern

from agent_core.workspaces.layout import RUN_LOG, SUMMARY, TRACE, TRACES, write_text

RECORDS = (RUN_LOG, SUMMARY, TRACE, TRACES)


def delete_files(workspace: Path, names: Iterable[str]) -> None:
    """Delete files, and what is in directories."""
    for name in names:
        path = workspace / name
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir(exist_ok=True)
        else:
            path.unlink(missing_ok=True)


def redact_files(workspace: Path, pattern: Pattern[str], mark: str) -> None:
    """Put a mark in place of what the pattern finds in texts; the PDF of a changed page goes."""
    for path in workspace.rglob("*"):
        with suppress(OSError, UnicodeDecodeError):
            text = path.read_text(encoding="utf-8")
            redacted = pattern.sub(mark, text)
            if redacted != text:
                write_text(path, redacted)
                path.with_suffix(".pdf").unlink(missing_ok=True)
