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
SPECIAL = re.compile(r"[\\`*_\[\]<>~|&#]|(?<=\d)[.)](?=\s)|^[-+=]")
"""What Markdown could take for more than text."""
BlockKind = Literal["paragraph", "item", "table"]
Quotable = tuple[BlockKind, tuple[str, ...]]
"""What can be quoted of a block: its sentences, of a table its lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBlock:
    """A paragraph, an item of a list, or a table of a passage."""

    passage: str
    """The id by which a report cites the passage: `3#12` is passage 12 of source 3."""
    url: str
    title: str
    kind: BlockKind
    sentences: Sequence[str]
    """Of a table its lines."""

    @property
    def text(self) -> str:
        return " ".join(self.sentences)

    @property
    def source(self) -> int:
        """The number of the page in citations."""
        return int(self.passage.partition("#")[0])

    @property
    def position(self) -> int:
        """The place of the passage on its page, from 1."""
        return int(self.passage.partition("#")[2])

    @property
    def link(self) -> str:
        """Its page as a link in Markdown."""
        return f"[{self.title}]({self.url})"

    def place(self) -> tuple[int, int]:
        """For the order in which blocks are read."""
        return self.source, self.position


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a block."""

    sentence: str
    block: PageBlock

    @property
    def fact(self) -> str:
        """The sentence with its page, as an item of Markdown."""
        return f"- {escape(self.sentence)} ({self.block.link})"


def stem(word: str) -> str:
    """A word in small letters, cut down to what bot and bots, or retry and retries, share."""
    for suffix, ending in SUFFIXES.items():
        is_long = len(word) - len(suffix) >= MIN_STEM
        if is_long and word.endswith(suffix) and not word.endswith("ss"):
            return word.removesuffix(suffix) + ending
    return word


@lru_cache(maxsize=10_000)
def stems(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    words = WORD.findall(text.casefold())
    telling = [word for word in words if word not in STOP]
    return frozenset(map(stem, telling))


def share(topic: str, text: str) -> float:
    """The share of a topic's stems that a text holds, from 0 to 1."""
    wanted = stems(topic)
    common = wanted & stems(text)
    return len(common) / max(1, len(wanted))


def on_topic(blocks: Sequence[PageBlock], topic: str) -> list[PageBlock]:
    """The blocks with those of their sentences alone that hold a topic's rarer words.

    Of a page on batteries that names wind power once, that is one sentence on wind power.
    """
    sentences = [sentence for block in blocks for sentence in block.sentences]
    rarity = rarities(sentences, topic)
    least = ENOUGH * max(rarity.values(), default=0.0)
    fitting: list[PageBlock] = []
    for block in blocks:
        kept = [sentence for sentence in block.sentences if rarity[sentence] >= least]
        fitting.append(replace(block, sentences=kept))
    return fitting


def rarities(texts: Iterable[str], topic: str) -> dict[str, float]:
    """The share of a topic that each text holds; of its words the rarer ones count for more."""
    wanted = stems(topic)
    held = {text: wanted & stems(text) for text in texts}
    counts: Counter[str] = Counter()
    for words in held.values():
        counts.update(words)
    weights = {word: 1 / count for word, count in counts.items()}
    whole = sum(weights.values()) or 1.0
    rarity: dict[str, float] = {}
    for text, words in held.items():
        rarity[text] = sum(weights[word] for word in words) / whole
    return rarity


def best_quotes(blocks: Iterable[PageBlock], topic: str, count: int) -> list[Quote]:
    """The sentences that say most of a topic and stand alone, of as many pages as can be."""
    quotes: list[Quote] = []
    for block in blocks:
        if block.kind == "paragraph":
            alone = filter(_stands_alone, block.sentences)
            quotes += [Quote(sentence, block) for sentence in alone]

    def value(quote: Quote) -> float:
        return worth(
            topic,
            quote.sentence,
            quote.block.position,
        )

    ranked = sorted(
        quotes,
        key=value,
        reverse=True,
    )
    firsts = {quote.block.url: quote for quote in reversed(ranked)}
    ranked.sort(key=lambda quote: firsts[quote.block.url] is not quote)
    return ranked[:count]


def quotes_on(blocks: Sequence[PageBlock], topic: str, count: int) -> list[Quote]:
    """The best of those sentences that hold the rarer words of a topic."""
    return best_quotes(on_topic(blocks, topic), topic, count)


def cite(sentence: str, source: object) -> str:
    """The sentence as Markdown, and the mark of its source."""
    return f"{escape(sentence)} [{source}]"


def escape(text: str) -> str:
    """Text as Markdown that shows exactly this text, at the start of a line too."""
    return SPECIAL.sub(r"\\\g<0>", text)


def capitalised(text: str) -> str:
    """The text with a capital first letter, its other letters as they are."""
    return text[:1].upper() + text[1:]


def worth(topic: str, text: str, position: int) -> float:
    """How well a text is quoted on a topic: by its words, its figures, and how early it stands."""
    figures = len(FIGURE.findall(text))
    of_words = 2 * share(topic, text)
    of_figures = min(3, figures) / 2
    return of_words + of_figures + 1 / position


@lru_cache(maxsize=500)
def quotable_blocks(text: str, *, in_report: bool = True) -> Sequence[Quotable]:
    """Paragraphs, items and tables of Markdown with what can be quoted of them; read once.

    A report speaks in its own voice, an answer may quote that of a page.
    """
    barred = ("chrome", "own_voice") if in_report else ("chrome",)
    blocks = _read_blocks(text, barred)
    return [block for block in blocks if block[1]]


def _read_blocks(text: str, barred: Sequence[str]) -> Iterator[Quotable]:
    lines = text.splitlines()
    for before, token in pairwise(MARKDOWN.parse(text)):
        if token.type == "table_open" and token.map:
            first, last = token.map
            yield "table", tuple(line.strip() for line in lines[first:last])
        if token.type == "inline" and before.type == "paragraph_open":
            plain = _plain(token)
            if before.hidden:
                yield "item", tuple(_quotable([plain], barred))
            else:
                yield "paragraph", tuple(_quotable(split_sentences(plain), barred))


def _plain(token: Token) -> str:
    """The text of a paragraph; of one that gives orders to whoever reads by machine, nothing."""
    text = ""
    for child in token.children or ():
        text += " " if child.type == "softbreak" else child.content
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


def _quotable(sentences: Iterable[str], barred: Sequence[str]) -> Iterator[str]:
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
