"""Pages of a research: searches, hits, texts that were read, and sentences with their links."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from bot.sandbox.model.dialogue import (
    BATCH_TOOL,
    Dialogue,
    PastCall,
    objects_in,
)
from bot.sandbox.model.message import StandInReply, ToolUse
from bot.sandbox.model.sentences import (
    NumberedPage,
    PageBlock,
    content_words,
    is_about,
)
from bot.sandbox.model.wire import Json, as_text, walk
from bot.sandbox.model.writing import cite, telling

SEARCHES = ("SEARCH_WEB", "SEARCH_NEWS")
RESULTS = 20
NOTHING = "I found nothing about {topic}: none of the pages here speaks of it."
REPEATED_MARK = re.compile(r" \[(\d+)\](?=[^\n\[]*[^\n\[ ] \[\1\])")
"""A number that the next sentence has, too: a run of sentences is cited once."""
LISTED = re.compile(r"(?m)^(\d+)\. (.*): (http\S+)\n?")


def search(dialogue: Dialogue, topics: Sequence[str]) -> StandInReply | None:
    """The search for all topics side by side, in news too; None once it was made."""
    if not dialogue.may_call_tools:
        return None
    calls: list[tuple[str, Json]] = []
    for query in _fresh_queries(dialogue, topics):
        arguments = {"query": query, "num_results": RESULTS}
        calls += [(name, arguments) for name in SEARCHES]
    direct: list[ToolUse] = []
    for name, arguments in calls:
        if name in dialogue.tools:
            direct.append(dialogue.use(name, **arguments))
    if calls and not direct and BATCH_TOOL in dialogue.tools:
        return dialogue.batch([(f"COMPOSIO_{name}", arguments) for name, arguments in calls])
    return tuple(direct) or None


def _fresh_queries(dialogue: Dialogue, topics: Sequence[str]) -> list[str]:
    """A query for each topic that was not searched for yet."""
    queries: dict[str, None] = {}
    for topic in topics:
        words = content_words(topic)
        queries[" ".join(words) or topic] = None
    for call in _searches(dialogue):
        for item in walk(call.arguments):
            queries.pop(item.get("query", ""), None)
    return list(queries)


def find_hits(dialogue: Dialogue, topics: Sequence[str]) -> dict[str, str]:
    """The addresses of pages that seem to be about one of the topics, best first, with titles.

    Where none is, those that speak of half of one: people do not write as pages do.
    """
    titles: dict[str, str] = {}
    texts: dict[str, str] = {}
    for entry in objects_in(_searches(dialogue)):
        link = entry.get("url") or entry.get("link")
        url = as_text(link)
        title = as_text(entry.get("title"))
        snippet = as_text(entry.get("snippet"))
        if url and url not in titles:
            titles[url] = title
            texts[url] = f"{title} {snippet} {url}"
    hits: dict[str, str] = {}
    for few in (2, 0):
        for url, text in texts.items():
            if is_about(topics, text, few):
                hits[url] = titles[url]
        if hits:
            break
    return hits


def _searches(dialogue: Dialogue) -> list[PastCall]:
    """The searches that were made, by their own names or in batches."""
    searches = dialogue.now.done(*SEARCHES)
    for batch in dialogue.now.done(BATCH_TOOL):
        if "_SEARCH_" in str(batch.arguments):
            searches.append(batch)
    return searches


def read_files(dialogue: Dialogue, tables: Iterable[PastCall]) -> StandInReply | None:
    """Reads the files of pages, each to its end; None once all are read."""
    offsets: dict[str, int | None] = {}
    for row in rows_of(tables):
        offsets[row["path"]] = 0
    for read in dialogue.now.done("read_local_file"):
        path = read.arguments["path"]
        offsets[path] = read.data.get("next_offset")
    reads = [
        dialogue.use("read_local_file", path=path, offset=offset)
        for path, offset in offsets.items()
        if offset is not None
    ]
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
    lines = ""
    for row in objects_in(dialogue.now.done("crawl_parallel")):
        status = as_text(row.get("status"))
        if status.startswith("failed"):
            lines += f"\n- {row.get('url')}: {status}"
    return lines


def pages_read(dialogue: Dialogue, rows: Sequence[Json]) -> list[NumberedPage]:
    """The pages with their texts, by their numbers or in their order."""
    texts: defaultdict[str, str] = defaultdict(str)
    for read in dialogue.now.done("read_local_file"):
        path = read.arguments["path"]
        texts[path] += as_text(read.data.get("text"))
    pages: list[NumberedPage] = []
    for position, row in enumerate(rows, start=1):
        path = row["path"]
        if path in texts:
            page = NumberedPage(
                n=row.get("n") or position,
                url=row["url"],
                title=as_text(row.get("title")) or row["url"],
                text=texts[path],
            )
            pages.append(page)
    return pages


def sentences_on(topic: str, pages: Iterable[NumberedPage], count: int) -> list[str]:
    """The most telling sentences of the pages on a topic, each with its number."""
    blocks: list[PageBlock] = []
    for page in pages:
        if is_about([topic], page.titled_text):
            blocks += page.blocks()
    quotes = telling(blocks, topic, count)
    return [cite(*quote) for quote in quotes]


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
    body = numbered(text)
    for n, title, url in LISTED.findall(text):
        body = body.replace(f" [{n}]", f" ([{title}]({url}))")
    return body
