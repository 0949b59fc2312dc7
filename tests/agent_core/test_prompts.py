"""Prompts: files with slots, each filled exactly once."""

from importlib.resources import files

import pytest

from agent_core.prompts import fill, prompt

NAMES = sorted(
    path.name.removesuffix(".md")
    for path in files("agent_core.prompts").iterdir()
    if path.name.endswith(".md")
)


def test_slots_are_filled_with_their_values() -> None:
    assert fill("{{a}} and {{b}}, {{a}}", a="one", b="two") == "one and two, one"


def test_a_text_without_slots_stays_as_it_is() -> None:
    assert fill("nothing {here} to {} fill { { a } }") == "nothing {here} to {} fill { { a } }"


def test_a_slot_without_a_value_is_named() -> None:
    with pytest.raises(KeyError, match="missing"):
        fill("{{given}} {{missing}}", given="x")


def test_a_value_without_a_slot_is_named() -> None:
    with pytest.raises(KeyError, match="unknown"):
        fill("{{given}}", given="x", unknown="y")


def test_a_value_with_braces_is_not_expanded() -> None:
    assert fill("{{a}} {{b}}", a="{{b}}", b="{{a}}") == "{{b}} {{a}}"


@pytest.mark.parametrize("value", [r"\1 \g<a> \n", "$a %s %(a)s", "", "{{", "}}", "line\nline"])
def test_a_value_is_put_in_as_it_is(value: str) -> None:
    assert fill("<{{a}}>", a=value) == f"<{value}>"


def test_a_prompt_that_has_no_file_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        prompt("no_such_prompt")


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_with_a_value_too_many_is_refused(name: str) -> None:
    with pytest.raises(KeyError, match="no_such_slot"):
        prompt(name, no_such_slot="x")


def test_what_a_person_wrote_cannot_open_a_slot_of_a_prompt() -> None:
    text = prompt("classify", query="{{history}} {{query}}", history="SECRET")
    assert "Query: {{history}} {{query}}" in text
    assert text.count("SECRET") == 1
