"""The Markdown of a report: extractive sentences, each with the number of its source."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.sandbox.model.phrases import phrase
from bot.sandbox.model.quotes import Quote, SourceText, choose_quotes
from bot.sandbox.model.themes import Section, arrange

SUMMARY_SENTENCES = 4
PARAGRAPH_SENTENCES = 4
SPECIAL = re.compile(r"([\\`*\[\]<>~|])")
ENTITY = re.compile(r"&(?=#?\w+;)")
OUTER_UNDERSCORE = re.compile(r"(?<!\w)_|_(?!\w)")
LINE_START = re.compile(r"^(\d+)([.)])|^([-+#>=])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    summary: str
    """Some sentences with their source numbers."""
    markdown: str
    quotes: tuple[Quote, ...]
    """The best quotes first."""


def compose_report(
    sources: Sequence[SourceText],
    *,
    topic: str,
    language: str,
    new_sections: Sequence[str] = (),
    dropped: Iterable[int] = (),
) -> Report | None:
    """A report on the topic from what the sources say; None where nothing can be quoted.

    Sources in `dropped` are left out, for the report tool refused to cite them.
    """
    usable = [source for source in sources if source.n not in set(dropped)]
    quotes = choose_quotes(usable, (topic, *new_sections))
    if not quotes:
        return None
    telling = most_telling(quotes, SUMMARY_SENTENCES)
    sections = arrange(quotes, topic, new_sections)
    parts = [_section(section) for section in sections]
    parts.insert(1, _key_figure(telling[0], language))
    return Report(
        summary=" ".join(cite(quote) for quote in telling),
        markdown="\n\n".join(parts) + "\n",
        quotes=tuple(telling + [quote for quote in quotes if quote not in telling]),
    )


def most_telling(quotes: Sequence[Quote], count: int) -> list[Quote]:
    """The best quotes, from as many different sources as there are."""
    best = sorted(quotes, key=lambda quote: -quote.telling)
    firsts = list({quote.n: quote for quote in reversed(best)}.values())
    firsts.sort(key=lambda quote: -quote.telling)
    return (firsts + [quote for quote in best if quote not in firsts])[:count]


def cite(quote: Quote) -> str:
    """The sentence as Markdown that reads letter by letter as on its page, and `[n]`."""
    return f"{escape(quote.text)} [{quote.n}]"


def escape(text: str) -> str:
    """Text as Markdown that shows exactly this text, at the start of a line too."""
    text = ENTITY.sub(r"\\&", SPECIAL.sub(r"\\\1", text))
    text = OUTER_UNDERSCORE.sub(r"\\_", text)
    return LINE_START.sub(lambda m: f"{m[1]}\\{m[2]}" if m[1] else f"\\{m[3]}", text)


def _section(section: Section) -> str:
    cited = [cite(quote) for quote in section.quotes]
    steps = range(0, len(cited), PARAGRAPH_SENTENCES)
    paragraphs = [" ".join(cited[at : at + PARAGRAPH_SENTENCES]) for at in steps]
    return "\n\n".join([f"## {escape(section.title)}", *paragraphs])


def _key_figure(quote: Quote, language: str) -> str:
    return f"> [!NOTE] {phrase('key_figure', language)}\n> {cite(quote)}"
