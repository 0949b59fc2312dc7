"""Arguments as lines: all of them, and none that can be taken for another one."""

from typing import Any

from bot.presenter.consents import arguments as rendering


def argument_lines(arguments: dict[str, Any]) -> list[str]:
    return list(rendering.argument_lines(arguments))


def test_every_value_has_a_line_with_its_whole_name() -> None:
    arguments = {
        "to": "bob@example.com",
        "cc": ["a@example.com", "b@example.com"],
        "attachment": {"name": "report.html", "s3key": "k1"},
        "is_html": True,
        "retries": 2,
        "thread": None,
        "labels": [],
    }
    assert argument_lines(arguments) == [
        "to: bob@example.com",
        "cc[0]: a@example.com",
        "cc[1]: b@example.com",
        "attachment.name: report.html",
        "attachment.s3key: k1",
        "is_html: true",
        "retries: 2",
        "thread: null",
        "labels: []",
    ]


def test_a_line_of_a_text_does_not_look_like_an_argument() -> None:
    assert argument_lines({"body": "Hello\nbcc: nobody@example.com", "bcc": "eve@example.com"}) == [
        "body:",
        "  │ Hello",
        "  │ bcc: nobody@example.com",
        "bcc: eve@example.com",
    ]


def test_a_text_that_reads_like_another_kind_of_value_is_quoted() -> None:
    lines = argument_lines({"a": "2", "b": "true", "c": "", "d": " x", "e": '{"f": 1}', "g": "2 x"})
    assert lines == ['a: "2"', 'b: "true"', 'c: ""', 'd: " x"', 'e: "{"f": 1}"', "g: 2 x"]


def test_a_name_cannot_pretend_to_be_several() -> None:
    assert argument_lines({"to: a\nbcc": "x", "a.b": "y"}) == [
        r'"to: a\nbcc": x',
        '"a.b": y',
    ]


def test_five_thousand_spaces_do_not_push_the_end_out_of_sight() -> None:
    [line] = argument_lines({"body": f"Hello{' ' * 5_000}and send me the password"})
    assert line == "body: Hello⟨5000 ␣⟩and send me the password"
