"""Records of what Composio tools did: a search's hits, and what was done in remote sandboxes.

A call runs one tool or, as a multi-execute, several: `executions` says which really ran, with the
part of the result that is each one's own. Searches are saved, cleaned, as search_results/*.json:
snippets that reports may cite; work in a sandbox as workbench_activity/*.json, and a file that was
read there lands in downloads/.
"""

import asyncio
import base64
import binascii
import json
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from dateutil.parser import ParserError, parse
from dateutil.relativedelta import relativedelta
from pydantic_core import from_json

from agent_core.consent import LOCAL_SEARCHES, name_of_record
from agent_core.json_values import find_object, is_list, is_object, parse_result, text_in
from agent_core.messages import JsonObject
from agent_core.observers.observing import ToolObserved, full_text
from agent_core.tools import Action, opened, prefix_of, slug_of
from agent_core.workspaces.layout import (
    DOWNLOADS,
    SEARCH_RESULTS,
    WORKBENCH_ACTIVITY,
    check_room,
    space_taken,
    timestamp,
    write_json,
)

_log = logging.getLogger(__name__)
_DEPTH = 4
"""How deep a service may wrap what it answers."""
_MAX_SLUG_CHARS = 200
"""A longer one is no tool's name, and what looks for names need not read it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One tool that ran, with the part of the result that is its own."""

    slug: str
    """As the service names it, such as `COMPOSIO_SEARCH_NEWS`."""
    arguments: JsonObject
    payload: object
    position: int = 0
    """Within the call."""


def executions(observed: ToolObserved) -> list[Execution]:
    """What ran. Reads the whole result; empty when it holds no JSON."""
    payload = parse_result(full_text(observed))
    call = opened(observed.call)
    if payload is None:
        return []
    if call.is_batch:
        return list(_inner(payload, call.actions))
    [action] = call.actions
    return [
        Execution(slug=action.tool[:_MAX_SLUG_CHARS], arguments=action.arguments, payload=payload)
    ]


def may_run(observed: ToolObserved, wanted: re.Pattern[str]) -> bool:
    """Whether the call names a wanted tool, itself or inside; spares reading other results."""
    tools = [action.tool for action in opened(observed.call).actions]
    return any(not tool or wanted.fullmatch(tool[:_MAX_SLUG_CHARS]) for tool in tools)


def _inner(payload: object, asked: Sequence[Action]) -> Iterator[Execution]:
    """Each result of a batch with what it answers: by its index, or by its place without one."""
    results = find_object(payload, _results, _DEPTH) or []
    for position, result in enumerate(results):
        if not is_object(result):
            continue
        index = result.get("index")
        number = index if isinstance(index, int) and 0 <= index < len(asked) else position
        request = asked[number] if number < len(asked) else None
        slug = text_in(result, "tool_slug") or (request.tool if request else "")
        yield Execution(
            slug=slug[:_MAX_SLUG_CHARS],
            arguments=request.arguments if request else {},
            payload=result.get("response") or result,
            position=position,
        )


def _results(value: JsonObject) -> list[object] | None:
    results = value.get("results")
    return results if is_list(results) else None


_SEARCH = re.compile(
    r"(?:COMPOSIO|RUBE)_SEARCH_(?!TOOLS$|FETCH_)\w+"
    r"|(?:\w+_)?(?:SEARCH_NEWS|NEWS_SEARCH|SEARCH_WEB|WEB_SEARCH|SCHOLAR\w*|DUCK_DUCK_GO\w*)"
    r"|(?:EXA|TAVILY|LINKUP|SERPAPI|PERPLEXITYAI)_\w*SEARCH\w*"
    rf"|{'|'.join(LOCAL_SEARCHES)}"
)
_NEWS_LIST = "news_results"
_LISTS = ("organic_results", "articles", "citations", "results")
_WEB = ("http://", "https://")


class SearchResultObserver:
    """One file for each search of a call that found something."""

    async def saw(self, observed: ToolObserved) -> Sequence[str]:
        if not may_run(observed, _SEARCH):
            return ()
        return await asyncio.to_thread(_save_search, observed)


def _save_search(observed: ToolObserved) -> list[str]:
    saved: list[str] = []
    for execution in executions(observed):
        if not _SEARCH.fullmatch(execution.slug):
            continue
        if cleaned := cleaned_results(execution, observed.at):
            made_by = name_of_record(prefix_of(observed.call.name), execution.slug)
            name = f"{made_by[:80]}_{observed.stamp(execution.position)}.json"
            path = f"{SEARCH_RESULTS}/{name}"
            write_json(observed.context.workspace / path, cleaned)
            saved.append(path)
    return saved


