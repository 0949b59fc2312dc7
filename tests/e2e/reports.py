"""A report as its reader has it: what is said, on which source, and where the source leads."""

import re
from dataclasses import dataclass
from html.parser import HTMLParser

MARK = re.compile(r"\[(\d+)\]")
PARAGRAPHS = frozenset({"p", "li", "td", "blockquote"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A text and the number of the source that it is marked with."""

    text: str
    source: int


class Report(HTMLParser):
    """Reads a report's HTML; fails on scripts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.paragraphs: list[str] = []
        self.links: dict[int, str] = {}
        """Source number to address."""
        self._open_source: int | None = None
        self._text: list[str] | None = None
        self.feed(html)
        self.close()

    @property
    def claims(self) -> list[Claim]:
        """Every marked text; a text with two marks is there twice."""
        return [claim for paragraph in self.paragraphs for claim in _claims_in(paragraph)]

    @property
    def sources(self) -> set[int]:
        return {claim.source for claim in self.claims}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag != "script"
        given = dict(attrs)
        if tag == "li" and (given.get("id") or "").startswith("source-"):
            self._open_source = int((given["id"] or "").removeprefix("source-"))
        elif tag == "a" and self._open_source is not None:
            self.links[self._open_source] = given["href"] or ""
        elif tag in PARAGRAPHS and self._open_source is None:
            self._text = []

    def handle_endtag(self, tag: str) -> None:
        if tag == "li":
            self._open_source = None
        if tag in PARAGRAPHS and self._text is not None:
            self.paragraphs.append("".join(self._text))
            self._text = None

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)


def _claims_in(paragraph: str) -> list[Claim]:
    parts = MARK.split(paragraph)
    claims: list[Claim] = []
    text = ""
    for said, number in zip(parts[::2], parts[1::2], strict=False):
        text = said if said.strip() else text
        claims.append(Claim(text=text.strip(), source=int(number)))
    return claims


def words_of(text: str) -> str:
    """Only the words, so that markup and line breaks make no difference."""
    without_targets = re.sub(r"\]\([^)]*\)", "]", text)
    return " ".join(re.findall(r"\w+", without_targets.casefold()))
