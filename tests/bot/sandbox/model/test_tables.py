"""What a table says to a question, whatever marks its numbers and columns are written with."""

import pytest

from bot.sandbox.model.tables import answer_from_table, read_table

GERMAN = "\ufeffWare;Preis;Anzahl\nTee;4,20 €;1.200\nSafran;1.031,50 €;2\nSafran, rot;9,00 €;1\n"
REGIONS = "region\tunits\nNorth\t1,200\nSouth\t300\nNorth\t50\n"


def ask(text: str, question: str, language: str = "en") -> str:
    table = read_table(text)
    assert table is not None
    return answer_from_table(table, question, file="data.csv", language=language)


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (GERMAN, "Which is the most expensive?", "1.031,50 € (Ware: Safran, Anzahl: 2)"),
        (GERMAN, "What is the lowest Preis?", "4,20 € (Ware: Tee, Anzahl: 1.200)"),
        (REGIONS, "How many units in the North?", "The total units in data.csv is 1,250."),
        (REGIONS, "How many rows are there?", "asks about: 3."),
        (REGIONS, "What is the average?", "The average units in data.csv is 516.67."),
        (REGIONS, "What about the South?", "data.csv has this: region: South, units: 300."),
        ("name\n", "What is in it?", "data.csv has 0 rows with the columns name:"),
        ('a,b\nx,"two\nlines"\n', "What is in it?", "- a: x, b: two lines"),
        ("a,b\n*x*,7,9\ny\n", "Which is the highest?", "7 (a: \\*x\\*)"),
    ],
)
def test_a_question_is_answered_from_the_cells(text: str, question: str, answer: str) -> None:
    assert answer in ask(text, question)


def test_the_answer_is_in_the_language_that_is_asked_for() -> None:
    assert ask(REGIONS, "¿Qué es lo más alto?", "es").startswith("El valor más alto de «units»")


@pytest.mark.parametrize("text", ["", " \n\n", "\ufeff"])
def test_a_text_without_a_line_holds_no_table(text: str) -> None:
    assert read_table(text) is None
