"""Short answers from what was found: a few sentences with numbers and the list of their pages."""

from collections.abc import Sequence
from dataclasses import replace

from bot.sandbox.model.language import topic_words
from bot.sandbox.model.phrases import phrase
from bot.sandbox.model.quotes import Quote, SourceText, Topic, on_topic, rank, without_repeats
from bot.sandbox.model.reporting import cite, escape
from bot.sandbox.model.sentences import quotable_sentences

MAX_SENTENCES = 5
MIN_SENTENCES = 2
MAX_PER_SOURCE = 3
TOLD_SENTENCES = 3
CLOSE_TO_BEST = 0.55
CLOSE_TOPIC = 0.6
"""Only sources that hold nearly as much of the topic as the best one answer a question."""


def compose_answer(sources: Sequence[SourceText], topic: str, language: str) -> str:
    """Two to five sentences that fit the topic best, and their pages; empty without any."""
    chosen = _choose(sources, topic)
    if not chosen:
        return ""
    numbers = {n: place for place, n in enumerate(dict.fromkeys(q.n for q in chosen), start=1)}
    by_number = {source.n: source for source in sources}
    told = " ".join(cite(replace(quote, n=numbers[quote.n])) for quote in chosen)
    listed = [f"{numbers[n]}. {_link(by_number[n])}" for n in numbers]
    return f"{told}\n\n{phrase('sources', language)}:\n" + "\n".join(listed)


def tell(text: str, question: str, sentences: int = TOLD_SENTENCES) -> str:
    """The sentences of a text that hold most of the question; a summary where none holds any."""
    terms = topic_words(question)
    source = SourceText(n=1, url="", title="", text=text)
    topic = Topic(terms, [source])
    quotes = rank(source, topic)
    most = max((topic.coverage(quote.stems) for quote in quotes), default=0.0)
    if not (terms and most):
        return sum_up(text)
    close = [q for q in quotes if topic.coverage(q.stems) >= most * CLOSE_TOPIC]
    return " ".join(escape(quote.text) for quote in without_repeats(close)[:sentences])


def sum_up(text: str, sentences: int = MAX_SENTENCES) -> str:
    """The first and the most figure-bearing sentences of a material, in their order."""
    found = list({s.text: s for s in reversed(quotable_sentences(text))}.values())
    best = sorted(found, key=lambda s: (-s.figure_strength, s.position))[:sentences]
    return " ".join(escape(s.text) for s in sorted(best, key=lambda s: s.position))


def _choose(sources: Sequence[SourceText], topic: str) -> list[Quote]:
    weights = Topic((topic,), sources)
    quotes: list[Quote] = []
    for source in on_topic(sources, weights, least=CLOSE_TOPIC):
        quotes += rank(source, weights)[:MAX_PER_SOURCE]
    best = sorted(without_repeats(quotes), key=lambda quote: -quote.score)
    close = [q for q in best if q.score >= best[0].score * CLOSE_TO_BEST]
    return (close if len(close) >= MIN_SENTENCES else best[:MIN_SENTENCES])[:MAX_SENTENCES]


def _link(source: SourceText) -> str:
    label = escape(source.title or source.url)
    return f"[{label}](<{source.url}>)" if ")" in source.url else f"[{label}]({source.url})"
