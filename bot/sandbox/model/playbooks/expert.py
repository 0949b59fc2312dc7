"""Playbook of the report expert: read, save, read on, write the report, and sum it up."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.sandbox.model.dialogue import Dialogue, Exchange, say, topic_of
from bot.sandbox.model.message import StandInReply
from bot.sandbox.model.playbooks.research import (
    NOTHING,
    URL,
    Brief,
    listed_line,
    pages_read,
    read_files,
    rows_of,
    sentences_on,
    unread_in,
)
from bot.sandbox.model.quoting import (
    ENOUGH,
    NumberedPage,
    PageBlock,
    best_quotes,
    blocks_of,
    capitalised,
    cite,
    escape,
    share,
    worth,
)

BATCH = 10
MAX_BATCHES = 2
ENOUGH_PAGES = 10
SUMMARY_SENTENCES = 3
COVER_SENTENCES = 4
MAX_SENTENCES = 72
"""Of a whole report; the pages share them evenly."""
LEAST_A_PAGE = 4
FOLLOW_UPS = ("Find the latest news on {topic}", "Look up what people say about {topic}")


def decide(dialogue: Dialogue) -> StandInReply:
    """The expert's next step."""
    whole = Exchange(asked="\n\n".join(exchange.asked for exchange in dialogue.exchanges))
    for exchange in dialogue.exchanges:
        whole.calls += exchange.calls
        whole.notes += exchange.notes
    dialogue = replace(dialogue, exchanges=[whole])
    brief = Brief.read(whole.asked)
    noted = filter(None, map(topic_of, whole.notes))
    sections = dict.fromkeys([*brief.sections, *noted])
    brief = replace(brief, sections=tuple(sections))
    saves = whole.done("save_corpus")[-1:]
    pages = pages_read(dialogue, saves)
    step = None
    if dialogue.may_call_tools:
        step = (
            _crawl_and_save(dialogue, URL.findall(whole.asked))
            or read_files(dialogue, saves)
            or _write(dialogue, brief, pages)
        )
    return step or say(_summary(dialogue, brief, pages))


def _crawl_and_save(dialogue: Dialogue, urls: Sequence[str]) -> StandInReply | None:
    """The pages crawled in two batches at most, and saved; None once they were."""
    crawls = dialogue.now.done("crawl_parallel")
    tried = [url for call in crawls for url in call.arguments["urls"]]
    left = [url for url in dict.fromkeys(urls) if url not in tried]
    articles = [row["url"] for row in rows_of(crawls)]
    if left and len(crawls) < MAX_BATCHES and len(articles) < ENOUGH_PAGES:
        return (dialogue.use("crawl_parallel", urls=left[:BATCH]),)
    if articles and not dialogue.now.done("save_corpus"):
        return (dialogue.use("save_corpus", articles=articles),)
    return None


def _write(
    dialogue: Dialogue,
    brief: Brief,
    pages: Sequence[NumberedPage],
) -> StandInReply | None:
    """The call that writes the report, once more where a note adds to it; else None."""
    report = _write_report(pages, brief.topic, brief.sections)
    if report is None:
        return None
    for call in dialogue.now.done("write_report")[-1:]:
        is_same = call.arguments["markdown"] == report["markdown"]
        if is_same or not dialogue.now.notes:
            return None
    write = dialogue.use(
        "write_report",
        title=capitalised(brief.topic),
        follow_ups=[question.format(topic=brief.topic) for question in FOLLOW_UPS],
        **report,
    )
    return (write,)


def _summary(
    dialogue: Dialogue,
    brief: Brief,
    pages: Sequence[NumberedPage],
) -> str:
    """The most telling sentences of the report that was written; or why none was."""
    written = dialogue.now.done("write_report")
    done = [call for call in written if call.data.get("success")]
    if not done:
        reason = NOTHING.format(topic=brief.topic) + unread_in(dialogue)
        for call in written:
            reason = call.result[:300]
        return f"No report was written. {reason}"
    report = done[-1].arguments
    topic = [brief.topic, *brief.sections][-1]
    sentences = sentences_on(topic, pages, SUMMARY_SENTENCES)
    version = str(done[-1].data.get("version", ""))
    opening = f"{version}.\n\n" if version else ""
    lines = [opening + " ".join(sentences), f"The report “{report['title']}” is ready."]
    lines += [
        NOTHING.format(topic=name)
        for name in map(capitalised, brief.sections)
        if f"## {escape(name)}\n" not in report["markdown"]
    ]
    table = ["Pages:", *map(listed_line, pages)]
    lines.append("\n".join(table))
    return "\n\n".join(lines)


def _write_report(
    pages: Sequence[NumberedPage],
    topic: str,
    sections: Iterable[str],
) -> dict[str, str] | None:
    """The summary and the Markdown of a report; None where no page can be quoted.

    Each page gets a section. Those that were asked for by name come last; what they quote is not
    quoted before.
    """
    blocks = blocks_of(pages)
    if not blocks:
        return None
    quotes = best_quotes(blocks, topic, COVER_SENTENCES)
    room = max(LEAST_A_PAGE, MAX_SENTENCES // len(pages))
    asked: list[tuple[str, list[PageBlock]]] = []
    for name in sections:
        fitting = [block for block in blocks if share(name, block.text) >= ENOUGH]
        best = _best_blocks(fitting, name, room)
        asked.append((capitalised(name), best))
        blocks = [block for block in blocks if block not in best]
    of_pages: defaultdict[str, list[PageBlock]] = defaultdict(list)
    for page in pages:
        own = [block for block in blocks if block.n == page.n]
        of_pages[page.heading] += _best_blocks(own, topic, room)
    written = [_section(*section) for section in (*of_pages.items(), *asked)]
    return {
        "summary": " ".join(cite(*quote) for quote in quotes),
        "markdown": "".join(written),
    }


def _section(heading: str, blocks: Sequence[PageBlock]) -> str:
    """A section of a report; nothing where there is nothing to quote."""
    parts = [f"## {escape(heading)}", *map(_as_markdown, blocks)]
    return "\n\n".join(parts) + "\n\n" if blocks else ""


def _best_blocks(
    blocks: Iterable[PageBlock],
    topic: str,
    room: int,
) -> list[PageBlock]:
    """As many of the blocks as give so many sentences, in reading order."""
    ranked = sorted(
        blocks,
        key=lambda block: worth(topic, block.text, block.position),
        reverse=True,
    )
    kept: list[PageBlock] = []
    for block in ranked:
        if room > 0:
            kept.append(block)
            room -= len(block.sentences)
    return sorted(kept, key=lambda block: (block.n, block.position))


def _as_markdown(block: PageBlock) -> str:
    """A block with its citations; a table is cited in its first heading."""
    if block.kind == "table":
        head, *rows = block.sentences
        first, bar, others = head.removeprefix("|").partition("|")
        head = f"| {first.strip()} [{block.n}] {bar}{others}"
        return "\n".join([head, *rows])
    cited = " ".join(cite(sentence, block.n) for sentence in block.sentences)
    return f"- {cited}" if block.kind == "item" else cited
