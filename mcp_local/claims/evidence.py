"""A source made ready for the check of claims: its sentences with their figures and dates."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from functools import cached_property, lru_cache

from mcp_local.claims.figures import (
    COMMON_WORDS,
    Day,
    Facts,
    Figure,
    Language,
    agrees,
    language_of,
    read_facts,
)
from mcp_local.claims.names import country_codes, country_names, distinctive, fold, same_stem, words_of
from mcp_local.passages import sentence_spans

_HEAD_CHARS = 2_000
_MOST_DATES = 3
_REACH = 2
"""A fact may stand two sentences away from the words that say what it is about."""
_FADING = 0.8
_FAR = 0.2
"""A fact whose surroundings share less with the claim is one about something else, if there is
another of its kind where the source speaks of the claim."""
_NEAR = 0.5
_STEM = 4
_YEARLESS_DAYS = 240


class Sentence:
    """A sentence or a line of a source."""

    def __init__(self, text: str, language: Language) -> None:
        self.text = text
        self.words = frozenset(words_of(text))
        self.facts = read_facts(text, language)


class Evidence:
    """What a source says."""

    def __init__(self, text: str) -> None:
        self.language = language_of(text)
        self.sentences = [
            Sentence(line[start:end], self.language)
            for line in text.splitlines()
            for start, end in sentence_spans(line)
        ]
        self.text = f" {' '.join(words_of(text))} "
        self.words = frozenset(self.text.split())
        self.years = {
            year
            for sentence in self.sentences
            for day in sentence.facts.days
            for year in (day.year, day.last_year)
            if year
        }
        self.published = self._published()
        by_stem: defaultdict[str, set[str]] = defaultdict(set)
        for word in self.words:
            by_stem[word[:_STEM]].add(word)
        self._by_stem = by_stem
        capitals = re.findall(r"\b[A-Z]|\b[a-z]{4,}", text)
        self._initials = "".join(each if len(each) == 1 else " " for each in capitals)

    def _published(self) -> list[date]:
        """The whole dates at the head of the source: those of its making."""
        moments: list[date] = []
        length = 0
        for sentence in self.sentences:
            for day in sentence.facts.days:
                moment = _date(day)
                if day.month and day.day and moment and moment not in moments:
                    moments.append(moment)
            length += len(sentence.text)
            if length > _HEAD_CHARS or len(moments) > _MOST_DATES:
                break
        return moments

    def relevance(self, claim: Sequence[str]) -> list[float]:
        """How much each sentence and its neighbours share with a claim, rare words counting more."""
        count = len(self.sentences)
        scores = [0.0] * count
        for word in set(claim) - COMMON_WORDS:
            forms = {form for form in self._by_stem[word[:_STEM]] if form == word or same_stem(word, form)}
            if not forms:
                continue
            hits = [n for n, sentence in enumerate(self.sentences) if forms & sentence.words]
            weight = math.log(1 + count / (1 + len(hits)))
            reached: dict[int, float] = {}
            for hit in hits:
                for n in range(max(0, hit - _REACH), min(count, hit + _REACH + 1)):
                    share = weight * _FADING ** abs(n - hit)
                    reached[n] = max(reached.get(n, 0.0), share)
            for n, share in reached.items():
                scores[n] += share
        return scores

    def closeness(self, claim: Sequence[str], scores: Sequence[float]) -> float:
        """The share of a claim's words that stand where the source speaks of it most."""
        best = max(range(len(scores)), key=scores.__getitem__, default=0)
        around = self.sentences[max(0, best - _REACH) : best + _REACH + 1]
        near = {word for sentence in around for word in sentence.words}
        wanted = {word for word in claim if not word.isdigit()} - COMMON_WORDS
        shared = [
            word
            for word in wanted
            if word in near or any(same_stem(word, form) for form in self._by_stem[word[:_STEM]] & near)
        ]
        return len(shared) / max(1, len(wanted))

    def knows_figure(self, figure: Figure, scores: Sequence[float]) -> bool:
        value = figure.values[0]

        best = max(scores, default=0.0)
        is_counted_otherwise = figure.is_small and any(
            score >= best * _NEAR and known.is_small and known.counted & figure.counted
            for sentence, score in zip(self.sentences, scores, strict=True)
            for known in sentence.facts.figures
        )

        def is_same(sentence: Sentence) -> bool:
            if any(
                agrees(figure, known)
                and (not is_counted_otherwise or bool(known.counted & figure.counted))
                for known in sentence.facts.figures
            ):
                return True
            return not figure.unit and any(value == day.year for day in sentence.facts.days)

        def is_rival(sentence: Sentence) -> bool:
            return any(
                known.unit == figure.unit
                and known.is_small == figure.is_small
                and (not figure.is_small or known.counted & figure.counted)
                for known in sentence.facts.figures
            )

        return self._is_near(scores, is_same, is_rival)

    def knows_day(self, day: Day, scores: Sequence[float]) -> bool:
        best = max(scores, default=0.0)
        near_years = {
            known.year
            for sentence, score in zip(self.sentences, scores, strict=True)
            if score >= best * _NEAR
            for known in sentence.facts.days
        }

        def is_same(sentence: Sentence) -> bool:
            known = [*sentence.facts.days, *self._relative(sentence)]
            if any(self._fits(day, each, near_years) for each in known):
                return True
            return not day.month and any(day.year in each.values for each in sentence.facts.figures)

        def is_rival(sentence: Sentence) -> bool:
            return any(
                known.year > 0 if not day.month else bool(known.month) and bool(known.day) == bool(day.day)
                for known in sentence.facts.days
            )

        if self._is_near(scores, is_same, is_rival):
            return True
        is_published = any(self._fits(day, _day(moment), near_years) for moment in self.published)
        return is_published and not day.day and (not near_years - {0} or day.year in near_years|{0})

    def _is_near(self, scores: Sequence[float], is_same, is_rival) -> bool:
        same = [n for n, sentence in enumerate(self.sentences) if is_same(sentence)]
        if not same:
            return False
        support = max(scores[n] for n in same)
        rivals = [
            scores[n]
            for n, sentence in enumerate(self.sentences)
            if n not in same and is_rival(sentence)
        ]
        return support >= _FAR * max(rivals, default=0.0)

    def _fits(self, day: Day, known: Day, near_years: set[int]) -> bool:
        """Whether a date of the source is the claimed one, in all that is claimed."""
        if not day.month:
            first, last = day.year, day.last_year or day.year
            return first <= known.year <= last or (
                bool(known.last_year) and known.year <= first <= known.last_year and bool(day.last_year)
            )
        if day.month != known.month or (day.day and day.day != known.day):
            return False
        if not day.year or known.year:
            return day.year in (0, known.year)
        if day.year in near_years or not self.years:
            return True
        claimed = _date(day)
        if claimed and self.published:
            return any(abs((claimed - moment).days) <= _YEARLESS_DAYS for moment in self.published)
        return day.year in self.years

    def _relative(self, sentence: Sentence) -> Iterator[Day]:
        """The dates that "Wednesday" and "yesterday" mean in a text of that day."""
        for moment in self.published:
            for number, name in enumerate(_WEEKDAYS):
                if name in sentence.words:
                    since = (moment.weekday() - number) % 7
                    for days in (-since, 7 - since):
                        yield _day(moment + timedelta(days=days))
            for name, days in _RELATIVE.items():
                if name in sentence.words:
                    yield _day(moment + timedelta(days=days))

    def quotes(self, quote: str) -> bool:
        """Whether the words stand in the source one after another."""
        return f" {quote} " in self.text

    def knows_name(self, name: str) -> bool:
        """Whether the source has every word of a name, its initials, or the country by any name."""
        words = words_of(name)
        code = country_codes().get(" ".join(words))
        if code and any(self.quotes(other) for other in country_names(code)):
            return True
        initials = "".join(word[0] for word in words)
        if len(initials) > 2 and initials in self.words:  # noqa: PLR2004
            return True
        return all(self._knows_word(word) for word in distinctive(name))

    def _knows_word(self, word: str) -> bool:
        if word in self.words or len(word) < 3:  # noqa: PLR2004
            return True
        code = country_codes().get(word)
        if code and any(self.quotes(other) for other in country_names(code)):
            return True
        if any(same_stem(word, form) for form in self._by_stem[word[:_STEM]]):
            return True
        return (len(word) > 5 and word in self.text) or word.upper() in self._initials  # noqa: PLR2004


_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_RELATIVE = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}


def _day(moment: date) -> Day:
    return Day(text="", year=moment.year, month=moment.month, day=moment.day)


def _date(day: Day) -> date | None:
    try:
        return date(day.year, day.month, day.day or 15)
    except ValueError:
        return None


@lru_cache(maxsize=64)
def read_evidence(text: str) -> Evidence:
    """The same for the same text: a report is often written twice from its sources."""
    return Evidence(text)
