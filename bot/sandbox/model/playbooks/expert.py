"""Playbook of the report expert: read, save, write the report from passages, and sum it up.

Of three sections and more each is written to a file by a run of its own, which `write_section`
plays.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.sandbox.model.dialogue import FORK, RESULT, Dialogue, Exchange, NextStep, topic_of
from bot.sandbox.model.message import Json, ReplyText
from bot.sandbox.model.phrases import find, line, lines, pairs
from bot.sandbox.model.playbooks.pages import MAX_PAGES, nothing_about, read_pages, read_passages
from bot.sandbox.model.playbooks.research import URL, Brief
from bot.sandbox.model.quoting import (
    PageBlock,
    best_quotes,
    capitalised,
    cite,
    escape,
    on_topic,
    share,
    stems,
    worth,
)

SUMMARY_SENTENCES = 3
COVER_SENTENCES = 4
MAX_BLOCKS = 60
"""Of a whole report; its sections share them evenly."""
MAX_THEMES = 4
WRITER = "report-section-writer"
LEAST_SECTIONS = 3
"""Fewer are written sooner by one run."""
ORDER = re.compile(r"(?m)^Heading: (.+)\nFile: (.+)\nQuery: (.+)\nPassages: (.+)$")

Sections = Mapping[str, Sequence[PageBlock]]
"""What of the pages stands below each heading."""


def write(dialogue: Dialogue) -> str:
    """The expert's answer: the most telling sentences of its report, or why there is none."""
    whole = Exchange(asked="\n\n".join(exchange.asked for exchange in dialogue.exchanges))
    for exchange in dialogue.exchanges:
        whole.calls += exchange.calls
        whole.notes += exchange.notes
    dialogue = replace(dialogue, exchanges=[whole])
    brief = Brief.read(whole.asked)
    noted = filter(None, map(topic_of, whole.notes))
    brief = replace(brief, sections=tuple(dict.fromkeys([*brief.sections, *noted])))
    query = " ".join([brief.topic, *brief.sections])
    urls = list(dict.fromkeys(URL.findall(whole.asked)))
    blocks = (
        read_pages(
            dialogue,
            query,
            urls[:MAX_PAGES],
        )
        if urls
        else []
    )
    sections = _sections(blocks, brief)
    if not sections:
        return line("no_report", why=nothing_about(dialogue, brief.topic))
    cover = best_quotes(
        blocks,
        brief.topic,
        COVER_SENTENCES,
    )
    report: Json = {
        "title": capitalised(brief.topic),
        "follow_ups": [question.format(topic=brief.topic) for question in lines("follow_ups")],
        "summary": " ".join(cite(quote.sentence, quote.block.passage) for quote in cover),
        "is_comprehensive": find("in_depth", whole.asked) is not None,
    }
    files = _have_written(
        dialogue,
        sections,
        query,
    )
    if files:
        report["sections"] = files
    else:
        report["markdown"] = "".join(_markdown(*section) for section in sections.items())
    written = dialogue.call("write_report", **report)
    while whole.notes and any(written.arguments.get(name) != report[name] for name in report):
        written = dialogue.call("write_report", **report)
    if not written.data.get("success"):
        return line("no_report", why=written.result[:300])
    return _summary(
        brief,
        blocks,
        sections,
        written.data,
    )


def _summary(
    brief: Brief,
    blocks: Sequence[PageBlock],
    sections: Sections,
    written: Json,
) -> str:
    """The most telling sentences of the report that was written."""
    topic = brief.topic
    added = [name for name in brief.sections if not stems(name) <= stems(topic)]
    if added:
        topic = added[-1]
        blocks = on_topic(blocks, topic)
    quotes = best_quotes(
        blocks,
        topic,
        SUMMARY_SENTENCES,
    )
    missing = [name for name in brief.sections if capitalised(name) not in sections]
    paragraphs = [
        written.get("version") or "",
        " ".join(cite(quote.sentence, quote.block.source) for quote in quotes),
        line("report_ready", title=written["title"]),
        *(line("nothing", topic=name) for name in missing),
        written.get("shortfall") or "",
    ]
    return "\n\n".join(filter(None, paragraphs))


