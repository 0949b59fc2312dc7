"""Tables in text files: which rows and columns a question is about, and what they say."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.sandbox.model.language import content_words, stem
from bot.sandbox.model.phrases import phrase
from bot.sandbox.model.reporting import escape

DELIMITERS = ",;\t|"
SHOWN_ROWS = 3
SHOWN_TIES = 3
NUMBER = re.compile(r"[-+]?\d[\d.,' \u00a0]*")
AROUND_NUMBER = re.compile(r"^[\s€$£¥%]+|[\s€$£¥%]+$|\b(?:eur|usd|gbp|chf)\b", re.IGNORECASE)
LOWEST = re.compile(
    r"\b(?:lowest|least|smallest|min(?:imum|imal)?|cheap\w*|fewest|shortest|niedrigst\w*|"
    r"kleinst\w*|günstigst\w*|billigst\w*|wenigst\w*|plus (?:bas|petit)\w*|moins|"
    r"más (?:baj|barat|pequeñ)\w*|menor|mínim\w*)\b",
    re.IGNORECASE,
)
HIGHEST = re.compile(
    r"\b(?:highest|most|largest|biggest|greatest|max(?:imum|imal)?|top|longest|dearest|"
    r"höchst\w*|größt\w*|teuerst\w*|meist\w*|plus (?:haut|élevé|grand|cher)\w*|"
    r"más (?:alt|car|grande)\w*|mayor|máxim\w*)\b",
    re.IGNORECASE,
)
MEAN = re.compile(
    r"\b(?:average|mean|durchschnitt\w*|mittelwert|moyenne|promedio|media)\b", re.IGNORECASE
)
SUM = re.compile(
    r"\b(?:total|sum|altogether|summe|insgesamt|gesamt\w*|somme|suma)\b", re.IGNORECASE
)
COUNT = re.compile(r"\b(?:how many|number of|wie ?viele|combien de|cuánt[oa]s)\b", re.IGNORECASE)
ABOUT_PRICE = re.compile(
    r"\b(?:expensive|cheap\w*|dearest|teuer\w*|günstig\w*|billig\w*|chers?|chère|car[oa]|barat\w*)\b",
    re.IGNORECASE,
)
PRICE_WORDS = ("price", "preis", "prix", "precio", "cost", "kosten")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of as many cells as there are columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def numbers(self, place: int) -> list[tuple[float, tuple[str, ...]]]:
        """The rows whose cell is a number, each with the number."""
        found = [(_number(row[place]), row) for row in self.rows]
        return [(number, row) for number, row in found if number is not None]

    def number_columns(self) -> list[int]:
        """The places of the columns in which most of the filled cells are numbers."""
        places = range(len(self.columns))
        filled = {place: sum(bool(row[place]) for row in self.rows) for place in places}
        return [place for place in places if 2 * len(self.numbers(place)) > filled[place]]

    def describe(self, row: tuple[str, ...], *, leaving_out: int = -1) -> str:
        """A row in words, less one column."""
        named = zip(self.columns, row, strict=True)
        kept = [pair for place, pair in enumerate(named) if place != leaving_out and pair[1]]
        return ", ".join(f"{column}: {cell}" for column, cell in kept)


def is_reckoning(question: str) -> bool:
    """Whether a question asks for a lowest, highest, mean or total value, or for how many."""
    return any(kind.search(question) for kind in (LOWEST, HIGHEST, MEAN, SUM, COUNT))


def read_table(text: str) -> Table | None:
    """The table in a text of separated values; None where there is none."""
    text = text.removeprefix("\ufeff").strip()
    first = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=first.count)
    try:
        read = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    except csv.Error:
        return None
    lines = [[" ".join(cell.split()) for cell in line] for line in read if any(line)]
    if not lines:
        return None
    columns, rows = lines[0], lines[1:]
    width = len(columns)
    fitted = tuple(tuple((row + [""] * width)[:width]) for row in rows)
    return Table(columns=tuple(columns), rows=fitted)


def answer_from_table(
    table: Table, question: str, *, file: str, language: str, before: Sequence[str] = ()
) -> str:
    """One sentence that answers the question from the table, or what the table holds.

    A column that the question leaves unsaid is taken from those before it, the newest first.
    """
    named = _rows_named(table, question.replace(file, " "))
    part = Table(columns=table.columns, rows=named) if named else table
    told = _reckon(part, _Asked(question=question, before=before, file=file, language=language))
    if named and not told:
        told = _tell_rows(part, file, language)
    return escape(told) or _overview(table, file, language)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    question: str
    before: Sequence[str]
    file: str
    language: str

    def says(self, kind: re.Pattern[str]) -> bool:
        return kind.search(self.question) is not None


def _reckon(table: Table, asked: _Asked) -> str:
    place = _column_asked(table, asked)
    told = {"file": asked.file}
    counts = asked.says(COUNT)
    if counts and (place is None or not _columns_named(table, [place], asked.question)):
        return phrase("table_rows", asked.language, **told, n=str(len(table.rows)))
    if place is None:
        return ""
    told["column"] = table.columns[place]
    values = [number for number, _ in table.numbers(place)]
    if asked.says(LOWEST) or asked.says(HIGHEST):
        best = _extreme(table, place, is_low=asked.says(LOWEST))
        name = "table_lowest" if asked.says(LOWEST) else "table_highest"
        return phrase(name, asked.language, **told, value=best)
    if asked.says(MEAN):
        mean = _plain(sum(values) / len(values))
        return phrase("table_mean", asked.language, **told, value=mean)
    if asked.says(SUM) or counts:
        return phrase("table_sum", asked.language, **told, value=_plain(sum(values)))
    return ""


def _extreme(table: Table, place: int, *, is_low: bool) -> str:
    """The lowest or highest value as written, with the rest of its rows in brackets."""
    numbers = table.numbers(place)
    values = [number for number, _ in numbers]
    best = min(values) if is_low else max(values)
    rows = [row for number, row in numbers if number == best]
    others = [table.describe(row, leaving_out=place) for row in rows[:SHOWN_TIES]]
    where = "; ".join(other for other in others if other)
    return rows[0][place] + (f" ({where})" if where else "")


def _tell_rows(table: Table, file: str, language: str) -> str:
    rows = "; ".join(table.describe(row) for row in table.rows[:SHOWN_ROWS])
    return phrase("table_row", language, file=file, row=rows)


def _overview(table: Table, file: str, language: str) -> str:
    rows, columns = str(len(table.rows)), ", ".join(table.columns)
    head = escape(phrase("table_holds", language, file=file, n=rows, columns=columns))
    return "\n".join(
        [head, *(f"- {escape(table.describe(row))}" for row in table.rows[:SHOWN_ROWS])]
    )


def _column_asked(table: Table, asked: _Asked) -> int | None:
    """The column of numbers that is asked about, or the last one there is."""
    places = table.number_columns()
    texts = (asked.question, *asked.before)
    named = [place for text in texts for place in _columns_named(table, places, text)]
    return next(iter(named or reversed(places)), None)


def _columns_named(table: Table, places: Sequence[int], text: str) -> list[int]:
    """The columns that a text names, the one with most of its words first."""
    said = _stems(text)
    if ABOUT_PRICE.search(text):
        said |= {stem(word) for word in PRICE_WORDS}
    shared = {place: len(said & _stems(table.columns[place])) for place in places}
    return sorted((place for place in places if shared[place]), key=lambda place: -shared[place])


def _rows_named(table: Table, question: str) -> tuple[tuple[str, ...], ...]:
    """The rows with a cell of words that all stand in the question."""
    asked = _stems(question) - {s for column in table.columns for s in _stems(column)}
    return tuple(row for row in table.rows if any(_is_said(cell, asked) for cell in row))


def _is_said(cell: str, asked: set[str]) -> bool:
    stems = _stems(cell)
    return bool(stems) and _number(cell) is None and stems <= asked


def _stems(text: str) -> set[str]:
    return {stem(word) for word in content_words(text)}


def _number(cell: str) -> float | None:
    bare = AROUND_NUMBER.sub("", cell).strip()
    if not NUMBER.fullmatch(bare):
        return None
    digits = re.sub(r"[' \u00a0]", "", bare)
    try:
        return float(_with_point(digits))
    except ValueError:
        return None


def _with_point(digits: str) -> str:
    """A number with a decimal point and no groups: 1,234.5 and 1.234,5 and 12,50."""
    last = max(digits.rfind("."), digits.rfind(","))
    if last < 0:
        return digits
    mark = digits[last]
    groups = digits.count(mark) > 1 or (mark == "," and re.fullmatch(r"[-+]?\d+(,\d{3})", digits))
    whole, rest = re.sub(r"[.,]", "", digits[:last]), digits[last + 1 :]
    return f"{whole}{rest}" if groups else f"{whole}.{rest}"


def _plain(number: float) -> str:
    return f"{number:,.2f}".removesuffix(".00")
