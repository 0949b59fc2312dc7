"""Where a session's files lie, how they are written, and which addresses they and answers name.

A file is written whole or not at all, as UTF-8. A turn's records for people stand below: run.log
says what a session's turns did, line by line; trace.json is the last turn's, and earlier ones move
to traces/, named `trace_<number>_<digest of the turn's id>.json`; summary.txt has a paragraph each.
"""

import json
import logging
import os
import re
import tomllib
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, cast

from cachetools import LRUCache

from agent_core.errors import SettingsError
from agent_core.events import AnyEvent
from agent_core.ids import SessionId
from agent_core.json_values import as_object, digest_of_json
from agent_core.masking import masked, masked_value
from agent_core.messages import JsonObject

SEARCH_RESULTS = "search_results"
EXTRACTED_ARTICLES = "extracted_articles"
WORKBENCH_ACTIVITY = "workbench_activity"
WORK_PRODUCTS = "work_products"
DOWNLOADS = "downloads"
TRACES = "traces"
TOOL_RESULTS = "tool_results"
"""Made when the first result is too long for the model."""
SECTIONS = "sections"
"""Made by the writers of a report's sections."""

DIRECTORIES = (
    SEARCH_RESULTS,
    EXTRACTED_ARTICLES,
    WORKBENCH_ACTIVITY,
    WORK_PRODUCTS,
    DOWNLOADS,
    TRACES,
)

MAX_SESSION_FILES = 5_000
MAX_SESSION_BYTES = 500_000_000
"""What a session's files may take together: what programs, tools and people leave there."""

CORPUS = "expanded_corpus.json"
_NAMES = "|".join((*DIRECTORIES[:-2], TOOL_RESULTS, SECTIONS))
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

    linked = re.sub(
        rf"\[([^\[\]\n]*)\]\((?:file://)?(?:{home}/)?{_PATH}\)",
        r"\1",
        text,
    )
    known = re.sub(
        rf"(?P<tick>`?)(?:{home}/|(?<![\w/.-]))(?P<path>{_PATH})(?P=tick)", shortened, linked
    )
    return re.sub(
        rf"{home}/?",
        "",
        known,
    )


@dataclass(slots=True)
class SpaceTaken:
    """What files take."""

    files: int = 0
    size_bytes: int = 0

    def add(self, size_bytes: int) -> None:
        """Count one more."""
        self.files += 1
        self.size_bytes += size_bytes


def space_taken(workspace: Path) -> SpaceTaken:
    """What a session's files take, links not followed."""
    usage = SpaceTaken()
    for folder, _, names in os.walk(workspace):
        for name in names:
            with suppress(OSError):  # it has just gone
                usage.add(Path(folder, name).lstat().st_size)
    return usage


def check_room(usage: SpaceTaken, size_bytes: int = 0) -> None:
    """Raises OSError if a session that takes so much may not have one more file of this size."""
    is_full = usage.files >= MAX_SESSION_FILES
    if is_full or usage.size_bytes + size_bytes > MAX_SESSION_BYTES:
        raise OSError(
            f"limit reached: {MAX_SESSION_FILES:,} files or {MAX_SESSION_BYTES:,} bytes in a thread"
        )


def products_of(workspace: Path) -> list[tuple[str, int]]:
    """The files below `work_products/`, in order: path relative to the workspace, and bytes.

    Links, hidden files, such as one that is being written, and empty ones are none.
    """
    products: list[tuple[str, int]] = []
    for folder, folders, names in os.walk(workspace / WORK_PRODUCTS):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder) / name
            if name.startswith(".") or path.is_symlink() or not path.is_file():
                continue
            if size := path.stat().st_size:
                products.append((path.relative_to(workspace).as_posix(), size))
    return products


def delete_files(workspace: Path, patterns: Iterable[str]) -> None:
    """Delete the files that fit."""
    for pattern in patterns:
        for path in workspace.glob(pattern):
            if not path.is_dir():
                path.unlink()


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
_GIST_CHARS = 2_000
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
    return tuple(known_pages(workspace))


