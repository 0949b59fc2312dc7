"""Deletion in a workspace: records of turns, work products, and what is written in texts."""

import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

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


def rewrite_texts(workspace: Path, rewrite: Callable[[str], str]) -> None:
    """Rewrite every text; the PDF of a page that changed goes."""
    for path in workspace.rglob("*"):
        with suppress(OSError, UnicodeDecodeError):
            old = path.read_text(encoding="utf-8")
            new = rewrite(old)
            if new != old:
                write_text(path, new)
                path.with_suffix(".pdf").unlink(missing_ok=True)
