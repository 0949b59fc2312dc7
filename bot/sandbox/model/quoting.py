"""Quoting from pages without a model: word stems, whole sentences, and the best ones on a topic.

The word lists are in `phrases.toml`. A quotation reads letter by letter as on its page.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.sandbox.model.phrases import find, lines

MIN_WORDS = 4
MAX_WORDS = 60
MIN_STEM = 3
ENOUGH = 0.5
"""A text is about a topic if it holds so much of its stems."""
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
SUFFIXES = {
    "ies": "y",
    "ing": "",
    "ed": "",
    "es": "",
    "s": "",
    "e": "",
}
"""Endings in the order in which they are tried, with their replacements."""
WORD = re.compile(r"[^\W_]+")
STOP = frozenset(" ".join(lines("stop_words")).split())
END = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][\"”)\]]))\s+(?=[\"'“\u2018(\[]*[^\Wa-z_])")
WHOLE = re.compile(r"(?s)^[\"'“\u2018(\[]*[^\Wa-z_].*[.!][\"'”\u2019)\]]*$")
FIGURE = re.compile(r"\d[\d.,]*")
FRONT_MATTER = re.compile(r"(?s)\A\s*---\n.*?\n---\s*\n")
SPECIAL = re.compile(r"[\\`*_\[\]<>~|&#]|(?<=\d)[.)](?=\s)|^[-+=]")
"""What Markdown could take for more than text."""
BlockKind = Literal["paragraph", "item", "table"]
Quote = tuple[str, int]
"""A sentence, and the number of its page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBlock:
    """A paragraph, an item of a list, or a table of a page."""

    n: int
    """The number of the page."""
    position: int
    """Its place among the blocks of the page, from 0."""
    kind: BlockKind
    sentences: Sequence[str]
    """Of a table its lines."""

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedPage:
    """A page that was read, with its number in citations."""

    n: int
    url: str
    title: str
    text: str

    def blocks(self) -> list[PageBlock]:
        """The quotable blocks, in reading order."""
        blocks: list[PageBlock] = []
        for kind, sentences in quotable_blocks(self.text, "own_voice"):
            if sentences:
                block = PageBlock(
                    n=self.n,
                    position=len(blocks),
                    kind=kind,
                    sentences=sentences,
                )
                blocks.append(block)
        return blocks


def stem(word: str) -> str:
    """A word cut down so that its common forms meet: bot and bots, retry and retries."""
    plain = word.casefold()
    for suffix, ending in SUFFIXES.items():
        is_long = len(plain) - len(suffix) >= MIN_STEM
        if is_long and plain.endswith(suffix) and not plain.endswith("ss"):
            return plain.removesuffix(suffix) + ending
    return plain


