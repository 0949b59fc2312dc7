"""What tool results hold: search hits, numbered sources, passages, page texts, written files."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from bot.sandbox.model.conversation import Call
from bot.sandbox.model.wire import Json, as_object, as_text, walk

URL = re.compile(r"https?://[^\s<>\"'`|\\^{}\[\]]+")
INNER_OBJECT = re.compile(r"\{[^{}]*\}")
TEXT_FIELD = re.compile(r'"(?:text|content|body)"\s*:\s*"')
FIELDS_AFTER = re.compile(r'"\s*,\s*"\w+"\s*:\s*(?:"[^"]*"|[^"{}\[\]]*)\s*\}?\s*\Z|"\s*\}\s*\Z')
ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|.)")
NEXT_OFFSET = re.compile(r"\b(?:next[_ ]offset|offset)\"?\W{1,4}(\d+)", re.IGNORECASE)
FOOTER = re.compile(r"\n[^\n]{0,20}\b(?:next[_ ]offset|offset=|characters? of)\b[^\n]*\s*\Z", re.I)
ERROR_WORDS = re.compile(r"^\W*(?:error|failed|denied|not allowed|could not)\b", re.IGNORECASE)
REPORT_FILE = re.compile(r"[\w./~-]*[\w-]+\.html?\b")
SNIPPET_KEYS = ("snippet", "description", "summary", "text", "content")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A search result."""

    url: str
    title: str
    snippet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A page in a table of fetched pages or of numbered sources."""

    url: str
    title: str
    path: str
    n: int | None
    ok: bool
    is_snippet: bool
    """Only what a search said about the page, not the page itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    n: int | None
    url: str
    text: str
    title: str
    is_snippet: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a file; `next_offset` is None at its end."""

    path: str
    offset: int
    text: str
    next_offset: int | None


def read_hits(calls: Iterable[Call]) -> list[Hit]:
    """Search results in order, each URL once; several queries take turns."""
    groups = [list(_hits_in(call.result)) for call in calls if not call.is_error]
    seen: dict[str, Hit] = {}
    for hit in _in_turns(groups):
        seen.setdefault(hit.url, hit)
    return list(seen.values())


def read_rows(calls: Iterable[Call]) -> list[Row]:
    """Rows of crawl and source tables; a later row of the same URL adds what it knows."""
    rows: dict[str, Row] = {}
    for call in calls:
        for entry in _objects(call.result) if not call.is_error else ():
            if "url" in entry and ("path" in entry or "n" in entry) and "text" not in entry:
                row = _row(entry)
                rows[row.url] = _joined(rows.get(row.url), row)
    return list(rows.values())


def read_passages(calls: Iterable[Call]) -> list[Passage]:
    """Passages found in what was retrieved, each once."""
    found: dict[tuple[int | None, str], Passage] = {}
    for call in calls:
        for entry in _objects(call.result) if not call.is_error else ():
            text = as_text(entry.get("text") or entry.get("passage") or entry.get("snippet"))
            if text and ("n" in entry or "url" in entry):
                passage = _passage(entry, text)
                found.setdefault((passage.n, text), passage)
    return list(found.values())


def read_chunks(calls: Iterable[Call], path_field: str) -> list[Chunk]:
    """The pieces of files that were read, in the order of their offsets."""
    chunks = [
        _chunk(call, as_text(call.arguments.get(path_field))) for call in calls if not call.is_error
    ]
    return sorted(chunks, key=lambda chunk: (chunk.path, chunk.offset))


def join_chunks(chunks: Iterable[Chunk]) -> dict[str, str]:
    """Whole texts by path; pieces that do not meet are kept apart by a blank line."""
    texts: dict[str, str] = {}
    ends: dict[str, int | None] = {}
    for chunk in chunks:
        meets = ends.get(chunk.path) == chunk.offset
        gap = "" if meets or chunk.path not in texts else "\n\n"
        texts[chunk.path] = texts.get(chunk.path, "") + gap + chunk.text
        ends[chunk.path] = chunk.next_offset
    return texts


def find_urls(text: str) -> list[str]:
    """The URLs in a text, each once, without the punctuation that follows them."""
    urls = (_trim(match) for match in URL.findall(text))
    return list(dict.fromkeys(urls))


def find_report_file(text: str) -> str:
    """The name of the HTML file that a text mentions last; empty where none is."""
    outside_urls = URL.sub(" ", text)
    files = REPORT_FILE.findall(outside_urls)
    return files[-1].rpartition("/")[2] if files else ""


def succeeded(call: Call) -> bool:
    """Whether a call's result reads as a success."""
    if call.is_error:
        return False
    flags = [entry.get("success") for entry in _objects(call.result) if "success" in entry]
    return flags[0] is not False if flags else not ERROR_WORDS.match(call.result)