class SourceFacts(NamedTuple):
    """What is known of a page beside its text; empty where it is not known."""

    day: str = ""
    """On which it was published, in ISO form."""
    publisher: str = ""
    gist: str = ""
    """Its description, what a search says of it, or its beginning."""


def known_pages(workspace: Path) -> dict[str, SourceFacts]:
    """The same addresses with what is known of each page."""
    folder = workspace / SEARCH_RESULTS
    if not folder.is_dir():
        return {}
    known: dict[str, SourceFacts] = {}
    for path in sorted(folder.iterdir()):
        try:
            text = path.read_text(encoding="utf-8")
            pages = _listed(text) if path.suffix == ".json" else _fetched(text)
            for url, facts in pages:
                before = known.get(url, facts)
                best = [
                    new or old
                    for new, old in zip(
                        facts,
                        before,
                        strict=True,
                    )
                ]
                known[url] = SourceFacts(*best)
        except (OSError, ValueError):
            continue
    return dict(islice(known.items(), MAX_SOURCES))


def _listed(text: str) -> Iterator[tuple[str, SourceFacts]]:
    saved = cast("dict[str, list[dict[str, Any]]]", json.loads(text))
    for field in ("articles", "results"):
        for entry in saved.get(field, []):
            day = _iso_day(str(entry.get("date", ""))) or _iso_day(str(entry.get("snippet", "")))
            yield (
                str(entry.get("url", "")),
                SourceFacts(
                    day,
                    str(entry.get("source", "")),
                    str(entry.get("snippet", "")),
                ),
            )


def _iso_day(text: str) -> str:
    """The day that a text begins with; searches of the web have it before the snippet."""
    try:
        return date.fromisoformat(text[:10]).isoformat()
    except ValueError:
        return ""


def _fetched(text: str) -> Iterator[tuple[str, SourceFacts]]:
    """The addresses in a page's front matter."""
    front_matter, _, beginning = text[:_FRONT_MATTER_CHARS].partition("\n---\n")
    lines = [line.partition(": ") for line in front_matter.splitlines()]
    fields = {name: value.strip("'\"") for name, _, value in lines}
    gist = f"{fields.get('description', '')}\n{beginning[:_GIST_CHARS]}"
    facts = SourceFacts(publisher=fields.get("publisher", ""), gist=gist)
    for name in _FIELDS:
        if name in fields:
            yield fields[name], facts


logger = logging.getLogger(__name__)

_INDENT = "\n" + " " * 15
_LINES = tomllib.loads(Path(__file__).with_name("run_log.toml").read_text(encoding="utf-8"))


class RunLogs:
    """The run.log of each session that had a turn in this process lately.

    Never raises: a full disk costs lines.
    """

    def __init__(self) -> None:
        self._workspaces: LRUCache[SessionId, Path] = LRUCache(1_000)
        self._is_failing = False

    def follow(self, session: SessionId, workspace: Path) -> None:
        """Write this session's events into its workspace from now on."""
        self._workspaces[session] = workspace

    def write(self, event: AnyEvent) -> None:
        """Append what a stored event says, if it is worth a line."""
        workspace = self._workspaces.get(event.session)
        text = log_line(event)
        if workspace is None or not text:
            return
        try:
            with (workspace / RUN_LOG).open(
                "a",
                encoding="utf-8",
                errors="replace",
            ) as file:
                file.write(_entry(text, event.at))
            self._is_failing = False
        except OSError as error:
            if not self._is_failing:
                logger.warning(
                    "%s cannot be written: %s",
                    workspace / RUN_LOG,
                    error,
                )
            self._is_failing = True


def _entry(text: str, at: datetime) -> str:
    """`[14:30:52.123] text`, in UTC; further lines are indented."""
    time = at.astimezone(UTC).isoformat(timespec="milliseconds")[11:23]
    return f"[{time}] {_INDENT.join(masked(text).splitlines())}\n"