def _sections(blocks: Sequence[PageBlock], brief: Brief) -> Sections:
    """The sections of the report; none where no page can be quoted.

    Each block stands where it fits best: below what was asked for by name, such as the sides of a
    comparison, or below a theme. What fits nowhere, and small themes, come under the last theme.
    """
    named = {capitalised(name): name for name in brief.sections}
    own_words = {heading: _own_words(name, brief.topic) for heading, name in named.items()}
    is_covered = len(named) > 1 and stems(brief.topic) <= stems(" ".join(brief.sections))
    themes = {} if is_covered else dict(pairs("themes"))
    sections: dict[str, list[PageBlock]] = {heading: [] for heading in [*themes, *named]}
    for block in blocks:
        heading = _best_of(own_words, f"{block.title} {block.text}")
        heading = heading or _best_of(themes, block.text)
        if heading or themes:
            sections[heading or [*themes][-1]].append(block)
    *others, last = [*themes, ""]
    if themes:
        last = others.pop()
    others.sort(key=lambda heading: len(sections[heading]), reverse=True)
    for heading in others[MAX_THEMES:]:
        sections[last] += sections.pop(heading)
    room = MAX_BLOCKS // (1 + sum(map(bool, sections.values())))
    report: dict[str, list[PageBlock]] = {}
    for heading, fitting in sections.items():
        if fitting:
            topic = named.get(heading, brief.topic)
            report[heading] = _best(
                fitting,
                topic,
                room,
            )
    return report


def _own_words(section: str, topic: str) -> str:
    """The words of a section that its report's topic does not have; all where it has them all."""
    common = stems(topic)
    own = [word for word in section.split() if not stems(word) <= common]
    return " ".join(own) or section


def _best_of(headings: Mapping[str, str], text: str) -> str:
    """The heading of whose words a text holds most; empty where it holds none."""
    shares = {heading: share(words, text) for heading, words in headings.items()}
    best = max(
        shares,
        key=shares.__getitem__,
        default="",
    )
    return best if shares.get(best) else ""


def _best(blocks: Sequence[PageBlock], topic: str, room: int) -> list[PageBlock]:
    """The best blocks of a section, in reading order."""

    def value(block: PageBlock) -> float:
        return worth(
            topic,
            block.text,
            block.position,
        )

    best = sorted(
        blocks,
        key=value,
        reverse=True,
    )
    return sorted(best[:room], key=PageBlock.place)


def _have_written(dialogue: Dialogue, sections: Sections, query: str) -> list[str]:
    """The files of the sections, each written by a run of its own; none where one has failed.

    NextStep carries the start of the runs out of the playbook, and the wait for them.
    """
    if FORK not in dialogue.tools or len(sections) < LEAST_SECTIONS:
        return []
    orders: list[tuple[str, Json]] = []
    files: list[str] = []
    for heading, listed in _passages_of(sections).items():
        # Two headings of one report never share a file.
        file = f"sections/{'_'.join(sorted(stems(heading)))}.md"
        passages = " ".join(listed)
        prompt = line(
            "section_order",
            heading=heading,
            file=file,
            query=query,
            passages=passages,
        )
        arguments = {
            "description": heading,
            "prompt": prompt,
            "subagent_type": WRITER,
        }
        orders.append((FORK, arguments))
        files.append(file)
    runs = [call.result.strip() for call in dialogue.side_by_side(orders)]
    ended = {call.arguments["run"]: not call.is_error for call in dialogue.now.done(RESULT)}
    is_open = not ended.keys() >= set(runs)
    if is_open and dialogue.may_call_tools:
        raise NextStep(ReplyText(text=line("sections_waiting")))
    return files if all(ended.get(run) for run in runs) else []


def _passages_of(sections: Sections) -> Mapping[str, Sequence[str]]:
    """The passages of each section; one that fits several belongs to that with most of its blocks.

    A section's writer has whole passages, and a report says nothing twice.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for heading, blocks in sections.items():
        counts.update((block.passage, heading) for block in blocks)
    owners = {passage: heading for (passage, heading), _ in reversed(counts.most_common())}
    passages: dict[str, list[str]] = {}
    for heading in sections:
        owned = [passage for passage, owner in owners.items() if owner == heading]
        if owned:
            passages[heading] = owned
    return passages


def write_section(dialogue: Dialogue) -> str:
    """The work of a section's writer: it finds its passages, and writes the section to its file."""
    [(heading, file, query, passages)] = ORDER.findall(dialogue.exchanges[0].asked)
    blocks = read_passages(dialogue, query)
    kept = [block for block in blocks if block.passage in passages.split()]
    content = _markdown(heading, sorted(kept, key=PageBlock.place))
    dialogue.call(
        "write_local_file",
        path=file,
        content=content,
    )
    return line("section_written", heading=heading)


def _markdown(heading: str, blocks: Sequence[PageBlock]) -> str:
    """A section of a report."""
    parts = [f"## {escape(heading)}", *map(_block, blocks)]
    return "\n\n".join(parts) + "\n\n"


def _block(block: PageBlock) -> str:
    """A block with its citation behind it; a table is cited in its first heading."""
    if block.kind == "table":
        head, *rows = block.sentences
        first, bar, others = head.removeprefix("|").partition("|")
        head = f"| {first.strip()} [{block.passage}] {bar}{others}"
        return "\n".join([head, *rows])
    cited = " ".join(cite(sentence, block.passage) for sentence in block.sentences)
    return f"- {cited}" if block.kind == "item" else cited
