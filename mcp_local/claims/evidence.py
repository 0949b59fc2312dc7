"""A source made ready for the check of claims: its sentences with their figures and dates.

A fact counts as known where it stands in the source, unless the source names another of its kind
where it speaks of the claim, and this one only elsewhere.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import islice

from mcp_local.claims.dates import Day, day_of
from mcp_local.claims.figures import (
    CURRENCIES,
    Facts,
    Figure,
    agrees,
    agrees_in_digits,
    measured,
    read_facts,
)
from mcp_local.claims.language import (
    COMMON_WORDS,
    WORDS,
    LanguageCode,
    language_of,
    same_stem,
    words_of,
)
from mcp_local.claims.names import country_names, distinctive
from mcp_local.passages import sentence_spans

_HEAD_CHARS = 2_000
_MOST_DATES = 3
_MOST_CHARS = 500_000
"""Of a source: more takes longer to read than an author waits."""
_MOST_WORDS = 60
"""Of a claim: those behind them do not choose where it is looked up."""
_MANY = 200
"""Sentences that hold a word; more, and a quarter of the source, tell nothing."""
_REACH = 2
"""A fact may stand two sentences away from the words that say what it is about."""
_FADING = 0.8
_FAR = 0.5
"""A fact whose surroundings share less with the claim than this part of a rival's stands
elsewhere."""
_FAR_ROW = 0.8
"""The same among the rows of tables, each of which has its head's words."""
_ROW_FADING = 0.5
"""A row of a table says little about what the rows beside it name."""
_YEAR_DIGITS = 4
NEAR = 0.5
TOP = 0.8
_NEIGHBOUR_CHARS = 300
_STEM = 4
_YEARLESS_DAYS = 240
"""A date without a year is one of the months around the day on which the source was made."""
_ACRONYM = 3
_DISTINCT = 6
"""A word of so many letters is known where it is part of another, as in the name of an account."""
_WEEKDAYS = WORDS.listed("weekdays")
_GLUED_DATE = re.compile(
    r"(?<=[A-Za-z])(?=(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.? \d)"
)
"""Where a page's label ends and its date begins without a blank: `OPINIONApril 11 2019`."""
_LABEL = re.compile(
    r"(?<=\()[^()]{1,30}(?=\))|(?<=\| )(?:[$€£¥%]|USD|EUR|GBP|CHF)[^|\d]{0,12}(?= \|)"
)
_CAPTION = re.compile(r"\|[^|]+\|(?:\s+\|)+[\s|:-]*")
"""A table's first row where it is the caption, with the line below it."""
_MOST_LABELS = 6
_RELATIVE = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The sentence of a source that a claim rests on, between its neighbours."""

    sentence: str
    before: str = ""
    after: str = ""


class Sentence:
    """A sentence or a line of a source."""

    def __init__(self, text: str, language: LanguageCode, line: int, head: str) -> None:
        facts = read_facts(_GLUED_DATE.sub(" ", text), language)
        self.text = text
        self.line = line
        self.in_order = words_of(text)
        self.words = frozenset(self.in_order)
        self.days = facts.days
        self.is_row = bool(head) and text not in head
        self.topics = self.words.union(words_of(head)) if self.is_row else self.words
        """Its words, and those of its table's head."""
        self.figures = [*facts.figures]
        labels = _LABEL.findall(f"{head} {text}") if self.is_row else ()
        bare = [figure for figure in facts.figures if not figure.unit]
        labelled: list[Figure] = []
        for label in labels[:_MOST_LABELS]:
            labelled += measured(bare, label, language)
        self.figures += labelled
        self._units = {figure.unit or "bare" for figure in labelled}
        self.relative_years = [
            relative.years for relative in WORDS.relative_years if relative.pattern.search(text)
        ]

    def has_label_for(self, unit: str) -> bool:
        """Whether its table names the unit, or another currency: a bare figure is not in it."""
        return not self._units.isdisjoint(CURRENCIES if unit in CURRENCIES else {unit})

    def shared_facts(self, facts: Facts) -> int:
        """How many of a claim's figures and dates it says."""
        shared = 0
        for figure in facts.figures:
            shared += any(agrees(figure, known) for known in self.figures)
        for day in facts.days:
            shared += any(day.parts == known.parts for known in self.days)
        return shared


def _read_sentences(text: str, language: LanguageCode) -> Iterator[Sentence]:
    """The sentences of a text, and the rows of its tables, each with its table's head."""
    head = ""
    for n, line in enumerate(text.splitlines()):
        is_row = "|" in line or "\t" in line
        if not is_row:
            head = ""
        elif not head or _CAPTION.fullmatch(head):
            head += line
        for start, end in sentence_spans(line):
            yield Sentence(line[start:end], language, n, head)