def log_line(event: AnyEvent) -> str:
    """An event in plain words; empty for one that has no line."""
    fallback = getattr(
        event,
        "fallback",
        "",
    )
    return _LINES.get(event.kind, "").format(
        e=event,
        day=f"{event.at.astimezone(UTC):%Y-%m-%d}",
        tools=", ".join(
            each.tool
            for each in getattr(
                event,
                "actions",
                (),
            )
            if each.asks
        ),
        apps=", ".join(
            getattr(
                event,
                "toolkits",
                (),
            )
        ),
        by=getattr(
            event,
            "by",
            "",
        )
        or "nobody",
        given_up=f", fast path given up: {fallback}" if fallback else "",
        ending="failed"
        if getattr(
            event,
            "is_error",
            False,
        )
        else "finished",
    )


def write_trace(workspace: Path, trace: JsonObject) -> None:
    """Write a turn's trace, in place of the same turn's, wherever that lies. Raises OSError."""
    trace = masked_value(trace)
    turn_id = trace["turn_id"]
    last = workspace / TRACE
    archive = workspace / TRACES
    for archived in archive.glob(f"trace_*_{digest_of_json(turn_id)[:8]}.json"):
        write_json(archived, trace)
        return
    if last.exists():
        earlier = _turn_of(last)
        if earlier != turn_id:
            archive.mkdir(exist_ok=True)
            number = len(list(archive.glob("trace_*.json"))) + 1
            last.replace(archive / f"trace_{number:03}_{digest_of_json(earlier)[:8]}.json")
    write_json(last, trace)


def _turn_of(path: Path) -> str:
    """The turn that a file is the trace of; empty for a file that is damaged."""
    try:
        trace = as_object(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return ""
    return str(trace.get("turn_id") or "")


_REQUEST_CHARS = 500
_SUMMARY = """\
Request:     {request}
Started:     {trace[start_time]} UTC
Duration:    {trace[total_duration_seconds]:.1f} s
Route:       {route}
Outcome:     {outcome}
Iterations:  {iterations}
Tool calls:  {tool_calls}
Artifacts:   {artifacts}
Tokens:      {usage[total_tokens]:,} in {usage[model_calls]} model calls \
({usage[output_tokens]:,} written, {usage[cache_read_tokens]:,} from the cache)
Cost:        {cost}
Trace:       {trace_id}
Trace URL:   {trace_url}
"""


def append_summary(workspace: Path, trace: JsonObject, *, trace_url: str | None) -> None:
    """Append a turn's summary; one that is there already stays as it is. Raises OSError."""
    path = workspace / SUMMARY
    heading = f"== Execution summary of turn {trace['turn_id']} =="
    text = masked(f"{heading}\n{summary_text(trace, trace_url)}")
    if path.exists():
        earlier = path.read_text(encoding="utf-8", errors="replace")
        if heading in earlier.splitlines():
            return
        text = f"{earlier}\n{text}"
    write_text(path, text)


def summary_text(trace: JsonObject, trace_url: str | None) -> str:
    """The summary of a turn, a line for each fact."""
    route = trace["route"] or "none"
    if trace["fallback"]:
        route = f"{route} after a fast path: {trace['fallback']}"
    return _SUMMARY.format(
        trace=trace,
        usage=trace["usage"],
        cost=_cost(trace["usage"]),
        request=" ".join(trace["query"].split())[:_REQUEST_CHARS],
        route=route,
        outcome=trace["outcome"] or "unknown",
        iterations=len(trace["iterations"]),
        tool_calls=_tool_calls(trace["tool_calls"], trace["tool_results"]),
        artifacts=", ".join(artifact["path"] for artifact in trace["artifacts"]) or "none",
        trace_id=trace["trace_id"] or "none",
        trace_url=trace_url or "none",
    )


def _cost(usage: JsonObject) -> str:
    dollars = f"${usage['cost_usd']:.4f}"
    unpriced = usage["unpriced_calls"]
    return f"{dollars}, without {unpriced} calls of unknown price" if unpriced else dollars


def _tool_calls(calls: list[JsonObject], results: list[JsonObject]) -> str:
    if not calls:
        return "0"
    failed = sum(result["is_error"] for result in results)
    by_name = Counter(call["name"] for call in calls)
    listed = ", ".join(f"{name} {count}" for name, count in by_name.most_common())
    return f"{len(calls)}, {failed} failed ({listed})"
