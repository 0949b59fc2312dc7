"""Where a session's files lie, how they are written, and which addresses they and answers name.

A file is written whole or not at all, as UTF-8.
"""

import json
import os
import re
import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from agent_core.errors import SettingsError
from agent_core.ids import SessionId
from agent_core.json_values import digest_of_json
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
    digest = digest_of_json(session)[:6]
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

    def shortened(match: re.Match[str]) -> str:
        path = match["path"].rstrip(".,;:!?")
        rest, title = match["path"][len(path) :], titles.get(path, "")
        name = title or path.rpartition("/")[2]
        tick = "`" if match["tick"] and name and not title else ""
        return f"{tick}{name}{rest}{tick}"

    linked = re.sub(rf"\[([^\[\]\n]*)\]\((?:file://)?(?:{home}/)?{_PATH}\)", r"\1", text)
    known = re.sub(
        rf"(?P<tick>`?)(?:{home}/|(?<![\w/.-]))(?P<path>{_PATH})(?P=tick)", shortened, linked
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


MAX_SOURCES = 2_000
_FRONT_MATTER_CHARS = 8_000
_FIELDS = ("url", "final_url")
_MAX_CITED = 999
_OWN = re.compile(
    r"^[ \t>*-]*\[\^?(\d{1,3})\]:?[ \t]+[^\n]*?(https?://[^\s<>()\]\"]+)", re.MULTILINE
)
"""A line of an answer's own list of sources."""


def cited_in(answer: str, report: tuple[str, ...]) -> tuple[str, ...]:
    """The addresses that `[1]`, `[2]`, … stand for: by the answer's own list or the last report."""
    own = {int(number): url.rstrip(".,;") for number, url in _OWN.findall(answer)}
    if not own:
        return report
    last = min(max(own), _MAX_CITED)
    numbers = range(1, last + 1)
    return tuple(own.get(number, "") for number in numbers)


def known_sources(workspace: Path) -> tuple[str, ...]:
    """Addresses of search results and of fetched pages, each once; damaged files are left out."""
    folder = workspace / SEARCH_RESULTS
    if not folder.is_dir():
        return ()
    addresses: dict[str, None] = {}
    for path in sorted(folder.iterdir()):
        try:
            text = path.read_text(encoding="utf-8")
            urls = _listed(text) if path.suffix == ".json" else _fetched(text)
            addresses |= dict.fromkeys(urls)
        except (OSError, ValueError):
            continue
    return tuple(addresses)[:MAX_SOURCES]


def _listed(text: str) -> Iterator[str]:
    saved = cast("dict[str, list[dict[str, Any]]]", json.loads(text))
    for field in ("articles", "results"):
        for entry in saved.get(field, []):
            yield str(entry.get("url", ""))


def _fetched(text: str) -> Iterator[str]:
    """The addresses in a page's front matter."""
    front_matter, _, _ = text[:_FRONT_MATTER_CHARS].partition("\n---\n")
    for line in front_matter.splitlines():
        field, _, url = line.partition(": ")
        if field in _FIELDS:
            yield url.strip("'\"")
