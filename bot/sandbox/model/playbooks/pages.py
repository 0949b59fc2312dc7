"""Pages of a research: searches, hits, texts that were read, and sentences with their links."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from bot.sandbox.model.dialogue import BATCH_TOOL, Dialogue, PastCall, objects_in
from bot.sandbox.model.message import StandInReply, ToolUse
from bot.sandbox.model.sentences import NumberedPage, PageBlock, content_words, is_about, stems
from bot.sandbox.model.wire import Json, as_text, walk
from bot.sandbox.model.writing import telling

SEARCHES = ("SEARCH_WEB", "SEARCH_NEWS")
RESULTS = 20
NOTHING = "I found nothing about {topic}: none of the pages here speaks of it."
MARK = re.compile(r" \[(\d+)\]")
REPEATED_MARK = re.compile(r" \[(\d+)\](?=[^\n\[]*[^\n\[ ] \[\1\])")
"""A number that the next sentence has, too: a run of sentences is cited once."""
LISTED = re.compile(r"^(\d+)\. (.*): (http\S+)\n?", re.MULTILINE)


def search(dialogue: Dialogue, topics: Sequence[str]) -> StandInReply | None:
    """The search for all topics side by side, in news too; None once it was made."""
    if not dialogue.may_call_tools:
        return None
    calls: list[ToolUse] = []
    batch: list[tuple[str, Json]] = []
    for query in _fresh_queries(dialogue, topics):
        arguments: Json = {"query": query, "num_results": RESULTS}
        for name in SEARCHES:
            batch.append((f"COMPOSIO_{name}", arguments))
            if name in dialogue.tools:
                calls.append(dialogue.use(name, **arguments))
    offered = dialogue.tools.keys() & set(SEARCHES)
    if batch and not offered and BATCH_TOOL in dialogue.tools:
        return dialogue.batch(batch)
    return tuple(calls) or None


def _fresh_queries(dialogue: Dialogue, topics: Sequence[str]) -> list[str]:
    """A query for each topic that was not searched for yet."""
    asked: list[str] = []
    for call in _searches(dialogue):
        asked += [item.get("query", "") for item in walk(call.arguments)]
    fresh: list[str] = []
    for topic in topics:
        words = content_words(topic)
        query = " ".join(words) or topic
        if query not in [*asked, *fresh]:
            fresh.append(query)
    return fresh


def find_hits(dialogue: Dialogue, topics: Sequence[str]) -> list[Json]:
    """The pages that seem to be about one of the topics, each once, best first.

    Where none is, those that speak of half of one: people do not write as pages do.
    """
    wanted = [stems(topic) for topic in topics]
    entries: dict[str, Json] = {}
    for entry in objects_in(_searches(dialogue)):
        url = as_text(entry.get("url")) or as_text(entry.get("link"))
        title = as_text(entry.get("title"))
        hit = {**entry, "url": url, "title": " ".join(title.split())}
        if url:
            entries.setdefault(url, hit)
    for few in (2, 0):
        hits = [entry for entry in entries.values() if _is_hit(entry, wanted, few)]
        if hits:
            return hits
    return []


def _is_hit(entry: Json, wanted: Iterable[frozenset[str]], few: int) -> bool:
    snippet = as_text(entry.get("snippet"))
    text = f"{entry['title']} {snippet} {entry['url']}"
    return any(is_about(stems, text, few) for stems in wanted)


def _searches(dialogue: Dialogue) -> list[PastCall]:
    """The searches that were made, by their own names or in batches."""
    searches = dialogue.now.done(*SEARCHES)
    for batch in dialogue.now.done(BATCH_TOOL):
        if "_SEARCH_" in str(batch.arguments):
            searches.append(batch)
    return searches


def read_files(dialogue: Dialogue, tables: Iterable[PastCall]) -> StandInReply | None:
    """Reads the files of pages, each to its end; None once all are read."""
    offsets: dict[str, int | None] = {row["path"]: 0 for row in rows_of(tables)}
    for read in dialogue.now.done("read_local_file"):
        offsets[read.arguments["path"]] = read.data.get("next_offset")
    if not dialogue.may_call_tools:
        return None
    reads: list[ToolUse] = []
    for path, offset in offsets.items():
        if offset is not None:
            reads.append(dialogue.use("read_local_file", path=path, offset=offset))
    return tuple(reads) or None


def rows_of(tables: Iterable[PastCall]) -> list[Json]:
    """The pages that could be fetched, out of tables of them, each once."""
    rows: dict[str, Json] = {}
    for row in objects_in(tables):
        is_fetched = row.get("status") in (None, "success")
        if is_fetched and row.get("url") and row.get("path"):
            rows[row["url"]] = row
    return list(rows.values())


def unread_in(dialogue: Dialogue) -> str:
    """The pages that could not be fetched, each with the reason that was given."""
    crawls = dialogue.now.done("crawl_parallel")
    lines: list[str] = []
    for row in objects_in(crawls):
        status = as_text(row.get("status"))
        if status.startswith("failed"):
            lines.append(f"\n- {row.get('url')}: {status}")
    errors = [crawl.result for crawl in crawls if crawl.is_error]
    lines += [f"\n- pages: failed: {error[:300]}" for error in errors]
    return "".join(lines)


def pages_read(dialogue: Dialogue, rows: Sequence[Json]) -> list[NumberedPage]:
    """The pages with their texts, by their numbers or in their order."""
    texts: defaultdict[str, str] = defaultdict(str)
    for read in dialogue.now.done("read_local_file"):
        path = read.arguments["path"]
        texts[path] += as_text(read.data.get("text"))
    pages: list[NumberedPage] = []
    for position, row in enumerate(rows, start=1):
        path = row["path"]
        if path not in texts:
            continue
        url = row["url"]
        page = NumberedPage(
            n=row.get("n") or position,
            url=url,
            title=as_text(row.get("title")) or url,
            text=texts[path],
        )
        pages.append(page)
    return pages


def pages_about(topic: str, pages: Iterable[NumberedPage]) -> list[NumberedPage]:
    """The pages that are about a topic."""
    wanted = stems(topic)
    return [page for page in pages if is_about(wanted, page.titled_text)]


def sentences_on(topic: str, pages: Iterable[NumberedPage], count: int) -> list[str]:
    """The most telling sentences of pages on a topic, each with its number."""
    blocks: list[PageBlock] = []
    for page in pages:
        blocks += page.blocks()
    return telling(blocks, stems(topic), count)


def listed(page: NumberedPage) -> str:
    """A page's line below a text that cites it by its number."""
    title = re.sub(r"[\[\]]", "", page.title)
    return f"{page.n}. {title}: {page.url}"


def numbered(text: str) -> str:
    """A text with its numbers, without the list of the pages that they stand for."""
    body = LISTED.sub("", text).strip()
    body = body.partition("\n\nPages:")[0]
    return REPEATED_MARK.sub("", body)


def linked(text: str) -> str:
    """A text whose numbers are links to the pages that are listed below it."""
    links: dict[str, str] = {}
    for n, title, url in LISTED.findall(text):
        links[n] = f" ([{title}]({url}))"
    body = numbered(text)
    return MARK.sub(lambda mark: links.get(mark[1], mark[0]), body)
