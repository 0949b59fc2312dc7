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
_WORD = re.compile(r"\w+")
_HEADING_TOKENS = 3
"""The parser makes three tokens of a heading: its start, its text, its end."""


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


def outline_report(tokens: Sequence[Token]) -> tuple[list[Token], list[Section]]:
    """The section named as a summary, empty if there is none, and the others in their order.

    A lone leading h1 is the title and dropped. Lists of contents and of sources that the author
    wrote are dropped as well: the page makes its own.
    """
    starts = [token for token in tokens if token.type == "heading_open"]
    titles = [token for token in starts if token.tag == "h1"]
    if titles == tokens[:1]:
        tokens = tokens[_HEADING_TOKENS:]
    _level_headings(tokens)
    dropped = headings_of("contents") | headings_of("sources")
    summary: list[Token] = []
    sections: list[Section] = []
    for section in _split(tokens):
        name = ""
        if section.heading:
            title = _NUMBERING.sub("", section.heading.text)
            name = title.casefold().rstrip(": ")
        if name in headings_of("summary"):
            summary.extend(section.tokens[_HEADING_TOKENS:])
        elif name not in dropped and section.tokens:
            sections.append(section)
    return summary, sections


def _level_headings(tokens: Sequence[Token]) -> None:
    """Shift all headings by the same amount, so that the highest one is an h2."""
    headings = [token for token in tokens if token.type.startswith("heading")]
    levels = [int(token.tag[1]) for token in headings]
    shift = 2 - min(levels, default=2)
    for token in headings:
        level = int(token.tag[1]) + shift
        token.tag = f"h{min(level, 6)}"


def _split(tokens: Sequence[Token]) -> Iterator[Section]:
    section = Section(heading=None)
    anchors: Counter[str] = Counter()
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0:
            heading = _heading(tokens[index + 1], anchors)
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
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = _WORD.findall(plain)
    slug = "-".join(words)[:60].strip("-")
    if not slug:
        slug = "section"
    anchors[slug] += 1
    repetition = anchors[slug]
    anchor = f"s-{slug}"
    if repetition > 1:
        anchor += f".{repetition}"
    return Heading(text=text, anchor=anchor)