def objects_in(call: Call) -> list[Json]:
    """Every JSON object in a call's result, also where the text around it was cut."""
    return _objects(call.result)


def _objects(text: str) -> list[Json]:
    whole = _decode(text)
    if whole is not None:
        return list(walk(whole))
    pieces = (_decode(match) for match in INNER_OBJECT.findall(text))
    return [entry for piece in pieces if piece is not None for entry in walk(piece)]


def _decode(text: str) -> object:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return cast(object, value) if isinstance(value, dict | list) else None


def _hits_in(text: str) -> Iterator[Hit]:
    for entry in _objects(text):
        url = as_text(entry.get("url")) or as_text(entry.get("link"))
        is_row = "path" in entry or "status" in entry
        if url.startswith("http") and not is_row and (entry.get("title") or entry.get("snippet")):
            snippet = next((as_text(entry[k]) for k in SNIPPET_KEYS if entry.get(k)), "")
            yield Hit(
                url=url,
                title=" ".join(as_text(entry.get("title")).split()),
                snippet=" ".join(snippet.split()),
            )


def _in_turns(groups: list[list[Hit]]) -> Iterator[Hit]:
    for place in range(max((len(group) for group in groups), default=0)):
        for group in groups:
            if place < len(group):
                yield group[place]


def _row(entry: Json) -> Row:
    status = as_text(entry.get("status")) or "success"
    return Row(
        url=as_text(entry.get("url")),
        title=as_text(entry.get("title")),
        path=as_text(entry.get("path")),
        n=_number(entry.get("n")),
        is_snippet="snippet" in (entry.get("kind"), entry.get("type")),
        ok=status.lower().startswith(("success", "ok", "fetched", "already")),
    )


def _joined(old: Row | None, new: Row) -> Row:
    if old is None:
        return new
    return Row(
        url=new.url,
        title=new.title or old.title,
        path=new.path or old.path,
        n=new.n if new.n is not None else old.n,
        ok=new.ok,
        is_snippet=new.is_snippet,
    )


def _passage(entry: Json, text: str) -> Passage:
    return Passage(
        n=_number(entry.get("n")),
        url=as_text(entry.get("url")),
        text=text,
        title=as_text(entry.get("title")),
        is_snippet="snippet" in (entry.get("kind"), entry.get("type")),
    )


def _chunk(call: Call, path: str) -> Chunk:
    offset = _number(call.arguments.get("offset")) or 0
    whole = _decode(call.result)
    entry = as_object(whole)
    text = as_text(entry.get("text")) or as_text(entry.get("content"))
    if entry:
        following = _number(entry.get("next_offset") or entry.get("next"))
    else:
        text = _cut_json_text(call.result) or FOOTER.sub("\n", call.result)
        mentioned = NEXT_OFFSET.findall(call.result[-400:]) or NEXT_OFFSET.findall(
            call.result[:200]
        )
        following = int(mentioned[-1]) if mentioned else None
    if following is not None and following <= offset:
        following = None
    return Chunk(path=path, offset=offset, text=text, next_offset=following)


def _cut_json_text(result: str) -> str:
    """The text field of a JSON answer whose end or middle is missing."""
    start = TEXT_FIELD.search(result)
    if start is None or not result.lstrip().startswith("{"):
        return ""
    text = FIELDS_AFTER.sub("", result[start.end() :])
    return ESCAPE.sub(lambda match: _unescape(match[0]), text)


def _unescape(sequence: str) -> str:
    try:
        return str(json.loads(f'"{sequence}"'))
    except ValueError:
        return " "


def _number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and value.isdigit() else None


def _trim(url: str) -> str:
    bare = url.rstrip(".,;:!?»”\u2019*_")
    is_open = bare.endswith(")") and bare.count(")") > bare.count("(")
    return _trim(bare[:-1]) if is_open else bare
