"""The behaviour of an agent that was given a report to write: read, save, gather, write, close."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from bot.sandbox.model.arguments import field_holding, use
from bot.sandbox.model.brief import Brief, read_brief
from bot.sandbox.model.conversation import Call, Conversation
from bot.sandbox.model.evidence import (
    Chunk,
    Row,
    find_report_file,
    join_chunks,
    objects_in,
    read_chunks,
    read_passages,
    read_rows,
    succeeded,
)
from bot.sandbox.model.language import topic_words
from bot.sandbox.model.phrases import phrase
from bot.sandbox.model.purposes import Tool
from bot.sandbox.model.quotes import SourceText
from bot.sandbox.model.replies import Reply, ToolUse, call, say
from bot.sandbox.model.reporting import Report, cite, compose_report
from bot.sandbox.model.sentences import whole_parts
from bot.sandbox.model.wire import Json, as_list, as_object, as_text

BATCH_URLS = 10
MAX_BATCHES = 2
ENOUGH_PAGES = 10
MAX_WORD_QUERIES = 6
MAX_READS_PER_FILE = 8
PASSAGES_PER_QUERY = 20
MIN_SNIPPET_QUOTES = 3
CLOSING_SENTENCES = 3
REFUSED_NUMBER = re.compile(r"\[(\d{1,4})\]|\bsources? (\d{1,4})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The task with everything that was done for it so far."""

    conversation: Conversation
    brief: Brief
    calls: tuple[Call, ...]

    def tool(self, purpose: str) -> Tool | None:
        return self.conversation.tool(purpose)

    def done(self, *purposes: str) -> list[Call]:
        return [call for call in self.calls if call.purpose in purposes]

    def numbered(self, *purposes: str) -> list[Call]:
        """The calls since the corpus was saved last, for saving may move source numbers."""
        saved = [place for place, c in enumerate(self.calls) if c.purpose == "save_corpus"]
        since = self.calls[saved[-1] :] if saved else self.calls
        return [call for call in since if call.purpose in purposes]

    @property
    def read_pages(self) -> list[Row]:
        """The pages that were fetched, with their numbers where those are known."""
        listed = read_rows(self.numbered("save_corpus", "list_sources"))
        pages = listed or read_rows(self.done("crawl"))
        return [row for row in pages if row.ok]


def decide(conversation: Conversation) -> Reply:
    """The next step of the job, told by what the messages show as done."""
    job = Job(
        conversation=conversation,
        brief=read_brief("\n\n".join(e.asked for e in conversation.exchanges if e.asked)),
        calls=tuple(chain.from_iterable(e.calls for e in conversation.exchanges)),
    )
    if not conversation.may_call_tools:
        return _close(job)
    return _crawl(job) or _save(job) or _gather(job) or _write(job) or _close(job)


def _crawl(job: Job) -> Reply | None:
    tool, batches = job.tool("crawl"), job.done("crawl")
    if tool is None or not _reads_pages(job) or len(batches) >= MAX_BATCHES:
        return None
    field = field_holding(tool, "url", "link", "page")
    tried = {url for batch in batches for url in as_list(batch.arguments.get(field))}
    left = [url for url in job.brief.urls if url not in tried]
    if not left or len([row for row in read_rows(batches) if row.ok]) >= ENOUGH_PAGES:
        return None
    batch = use(tool, {field: left[:BATCH_URLS]}, topic=job.brief.topic)
    return call(batch, kind="delegated", thought=f"Reading {len(left[:BATCH_URLS])} pages.")


def _reads_pages(job: Job) -> bool:
    """Depth was asked for, or the search results hold next to nothing that can be quoted."""
    if job.brief.is_deep or job.done("crawl"):
        return True
    if not job.done("search_passages", "list_sources"):
        return False
    report = _report(job)
    return report is None or len(report.quotes) < MIN_SNIPPET_QUOTES


def _save(job: Job) -> Reply | None:
    tool = job.tool("save_corpus")
    urls = [row.url for row in read_rows(job.done("crawl")) if row.ok]
    if tool is None or not urls or job.done("save_corpus"):
        return None
    field = field_holding(tool, "article", "source", "url", "page", "document")
    entries = urls if _takes_strings(tool, field) else [{"url": url} for url in urls]
    save = use(tool, {field: entries}, topic=job.brief.topic)
    return call(save, kind="delegated", thought="Saving what was read as the corpus.")


def _takes_strings(tool: Tool, field: str) -> bool:
    spec = tool.properties.get(field, {})
    arrays = [spec, *(as_object(option) for option in as_list(spec.get("anyOf")))]
    items = [as_object(array.get("items")) for array in arrays]
    options = [*items, *(as_object(o) for item in items for o in as_list(item.get("anyOf")))]
    return any(option.get("type") == "string" for option in options)


def _gather(job: Job) -> Reply | None:
    wanted = [*_wanted_searches(job), *_wanted_list(job), *_wanted_reads(job)]
    if not wanted:
        return None
    return call(*wanted, kind="delegated", thought="Gathering passages and texts.")


def _wanted_searches(job: Job) -> Iterable[ToolUse]:
    tool = job.tool("search_passages")
    if tool is None:
        return
    field = field_holding(tool, "query", "question", "keywords", "q")
    asked = {as_text(c.arguments.get(field)) for c in job.numbered("search_passages")}
    words = topic_words(job.brief.topic)[:MAX_WORD_QUERIES]
    queries = [*job.brief.new_sections, job.brief.topic, *(words if len(words) > 1 else [])]
    for query in dict.fromkeys(query for query in queries if query):
        if query not in asked:
            yield use(tool, {field: query, **_limit(tool)}, topic=query)


