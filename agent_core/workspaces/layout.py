"""Where a session's files lie, and how they are written: whole or not at all, as UTF-8."""

import hashlib
import json
import os
import re
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from agent_core.errors import SettingsError
from agent_core.ids import SessionId
from agent_core.messages import JsonObject

SEARCH_RESULTS = "search_results"
EXTRACTED_ARTICLES = "extracted_articles"
WORKBENCH_ACTIVITY = "workbench_activity"
WORK_PRODUCTS = "work_products"
DOWNLOADS = "downloads"
TRACES = "traces"
TOOL_RESULTS = "tool_results"
"""Made when the first result is too long for the model."""

DIRECTORIES = (
    SEARCH_RESULTS,
    EXTRACTED_ARTICLES,
    WORKBENCH_ACTIVITY,
    WORK_PRODUCTS,
    DOWNLOADS,
    TRACES,
)

CORPUS = "expanded_corpus.json"
_NAMES = "|".join((*DIRECTORIES[:-2], TOOL_RESULTS))
_PATH = (
    rf"(?:(?:{_NAMES})/[^\s`\"'<>()\[\]]*|(?:{DOWNLOADS}|{TRACES})/[^\s`\"'<>()\[\]]*\.\w{{1,5}})"
)
RUN_LOG = "run.log"
SUMMARY = "summary.txt"
TRACE = "trace.json"


def create_workspace(root: Path, *, now: datetime, session: SessionId) -> Path:
    """Make a session's directory with its subdirectories, and return it, absolute.

    The name depends on nothing but `now` and `session`, so asking again makes nothing new.

    Raises:
        SettingsError: the root cannot be written.
    """
    # The digest keeps two sessions of the same second apart.
    digest = hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:6]
    workspace = root.resolve() / f"session_{now.astimezone(UTC):%Y%m%d_%H%M%S}_{digest}"
    try:
        for directory in DIRECTORIES:
            (workspace / directory).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"The workspaces' root {root} cannot be written ({error.strerror}). "
            "Set WORKSPACES_ROOT to a directory that the bot may write to."
        ) from error
    return workspace


def renewal(workspace: Path) -> Path:
    """A mark that the workspace took the place of one that was gone, until people were told.

    It stands beside it: inside the agent would take it for a file of the thread.
    """
    return workspace.with_name(f".{workspace.name}.renewed")


def without_paths(text: str, workspace: Path, titles: Mapping[str, str]) -> str:
    """Words for people: a path of the workspace becomes its file's title, or its name alone.

    `titles` are those of files by their paths; a mere folder is left out.
    """
    if "/" not in text:
        return text
    home = re.escape(str(workspace))

    def named(match: re.Match[str]) -> str:
        found = match["path"].rstrip(".,;:!?")
        rest, title = match["path"][len(found) :], titles.get(found, "")
        name = title or found.rpartition("/")[2]
        tick = "`" if match["tick"] and name and not title else ""
        return f"{tick}{name}{rest}{tick}"

    linked = re.sub(rf"\[([^\[\]\n]*)\]\((?:file://)?(?:{home}/)?{_PATH}\)", r"\1", text)
    known = re.sub(
        rf"(?P<tick>`?)(?:{home}/|(?<![\w/.-]))(?P<path>{_PATH})(?P=tick)", named, linked
    )
    return re.sub(rf"{home}/?", "", known)


def write_text(path: Path, text: str) -> None:
    """Write a file atomically, making its directory. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        with part.open(
            "w",
            encoding="utf-8",
            errors="replace",
            newline="",
        ) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: JsonObject) -> None:
    """Write a JSON file atomically, readable by people. Raises OSError."""
    write_text(
        path,
        json.dumps(
            value,
            indent=2,
            ensure_ascii=False,
            default=str,
        )
        + "\n",
    )


def timestamp(moment: datetime) -> str:
    """UTC as the files of a workspace write it: ISO with microseconds and without an offset."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
