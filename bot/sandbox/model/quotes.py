"""Sentences chosen from numbered sources: which are on the topic, and which are told first."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.sandbox.model.language import content_words, stem
from bot.sandbox.model.sentences import Sentence, quotable_sentences

MAX_FIGURE_QUOTES = 60
MIN_QUOTES_PER_SOURCE = 3
MAX_PLAIN_QUOTES = 24
NUMBER = re.compile(r"\d[\d.,]*")
FIGURE_WEIGHT = 2.0
SOURCE_WEIGHT = 1.5
SAME_SHARE = 0.85
RELEVANT_SHARE = 0.3
LEAD_SENTENCES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """What was read of one source; `favoured` holds pieces that a search pointed at."""

    n: int
    url: str
    title: str
    text: str
    favoured: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A sentence of a source, letter by letter, with the source's number."""

    sentence: Sentence
    n: int
    score: float
    stems: frozenset[str]
    """Of the sentence's content words."""

    @property
    def text(self) -> str:
        return self.sentence.text

    @property
    def is_figure(self) -> bool:
        return self.sentence.has_figure

    @property
    def telling(self) -> float:
        """How much it tells on its own: on the topic, with a measured figure."""
        return self.score + FIGURE_WEIGHT * self.sentence.figure_strength


class Topic:
    """The stems of a topic, weighted by how few of the sources hold them."""

    def __init__(self, terms: Iterable[str], sources: Sequence[SourceText]) -> None:
        stems = {stem(word) for term in terms for word in content_words(term)}
        held = Counter(s for source in sources for s in stems & _stems(source))
        total = len(sources)
        self._weights = {
            s: math.log(1 + (total - held[s] + 0.5) / (held[s] + 0.5)) + 0.2 for s in stems
        }

    def coverage(self, stems: frozenset[str]) -> float:
        """How many of the topic's stems a text holds, as a share, each counting the same."""
        return len(stems & self._weights.keys()) / max(1, len(self._weights))

    def share(self, stems: frozenset[str] | set[str]) -> float:
        """How much of the topic a text with these stems holds, from 0 to 1."""
        whole = sum(self._weights.values())
        held = sum(weight for s, weight in self._weights.items() if s in stems)
        return held / whole if whole else 0.0


def choose_quotes(sources: Sequence[SourceText], terms: Iterable[str]) -> list[Quote]:
    """The sentences for a report on the terms, best first.

    Every source on the topic has at least one; sentences with figures come before all others and
    sources take turns, so that no long page crowds out a short one.
    """
    topic = Topic(terms, sources)
    by_source = [quotes for s in on_topic(sources, topic) if (quotes := rank(s, topic))]
    figures = [[q for q in quotes if q.is_figure] for quotes in by_source]
    plain = [[q for q in quotes if not q.is_figure] for quotes in by_source]
    chosen = without_repeats(_take_turns(figures))[:MAX_FIGURE_QUOTES]
    counts = Counter(quote.n for quote in chosen)
    for quote in without_repeats([*chosen, *_take_turns(plain)])[len(chosen) :]:
        wanted = MIN_QUOTES_PER_SOURCE if len(chosen) < MAX_PLAIN_QUOTES else 1
        if counts[quote.n] < wanted:
            chosen.append(quote)
            counts[quote.n] += 1
    return chosen


def on_topic(
    sources: Sequence[SourceText], topic: Topic, least: float = RELEVANT_SHARE
) -> list[SourceText]:
    """The sources that hold enough of the topic next to the one that holds most of it."""
    shares = {source.n: topic.coverage(_stems(source)) for source in sources}
    most = max(shares.values(), default=0.0)
    return [source for source in sources if shares[source.n] >= most * least]


def rank(source: SourceText, topic: Topic) -> list[Quote]:
    """The quotable sentences of a source, best first."""
    favoured = _squeeze(source.favoured)
    on_topic = SOURCE_WEIGHT * topic.share(_stems(source))
    quotes = [
        _quote(s, source.n, on_topic + _score(s, topic, favoured))
        for s in quotable_sentences(source.text)
    ]
    return sorted(quotes, key=lambda quote: -quote.score)


def without_repeats(quotes: Iterable[Quote]) -> list[Quote]:
    """The quotes less those that say the same as an earlier one, figures included."""
    kept: list[Quote] = []
    by_figures: dict[tuple[str, ...], list[Quote]] = {}
    for quote in quotes:
        alike = by_figures.setdefault(_figures(quote.text), [])
        if not any(_is_same(quote, other) for other in alike):
            alike.append(quote)
            kept.append(quote)
    return kept


def _quote(sentence: Sentence, n: int, score: float) -> Quote:
    return Quote(sentence=sentence, n=n, score=score, stems=_stems_of(sentence.text))


def _stems_of(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in content_words(text))


def _score(sentence: Sentence, topic: Topic, favoured: str) -> float:
    stems = _stems_of(sentence.text)
    under = _stems_of(sentence.heading)
    score = 3.0 * topic.share(stems) + topic.share(under) / 2 + sentence.figure_strength / 2
    if favoured and _squeeze(sentence.text) in favoured:
        score += 0.6
    return score + (0.3 if sentence.position < LEAD_SENTENCES else 0.0)


def _take_turns(groups: Sequence[Sequence[Quote]]) -> list[Quote]:
    longest = max((len(group) for group in groups), default=0)
    rounds = [[g[place] for g in groups if place < len(g)] for place in range(longest)]
    return [q for turn in rounds for q in sorted(turn, key=lambda quote: -quote.score)]


def _is_same(quote: Quote, other: Quote) -> bool:
    union = quote.stems | other.stems
    return len(quote.stems & other.stems) >= SAME_SHARE * len(union)


def _figures(text: str) -> tuple[str, ...]:
    return tuple(NUMBER.findall(text))


def _stems(source: SourceText) -> frozenset[str]:
    return _stems_of(f"{source.title}\n{source.text}")


def _squeeze(text: str) -> str:
    return " ".join(text.split())
