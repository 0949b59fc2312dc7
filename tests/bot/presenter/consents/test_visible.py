"""What a text hides from the eye is named, and nothing of it is lost."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.presenter.consents.visible import exact_json, made_visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Dear Bob,\n\nhello", "Dear Bob,\n\nhello"),
        ("- one\n    - two", "- one\n    - two"),
        ("a" + " " * 5_000 + "b", "a⟨5000 ␣⟩b"),
        ("a" + "\n" * 40 + "b", "a⟨40 ⏎⟩\nb"),
        ("a\tb", "a⟨⇥⟩b"),
        ("abc\u202edcba", "abc⟨U+202E⟩dcba"),
        ("a" + "\u00a0" * 300 + "b", "a⟨300 U+00A0⟩b"),
        ("pay\u200bpal", "pay⟨U+200B⟩pal"),
        ("\u3164" * 9, "⟨9 U+3164⟩"),
        ("x\r\ny", "x⟨U+000D⟩\ny"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("a⟨5 ␣⟩b", "a⟨U+27E8⟩5 ␣⟨U+27E9⟩b"),
        ("\ud800", "⟨U+D800⟩"),
        ("Grüße 👍🏽 ❤️", "Grüße 👍🏽 ❤️"),
    ],
)
def test_what_cannot_be_seen_has_a_name(text: str, shown: str) -> None:
    assert made_visible(text) == shown


def test_blank_lines_with_spaces_in_them_do_not_hide_an_end() -> None:
    shown = made_visible("Hello" + "\n " * 200 + "and the password")
    assert shown == "Hello" + "⟨⏎⟩ " * 200 + "\nand the password"


@given(st.text(alphabet=" \n\t\u00a0\u202eab⟨⟩", max_size=40), st.text(" \nab⟨", max_size=40))
def test_two_texts_that_differ_look_different(one: str, other: str) -> None:
    assert (made_visible(one) == made_visible(other)) == (one == other)


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=60), max_size=4))
def test_the_file_holds_exactly_what_would_be_sent(arguments: dict[str, str]) -> None:
    text = exact_json(arguments)
    assert json.loads(text) == arguments
    assert all(character.isprintable() for line in text.splitlines() for character in line)
    assert not any(" " * 5 in line.strip() for line in text.splitlines())
