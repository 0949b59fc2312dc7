"""An extractive report: whole sentences of pages under headings, each with its page's number."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bot.sandbox.model.sentences import (
    Passage,
    Source,
    content_words,
    figures,
    is_about,
    share,
    stands_alone,
    stems,
)

MAX_SENTENCES = 72
"""Of a whole report; pages take turns until it is full."""
MAX_SECTIONS = 8
PART_SENTENCES = 7
PASSAGE_SENTENCES = 4
LEAD_SENTENCES = 2
SUMMARY_SENTENCES = 4
FEW_PAGES = 2
"""A report on so few pages keeps the sections that the pages have."""
MAX_HEADING_WORDS = 8
HEADING_WEIGHT = 3
SAME_SHARE = 0.7
LEADS = "{topic} in practice"
TELLING_WORDS = 3
"""A heading with fewer does not say by itself what its section says."""
SPECIAL = re.compile(r"([\\`*\[\]<>~|])")
OUTER_UNDERSCORE = re.compile(r"(?<!\w)_|_(?!\w)")
LINE_START = re.compile(r"^(?:(\d+)([.)])|([-+#>=]))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    summary: str
    """Some sentences that stand alone, with their numbers."""
    markdown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What stands under one heading of one page; without a heading, how the page opens."""

    n: int
    heading: str
    passages: tuple[Passage, ...]

    @property
    def sentences(self) -> list[str]:
        return [s for p in self.passages if p.kind != "table" for s in p.sentences]

    @property
    def text(self) -> str:
        return " ".join([self.heading, *(passage.text for passage in self.passages)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    heading: str
    parts: Sequence[Part]


def write_report(
    sources: Sequence[Source], topic: str, sections: Sequence[str] = ()
) -> Report | None:
    """A report on the topic from the pages that are about it; None where none is.

    `sections` were asked for by name and come last.
    """
    wanted = stems(topic)
    fit = [source for source in sources if is_about(wanted, f"{source.title}\n{source.text}")]
    chosen = _choose(fit, wanted, [stems(name) for name in sections])
    if not chosen:
        return None
    asked: list[Section] = []
    for name in sections:
        parts = _best_on(stems(name), chosen)
        chosen = [part for part in chosen if part not in parts]
        asked.append(Section(heading=name[:1].upper() + name[1:], parts=parts))
    few = len({part.n for part in chosen}) <= FEW_PAGES
    titles = {source.n: source.title for source in fit}
    arrange = _as_on_pages if few else _by_theme
    arranged = [*arrange(chosen, titles, topic), *asked]
    passages = [p for section in arranged for part in section.parts for p in part.passages]
    written = [_written(section) for section in arranged if section.parts]
    summary = " ".join(telling(passages, wanted))
    return Report(summary=summary, markdown="\n\n".join(written) + "\n")


def telling(
    passages: Iterable[Passage], wanted: frozenset[str], count: int = SUMMARY_SENTENCES
) -> list[str]:
    """The sentences that say most of what is wanted and stand alone, of as many pages as can be."""
    found = [
        (2 * share(wanted, s) + min(3, len(figures(s))) - p.place / 5, cite(s, p.n), p.n)
        for p in passages
        if p.kind == "paragraph"
        for s in p.sentences
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
    sources: Sequence[Source], wanted: frozenset[str], asked: Sequence[frozenset[str]]
) -> list[Part]:
    """The best parts of the pages, which take turns, in the order of the pages."""
    told: list[str] = []
    chosen: list[tuple[int, int, Part]] = []
    ranked = [
        sorted(enumerate(_parts(source)), key=lambda each: -_worth(*each, wanted, asked))
        for source in sources
    ]
    for turn in range(max(map(len, ranked), default=0)):
        for parts in ranked:
            if turn < len(parts) and len(told) < MAX_SENTENCES:
                place, part = parts[turn]
                part = _without_repeats(part, told)
                told += part.sentences
                chosen += [(part.n, place, part)] if part.passages else []
    return [part for *_, part in sorted(chosen, key=lambda each: each[:2])]


def _parts(source: Source) -> list[Part]:
    """The parts of a page; on one without headings each paragraph is a part."""
    passages = source.passages()
    has_headings = any(passage.heading for passage in passages)
    parts: dict[str | int, list[Passage]] = {}
    for passage in passages:
        key = passage.heading if has_headings else passage.place
        taken = parts.setdefault(key, [])
        is_lead = has_headings and not passage.heading
        room = (LEAD_SENTENCES if is_lead else PART_SENTENCES) - sum(
            len(p.sentences) for p in taken
        )
        if passage.kind == "table":
            taken.append(passage)
        elif room > 0:
            kept = passage.sentences[: min(room, PASSAGE_SENTENCES)]
            taken.append(replace(passage, sentences=kept))
    return [
        Part(n=source.n, heading=taken[0].heading, passages=tuple(taken))
        for taken in parts.values()
        if taken
    ]


def _worth(
    place: int, part: Part, wanted: frozenset[str], asked: Sequence[frozenset[str]]
) -> float:
    """How much a part says to the topic, or to a section that was asked for; figures count."""
    on_asked = max((3 * share(name, part.text) for name in asked), default=0.0)
    measured = sum(bool(figures(sentence)) for sentence in part.sentences)
    opens = 1.5 if place == 0 else 0.0
    return 2 * share(wanted, part.text) + on_asked + 0.5 * min(3, measured) + opens


def _without_repeats(part: Part, told: Sequence[str]) -> Part:
    """A part less the sentences that say what was told before."""
    left: list[Passage] = []
    for passage in part.passages:
        fresh = tuple(s for s in passage.sentences if not any(_is_same(s, other) for other in told))
        left.append(passage if passage.kind == "table" else replace(passage, sentences=fresh))
    return replace(part, passages=tuple(passage for passage in left if passage.sentences))


def _is_same(sentence: str, other: str) -> bool:
    mine, others = stems(sentence), stems(other)
    is_alike = len(mine & others) >= SAME_SHARE * len(mine | others)
    return is_alike and figures(sentence) == figures(other)


def _best_on(wanted: frozenset[str], parts: Sequence[Part]) -> list[Part]:
    """The parts that speak most of what a section was asked for."""

    def mentions(part: Part) -> float:
        in_heading = 2 * share(wanted, part.heading)
        return in_heading + sum(share(wanted, sentence) for sentence in part.sentences)

    fitting = [part for part in parts if mentions(part) >= 1]
    return sorted(fitting, key=mentions, reverse=True)[: 1 + len(parts) // 4]


def _as_on_pages(parts: Sequence[Part], titles: dict[int, str], topic: str) -> list[Section]:
    """The sections of one or two pages, in their order; a page without headings is one."""
    sections: dict[str, list[Part]] = {}
    with_headings = {part.n for part in parts if part.heading}
    for part in parts:
        whole = LEADS.format(topic=topic[:1].upper() + topic[1:])
        opening = _subject(part, titles[part.n]) if part.n in with_headings else whole
        sections.setdefault(part.heading or opening, []).append(part)
    return [Section(heading=heading, parts=parts) for heading, parts in sections.items()]


def _subject(part: Part, title: str) -> str:
    """What a page's opening is about: the piece of its title that it speaks of most."""
    pieces = re.split(r"\s*[:|\u2013\u2014]\s+|\s+-\s+", title)
    best = max(pieces, key=lambda piece: len(stems(piece) & stems(part.text)))
    return best[:1].upper() + best[1:] or "What was found"


def _by_theme(parts: Sequence[Part], titles: dict[int, str], topic: str) -> list[Section]:
    """How the pages open, then sections around the parts that most of the other pages are like.

    Such a part gives its section the heading, and takes in the parts that are most like it.
    """
    has_headings = any(part.heading for part in parts)
    leads = [part for part in parts if has_headings and not part.heading]
    rest = [part for part in parts if part not in leads]
    leads.sort(key=lambda part: not figures(part.text))
    vectors = [_vector(part, rest, stems(topic)) for part in rest]
    like = [[_cosine(one, other) for other in vectors] for one in vectors]
    places = range(len(rest))
    seeds: list[int] = []
    for _ in range(min(MAX_SECTIONS, max(1, len(rest) // 2))):
        left = [
            at for at in places if at not in seeds and (not has_headings or _is_named(rest[at]))
        ]
        worth = {
            at: sum(like[at][other] for other in places if rest[other].n != rest[at].n)
            * (1 - max((like[at][seed] for seed in seeds), default=0))
            for at in left
        }
        seeds += [max(left, key=lambda at: worth[at])] if left else []
    groups = {seed: [rest[seed]] for seed in seeds}
    for at in places:
        if at not in seeds and seeds:
            nearest = max(seeds, key=lambda seed: like[at][seed] / len(groups[seed]))
            groups[nearest].append(rest[at])
    opening = [Section(heading=LEADS.format(topic=topic[:1].upper() + topic[1:]), parts=leads)]
    return opening[: len(leads)] + [
        Section(heading=_heading(group, titles) if has_headings else _common(group), parts=group)
        for group in groups.values()
    ]


def _heading(parts: Sequence[Part], titles: dict[int, str]) -> str:
    """The heading of the first part, with the page's subject where it says too little alone."""
    heading = parts[0].heading
    if len(stems(heading)) >= TELLING_WORDS:
        return heading
    return f"{_subject(parts[0], titles[parts[0].n])}: {heading[:1].lower()}{heading[1:]}"


def _is_named(part: Part) -> bool:
    return 1 < len(part.heading.split()) <= MAX_HEADING_WORDS


def _vector(part: Part, every: Sequence[Part], wanted: frozenset[str]) -> Counter[str]:
    """How much each stem says of a part: often in it, in its heading, and in few others."""
    count = Counter(s for sentence in part.sentences for s in stems(sentence))
    count.update(list(stems(part.heading)) * HEADING_WEIGHT)
    return Counter(
        {
            word: n * math.log(1 + len(every) / sum(word in stems(p.text) for p in every))
            for word, n in count.items()
            if word.isalpha() and word not in wanted
        }
    )


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    length = math.hypot(*one.values()) * math.hypot(*other.values())
    return sum(one[s] * other[s] for s in one if s in other) / (length or 1.0)


def _common(parts: Sequence[Part]) -> str:
    """The words that a section says most, where no page has headings."""
    text = " ".join(part.text for part in parts)
    forms = Counter(w for w in re.findall(r"\b[^\W\d_A-Z]{5,}\b", text) if w in content_words(w))
    told = " and ".join(word for word, _ in forms.most_common(2))
    return told[:1].upper() + told[1:] or "What was found"


def _written(section: Section) -> str:
    paragraphs = [f"## {escape(section.heading)}"]
    for part in section.parts:
        if part.heading not in ("", section.heading):
            paragraphs.append(f"### {escape(part.heading)}")
        paragraphs += [_paragraph(passage) for passage in part.passages]
    return "\n\n".join(paragraphs)


def _paragraph(passage: Passage) -> str:
    if passage.kind == "table":
        return _table(passage)
    cited = [cite(sentence, passage.n) for sentence in passage.sentences]
    return "\n".join(f"- {c}" for c in cited) if passage.kind == "list" else " ".join(cited)


def _table(passage: Passage) -> str:
    """A page's table as it stands there, cited in its first heading."""
    head, *rows = passage.sentences
    first, bar, others = head.removeprefix("|").partition("|")
    return "\n".join([f"| {first.strip()} [{passage.n}] {bar}{others}", *rows])