def _limit(tool: Tool) -> Json:
    spec = tool.properties.get("limit", {})
    return {"limit": min(PASSAGES_PER_QUERY, int(spec.get("maximum", PASSAGES_PER_QUERY)))}


def _wanted_list(job: Job) -> Iterable[ToolUse]:
    tool = job.tool("list_sources")
    if tool is not None and not job.done("list_sources", "save_corpus"):
        yield use(tool, {}, topic=job.brief.topic)


def _wanted_reads(job: Job) -> Iterable[ToolUse]:
    tool = job.tool("read_file")
    if tool is None or not _reads_pages(job):
        return
    field = field_holding(tool, "path", "file")
    reads: dict[str, list[Chunk]] = {}
    for chunk in read_chunks(job.done("read_file"), field):
        reads.setdefault(chunk.path, []).append(chunk)
    tried = {as_text(c.arguments.get(field)) for c in job.done("read_file")}
    rows = [row for row in job.read_pages if row.path and not row.is_snippet]
    for path in dict.fromkeys(row.path for row in rows):
        if path not in tried:
            yield use(tool, {field: path}, topic=path)
        elif _goes_on(reads.get(path, []), tool):
            yield use(tool, {field: path, "offset": reads[path][-1].next_offset}, topic=path)


def _goes_on(chunks: list[Chunk], tool: Tool) -> bool:
    unfinished = bool(chunks) and chunks[-1].next_offset is not None
    return unfinished and len(chunks) < MAX_READS_PER_FILE and "offset" in tool.properties


def _write(job: Job) -> Reply | None:
    tool, attempts = job.tool("write_report"), job.done("write_report")
    if tool is None or len(attempts) > 1 or any(succeeded(attempt) for attempt in attempts):
        return None
    refused = _refused_numbers(attempts)
    if attempts and not refused:
        return None
    report = _report(job, refused)
    if report is None:
        return None
    body = field_holding(tool, "markdown", "body", "content", "text", "report")
    wanted = {
        "title": job.brief.title,
        body: report.markdown,
        field_holding(tool, "summary", "abstract"): report.summary,
        field_holding(tool, "language", "lang"): job.brief.language,
    }
    thought = "Writing the report from the passages found."
    return call(use(tool, wanted, topic=job.brief.topic), kind="delegated", thought=thought)


def _refused_numbers(attempts: list[Call]) -> set[int]:
    text = " ".join(attempt.result for attempt in attempts)
    return {int(a or b) for a, b in REFUSED_NUMBER.findall(text)}


def _report(job: Job, refused: Iterable[int] = ()) -> Report | None:
    return compose_report(
        source_texts(job),
        topic=job.brief.topic,
        language=job.brief.language,
        new_sections=job.brief.new_sections,
        dropped=refused,
    )


def source_texts(job: Job) -> list[SourceText]:
    """The numbered sources with what was read of them, pages before search results."""
    passages = read_passages(job.numbered("search_passages"))
    rows = {row.n: row for row in job.read_pages if row.n is not None and not row.is_snippet}
    reader = job.tool("read_file")
    field = field_holding(reader, "path", "file") if reader else "path"
    texts = join_chunks(read_chunks(job.done("read_file"), field))
    has_pages = bool(texts) or not all(passage.is_snippet for passage in passages)
    found: dict[int, list[str]] = {}
    for passage in passages:
        if passage.n is not None and not (passage.is_snippet and has_pages):
            text = whole_parts(passage.text) if passage.is_snippet else passage.text
            found.setdefault(passage.n, []).append(text)
    titles = {passage.n: (passage.url, passage.title) for passage in passages}
    return [
        SourceText(
            n=n,
            url=rows[n].url if n in rows else titles[n][0],
            title=rows[n].title if n in rows else titles[n][1],
            text=_text_of(rows.get(n), texts) or "\n\n".join(found.get(n, [])),
            favoured="\n\n".join(found.get(n, [])),
        )
        for n in sorted({*rows, *found})
    ]


def _text_of(row: Row | None, texts: dict[str, str]) -> str:
    return texts.get(row.path, "") if row else ""


def _close(job: Job) -> Reply:
    written = [attempt for attempt in job.done("write_report") if succeeded(attempt)]
    report = _report(job, _refused_numbers(job.done("write_report")) if not written else ())
    language = job.brief.language
    if not written or report is None:
        reason = _reason(job) or phrase("unread", language)
        return say(phrase("no_report", language, reason=reason), "delegated")
    path = _path_of(written[-1])
    ready = phrase("report_ready", language, title=job.brief.title, file=path)
    telling = " ".join(cite(quote) for quote in report.quotes[:CLOSING_SENTENCES])
    return say(f"{ready}\n\n{telling}", "delegated")


def _reason(job: Job) -> str:
    failed = [attempt for attempt in job.done("write_report") if not succeeded(attempt)]
    return " ".join(failed[-1].result.split())[:300] if failed else ""


def _path_of(written: Call) -> str:
    paths = [as_text(entry.get("path")) for entry in objects_in(written) if entry.get("path")]
    return paths[0] if paths else find_report_file(written.result)
