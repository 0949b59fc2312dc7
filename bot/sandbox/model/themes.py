"""The sections of a report: quotes grouped under headings and words that the sources hold."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bot.sandbox.model.language import COMMAND_WORDS, UNIT_WORDS, content_words, stem
from bot.sandbox.model.quotes import Quote

MAX_SECTIONS = 6
MIN_SECTION_QUOTES = 2
QUOTES_PER_SECTION = 3
SECTIONS_PER_THEME_CAP = 3
"""No theme takes more than this part of the quotes."""
MAX_TITLE_WORDS = 7
MIN_NAME_CHARS = 3
UNIT_STEMS = {stem(word) for word in UNIT_WORDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    title: str
    quotes: tuple[Quote, ...]


def arrange(quotes: Sequence[Quote], topic: str, new_sections: Sequence[str] = ()) -> list[Section]:
    """Sections that together hold every quote once; sections that were asked for come last."""
    taken = {stem(word) for word in content_words(topic)}
    left = list(quotes)
    asked: list[Section] = []
    for name in new_sections:
        asked.append(_asked_section(name, left))
        left = [quote for quote in left if quote not in asked[-1].quotes]
    themed = _themed(left, taken, len(left) // QUOTES_PER_SECTION)
    return [section for section in (*themed, *asked) if section.quotes]


def _themed(quotes: list[Quote], taken: set[str], wanted: int) -> list[Section]:
    sections: list[Section] = []
    left = list(quotes)
    while len(sections) < min(MAX_SECTIONS, wanted) - 1:
        theme = _most_shared(left, taken)
        if theme is None:
            break
        size = max(MIN_SECTION_QUOTES, len(quotes) // SECTIONS_PER_THEME_CAP)
        members = [quote for quote in left if theme in _marks(quote)][:size]
        title = _title(theme, members, {section.title for section in sections})
        sections.append(Section(title=title, quotes=tuple(members)))
        left = [quote for quote in left if quote not in members]
        taken = taken | {theme} | {stem(word) for word in content_words(title)}
    return [*sections, *_rest(left, taken, {section.title for section in sections})]


def _rest(left: list[Quote], taken: set[str], titles: set[str]) -> list[Section]:
    if not left:
        return []
    words = Counter(s for quote in left for s in _marks(quote) if s not in taken)
    theme = words.most_common(1)[0][0] if words else next(iter(_marks(left[0])), "")
    return [Section(title=_title(theme, left, titles), quotes=tuple(left))]


def _asked_section(name: str, quotes: Sequence[Quote]) -> Section:
    """The quotes for a section that was asked for: those that hold most of its words."""
    wanted = {stem(word) for word in content_words(name)}
    fitting = [q for q in quotes if wanted & (q.stems | _heading_stems(q))]
    fitting.sort(key=lambda q: -len(wanted & (q.stems | _heading_stems(q))))
    return Section(title=name[:1].upper() + name[1:], quotes=tuple(fitting[: len(quotes) // 2 + 1]))


def _most_shared(quotes: list[Quote], taken: set[str]) -> str | None:
    """The stem that most quotes share; those in headings and of several sources first."""
    sources: dict[str, set[int]] = {}
    counts: Counter[str] = Counter()
    for quote in quotes:
        for mark in _marks(quote) - taken:
            counts[mark] += 1
            sources.setdefault(mark, set()).add(quote.n)
    in_headings = {mark for quote in quotes for mark in _heading_stems(quote)}
    fitting = [mark for mark in counts if counts[mark] >= MIN_SECTION_QUOTES]
    return max(
        fitting, key=lambda m: (m in in_headings, len(sources[m]), counts[m], m), default=None
    )


def _marks(quote: Quote) -> set[str]:
    """The stems that a quote can be grouped by: its telling words and its heading's."""
    return _naming_stems(quote.text) | _heading_stems(quote)


def _heading_stems(quote: Quote) -> set[str]:
    return _naming_stems(quote.sentence.heading)


def _naming_stems(text: str) -> set[str]:
    long = (word for word in content_words(text) if len(word) > MIN_NAME_CHARS and word.isalpha())
    return {stem(word) for word in long if word.casefold() not in COMMAND_WORDS} - UNIT_STEMS


def _title(theme: str, members: Sequence[Quote], used: set[str]) -> str:
    """A heading of the sources that fits, otherwise the theme as the sources write it."""
    headings = Counter(
        plain_title(quote.sentence.heading)
        for quote in members
        if 0 < len(quote.sentence.heading.split()) <= MAX_TITLE_WORDS
    )
    shared = [heading for heading, count in headings.items() if 2 * count >= len(members)]
    naming = [heading for heading in headings if theme in _naming_stems(heading)]
    for heading in (*shared, *sorted(naming, key=len)):
        if heading not in used:
            return heading
    return _spell(theme, members)


def _spell(theme: str, members: Sequence[Quote]) -> str:
    forms = Counter(
        word for quote in members for word in content_words(quote.text) if stem(word) == theme
    )
    word = forms.most_common(1)[0][0] if forms else theme
    return word[:1].upper() + word[1:]


def plain_title(text: str) -> str:
    """A heading without marks of Markdown and numbering."""
    bare = re.sub(r"[*_`#\[\]<>|\\]", "", text)
    return re.sub(r"^\s*(?:\d+[.)]\s*)+", "", bare).strip(" :.-") or bare.strip()
