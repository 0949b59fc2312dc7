"""Pages as the stand-in uses them: searched, read, and quoted by their passages."""

from collections.abc import Mapping, Sequence

from bot.sandbox.model.dialogue import Dialogue, objects_in
from bot.sandbox.model.message import Json, as_text
from bot.sandbox.model.phrases import line
from bot.sandbox.model.quoting import (
    ENOUGH,
    PageBlock,
    quotable_blocks,
    rarities,
    share,
)

SEARCHES = ("SEARCH_WEB", "SEARCH_NEWS")
KEYLESS_SEARCHES = ("search_web", "search_news")
"""Of the toolkit, where there is no Composio."""
RESULTS = 20
MAX_PAGES = 12
PASSAGES = 50
NEARLY_AS_GOOD = 0.6
"""Pages that hold so much less of a topic than the best one are left out."""
BRACKETS = str.maketrans(
    "",
    "",
    "[]",
)


def search(dialogue: Dialogue, topics: Sequence[str]) -> dict[str, str]:
    """The addresses of pages that seem to be about one of the topics, with their titles."""
    offered = [name for name in (*SEARCHES, *KEYLESS_SEARCHES) if name in dialogue.tools]
    wanted: list[tuple[str, Json]] = []
    for topic in topics:
        query = {"query": topic, "num_results": RESULTS}
        wanted += [(name, query) for name in offered or SEARCHES]
    titles: dict[str, str] = {}
    texts: dict[str, str] = {}
    for entry in objects_in(dialogue.side_by_side(wanted)):
        url = as_text(entry.get("url") or entry.get("link"))
        if url and url not in titles:
            title = as_text(entry.get("title"))
            snippet = as_text(entry.get("snippet"))
            titles[url] = title
            texts[url] = f"{title} {snippet} {url}"
    return {url: titles[url] for url in _fitting(texts, topics)}


def _fitting(texts: Mapping[str, str], topics: Sequence[str]) -> list[str]:
    """The pages that hold most of a topic, those with its rarest words first.

    None where even all of them together hold too little.
    """
    topic = " ".join(topics)
    together = " ".join(texts.values())
    if share(topic, together) < ENOUGH:
        return []
    shares = {url: max(share(topic, text) for topic in topics) for url, text in texts.items()}
    least = NEARLY_AS_GOOD * max(shares.values())
    rarity = rarities(texts.values(), topic)
    fitting = [url for url in texts if shares[url] >= least]
    fitting.sort(key=lambda url: rarity[texts[url]], reverse=True)
    return fitting[:MAX_PAGES]


def read_pages(dialogue: Dialogue, topic: str, urls: Sequence[str]) -> list[PageBlock]:
    """What pages say on a topic, the best first; nothing where they hold too little of it.

    Who may save a corpus does, for a report has to rest on one.
    """
    crawl = dialogue.call("crawl_parallel", urls=urls)
    rows = objects_in([crawl])
    fetched = [row["url"] for row in rows if row.get("status") == "success"]
    if not fetched:
        return []
    if "save_corpus" in dialogue.tools:
        dialogue.call("save_corpus", articles=fetched)
    blocks = [block for block in read_passages(dialogue, topic) if block.url in fetched]
    whole = " ".join(f"{block.url} {block.title} {block.text}" for block in blocks)
    return blocks if share(topic, whole) >= ENOUGH else []


def read_passages(dialogue: Dialogue, query: str) -> list[PageBlock]:
    """What can be quoted of the session's pages on a query, the best passages first."""
    search = dialogue.call(
        "search_corpus",
        query=query,
        limit=PASSAGES,
    )
    blocks: list[PageBlock] = []
    for entry in objects_in([search]):
        if entry.get("kind") == "page":
            blocks += [
                PageBlock(
                    passage=entry["id"],
                    url=entry["url"],
                    title=entry["title"].translate(BRACKETS) or entry["url"],
                    kind=kind,
                    sentences=sentences,
                )
                for kind, sentences in quotable_blocks(entry["text"])
            ]
    return blocks


def nothing_about(dialogue: Dialogue, topic: str) -> str:
    """That no page speaks of a topic, and which could not be read, each with the reason."""
    text = line("nothing", topic=topic)
    for row in objects_in(dialogue.now.done("crawl_parallel")):
        status = as_text(row.get("status"))
        if status.startswith("failed"):
            text += f"\n- {row.get('url')}: {status}"
    return text
