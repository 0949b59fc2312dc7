"""The outline of a report: its tokens as a summary and themed sections with anchors."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token

from mcp_local.report.labels import headings_of
from mcp_local.report.markdown import plain_text

_NUMBERING = re.compile(r"^[\dIVX]+[.)]\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading as the table of contents shows it."""

    text: str
    anchor: str


@dataclass(slots=True, kw_only=True)
class Section:
    """One h2 with all below it; what stands before the first h2 is a section without heading."""

    heading: Heading | None
    tokens: list[Token] = field(default_factory=list[Token])
    subheadings: list[Heading] = field(default_factory=list[Heading])


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A report in the order in which it is shown."""

    summary: list[Token]
    """The section named as a summary; empty if there is none."""
    sections: list[Section]


def outline_report(tokens: Sequence[Token]) -> Outline:
    """Split a report at its main headings.

    A lone leading h1 is the title and dropped. Lists of contents and of sources that the author
    wrote are dropped as well: the page makes its own.
    """
    titles = [token for token in tokens if token.type == "heading_open" and token.tag == "h1"]
    has_title = len(titles) == 1 and tokens[0] is titles[0]
    levelled = _level_headings(tokens[3:] if has_title else tokens)
    summary: list[Token] = []
    sections: list[Section] = []
    for section in _split(levelled):
        heading = section.heading.text if section.heading else ""
        name = _NUMBERING.sub("", heading).casefold().rstrip(": ")
        if name in headings_of("summary"):
            summary.extend(section.tokens[3:])
        elif name not in headings_of("contents") | headings_of("sources"):
            sections.append(section)
    return Outline(summary=summary, sections=[found for found in sections if found.tokens])


def _level_headings(tokens: Sequence[Token]) -> Sequence[Token]:
    """Shift all headings by the same amount, so that the highest one is an h2."""
    headings = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    if headings:
        shift = 2 - min(int(token.tag[1]) for token in headings)
        for token in headings:
            token.tag = f"h{min(int(token.tag[1]) + shift, 6)}"
    return tokens


def _split(tokens: Sequence[Token]) -> Iterator[Section]:
    section = Section(heading=None)
    anchors: Counter[str] = Counter()
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0:
            heading = _heading(tokens[at + 1], anchors)
            token.attrSet("id", heading.anchor)
            if token.tag == "h2":
                yield section
                section = Section(heading=heading)
            elif token.tag == "h3":
                section.subheadings.append(heading)
        section.tokens.append(token)
    yield section


def _heading(inline: Token, anchors: Counter[str]) -> Heading:
    """A heading with an anchor of its own; a slug never holds the dot that marks a repetition."""
    text = plain_text(inline)
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    slug = "s-" + ("-".join(words)[:60].strip("-") or "section")
    anchors[slug] += 1
    anchor = slug if anchors[slug] == 1 else f"{slug}.{anchors[slug]}"
    return Heading(text=text, anchor=anchor)
