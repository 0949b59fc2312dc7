"""The outline of a report: its tokens as a summary and themed sections with anchors.

Beside it stand the page's own words, a Fluent catalogue (`de.ftl`) a language: authors head the
summary and the sources in them, too.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from markdown_it.token import Token

from mcp_local.report.claims import Trust
from mcp_local.report.markdown import plain_text

if TYPE_CHECKING:
    from fluent.runtime import FluentBundle

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


ReportPart = Literal["summary", "contents", "sources"]

LANGUAGES = tuple(sorted(file.stem for file in Path(__file__).parent.glob("*.ftl")))
_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_RIGHT_TO_LEFT = ("ar", "fa", "he", "ur", "yi")


@dataclass(frozen=True, slots=True)
class Labels:
    """The page's own words for a tag such as `de` or `pt-BR`, in English where it has none."""

    language: str

    @property
    def direction(self) -> str:
        """`rtl` or `ltr`, for the page's dir attribute."""
        return "rtl" if self.language.split("-")[0] in _RIGHT_TO_LEFT else "ltr"

    def words(self, key: str, **slots: int | str) -> str:
        """One sentence, its slots filled. Raises KeyError where there is none."""
        bundle = _bundle(self._known)
        pattern = bundle.get_message(key).value
        if pattern is None:
            raise KeyError(key)
        sentence, _ = bundle.format_pattern(pattern, slots)
        return str(sentence)

    def write_date(self, day: date) -> str:
        """The day as readers of the language write it."""
        from babel.dates import format_date

        return format_date(day, "long", locale=self._known)

    @property
    def _known(self) -> str:
        code = self.language.split("-")[0].lower()
        return code if code in LANGUAGES else "en"


def labels_for(language: str) -> Labels:
    """The labels of a language's tag; what is no tag counts as English."""
    return Labels(language if _TAG.fullmatch(language) else "en")


def trust_line(labels: Labels, trust: Trust) -> str:
    """How many claims were checked, and what came of it."""
    if not trust.claims:
        return ""
    parts = [labels.words("claim-count", n=trust.claims)]
    if trust.unfound:
        parts.append(labels.words("found", n=trust.found))
    else:
        parts.append(labels.words("all-found", n=trust.claims))
    if trust.derived:
        parts.append(labels.words("derived", n=trust.derived))
    if trust.unfound:
        parts.append(labels.words("unfound-count", n=trust.unfound))
    return ", ".join(parts)


@cache
def headings_of(part: ReportPart) -> frozenset[str]:
    """How authors head a part that the page makes by itself, in lower case, in all languages."""
    lists = (Labels(language).words(f"{part}-names") for language in LANGUAGES)
    return frozenset(name.strip() for names in lists for name in names.split(","))


@cache
def _bundle(language: str) -> FluentBundle:
    from fluent.runtime import FluentBundle, FluentResource

    source = Path(__file__).with_name(f"{language}.ftl").read_text(encoding="utf-8")
    bundle = FluentBundle([language], use_isolating=False)
    bundle.add_resource(FluentResource(source))
    return bundle
