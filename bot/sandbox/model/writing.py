"""An extractive report: whole sentences under what their pages are about, each with its number."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bot.sandbox.model.sentences import (
    NumberedPage,
    PageBlock,
    figures,
    is_about,
    share,
    stands_alone,
    stems,
)

MAX_SENTENCES = 72
"""Of a whole report; the pages share them evenly."""
LEAST_A_PAGE = 4
SUMMARY_SENTENCES = 4
SAME_SHARE = 0.7
"""Sentences that share so many stems say the same."""
OVERVIEW = "Overview"
"""Heading of pages that are called as the topic."""
REST = "Further findings"
"""Heading of pages whose titles say nothing."""
SITE = re.compile(r"\s+[|\u2013\u2014\u00b7-]\s+")
"""Between a page's title and the name of its site."""
SPECIAL = re.compile(r"([\\`*\[\]<>~|])")
ENTITY = re.compile(r"&(?=#?\w+;)")
OUTER_UNDERSCORE = re.compile(r"(?<!\w)_|_(?!\w)")
LINE_START = re.compile(r"^(\d+(?=[.)])|(?=[-+#>=]))")
"""Before the sign that would begin a list, a heading or a quotation."""

Quote = tuple[str, int]
"""A sentence, and the number of its page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractiveReport:
    summary: str
    """Some sentences that stand alone, with their numbers; the text does not repeat them."""
    markdown: str


def write_report(
    pages: Sequence[NumberedPage],
    topic: str,
    sections: Sequence[str],
    sides: Sequence[str],
) -> ExtractiveReport | None:
    """A report on the topic from the pages that are about it; None where none is.

    `sections` were asked for by name and come last. Of several `sides` a page need have but one.
    """
    subjects = [topic, *sides]
    fitting = [page for page in pages if is_about(subjects, page.titled_text)]
    blocks = _choose(fitting, [topic, *sections])
    if not blocks:
        return None
    total = sum(len(block.sentences) for block in blocks)
    count = min(SUMMARY_SENTENCES, total // SUMMARY_SENTENCES)
    quotes = telling(blocks, topic, count)
    quoted = [sentence for sentence, _ in quotes]
    blocks = _without(blocks, quoted)
    asked: dict[str, list[PageBlock]] = {}
    for name in sections:
        best = _best_on(name, blocks)
        asked[capitalised(name)] = best
        blocks = [block for block in blocks if block not in best]
    headings = {page.n: _heading(page, topic) for page in fitting}
    by_heading: defaultdict[str, list[PageBlock]] = defaultdict(list)
    for block in blocks:
        by_heading[headings[block.n]].append(block)
    overview = by_heading.pop(OVERVIEW, [])
    rest = by_heading.pop(REST, [])
    arranged = {OVERVIEW: overview, **by_heading, REST: rest, **asked}
    written: list[str] = []
    for heading, section in arranged.items():
        if section:
            written.append(f"## {escape(heading)}")
            written += map(_paragraph, section)
    return ExtractiveReport(
        summary=" ".join(cite(*quote) for quote in quotes),
        markdown="\n\n".join(written) + "\n",
    )


def telling(blocks: Iterable[PageBlock], topic: str, count: int) -> list[Quote]:
    """The sentences that say most of a topic and stand alone, of as many pages as can be."""
    worths: dict[Quote, float] = {}
    for block in blocks:
        if block.kind != "paragraph":
            continue
        for sentence in block.sentences:
            if stands_alone(sentence):
                worth = 2 * share(topic, sentence)
                worth += min(3, len(figures(sentence)))
                worth -= block.position / 5
                worths[sentence, block.n] = worth
    ranked = sorted(worths, key=worths.__getitem__, reverse=True)
    best: list[Quote] = []
    others: list[Quote] = []
    pages: set[int] = set()
    for quote in ranked:
        _, n = quote
        if n in pages:
            others.append(quote)
        else:
            best.append(quote)
            pages.add(n)
    return (best + others)[:count]


def cite(sentence: str, n: int) -> str:
    """The sentence as Markdown that reads letter by letter as on its page, and `[n]`."""
    return f"{escape(sentence)} [{n}]"


def escape(text: str) -> str:
    """Text as Markdown that shows exactly this text, at the start of a line too."""
    text = SPECIAL.sub(r"\\\1", text)
    text = ENTITY.sub(r"\\&", text)
    text = OUTER_UNDERSCORE.sub(r"\\_", text)
    return LINE_START.sub(r"\1\\", text)


def capitalised(text: str) -> str:
    """The text with a capital first letter, its other letters as they are."""
    return text[:1].upper() + text[1:]


def _choose(
    pages: Sequence[NumberedPage],
    topics: Sequence[str],
) -> list[PageBlock]:
    """The best blocks of each page, in reading order, less what a page before has said."""

    def worth(block: PageBlock) -> float:
        text = block.titled_text
        worth = 2 * max(share(topic, text) for topic in topics)
        worth += min(3, len(figures(text))) / 2
        if block.position == 0:
            worth += 1
        return worth

    known: list[str] = []
    chosen: list[PageBlock] = []
    for page in pages:
        room = max(LEAST_A_PAGE, MAX_SENTENCES // len(pages))
        ranked = sorted(page.blocks(), key=worth, reverse=True)
        kept: list[PageBlock] = []
        for block in _without(ranked, known):
            if room > 0:
                kept.append(block)
                known += block.sentences
                room -= len(block.sentences)
        chosen += sorted(kept, key=lambda block: block.position)
    return chosen


def _without(blocks: Iterable[PageBlock], known: Sequence[str]) -> list[PageBlock]:
    """The blocks less the sentences that are known, and less what leans on these."""
    left: list[PageBlock] = []
    for block in blocks:
        if block.kind == "table":
            left.append(block)
            continue
        kept: list[str] = []
        is_kept = True
        for sentence in block.sentences:
            is_known = any(_is_same(sentence, other) for other in known)
            is_kept = not is_known and (is_kept or stands_alone(sentence))
            if is_kept:
                kept.append(sentence)
        if kept:
            left.append(replace(block, sentences=kept))
    return left


def _is_same(sentence: str, other: str) -> bool:
    if figures(sentence) != figures(other):
        return False
    own = stems(sentence)
    others = stems(other)
    common = own & others
    return len(common) >= SAME_SHARE * len(own | others)


def _best_on(name: str, blocks: Sequence[PageBlock]) -> list[PageBlock]:
    """The blocks that speak most of what a section was asked for."""

    def worth(block: PageBlock) -> float:
        return sum(share(name, sentence) for sentence in block.sentences)

    fitting = [block for block in blocks if is_about([name], block.titled_text)]
    fitting.sort(key=worth, reverse=True)
    count = 1 + len(blocks) // 4
    return fitting[:count]


def _heading(page: NumberedPage, topic: str) -> str:
    """A page's title without its site's name, where the page speaks of what its title says."""
    title = max(
        SITE.split(page.title),
        key=lambda piece: share(page.text, piece),
    )
    words = stems(title)
    if not words & stems(page.text):
        return REST
    if words <= stems(topic):
        return OVERVIEW
    return capitalised(title)


def _paragraph(block: PageBlock) -> str:
    """A block as Markdown; a table is cited in its first heading."""
    if block.kind == "table":
        head, *rows = block.sentences
        first, bar, others = head.removeprefix("|").partition("|")
        first = first.strip()
        head = f"| {first} [{block.n}] {bar}{others}"
        return "\n".join([head, *rows])
    cited = [cite(sentence, block.n) for sentence in block.sentences]
    if block.kind == "list":
        return "\n".join(f"- {item}" for item in cited)
    return " ".join(cited)