class Evidence:
    """What a source says."""

    def __init__(self, text: str) -> None:
        self.language = language_of(text)
        self.sentences: list[Sentence] = []
        self._published: list[date] = []
        self._years: set[int] = set()
        length = 0
        for sentence in _read_sentences(text[:_MOST_CHARS], self.language):
            self.sentences.append(sentence)
            self._years.update(day.year for day in sentence.days)
            length += len(sentence.text)
            if length < _HEAD_CHARS:
                self._read_head(sentence)
        words = " ".join(words_of(text))
        self._text = f" {words} "
        self._words = frozenset(self._text.split())
        self._by_stem: defaultdict[str, set[str]] = defaultdict(set)
        for word in self._words:
            self._by_stem[word[:_STEM]].add(word)
        self._initials = _initials(text)
        self._sentences_with: defaultdict[str, list[int]] = defaultdict(list)
        for n, sentence in enumerate(self.sentences):
            for word in sentence.topics:
                self._sentences_with[word].append(n)

    def _read_head(self, sentence: Sentence) -> None:
        """Whole dates at the head of a source are those of its making."""
        for day in sentence.days:
            moment = day.moment() if day.is_whole else None
            if moment and len(self._published) < _MOST_DATES:
                self._published.append(moment)

    def relevance(self, claim: Sequence[str]) -> list[float]:
        """How much each sentence and its neighbours share with a claim, rare words more so."""
        count = len(self.sentences)
        scores = [0.0] * count
        telling = dict.fromkeys(claim)
        for word in COMMON_WORDS & telling.keys():
            del telling[word]
        for word in islice(telling, _MOST_WORDS):
            hits = self._sentences_on(word)
            if len(hits) > max(_MANY, count / 4):
                continue  # a word that is everywhere tells nothing
            rarity = count / (1 + len(hits))
            weight = math.log(1 + rarity)
            for n, distance in _distances(hits, count).items():
                is_other_row = distance > 0 and self.sentences[n].is_row
                fading = _ROW_FADING if is_other_row else 1.0
                scores[n] += weight * fading * _FADING**distance
        return scores

    def _sentences_on(self, word: str) -> set[int]:
        """The sentences that have a word in any form; a number in a table says not what of."""
        hits: set[int] = set()
        for form in self._forms(word):
            hits.update(self._sentences_with[form])
        if word.isdigit() and len(word) != _YEAR_DIGITS:
            hits = {hit for hit in hits if not self.sentences[hit].is_row}
        return hits

    def _forms(self, word: str) -> set[str]:
        """The forms of a word that the source has."""
        forms: set[str] = set()
        for form in self._by_stem[word[:_STEM]]:
            if form == word or same_stem(word, form):
                forms.add(form)
        return forms

    def closeness(self, claim: Sequence[str], scores: Sequence[float]) -> float:
        """The share of a claim's words that stand where the source speaks of it most."""
        if not scores:
            return 0.0
        highest = max(scores)
        best = scores.index(highest)
        first = max(0, best - _REACH)
        last = best + _REACH
        near: set[str] = set()
        for sentence in self.sentences[first : last + 1]:
            near |= sentence.words
        wanted = {word for word in claim if not word.isdigit()}
        wanted -= COMMON_WORDS
        if not wanted:
            return 0.0
        shared = [word for word in wanted if self._forms(word) & near]
        return len(shared) / len(wanted)

    def near(self, scores: Sequence[float], share: float = TOP) -> Iterator[Sentence]:
        """The sentences that speak of a claim almost as much as the best one does."""
        least = max(scores, default=0.0) * share
        for sentence, score in zip(self.sentences, scores, strict=True):
            if score >= least:
                yield sentence

    def knows_figure(self, figure: Figure, scores: Sequence[float], *, is_cell: bool) -> bool:
        """Whether the figure stands in the source; a small number beside what it counts."""
        is_counted = figure.is_small and any(
            _counts_alike(figure, known)
            for sentence in self.near(scores, NEAR)
            for known in sentence.figures
        )

        if any(_counts_the_same(figure, sentence) for sentence in self.sentences):
            return True

        def says(sentence: Sentence) -> bool:
            return _says_figure(
                sentence, figure, is_counted=is_counted, in_table=is_cell or sentence.is_row
            )

        def has_rival(sentence: Sentence) -> bool:
            return any(_is_rival(figure, known) for known in sentence.figures)

        return self._stands_near(scores, says, has_rival)

    def knows_day(self, day: Day, scores: Sequence[float]) -> bool:
        """Whether the date stands in the source, or follows from the day of its making."""
        near_years: set[int] = set()
        for sentence in self.near(scores, NEAR):
            near_years.update(known.year for known in sentence.days if known.year)

        def says(sentence: Sentence) -> bool:
            return self._says_day(sentence, day, near_years)

        def has_rival(sentence: Sentence) -> bool:
            return any(_is_rival_day(day, known) for known in self._days_beside_its_own(sentence))

        if self._stands_near(scores, says, has_rival):
            return True
        if day.day or day.last_month:
            return False
        if not day.month and self._is_relative(day, scores):
            return True
        if not day.month and near_years and day.year not in near_years:
            return False
        published = map(day_of, self._published)
        return any(self._fits(day, each, near_years) for each in published)

    def _days_beside_its_own(self, sentence: Sentence) -> Iterator[Day]:
        """The dates of a sentence without those of the source's making."""
        for day in sentence.days:
            if day.moment() not in self._published:
                yield day

    def _is_relative(self, day: Day, scores: Sequence[float]) -> bool:
        """Whether "last year" near the claim may be this one."""
        made = {moment.year for moment in self._published}
        for sentence in self.near(scores):
            for years in sentence.relative_years:
                if not made or day.year - years in made:
                    return True
        return False

    def support(
        self, words: Sequence[str], facts: Facts, scores: Sequence[float]
    ) -> Support | None:
        """The sentence that says most of a claim's facts and words, or None."""
        wanted = {word for word in words if word not in COMMON_WORDS}
        least = max(scores, default=0.0) * NEAR
        best = Support(sentence="")
        best_score = (0, 0)
        for n, sentence in enumerate(self.sentences):
            if not sentence.line or scores[n] < least or not least:
                continue  # the first line is the title
            shared = wanted & sentence.words
            score = (sentence.shared_facts(facts), len(shared))
            if score > best_score:
                best_score = score
                best = Support(
                    sentence=sentence.text,
                    before=self._neighbour(n, -1),
                    after=self._neighbour(n, 1),
                )
        return best if best.sentence else None

    def _neighbour(self, n: int, step: int) -> str:
        """The sentence beside another one of the same paragraph."""
        beside = n + step
        if not 0 <= beside < len(self.sentences):
            return ""
        sentence = self.sentences[beside]
        is_same_line = sentence.line == self.sentences[n].line
        return sentence.text[:_NEIGHBOUR_CHARS] if is_same_line else ""

    def _stands_near(
        self,
        scores: Sequence[float],
        says: Callable[[Sentence], bool],
        has_rival: Callable[[Sentence], bool],
    ) -> bool:
        """Whether a fact stands no further from the claim's matter than another of its kind.

        A row is compared with the other rows alone.
        """
        same: list[float] = []
        rivals: list[float] = []
        same_rows: list[float] = []
        rival_rows: list[float] = []
        for sentence, score in zip(self.sentences, scores, strict=True):
            if says(sentence):
                (same_rows if sentence.is_row else same).append(score)
            elif has_rival(sentence):
                (rival_rows if sentence.is_row else rivals).append(score)
        if _is_near(same_rows, rival_rows, _FAR_ROW):
            return True
        return _is_near(same, rivals + rival_rows, _FAR)

    def _says_day(self, sentence: Sentence, day: Day, near_years: set[int]) -> bool:
        named = self._days_beside_its_own(sentence) if day.last_month else sentence.days
        known = [*named, *self._relative(sentence)]
        if any(self._fits(day, each, near_years) for each in known):
            return True
        if day.month:
            return False
        return any(day.year in each.values for each in sentence.figures)

    def names_no_year(self) -> bool:
        """Whether nothing in the source can speak for or against a year."""
        return not self._years - {0}

    def _fits(self, day: Day, known: Day, near_years: set[int]) -> bool:
        """Whether a date of the source is the claimed one, in all that is claimed."""
        if not day.month:
            last_year = day.last_year or day.year
            is_inside = day.year <= known.year <= last_year
            is_around = known.year <= day.year <= known.last_year
            return is_inside or (day.last_year > 0 and is_around)
        if not _is_same_month(day, known):
            return False
        if day.day and day.day != known.day:
            return False
        if not day.year or known.year:
            return day.year in (0, known.year)
        return day.year in near_years or self._is_of_its_time(day)

    def _is_of_its_time(self, day: Day) -> bool:
        """Whether a day whose year the source leaves out may be meant by it."""
        moment = day.moment()
        if moment is None or not self._published:
            return day.year in self._years or self.names_no_year()
        distances = [abs((moment - made).days) for made in self._published]
        return min(distances) <= _YEARLESS_DAYS

    def _relative(self, sentence: Sentence) -> Iterator[Day]:
        """The dates that "Wednesday" and "yesterday" mean in a text of that day."""
        weekdays = sentence.words & _WEEKDAYS
        offsets = [_RELATIVE[name] for name in sentence.words & _RELATIVE.keys()]
        for made in self._published:
            for days in offsets:
                yield day_of(made + timedelta(days=days))
            for days in range(-6, 8) if weekdays else ():
                moment = made + timedelta(days=days)
                if f"{moment:%A}".lower() in weekdays:
                    yield day_of(moment)

    def has_words(self, words: Sequence[str]) -> bool:
        """Whether the words stand in the source one after another."""
        return f" {' '.join(words)} " in self._text

    def knows_name(self, name: str) -> bool:
        """Whether the source has a name's telling words, its initials, or the country.

        Of a name of three words and more, those in the middle may be left out.
        """
        words = words_of(name)
        initials = "".join(word[0] for word in words)
        if self._knows_country(" ".join(words)):
            return True
        is_acronym = len(initials) >= _ACRONYM
        if is_acronym and initials in self._words:
            return True
        telling = distinctive(words)
        ends = telling[:1] + telling[-1:]
        return all(map(self._knows_word, ends))

    def share_of(self, words: Sequence[str]) -> float:
        """How many of the telling words it has, of all."""
        telling = [word for word in words if word not in COMMON_WORDS]
        if not telling:
            return 1.0
        known = sum(map(self._knows_word, telling))
        return known / len(telling)

    def _knows_word(self, word: str) -> bool:
        if len(word) < _ACRONYM:
            return True
        if self._forms(word):
            return True
        if self._knows_country(word):
            return True
        if word.upper() in self._initials:
            return True
        if len(word) < _DISTINCT:
            return False
        return word in self._text.replace(" ", "")

    def _knows_country(self, name: str) -> bool:
        """Whether the source names the country, in any language."""
        return any(self.has_words([other]) for other in country_names(name))