def cleaned_results(execution: Execution, at: datetime) -> JsonObject | None:
    """The file's content: of type `news` or `web`; None when nothing with an address was found."""
    wants_news = "NEWS" in execution.slug.upper()
    # A web search may bring a few news beside its hits.
    names = (_NEWS_LIST, *_LISTS) if wants_news else (*_LISTS, _NEWS_LIST)
    listed = find_object(_begun(execution.payload), partial(_hits, names), _DEPTH)
    if listed is None:
        return None
    under, hits = listed
    is_news = wants_news or under == _NEWS_LIST
    clean = [
        _clean(
            item,
            rank,
            at,
            is_news,
        )
        for rank, item in enumerate(hits, start=1)
    ]
    return {
        "type": "news" if is_news else "web",
        "timestamp": timestamp(at),
        "tool": execution.slug,
        "articles" if is_news else "results": clean,
    }


def _begun(payload: object) -> object:
    """The result, or what is whole in its beginning where a service tells no more of it."""
    preview = find_object(payload, lambda value: text_in(value, "data_preview") or None, _DEPTH)
    try:
        return from_json(preview, allow_partial=True) if preview else payload
    except ValueError:
        return payload


def _hits(names: Sequence[str], value: JsonObject) -> tuple[str, list[JsonObject]] | None:
    """The first of the lists that holds something, with its name."""
    for name in names:
        listed = value.get(name)
        items = listed if is_list(listed) else []
        if hits := [one for one in items if text_in(one, "link", "url").startswith(_WEB)]:
            return name, hits
    return None


def _clean(item: JsonObject, rank: int, at: datetime, is_news: bool) -> JsonObject:
    position = item.get("position")
    snippet = text_in(item, "snippet", "description", "summary")
    head: JsonObject = {
        "position": position if isinstance(position, int) else rank,
        "title": text_in(item, "title"),
        "url": text_in(item, "link", "url"),
    }
    if not is_news:
        return {**head, "snippet": snippet}
    written = text_in(
        item,
        "date",
        "published_date",
        "published_at",
    )
    date = parse_relative_date(written, at) or written
    source = text_in(item.get("source"), "name", "title") or text_in(item, "source")
    return {**head, "source": source, "date": date, "snippet": snippet}


_UNITS = {
    "seconds": "s sec second sekunde sekunden seconde segundo",
    "minutes": "m min minute minuten minuto",
    "hours": "h hr hour std stunde stunden heure hora",
    "days": "d day tag tagen jour día",
    "weeks": "w wk week woche wochen semaine semana",
    "months": "mo mon month monat monaten moi mes mese",
    "years": "y yr year jahr jahren an année año",
}
"""As search services write them, without a final s."""
_UNIT_OF = {name: unit for unit, names in _UNITS.items() for name in names.split()}
_AGO = re.compile(
    r"(?:about |over |vor |il y a |hace )?(\d{1,6}|an?|one|eine[mr]|une?|una)"
    r"\s*([^\W\d_]{1,8}?)s?\.?(?: ago\b|$)"
)
_DAYS_BACK = {
    **dict.fromkeys(("now", "just now", "today", "heute", "aujourd'hui", "hoy"), 0),
    **dict.fromkeys(("yesterday", "gestern", "hier", "ayer"), 1),
}
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY = re.compile(
    r"\d{4}-\d\d-\d\d(?!\d)|\d{1,2}/\d{1,2}/\d{4}(?!\d)"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? (\d{{4}}))?\b"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},?(?: (\d{{4}}))?\b"
)


def parse_relative_date(text: str, now: datetime) -> str | None:
    """The day that a search result means, as YYYY-MM-DD; None when it names none.

    Args:
        text: Such as "2 hours ago", "yesterday", "3d", "Jan 23, 2026", "23 January", or ISO.
        now: When the result came; relative dates count from it, in its time zone.
    """
    written_date = " ".join(text.split()).casefold()
    try:
        if written_date in _DAYS_BACK:
            day = now - relativedelta(days=_DAYS_BACK[written_date])
        elif (ago := _AGO.match(written_date)) and ago[2] in _UNIT_OF:
            count = int(ago[1]) if ago[1].isdecimal() else 1
            back: dict[str, Any] = {_UNIT_OF[ago[2]]: count}
            day = now - relativedelta(**back)
        elif written := _DAY.match(written_date):
            day = parse(written[0], default=now.replace(month=1, day=1))
            if day.date() > now.date() and not re.search(r"\d{4}", written[0]):
                # Without a year it is the latest such day that is not in the future.
                day = day.replace(year=now.year - 1)
        else:
            return None
    except (ParserError, ValueError, OverflowError):
        return None
    return f"{day:%Y-%m-%d}"


