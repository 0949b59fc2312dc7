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
from bot.sandbox.model.message import StandInReply
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
MARK = re.compile(r" \[(\d+)\]")
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
    direct = [
        dialogue.use(name, **arguments) for name, arguments in calls if name in dialogue.tools
    ]
    if calls and not direct and BATCH_TOOL in dialogue.tools:
        return dialogue.batch([(f"COMPOSIO_{name}", arguments) for name, arguments in calls])
    return tuple(direct) or None


def _fresh_queries(dialogue: Dialogue, topics: Sequence[str]) -> list[str]:
    """A query for each topic that was not searched for yet."""
    asked: list[str] = []
    for call in _searches(dialogue):
        asked += [item.get("query", "") for item in walk(call.arguments)]
    queries = [" ".join(content_words(topic)) or topic for topic in topics]
    return [query for query in dict.fromkeys(queries) if query not in asked]


def find_hits(dialogue: Dialogue, topics: Sequence[str]) -> dict[str, str]:
    """The addresses of pages that seem to be about one of the topics, best first, with titles.

    Where none is, those that speak of half of one: people do not write as pages do.
    """
    titles: dict[str, str] = {}
    texts: dict[str, str] = {}
    for entry in objects_in(_searches(dialogue)):
        url = as_text(entry.get("url") or entry.get("link"))
        title = as_text(entry.get("title"))
        if url and url not in titles:
            titles[url] = title
            texts[url] = f"{title} {entry.get('snippet')} {url}"
    for few in (2, 0):
        hits = [url for url, text in texts.items() if is_about(topics, text, few)]
        if hits:
            return {url: titles[url] for url in hits}
    return {}


def _searches(dialogue: Dialogue) -> list[PastCall]:
    """The searches that were made, by their own names or in batches."""
    searches = dialogue.now.done(*SEARCHES)
    batches = dialogue.now.done(BATCH_TOOL)
    return searches + [batch for batch in batches if "_SEARCH_" in str(batch.arguments)]


def read_files(dialogue: Dialogue, tables: Iterable[PastCall]) -> StandInReply | None:
    """Reads the files of pages, each to its end; None once all are read."""
    offsets: dict[str, int | None] = {row["path"]: 0 for row in rows_of(tables)}
    for read in dialogue.now.done("read_local_file"):
        offsets[read.arguments["path"]] = read.data.get("next_offset")
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
    return [
        NumberedPage(
            n=row.get("n") or position,
            url=row["url"],
            title=as_text(row.get("title")) or row["url"],
            text=texts[row["path"]],
        )
        for position, row in enumerate(rows, start=1)
        if row["path"] in texts
    ]


def sentences_on(topic: str, pages: Iterable[NumberedPage], count: int) -> list[str]:
    """The most telling sentences of the pages on a topic, each with its number."""
    blocks: list[PageBlock] = []
    for page in pages:
        if is_about([topic], page.titled_text):
            blocks += page.blocks()
    return [cite(*quote) for quote in telling(blocks, topic, count)]


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
