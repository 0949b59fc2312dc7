"""Text analysis without a model: word lists, stems, and the quotable sentences of a page.

The lists are in `phrases.toml`. Quotable are paragraphs and lists as whole sentences, and tables.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

_FILE = Path(__file__).with_name("phrases.toml")
_LISTS = tomllib.loads(_FILE.read_text(encoding="utf-8"))


def phrases(name: str) -> re.Pattern[str]:
    """A list's pattern, which matches in any case of letters."""
    pattern = _LISTS[name].replace("\n", "")
    return re.compile(pattern, re.IGNORECASE)


MIN_WORDS = 4
MAX_WORDS = 60
MIN_STEM = 3
SUFFIXES = {
    "ies": "y",
    "ing": "",
    "ed": "",
    "es": "",
    "s": "",
    "e": "",
}
"""Endings in the order in which they are tried, with their replacements."""
WORD = re.compile(r"[^\W_]+(?:[-'\u2019][^\W_]+)*")
STOP = frozenset(_LISTS["stop_words"].split())
END = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][\"”)\]]))\s+(?=[\"'“\u2018(\[]*[^\Wa-z_])")
ABBREVIATION = phrases("abbreviation")
WHOLE = re.compile(r"(?s)^[\"'“\u2018(\[]*[^\Wa-z_].*[.!?][\"'”\u2019)\]]*$")
FIGURE = re.compile(r"\d[\d.,]*")
DATE = phrases("date")
CHROME = phrases("chrome")
ORDER_TO_MODEL = phrases("order_to_model")
LEANS_BACK = phrases("leans_back")
FRONT_MATTER = re.compile(r"(?s)\A\s*---\n.*?\n---\s*\n")
FENCED = re.compile(r"(?sm)^\s*(```|~~~).*?(?:^\s*(?:```|~~~)[^\n]*$|\Z)")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(?:\d+[.)]\s+)?(?P<text>\S.*?)[\s#¶:]*$")
BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
MARKUP = re.compile(r"[*`]{1,3}(\S(?:.*?\S)?)[*`]{1,3}|(?<!\w)_{1,3}(\S(?:.*?\S)?)_{1,3}(?!\w)")
NOTE_MARK = re.compile(r"(?:\[(?:\d+|edit)\])+")
BlockKind = Literal["paragraph", "list", "table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBlock:
    """Sentences of a page that stand together: a paragraph, the items of a list, or a table."""

    n: int
    """The number of the page."""
    position: int
    """Its place among the blocks of the page, from 0."""
    heading: str
    sentences: Sequence[str]
    kind: BlockKind = "paragraph"

    @property
    def text(self) -> str:
        return " ".join(self.sentences)

    @property
    def titled_text(self) -> str:
        return f"{self.heading} {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedPage:
    """A page that was read, with its number in citations."""

    n: int
    url: str
    title: str
    text: str

    @property
    def titled_text(self) -> str:
        return f"{self.title}\n{self.text}"

    def blocks(self) -> list[PageBlock]:
        """The quotable blocks, in reading order."""
        blocks: list[PageBlock] = []
        for heading, kind, lines in _blocks(self.text):
            sentences = lines
            if kind != "table":
                sentences = list(_quotable(lines, kind))
            if sentences:
                block = PageBlock(
                    n=self.n,
                    position=len(blocks),
                    heading=heading,
                    sentences=sentences,
                    kind=kind,
                )
                blocks.append(block)
        return blocks


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word cut down so that its common forms meet: bot and bots, retry and retries."""
    plain = word.casefold().removesuffix("'s").removesuffix("\u2019s")
    for suffix, ending in SUFFIXES.items():
        is_long = len(plain) - len(suffix) >= MIN_STEM
        if is_long and plain.endswith(suffix) and not plain.endswith("ss"):
            return plain.removesuffix(suffix) + ending
    return plain


def content_words(text: str) -> list[str]:
    """The words that carry meaning, as written, each stem once, in order."""
    words: dict[str, str] = {}
    for word in WORD.findall(text):
        is_word = len(word) > 1 or word.isdigit()
        if is_word and word.casefold() not in STOP:
            words.setdefault(stem(word), word)
    return list(words.values())


@lru_cache(maxsize=10_000)
def stems(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning; of those with hyphens, joined and in parts."""
    parts: list[str] = []
    for word in content_words(text):
        joined = word.replace("-", "")
        parts += [word, joined, *word.split("-")]
    carrying = [part for part in parts if part.casefold() not in STOP]
    return frozenset(map(stem, carrying))


def share(topic: str, text: str) -> float:
    """The share of a topic's stems that a text holds, from 0 to 1."""
    wanted = stems(topic)
    common = wanted & stems(text)
    return len(common) / max(1, len(wanted))


def is_about(topics: Iterable[str], text: str, few: int = 2) -> bool:
    """Whether a text holds half of the stems of one topic; of a topic of so few, all."""
    for topic in topics:
        enough = 1.0 if len(stems(topic)) <= few else 0.5
        if share(topic, text) >= enough:
            return True
    return False


def figures(text: str) -> frozenset[str]:
    """The numbers in a text, less its dates."""
    numbers = FIGURE.findall(DATE.sub(" ", text))
    return frozenset(number.rstrip(".,") for number in numbers)


def stands_alone(sentence: str) -> bool:
    """Whether a sentence is understood without the one before it."""
    if sentence.endswith("?"):
        return False
    return LEANS_BACK.match(sentence) is None


def split_sentences(paragraph: str) -> list[str]:
    """A paragraph's sentences; one that ends with an abbreviation goes on."""
    sentences: list[str] = []
    for part in END.split(paragraph.strip()):
        if sentences and ABBREVIATION.search(sentences[-1]):
            sentences[-1] += f" {part}"
        else:
            sentences.append(part)
    return sentences


def _quotable(lines: list[str], kind: BlockKind) -> Iterator[str]:
    """The whole sentences; none of a paragraph that gives orders to whoever reads by machine."""
    paragraph = " ".join(lines)
    if ORDER_TO_MODEL.search(paragraph):
        return
    sentences = lines if kind == "list" else split_sentences(paragraph)
    if sentences[-1].endswith("?"):
        sentences = sentences[:-1]
    is_quoted = False
    for sentence in sentences:
        is_clear = is_quoted or LEANS_BACK.match(sentence) is None
        is_quoted = is_clear and _is_whole(sentence)
        if is_quoted:
            yield sentence


def _is_whole(sentence: str) -> bool:
    """Whether it is a sentence of the text, and not of the page's frame."""
    words = WORD.findall(DATE.sub(" ", sentence))
    if not MIN_WORDS <= len(words) <= MAX_WORDS:
        return False
    return WHOLE.match(sentence) is not None and not CHROME.search(sentence)


def _blocks(text: str) -> Iterator[tuple[str, BlockKind, list[str]]]:
    """The headings, kinds and lines of paragraphs, lists and tables; code is left out."""
    heading = ""
    kind: BlockKind = "paragraph"
    lines: list[str] = []
    text = FRONT_MATTER.sub("", text)
    text = FENCED.sub("\n", text)
    for line in [*text.splitlines(), ""]:
        title = HEADING.match(line)
        own_kind = _kind(line)
        is_other = own_kind is not None and own_kind != kind
        if lines and (title or is_other or not line.strip()):
            yield heading, kind, lines
            lines = []
        if title:
            heading = _plain(title["text"])
        elif line.strip():
            kind = kind if lines else own_kind or "paragraph"
            lines.append(_plain(line, kind))


def _kind(line: str) -> BlockKind | None:
    """The kind of block that a line is a part of; None: it may continue any."""
    if BULLET.match(line):
        return "list"
    return "table" if line.strip().startswith("|") else None


def _plain(line: str, kind: BlockKind = "paragraph") -> str:
    """A line without Markdown; the line of a table keeps it."""
    if kind == "table":
        return line.strip()
    bare = BULLET.sub("", line).strip()
    bare = bare.removeprefix("> ").strip()
    bare = LINK.sub(r"\1", bare)
    bare = NOTE_MARK.sub("", bare)
    return MARKUP.sub(r"\1\2", bare)
