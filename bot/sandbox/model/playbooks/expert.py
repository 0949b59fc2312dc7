"""Playbook of the report expert: read, save, read on, write the report, and sum it up."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.sandbox.model.dialogue import FORK, Dialogue, Exchange, objects_in, topic_of
from bot.sandbox.model.message import Json
from bot.sandbox.model.phrases import find, line, lines, pairs
from bot.sandbox.model.playbooks.research import (
    BRACKETS,
    URL,
    Brief,
    fetched,
    read_pages,
    unread_in,
)
from bot.sandbox.model.playbooks.section import (
    LEAST_SECTIONS,
    PlannedSection,
    as_markdown,
    have_written,
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
    on_topic,
    share,
    stems,
    worth,
)

BATCH = 10
SUMMARY_SENTENCES = 3
COVER_SENTENCES = 4
MAX_SENTENCES = 72
"""Of a whole report; its sections share them evenly."""
LEAST_A_SECTION = 4
PASSAGES = 50
CITED = re.compile(r"(?P<sentence>[^\n\[\]]+) \[(?P<n>\d+)\]")


def decide(dialogue: Dialogue) -> str:
    """The expert's answer: the most telling sentences of its report, or why there is none."""
    whole = Exchange(asked="\n\n".join(exchange.asked for exchange in dialogue.exchanges))
    for exchange in dialogue.exchanges:
        whole.calls += exchange.calls
        whole.notes += exchange.notes
    dialogue = replace(dialogue, exchanges=[whole])
    brief = Brief.read(whole.asked)
    noted = filter(None, map(topic_of, whole.notes))
    brief = replace(brief, sections=tuple(dict.fromkeys([*brief.sections, *noted])))
    pages = _read(dialogue, list(dict.fromkeys(URL.findall(whole.asked))))
    sections = _sections(pages, brief)
    if not sections:
        reason = line("nothing", topic=brief.topic) + unread_in(dialogue)
        return line("no_report", why=reason)
    files: list[str] = []
    if FORK in dialogue.tools and len(sections) >= LEAST_SECTIONS:
        files = have_written(dialogue, sections)
    search = dialogue.call("search_corpus", query=brief.topic, limit=PASSAGES)
    passages = [entry for entry in objects_in([search]) if entry.get("id")]
    markdown = "".join(as_markdown(*section) for section in sections)
    report: Json = {
        "title": capitalised(brief.topic),
        "follow_ups": [question.format(topic=brief.topic) for question in lines("follow_ups")],
        "summary": cite_passages(_cover(pages, brief.topic), passages),
        "is_comprehensive": find("in_depth", whole.asked) is not None,
    }
    if files:
        report["sections"] = files
    else:
        report["markdown"] = cite_passages(markdown, passages)
    written = dialogue.call("write_report", **report)
    while whole.notes and any(written.arguments.get(name) != report[name] for name in report):
        written = dialogue.call("write_report", **report)
    if not written.data.get("success"):
        return line("no_report", why=written.result[:300])
    return _summary(
        brief,
        pages,
        written.arguments["title"],
        markdown,
        str(written.data.get("version", "")),
        str(written.data.get("shortfall", "")),
    )


def cite_passages(markdown: str, passages: Sequence[Json]) -> str:
    """The text with the passage cited, in place of its page, behind each sentence that it holds."""

    def cite_one(cited: re.Match[str]) -> str:
        sentence = _plain(cited["sentence"]).removeprefix("- ")
        for passage in passages:
            if str(passage["n"]) == cited["n"] and sentence in _plain(passage["text"]):
                return f"{cited['sentence']} [{passage['id']}]"
        return cited[0]

    return CITED.sub(cite_one, markdown)


def _plain(text: str) -> str:
    return " ".join(text.replace("\\", "").split())


def _read(dialogue: Dialogue, urls: Sequence[str]) -> list[NumberedPage]:
    """The pages, crawled in two batches at most, saved and read to their ends."""
    crawls = [dialogue.call("crawl_parallel", urls=urls[:BATCH])] if urls else []
    if urls[BATCH:] and len(fetched(crawls)) < BATCH:
        crawls.append(dialogue.call("crawl_parallel", urls=urls[BATCH : 2 * BATCH]))
    articles = [row["url"] for row in fetched(crawls)]
    if not articles:
        return []
    return read_pages(dialogue, dialogue.call("save_corpus", articles=articles))


