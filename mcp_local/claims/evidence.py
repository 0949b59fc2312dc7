"""A source made ready for the check of claims: its sentences with their figures and dates.

A fact counts as known where it stands in the source, unless the source names another of its kind
where it speaks of the claim, and this one only elsewhere.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from functools import lru_cache

from mcp_local.claims.dates import Day, day_of
from mcp_local.claims.figures import Figure, agrees, agrees_in_digits, read_facts
from mcp_local.claims.language import COMMON_WORDS, Language, language_of, same_stem, words_of
from mcp_local.claims.names import country_names, distinctive
from mcp_local.passages import sentence_spans

_HEAD_CHARS = 2_000
_MOST_DATES = 3
_REACH = 2
"""A fact may stand two sentences away from the words that say what it is about."""
_FADING = 0.8
_FAR = 0.4
"""A fact whose surroundings share less with the claim than this part of a rival's stands
elsewhere."""
NEAR = 0.5
_TOP = 0.8
_STEM = 4
_YEARLESS_DAYS = 240
"""A date without a year is one of the months around the day on which the source was made."""
_ACRONYM = 3
_DISTINCT = 6
"""A word of so many letters is known where it is part of another, as in the name of an account."""
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_RELATIVE = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}


class Sentence:
    """A sentence or a line of a source."""

    def __init__(self, text: str, language: Language) -> None:
        facts = read_facts(text, language)
        self.words = frozenset(words_of(text))
        self.figures = facts.figures
        self.days = facts.days
        self.is_row = "|" in text or "\t" in text


class Evidence:
    """What a source says."""

    def __init__(self, text: str) -> None:
        self.language = language_of(text)
        self.sentences: list[Sentence] = []
        self._published: list[date] = []
        length = 0
        for line in text.splitlines():
            for start, end in sentence_spans(line):
                sentence = Sentence(line[start:end], self.language)
                self.sentences.append(sentence)
                length += end - start
                if length < _HEAD_CHARS:
                    self._read_head(sentence)
        self._text = f" {' '.join(words_of(text))} "
        self._words = frozenset(self._text.split())
        self._years = {day.year for sentence in self.sentences for day in sentence.days}
        self._by_stem: defaultdict[str, set[str]] = defaultdict(set)
        for word in self._words:
            self._by_stem[word[:_STEM]].add(word)
        capitals = re.findall(r"\b[A-Z]|\b[a-z]{4,}", text)
        self._initials = "".join(each if len(each) == 1 else " " for each in capitals)

    def _read_head(self, sentence: Sentence) -> None:
        """Whole dates at the head of a source are those of its making."""
        for day in sentence.days:
            moment = day.moment() if day.is_whole else None
            if moment and len(self._published) < _MOST_DATES:
                self._published.append(moment)

    def relevance(self, claim: Sequence[str]) -> list[float]:
        """How much each sentence and its neighbours share with a claim, rare words counting more."""
        count = len(self.sentences)
        scores = [0.0] * count
        for word in set(claim) - COMMON_WORDS:
            forms = self._forms(word)
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

    def _forms(self, word: str) -> set[str]:
        """The forms of a word that the source has."""
        return {form for form in self._by_stem[word[:_STEM]] if form == word or same_stem(word, form)}

    def closeness(self, claim: Sequence[str], scores: Sequence[float]) -> float:
        """The share of a claim's words that stand where the source speaks of it most."""
        best = max(range(len(scores)), key=scores.__getitem__, default=0)
        around = self.sentences[max(0, best - _REACH) : best + _REACH + 1]
        near = {word for sentence in around for word in sentence.words}
        wanted = {word for word in claim if not word.isdigit()} - COMMON_WORDS
        shared = [word for word in wanted if self._forms(word) & near]
        return len(shared) / max(1, len(wanted))

    def near(self, scores: Sequence[float], share: float = _TOP) -> Iterator[Sentence]:
        """The sentences that speak of a claim almost as much as the best one does."""
        least = max(scores, default=0.0) * share
        for sentence, score in zip(self.sentences, scores, strict=True):
            if score >= least:
                yield sentence

    def knows_figure(self, figure: Figure, scores: Sequence[float], *, is_cell: bool) -> bool:
        """Whether the figure stands in the source; a small number beside what it counts."""
        is_counted_otherwise = figure.is_small and any(
            known.is_small and known.counted & figure.counted
            for sentence in self.near(scores, NEAR)
            for known in sentence.figures
        )

        def is_same(sentence: Sentence) -> bool:
            in_table = is_cell or sentence.is_row
            for known in sentence.figures:
                if agrees(figure, known) or (in_table and agrees_in_digits(figure, known)):
                    if not is_counted_otherwise or known.counted & figure.counted:
                        return True
            return not figure.unit and any(figure.values[0] == day.year for day in sentence.days)

        def is_rival(sentence: Sentence) -> bool:
            return any(
                known.unit == figure.unit
                and known.is_small == figure.is_small
                and (not figure.is_small or bool(known.counted & figure.counted))
                for known in sentence.figures
            )

        return self._is_near(scores, is_same, is_rival)

    def knows_day(self, day: Day, scores: Sequence[float]) -> bool:
        """Whether the date stands in the source, or follows from the day of its making."""
        near_years = {
            known.year for sentence in self.near(scores, NEAR) for known in sentence.days
        } - {0}

        def is_same(sentence: Sentence) -> bool:
            known = [*sentence.days, *self._relative(sentence)]
            if any(self._fits(day, each, near_years) for each in known):
                return True
            return not day.month and any(day.year in each.values for each in sentence.figures)

        def is_rival(sentence: Sentence) -> bool:
            if not day.month:
                return any(known.year for known in sentence.days)
            return any(known.month and bool(known.day) == bool(day.day) for known in sentence.days)

        if self._is_near(scores, is_same, is_rival):
            return True
        if day.day or (near_years and day.year not in near_years):
            return False
        return any(self._fits(day, day_of(moment), near_years) for moment in self._published)

    def names_no_year(self) -> bool:
        """Whether nothing in the source can speak for or against a year."""
        return not self._years - {0}

    def _is_near(
        self,
        scores: Sequence[float],
        is_same: Callable[[Sentence], bool],
        is_rival: Callable[[Sentence], bool],
    ) -> bool:
        """Whether a sentence says the same, and no rival stands much nearer to the claim."""
        support = -1.0
        rival = 0.0
        for sentence, score in zip(self.sentences, scores, strict=True):
            if is_same(sentence):
                support = max(support, score)
            elif score > rival and is_rival(sentence):
                rival = score
        return support >= 0 and support >= _FAR * rival

    def _fits(self, day: Day, known: Day, near_years: set[int]) -> bool:
        """Whether a date of the source is the claimed one, in all that is claimed."""
        if not day.month:
            is_inside = day.year <= known.year <= (day.last_year or day.year)
            return is_inside or (day.last_year > 0 and known.year <= day.year <= known.last_year)
        if day.month != known.month or (day.day and day.day != known.day):
            return False
        if not day.year or known.year:
            return day.year in (0, known.year)
        if day.year in near_years or self.names_no_year():
            return True
        moment = day.moment()
        if moment and self._published:
            return any(abs((moment - made).days) <= _YEARLESS_DAYS for made in self._published)
        return day.year in self._years

    def _relative(self, sentence: Sentence) -> Iterator[Day]:
        """The dates that "Wednesday" and "yesterday" mean in a text of that day."""
        for made in self._published:
            for number, name in enumerate(_WEEKDAYS):
                if name in sentence.words:
                    since = (made.weekday() - number) % len(_WEEKDAYS)
                    for days in (-since, len(_WEEKDAYS) - since):
                        yield day_of(made + timedelta(days=days))
            for name, days in _RELATIVE.items():
                if name in sentence.words:
                    yield day_of(made + timedelta(days=days))

    def has_words(self, words: Sequence[str]) -> bool:
        """Whether the words stand in the source one after another."""
        return f" {' '.join(words)} " in self._text

    def knows_name(self, name: str) -> bool:
        """Whether the source has every telling word of a name, its initials, or the country."""
        words = words_of(name)
        initials = "".join(word[0] for word in words)
        if self._knows_country(" ".join(words)):
            return True
        if len(initials) >= _ACRONYM and initials in self._words:
            return True
        return all(self._knows_word(word) for word in distinctive(words))

    def _knows_word(self, word: str) -> bool:
        if len(word) < _ACRONYM or self._forms(word) or self._knows_country(word):
            return True
        return word.upper() in self._initials or (len(word) >= _DISTINCT and word in self._text)

    def _knows_country(self, name: str) -> bool:
        """Whether the source names the country, in any language."""
        return any(self.has_words([other]) for other in country_names(name))


@lru_cache(maxsize=64)
def read_evidence(text: str) -> Evidence:
    """The same for the same text: a report is often written twice from its sources."""
    return Evidence(text)