_WORKBENCH = re.compile(
    r"(?:COMPOSIO|RUBE)_REMOTE_(?:WORKBENCH|BASH_TOOL)|(?:\w+_)?CODEINTERPRETER_\w+"
    r"|workbench_(?:down|up)load"
)
_READS_FILE = re.compile(r"(?:\w+_)?CODEINTERPRETER_GET_FILE\w*")
_FILES = ("file_path", "remote_path")
_STREAMS = {"stdout", "stderr"}
_UNSAFE = re.compile(r"[^\w.() -]")
_NAME_CHARS = 80
_MAX_NAMESAKES = 100


class WorkbenchObserver:
    """One file for each execution, and one for each file whose content came back."""

    async def saw(self, observed: ToolObserved) -> Sequence[str]:
        if not may_run(observed, _WORKBENCH):
            return ()
        return await asyncio.to_thread(_save_work, observed)


def _save_work(observed: ToolObserved) -> list[str]:
    saved: list[str] = []
    for execution in _workbench_executions(observed):
        path = f"{WORKBENCH_ACTIVITY}/workbench_{observed.stamp(execution.position)}.json"
        record: JsonObject = {
            "timestamp": timestamp(observed.at),
            "tool": execution.slug,
            "input": _input(execution.arguments),
            "output": _output(execution.payload, is_error=observed.output.is_error),
        }
        write_json(observed.context.workspace / path, record)
        saved.append(path)
        if _READS_FILE.fullmatch(execution.slug):
            saved += _downloads(execution, observed.context.workspace)
    return saved


def _workbench_executions(observed: ToolObserved) -> list[Execution]:
    """One whose result is no JSON is recorded all the same, with its text."""
    ran = [one for one in executions(observed) if _WORKBENCH.fullmatch(one.slug)]
    slug = slug_of(observed.call.name)
    if ran or not _WORKBENCH.fullmatch(slug):
        return ran
    payload: JsonObject = {"stdout": observed.output.text}
    return [Execution(slug=slug, arguments=observed.call.arguments, payload=payload)]


def _input(arguments: JsonObject) -> JsonObject:
    return {
        "code": text_in(
            arguments,
            "code_to_execute",
            "code",
            "command",
            *_FILES,
        ),
        "session_id": text_in(arguments, "session_id", "sandbox_id"),
        "current_step": text_in(arguments, "current_step"),
        "thought": text_in(arguments, "thought"),
    }


def _output(payload: object, *, is_error: bool) -> JsonObject:
    streams = find_object(payload, lambda it: it if it.keys() & _STREAMS else None, _DEPTH) or {}
    error = text_in(streams, "error") or text_in(payload, "error")
    outer = payload if is_object(payload) else {}
    successful = outer.get("successful", not (error or is_error))
    results: object = streams.get("results")
    if results is None:
        results = ""
    elif not isinstance(results, str):
        results = json.dumps(results, ensure_ascii=False, default=str)
    return {
        "stdout": text_in(streams, "stdout"),
        "stderr": text_in(streams, "stderr") or error,
        "results": results,
        "successful": bool(successful),
    }


def _downloads(execution: Execution, workspace: Path) -> list[str]:
    """Keep the content that came back, under the first name that no other content has."""
    data = find_object(execution.payload, _content, _DEPTH)
    if data is None:
        return []
    try:
        check_room(space_taken(workspace), len(data))
    except OSError as error:
        _log.warning("a file of a remote sandbox is not kept: %s", error)
        return []
    remote = text_in(execution.arguments, "file_path")
    plain = _UNSAFE.sub("_", remote.rpartition("/")[2]).strip(". ")
    wanted = PurePosixPath(plain[-_NAME_CHARS:].lstrip("-. ") or "file")
    for number in range(1, _MAX_NAMESAKES + 1):
        name = wanted.name if number == 1 else f"{wanted.stem}_{number}{wanted.suffix}"
        if _holds(workspace / DOWNLOADS / name, data):
            return [f"{DOWNLOADS}/{name}"]
    return []


def _content(value: JsonObject) -> bytes | None:
    content = value.get("content")
    if not isinstance(content, str):
        return None
    if value.get("encoding") != "base64":
        return content.encode("utf-8", "replace")
    try:
        return base64.b64decode(content, validate=True)
    except binascii.Error:
        return None


def _holds(path: Path, data: bytes) -> bool:
    """Write a new file; whether the file now there, new or old, has this content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        return path.is_file() and path.read_bytes() == data
    return True