def _distances(hits: Collection[int], count: int) -> dict[int, int]:
    """How far each sentence in reach of a hit is from the nearest one."""
    distances: dict[int, int] = {}
    for hit in hits:
        first = max(0, hit - _REACH)
        last = min(count, hit + _REACH + 1)
        for n in range(first, last):
            distance = abs(n - hit)
            distances[n] = min(distances.get(n, distance), distance)
    return distances


def _initials(text: str) -> str:
    """The first letters of capitalised words, apart where other words stand between."""
    letters = ""
    for word in re.findall(r"\b[A-Z]|\b[a-z]{4,}", text):
        letters += word if word.isupper() else " "
    return letters


def _is_near(same: Sequence[float], rivals: Sequence[float], far: float) -> bool:
    """Whether a sentence says the same, and no rival stands much nearer to the claim."""
    if not same:
        return False
    rival = max(rivals, default=0.0)
    return max(same) >= far * rival


def _says_figure(sentence: Sentence, figure: Figure, *, is_counted: bool, in_table: bool) -> bool:
    if not figure.unit:
        years = [day.year for day in sentence.days]
        if figure.values[0] in years:
            return True
    is_labelled = sentence.has_label_for(figure.unit)
    for known in sentence.figures:
        if is_labelled and not known.unit:
            continue
        is_equal = agrees(figure, known)
        if in_table:
            is_equal |= agrees_in_digits(figure, known)
        if is_equal and (not is_counted or known.counted & figure.counted):
            return True
    return False


