import pytest

from bot.render import to_markdown, to_text
from bot.render.escape import all_live


@pytest.mark.parametrize(
    ("markdown", "shown", "text"),
    [
        ("plain words", "plain words", "plain words"),
        ("__bold__, *leaning*, ~~gone~~", "**bold**, *leaning*, ~~gone~~", "bold, leaning, gone"),
        ("***both***", "***both***", "both"),
        ("`code <b>`", "`code <b>`", "`code &lt;b&gt;`"),
        ("# Title", "# Title", "Title"),
        ("one\ntwo\n\nthree", "one\ntwo\n\nthree", "one\ntwo\n\nthree"),
        ("**over\ntwo lines**", "**over\ntwo lines**", "over\ntwo lines"),
        ("> one\n>\n> two", "> one\n>\n> two", "> one\n>\n> two"),
        ("- a\n  - b\n- c", "- a\n  - b\n- c", "• a\n  • b\n• c"),
        ("3. c\n4. d", "3. c\n4. d", "3. c\n4. d"),
        ("1. a\n   - b\n\n   more", "1. a\n   - b\n\n   more", "1. a\n   • b\n\n   more"),
        ("```python\nx < 1\n```", "```python\nx < 1\n```", "```\nx &lt; 1\n```"),
        ("- a\n  ```\n  x\n  ```", "- a\n\n  ```\n  x\n  ```", "• a\n\n  ```\n  x\n  ```"),
        ("---", "---", "---"),
        ("a & b < c", "a &amp; b &lt; c", "a &amp; b &lt; c"),
        ("snake_case_name and 2 * 3 * 4", *["snake_case_name and 2 * 3 * 4"] * 2),
        ("", "", ""),
        ("un**believ**able", "un**believ**able", "unbelievable"),
        (r"\*not bold\*", r"\*not bold\*", "*\u200bnot bold*\u200b"),
        ("a`b`c", "a`b`c", "a`b`c"),
        ("[x](https://a.test)", "[x](https://a.test) (a.test)", "<https://a.test|x> (a.test)"),
        ("| Tea |\n|---|\n| *2* |", *["```\nTea\n---\n2\n```"] * 2),
    ],
)
def test_markdown_is_written_anew_and_said_in_plain_text(
    markdown: str, shown: str, text: str
) -> None:
    assert to_markdown(markdown, all_live) == shown
    assert to_text(markdown) == text


def test_a_fence_cannot_be_closed_from_inside() -> None:
    assert to_markdown("````\na\n```\nb\n````", all_live).count("```") == 2


def test_a_deeply_nested_text_is_rendered() -> None:
    assert "deep" in to_text("> " * 60 + "deep")
