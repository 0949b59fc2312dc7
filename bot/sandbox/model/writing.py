"""An extractive report: whole sentences under what their pages are about, each with its number."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

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
MUST_DIVIDE = 8
"""A section with more sentences has the headings of its page below its own."""
HEADING_WORDS = 4
"""So many before a colon or a bracket are a heading by themselves."""
SAME_SHARE = 0.7
OVERVIEW, REST = "Overview", "Further findings"
"""What pages say that are called as the topic, and pages whose titles say nothing."""
SITE = re.compile(r"\s+[|\u2013\u2014\u00b7-]\s+")
"""Between a page's title and the name of its site."""
LABEL = phrases("label")
SPECIAL = re.compile(r"([\\`*\[\]<>~|])")
OUTER_UNDERSCORE = re.compile(r"(?<!\w)_|_(?!\w)")
LINE_START = re.compile(r"^(?:(\d+)([.)])|([-+#>=]))")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractiveReport:
    summary: str
    """Some sentences that stand alone, with their numbers; they are not in the text again."""
    markdown: str


def write_report(
    sources: Sequence[NumberedPage],
    topic: str,
    sections: Sequence[str] = (),
    sides: Sequence[str] = (),
) -> ExtractiveReport | None:
    """A report on the topic from the pages that are about it; None where none is.

    `sections` were asked for by name and come last. Of several `sides` a page need have but one.
    """
    wanted = stems(topic)
    topics, asked_for = [wanted, *map(stems, sides)], [wanted, *map(stems, sections)]
    fit = [
        source
        for source in sources
        if any(is_about(each, f"{source.title}\n{source.text}") for each in topics)
    ]
    room, told = max(LEAST_A_PAGE, MAX_SENTENCES // max(1, len(fit))), list[str]()
    chosen = [p for source in fit for p in _choose(source.passages(), asked_for, room, told)]
    if not chosen:
        return None
    count = min(SUMMARY_SENTENCES, len(told) // SUMMARY_SENTENCES)
    summary = telling(chosen, wanted, count)
    chosen = _without(chosen, lambda s, n: cite(s, n) in summary)
    asked: dict[str, list[PageBlock]] = {}
    for name in sections:
        asked[name[:1].upper() + name[1:]] = best = _best_on(stems(name), chosen)
        chosen = [passage for passage in chosen if passage not in best]
    by_heading: dict[str, list[PageBlock]] = {OVERVIEW: []}
    headings = _headings(fit, wanted)
    for passage in chosen:
        by_heading.setdefault(headings[passage.n], []).append(passage)
    rest = {REST: by_heading.pop(REST, [])}
    arranged = {**by_heading, **rest, **asked}
    written = [_written(heading, passages) for heading, passages in arranged.items() if passages]
    return ExtractiveReport(summary=" ".join(summary), markdown="\n\n".join(written) + "\n")


def telling(
    passages: Iterable[PageBlock], wanted: frozenset[str], count: int = SUMMARY_SENTENCES
) -> list[str]:
    """The sentences that say most of what is wanted and stand alone, of as many pages as can be."""
    found = [
        (
            2 * share(wanted, s) + min(3, len(figures(s))) - p.place / 5 - (not stands_alone(then)),
            cite(s, p.n),
            p.n,
        )
        for p in passages
        if p.kind == "paragraph"
        for s, then in zip(p.sentences, [*p.sentences[1:], ""], strict=True)
        if stands_alone(s)
    ]
    found.sort(reverse=True)
    firsts = list({n: cited for _, cited, n in reversed(found)}.values())[::-1]
    firsts.sort(key=[cited for _, cited, _ in found].index)
    return list(dict.fromkeys([*firsts, *(cited for _, cited, _ in found)]))[:count]


def cite(sentence: str, n: int) -> str:
    """The sentence as Markdown that reads letter by letter as on its page, and `[n]`."""
    return f"{escape(sentence)} [{n}]"


def escape(text: str) -> str:
    """Text as Markdown that shows exactly this text, at the start of a line too."""
    text = re.sub(r"&(?=#?\w+;)", r"\\&", SPECIAL.sub(r"\\\1", text))
    text = OUTER_UNDERSCORE.sub(r"\\_", text)
    return LINE_START.sub(lambda m: f"{m[1]}\\{m[2]}" if m[1] else f"\\{m[3]}", text)


def _choose(
    passages: Sequence[PageBlock], asked_for: Sequence[frozenset[str]], room: int, told: list[str]
) -> list[PageBlock]:
    """The best of a page, in reading order, less what was told before; `told` grows by it."""

    def worth(passage: PageBlock) -> float:
        text = f"{passage.heading} {passage.text}"
        measured = sum(bool(figures(sentence)) for sentence in passage.sentences)
        on_topic = max(share(wanted, text) for wanted in asked_for)
        return 2 * on_topic + min(3, measured) / 2 + (passage.place == 0)

    def is_known(sentence: str, _n: int) -> bool:
        return any(_is_same(sentence, other) for other in told)

    kept: list[PageBlock] = []
    for passage in sorted(passages, key=worth, reverse=True):
        for fresh in _without([passage], is_known):
            is_table = fresh.kind == "table"
            sentences = fresh.sentences if is_table else fresh.sentences[:room]
            kept += [replace(fresh, sentences=sentences)] if sentences else []
            if not is_table:
                room -= len(sentences)
                told += sentences
    return sorted(kept, key=lambda passage: passage.place)


def _without(
    passages: Iterable[PageBlock], is_dropped: Callable[[str, int], bool]
) -> list[PageBlock]:
    """The passages less some sentences, and less what leans on these."""
    left: list[PageBlock] = []
    for passage in passages:
        kept, is_there = list[str](), True
        for sentence in passage.sentences:
            is_there = (is_there or stands_alone(sentence)) and not is_dropped(sentence, passage.n)
            kept += [sentence] if is_there else []
        sentences = passage.sentences if passage.kind == "table" else tuple(kept)
        left += [replace(passage, sentences=sentences)] if sentences else []
    return left


def _is_same(sentence: str, other: str) -> bool:
    mine, others = stems(sentence), stems(other)
    is_alike = len(mine & others) >= SAME_SHARE * len(mine | others)
    return is_alike and figures(sentence) == figures(other)


def _best_on(wanted: frozenset[str], passages: Sequence[PageBlock]) -> list[PageBlock]:
    """The passages that speak most of what a section was asked for."""
    fitting = [p for p in passages if is_about(wanted, f"{p.heading} {p.text}")]
    fitting.sort(
        key=lambda p: sum(share(wanted, s) for s in (p.heading, *p.sentences)), reverse=True
    )
    return fitting[: 1 + len(passages) // 4]


def _headings(sources: Sequence[NumberedPage], wanted: frozenset[str]) -> dict[int, str]:
    """What each page is about, by its number; a title that several pages have tells nothing."""
    titles = {source.n: _title(source) for source in sources}
    shared = {title for title, times in Counter(titles.values()).items() if times > 1}
    found: dict[int, str] = {}
    for source in sources:
        passages = source.passages()
        text = " ".join(passage.text for passage in passages)
        own = [_told(passage.heading) for passage in passages]
        fitting = [
            each for each in (titles[source.n], *own) if each not in shared and _is_of(each, text)
        ]
        heading = fitting[0] if fitting else REST
        found[source.n] = OVERVIEW if stems(heading) <= wanted else heading
    return found


def _title(source: NumberedPage) -> str:
    """A page's title without its site's name, and without a second half."""
    pieces = SITE.split(source.title)
    title = max(pieces, key=lambda piece: len(stems(piece) & stems(source.text)))
    first = re.split(r":\s|\s\(", title)[0]
    return _told(first if len(first.split()) >= HEADING_WORDS else title)


def _told(heading: str) -> str:
    """A heading without its label and number: `Table three: the outbox` tells of the outbox."""
    plain = LABEL.sub("", heading).strip(" ¶#:")
    return plain[:1].upper() + plain[1:]


def _is_of(heading: str, text: str) -> bool:
    """Whether a text speaks of what its heading says; no text speaks of an introduction."""
    return any(stem.isalpha() for stem in stems(heading) & stems(text))


def _written(heading: str, passages: Sequence[PageBlock]) -> str:
    """A section. What stands under a heading of its page that tells nothing comes first."""
    count = sum(len(passage.sentences) for passage in passages)
    texts: defaultdict[tuple[int, str], str] = defaultdict(str)
    for passage in passages:
        texts[passage.n, passage.heading] += f" {passage.text}"

    def below(passage: PageBlock) -> str:
        own = _told(passage.heading)
        is_new = not stems(own) <= stems(heading)
        is_named = is_new and _is_of(own, texts[passage.n, passage.heading])
        return own if count > MUST_DIVIDE and is_named else ""

    paragraphs = [f"## {escape(heading)}"]
    for own, group in groupby(sorted(passages, key=lambda p: bool(below(p))), key=below):
        paragraphs += [f"### {escape(own)}"] if own else []
        paragraphs += [_paragraph(passage) for passage in group]
    return "\n\n".join(paragraphs)


def _paragraph(passage: PageBlock) -> str:
    if passage.kind == "table":
        return _table(passage)
    cited = [cite(sentence, passage.n) for sentence in passage.sentences]
    return "\n".join(f"- {c}" for c in cited) if passage.kind == "list" else " ".join(cited)


def _table(passage: PageBlock) -> str:
    """A page's table as it stands there, cited in its first heading."""
    head, *rows = passage.sentences
    first, bar, others = head.removeprefix("|").partition("|")
    return "\n".join([f"| {first.strip()} [{passage.n}] {bar}{others}", *rows])