def _is_same_month(day: Day, known: Day) -> bool:
    """Whether both name the same month or part of a year, or the known one lies in the other."""
    if known.last_month or not day.last_month:
        is_same_end = known.last_month == day.last_month
        return is_same_end and known.month == day.month
    return day.month <= known.month <= day.last_month


def _is_rival_day(day: Day, known: Day) -> bool:
    """Whether a claim could have meant this date in place of the other."""
    if not day.month:
        return known.year > 0
    if day.last_month:
        return known.last_month > 0
    is_as_exact = bool(known.day) == bool(day.day)
    return is_as_exact and known.month > 0


def _counts_the_same(figure: Figure, sentence: Sentence) -> bool:
    """Whether it says the figure, in the same unit and beside the same word."""
    if figure.is_small:
        return False
    for known in sentence.figures:
        if known.unit != figure.unit or known.counted.isdisjoint(figure.counted):
            continue
        if agrees(figure, known):
            return True
    return False


def _counts_alike(figure: Figure, known: Figure) -> bool:
    """Whether two small numbers stand beside the same word."""
    return known.is_small and bool(known.counted & figure.counted)


def _is_rival(figure: Figure, known: Figure) -> bool:
    """Whether a claim could have meant this figure in place of the other."""
    if figure.is_small:
        return _counts_alike(figure, known)
    return known.unit == figure.unit and not known.is_small


@lru_cache(maxsize=64)
def read_evidence(text: str) -> Evidence:
    """The same for the same text: a report is often written twice from its sources."""
    return Evidence(text)
