"""An extractive report: whole sentences under what their pages are about, each with its number."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from bot.sandbox.model.sentences import (
    NumberedPage,
    PageBlock,
    figures,
    is_about,
    phrases,
    share,
    stands_alone,
    stems,
)

MAX_SENTENCES = 72
"""Of a whole report; the pages share them evenly."""
LEAST_A_PAGE = 4
SUMMARY_SENTENCES = 4
HEADING_WORDS = 4
"""So many before a colon or a bracket are a heading by themselves."""
SAME_SHARE = 0.7
"""Sentences that share so many stems say the same."""
OVERVIEW = "Overview"
"""Heading of pages that are called as the topic."""
REST = "Further findings"
"""Heading of pages whose titles say nothing."""
SITE = re.compile(r"\s+[|\u2013\u2014\u00b7-]\s+")
"""Between a page's title and the name of its site."""
HALF = re.compile(r":\s|\s\(")
"""Before the second half of a title."""
LABEL = phrases("label")
SPECIAL = re.compile(r"([\\`*\[\]<>~|])")
ENTITY = re.compile(r"&(?=#?\w+;)")
OUTER_UNDERSCORE = re.compile(r"(?<!\w)_|_(?!\w)")
LINE_START = re.compile(r"^(\d+(?=[.)])|(?=[-+#>=]))")
"""Before the sign that would begin a list, a heading or a quotation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractiveReport:
    summary: str
    """Some sentences that stand alone, with their numbers; the text does not repeat them."""
    markdown: str


def write_report(
    pages: Sequence[NumberedPage],
    topic: str,
    sections: Sequence[str] = (),
    sides: Sequence[str] = (),
) -> ExtractiveReport | None:
    """A report on the topic from the pages that are about it; None where none is.

    `sections` were asked for by name and come last. Of several `sides` a page need have but one.
    """
    wanted = stems(topic)
    subjects = [topic, *sides]
    fitting = [page for page in pages if _fits(page, subjects)]
    blocks = _choose(fitting, [topic, *sections])
    if not blocks:
        return None
    total = sum(len(block.sentences) for block in blocks if block.kind != "table")
    count = min(SUMMARY_SENTENCES, total // SUMMARY_SENTENCES)
    summary = telling(blocks, wanted, count)
    blocks = _without(blocks, lambda sentence, n: cite(sentence, n) in summary)
    asked: dict[str, list[PageBlock]] = {}
    for name in sections:
        best = _best_on(stems(name), blocks)
        asked[capitalised(name)] = best
        blocks = [block for block in blocks if block not in best]
    headings = _headings(fitting, wanted)
    by_heading: defaultdict[str, list[PageBlock]] = defaultdict(list)
    for block in blocks:
        by_heading[headings[block.n]].append(block)
    overview = by_heading.pop(OVERVIEW, [])
    rest = by_heading.pop(REST, [])
    arranged = {OVERVIEW: overview, **by_heading, REST: rest, **asked}
    written: list[str] = []
    for heading, section in arranged.items():
        if section:
            written.append(_written(heading, section))
    return ExtractiveReport(
        summary=" ".join(summary),
        markdown="\n\n".join(written) + "\n",
    )


def telling(blocks: Iterable[PageBlock], wanted: frozenset[str], count: int) -> list[str]:
    """The sentences that say most of what is wanted and stand alone, of as many pages as can be."""
    ranked: list[tuple[float, str, int]] = []
    for block in blocks:
        if block.kind != "paragraph":
            continue
        followers = [*block.sentences[1:], ""]
        for sentence, following in zip(block.sentences, followers, strict=True):
            if not stands_alone(sentence):
                continue
            worth = 2 * share(wanted, sentence)
            worth += min(3, len(figures(sentence)))
            worth -= block.position / 5
            worth -= not stands_alone(following)
            ranked.append((worth, cite(sentence, block.n), block.n))
    ranked.sort(reverse=True)
    best_of_page: dict[int, str] = {}
    for _, cited, n in ranked:
        best_of_page.setdefault(n, cited)
    every = [cited for _, cited, _ in ranked]
    ordered = dict.fromkeys([*best_of_page.values(), *every])
    return list(ordered)[:count]


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


def _fits(page: NumberedPage, topics: Iterable[str]) -> bool:
    return any(is_about(stems(topic), page.titled_text) for topic in topics)


def _choose(pages: Sequence[NumberedPage], topics: Sequence[str]) -> list[PageBlock]:
    """The best blocks of each page, in reading order, less what a page before has said."""
    wanted = [stems(topic) for topic in topics]
    said: list[str] = []
    chosen: list[PageBlock] = []
    for page in pages:
        ranked = sorted(page.blocks(), key=lambda block: _worth(block, wanted), reverse=True)
        kept = _unsaid(ranked, said, room=max(LEAST_A_PAGE, MAX_SENTENCES // len(pages)))
        chosen += sorted(kept, key=lambda block: block.position)
    return chosen


def _worth(block: PageBlock, wanted: Sequence[frozenset[str]]) -> float:
    text = block.titled_text
    measured = sum(bool(figures(sentence)) for sentence in block.sentences)
    worth = 2 * max(share(each, text) for each in wanted)
    worth += min(3, measured) / 2
    worth += block.position == 0
    return worth


def _unsaid(blocks: Iterable[PageBlock], said: list[str], room: int) -> list[PageBlock]:
    """The blocks less what was said before, within so many sentences; extends `said`."""

    def is_known(sentence: str, _n: int) -> bool:
        return any(_is_same(sentence, other) for other in said)

    kept: list[PageBlock] = []
    for block in blocks:
        for fresh in _without([block], is_known):
            if fresh.kind == "table":
                kept.append(fresh)
                continue
            sentences = fresh.sentences[:room]
            room -= len(sentences)
            said += sentences
            kept.append(replace(fresh, sentences=sentences))
    return [block for block in kept if block.sentences]


def _without(
    blocks: Iterable[PageBlock], is_dropped: Callable[[str, int], bool]
) -> list[PageBlock]:
    """The blocks less some sentences, and less what leans on these."""
    left: list[PageBlock] = []
    for block in blocks:
        if block.kind == "table":
            left.append(block)
            continue
        kept: list[str] = []
        is_kept = True
        for sentence in block.sentences:
            leans = not is_kept and not stands_alone(sentence)
            is_kept = not leans and not is_dropped(sentence, block.n)
            if is_kept:
                kept.append(sentence)
        if kept:
            left.append(replace(block, sentences=kept))
    return left


def _is_same(sentence: str, other: str) -> bool:
    own = stems(sentence)
    others = stems(other)
    common = own & others
    if len(common) < SAME_SHARE * len(own | others):
        return False
    return figures(sentence) == figures(other)


def _best_on(wanted: frozenset[str], blocks: Sequence[PageBlock]) -> list[PageBlock]:
    """The blocks that speak most of what a section was asked for."""

    def worth(block: PageBlock) -> float:
        return sum(share(wanted, text) for text in (block.heading, *block.sentences))

    fitting = [block for block in blocks if is_about(wanted, block.titled_text)]
    fitting.sort(key=worth, reverse=True)
    count = 1 + len(blocks) // 4
    return fitting[:count]


def _headings(pages: Sequence[NumberedPage], wanted: frozenset[str]) -> dict[int, str]:
    """A heading for each page, by its number; a title that several pages share says nothing."""
    titles = {page.n: _title(page) for page in pages}
    counts = Counter(titles.values())
    headings: dict[int, str] = {}
    for page in pages:
        blocks = page.blocks()
        text = " ".join(block.text for block in blocks)
        candidates = [titles[page.n]]
        candidates += [_unlabelled(block.heading) for block in blocks]
        fitting = (each for each in candidates if counts[each] < 2 and _is_of(each, text))
        heading = next(fitting, REST)
        if stems(heading) <= wanted:
            heading = OVERVIEW
        headings[page.n] = heading
    return headings


def _title(page: NumberedPage) -> str:
    """A page's title without its site's name, and without a second half."""
    words = stems(page.text)
    pieces = SITE.split(page.title)
    title = max(pieces, key=lambda piece: len(words & stems(piece)))
    first = HALF.split(title)[0]
    if len(first.split()) >= HEADING_WORDS:
        title = first
    return _unlabelled(title)


def _unlabelled(heading: str) -> str:
    """A heading without its label and number: `Table three: the outbox` is `The outbox`."""
    plain = LABEL.sub("", heading).strip(" ¶#:")
    return capitalised(plain)


def _is_of(heading: str, text: str) -> bool:
    """Whether a text speaks of what its heading says; no text speaks of an introduction."""
    common = stems(heading) & stems(text)
    return any(stem.isalpha() for stem in common)


def _written(heading: str, blocks: Sequence[PageBlock]) -> str:
    paragraphs = [_paragraph(block) for block in blocks]
    return "\n\n".join([f"## {escape(heading)}", *paragraphs])


def _paragraph(block: PageBlock) -> str:
    if block.kind == "table":
        return _table(block)
    cited = [cite(sentence, block.n) for sentence in block.sentences]
    if block.kind == "list":
        return "\n".join(f"- {item}" for item in cited)
    return " ".join(cited)


def _table(block: PageBlock) -> str:
    """A page's table as it stands there, cited in its first heading."""
    head, *rows = block.sentences
    first, bar, others = head.removeprefix("|").partition("|")
    head = f"| {first.strip()} [{block.n}] {bar}{others}"
    return "\n".join([head, *rows])