def _summary(
    brief: Brief,
    pages: Sequence[NumberedPage],
    title: str,
    markdown: str,
    version: str,
    shortfall: str,
) -> str:
    """The most telling sentences of the report that was written, and its pages."""
    topic = brief.topic
    asked = [name for name in brief.sections if not stems(name) <= stems(topic)]
    blocks = blocks_of(pages)
    if asked:
        blocks = on_topic(blocks, asked[-1])
    quotes = best_quotes(
        blocks,
        [topic, *asked][-1],
        SUMMARY_SENTENCES,
    )
    opening = f"{version}.\n\n" if version else ""
    paragraphs = [opening + " ".join(cite(*quote) for quote in quotes)]
    paragraphs.append(line("report_ready", title=title))
    names = [capitalised(name) for name in brief.sections]
    missing = [name for name in names if f"## {escape(name)}\n" not in markdown]
    paragraphs += [line("nothing", topic=name) for name in missing]
    paragraphs += filter(None, [shortfall])
    quoted = {n for _, n in quotes}
    listed = [
        f"{page.n}. {page.title.translate(BRACKETS)}: {page.url}"
        for page in pages
        if page.n in quoted
    ]
    return "\n\n".join([*paragraphs, "\n".join(["Pages:", *listed])])


def _cover(pages: Sequence[NumberedPage], topic: str) -> str:
    """The summary: the most telling sentences of all pages."""
    quotes = best_quotes(blocks_of(pages), topic, COVER_SENTENCES)
    return " ".join(cite(*quote) for quote in quotes)


def _sections(pages: Sequence[NumberedPage], brief: Brief) -> list[PlannedSection]:
    """The sections of the report; none where no page can be quoted.

    The sections that were asked for by name, such as the sides of a comparison, get what is on
    them. What is left goes to a section for each theme that the pages speak of.
    """
    blocks = blocks_of(pages)
    topic = brief.topic
    named: list[tuple[str, list[PageBlock]]] = []
    for name in brief.sections:
        fitting = [block for block in on_topic(blocks, name) if share(name, block.text) >= ENOUGH]
        named.append((capitalised(name), fitting))
    is_covered = len(named) > 1 and stems(topic) <= stems(" ".join(brief.sections))
    in_sections = {(block.n, block.position) for _, fitting in named for block in fitting}
    rest = [block for block in blocks if (block.n, block.position) not in in_sections]
    themes = {} if is_covered else _by_theme(rest)
    room = max(LEAST_A_SECTION, MAX_SENTENCES // max(1, len(named) + len(themes)))
    sections = [
        (heading, _best_blocks(fitting, heading if is_covered else topic, room))
        for heading, fitting in (*themes.items(), *named)
    ]
    return [(heading, best) for heading, best in sections if best]


def _by_theme(blocks: Iterable[PageBlock]) -> dict[str, list[PageBlock]]:
    """The blocks by the theme of which each holds most words; what has none comes last."""
    themes = pairs("themes")
    last, _ = themes[-1]
    sections: dict[str, list[PageBlock]] = {heading: [] for heading, _ in themes}
    for block in blocks:
        held = {heading: len(stems(words) & stems(block.text)) for heading, words in themes}
        best = max(held, key=held.__getitem__)
        sections[best if held[best] else last].append(block)
    for heading in list(sections):
        if len(sections[heading]) == 1:
            sections[last] += sections.pop(heading)
    return {heading: blocks for heading, blocks in sections.items() if blocks}


def _best_blocks(
    blocks: Iterable[PageBlock],
    topic: str,
    room: int,
) -> list[PageBlock]:
    """As many of the blocks as give so many sentences, in reading order."""
    ranked = sorted(
        blocks,
        key=lambda block: worth(
            topic,
            block.text,
            block.position,
        ),
        reverse=True,
    )
    kept: list[PageBlock] = []
    for block in ranked:
        if room > 0:
            kept.append(block)
            room -= len(block.sentences)
    return sorted(kept, key=lambda block: (block.n, block.position))