@lru_cache(maxsize=10_000)
def stems(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    words = WORD.findall(text)
    return frozenset(stem(word) for word in words if word.casefold() not in STOP)


def share(topic: str, text: str) -> float:
    """The share of a topic's stems that a text holds, from 0 to 1."""
    wanted = stems(topic)
    common = wanted & stems(text)
    return len(common) / max(1, len(wanted))


def blocks_of(pages: Iterable[NumberedPage]) -> list[PageBlock]:
    """The quotable blocks of all pages."""
    return [block for page in pages for block in page.blocks()]


def on_topic(blocks: Iterable[PageBlock], topic: str) -> list[PageBlock]:
    """The blocks with those of their sentences alone that hold a topic's rarer words.

    Of a page on batteries that names wind power once, that is one sentence on wind power.
    """
    blocks = list(blocks)
    rarity = rarities((text for block in blocks for text in block.sentences), topic)
    best = max(rarity.values(), default=0.0)
    least = ENOUGH if best >= ENOUGH else ENOUGH * best  # of many aspects no sentence holds half
    return [
        replace(block, sentences=[text for text in block.sentences if rarity[text] >= least])
        for block in blocks
    ]


def rarities(texts: Iterable[str], topic: str) -> dict[str, float]:
    """The share of a topic that each text holds; of its words the rarer ones count for more."""
    held = {text: stems(topic) & stems(text) for text in texts}
    counts = Counter(word for words in held.values() for word in words)
    whole = sum(1 / count for count in counts.values()) or 1.0
    return {text: sum(1 / counts[word] for word in words) / whole for text, words in held.items()}


def best_quotes(
    blocks: Iterable[PageBlock],
    topic: str,
    count: int,
) -> list[Quote]:
    """The sentences that say most of a topic and stand alone, of as many pages as can be."""
    worths: dict[Quote, float] = {}
    for block in blocks:
        if block.kind == "paragraph":
            for sentence in filter(_stands_alone, block.sentences):
                worths[sentence, block.n] = worth(
                    topic,
                    sentence,
                    block.position,
                )
    ranked = sorted(worths, key=worths.__getitem__, reverse=True)
    best: dict[int, Quote] = {}
    for quote in ranked:
        _, n = quote
        best.setdefault(n, quote)
    others = [quote for quote in ranked if quote not in best.values()]
    return [*best.values(), *others][:count]


def cite(sentence: str, n: int) -> str:
    """The sentence as Markdown, and the number of its page."""
    return f"{escape(sentence)} [{n}]"


def escape(text: str) -> str:
    """Text as Markdown that shows exactly this text, at the start of a line too."""
    return SPECIAL.sub(r"\\\g<0>", text)


def capitalised(text: str) -> str:
    """The text with a capital first letter, its other letters as they are."""
    return text[:1].upper() + text[1:]


def worth(
    topic: str,
    text: str,
    position: int,
) -> float:
    """How well a text is quoted on a topic: by its words, its figures, and how early it stands."""
    figures = FIGURE.findall(text)
    return 2 * share(topic, text) + min(3, len(figures)) / 2 + 1 / (1 + position)


@lru_cache(maxsize=500)
def quotable_blocks(text: str, *also_barred: str) -> Sequence[tuple[BlockKind, list[str]]]:
    """Paragraphs, items and tables of Markdown with what can be quoted of them; read once."""
    return [*_read_blocks(text, also_barred)]


def _read_blocks(text: str, also_barred: Sequence[str]) -> Iterator[tuple[BlockKind, list[str]]]:
    text = FRONT_MATTER.sub("", text)
    lines = text.splitlines()
    for before, token in pairwise(MARKDOWN.parse(text)):
        if token.type == "table_open" and token.map:
            first, last = token.map
            yield "table", [line.strip() for line in lines[first:last]]
        if token.type == "inline" and before.type == "paragraph_open":
            plain = _plain(token)
            is_item = before.hidden
            sentences = [plain] if is_item else split_sentences(plain)
            quotable = list(_quotable(sentences, ("chrome", *also_barred)))
            yield "item" if is_item else "paragraph", quotable


def _plain(token: Token) -> str:
    """The text of a paragraph; of one that gives orders to whoever reads by machine, nothing."""
    parts = (" " if child.type == "softbreak" else child.content for child in token.children or ())
    text = "".join(parts)
    return "" if find("order_to_model", text) else text


def split_sentences(paragraph: str) -> list[str]:
    """A paragraph's sentences; one that ends with an abbreviation goes on."""
    sentences: list[str] = []
    for part in END.split(paragraph.strip()):
        if sentences and find("abbreviation", sentences[-1]):
            sentences[-1] += f" {part}"
        else:
            sentences.append(part)
    return sentences


def _quotable(sentences: Iterable[str], barred: Iterable[str]) -> Iterator[str]:
    """The whole sentences that are understood without one that is left out."""
    is_quoted = False
    for sentence in sentences:
        is_clear = is_quoted or _stands_alone(sentence)
        is_barred = any(find(name, sentence) for name in barred)
        is_fitting = MIN_WORDS <= len(sentence.split()) <= MAX_WORDS
        is_quoted = bool(is_clear and is_fitting and WHOLE.match(sentence) and not is_barred)
        if is_quoted:
            yield sentence


def _stands_alone(sentence: str) -> bool:
    """Whether a sentence is understood without the one before it."""
    return find("leans_back", sentence) is None
