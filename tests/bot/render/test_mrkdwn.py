import pytest

from bot.render import to_mrkdwn


@pytest.mark.parametrize(
    ("markdown", "mrkdwn"),
    [
        ("plain words", "plain words"),
        ("**bold** and *leaning* and ~~gone~~", "*bold* and _leaning_ and ~gone~"),
        ("__bold__ and _leaning_", "*bold* and _leaning_"),
        ("***both***", "_*both*_"),
        ("`code <b>`", "`code &lt;b&gt;`"),
        ("# Title", "*Title*"),
        ("### A **bold** title", "*A bold title*"),
        ("one\ntwo", "one\ntwo"),
        ("one\n\ntwo", "one\n\ntwo"),
        ("**over\ntwo lines**", "*over*\n*two lines*"),
        ("> quoted\n> more", "> quoted\n> more"),
        ("> one\n>\n> two", "> one\n>\n> two"),
        ("- a\n- b", "• a\n• b"),
        ("1. a\n2. b", "1. a\n2. b"),
        ("3. c\n4. d", "3. c\n4. d"),
        ("- a\n  - b\n    - c\n- d", "• a\n    ◦ b\n        ▪ c\n• d"),
        ("1. a\n   - b\n\n   more", "1. a\n    ◦ b\nmore"),
        ("```python\nx < 1\n```", "```\nx &lt; 1\n```"),
        ("    indented", "```\nindented\n```"),
        ("---", "──────────"),
        ("a & b < c > d", "a &amp; b &lt; c &gt; d"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("<b>raw</b> html", "&lt;b&gt;raw&lt;/b&gt; html"),
        ("", ""),
        ("un**believ**able", "un\u200b*believ*\u200bable"),
        ("a`b`c", "a\u200b`b`\u200bc"),
        (r"\*not bold\*", "*\u200bnot bold*"),
        (
            "| Name | Price |\n|:-----|------:|\n| Tea | 2 |\n| Coffee **x** | 13 |",
            "```\nName     | Price\n---------+------\nTea      |     2\nCoffee x |    13\n```",
        ),
    ],
)
def test_markdown_becomes_slacks_markup(markdown: str, mrkdwn: str) -> None:
    assert to_mrkdwn(markdown) == mrkdwn


def test_a_fence_cannot_be_closed_from_inside() -> None:
    rendered = to_mrkdwn("````\na\n```\nb\n````")

    assert rendered.count("```") == 2


def test_a_deeply_nested_text_is_rendered() -> None:
    assert "deep" in to_mrkdwn("> " * 60 + "deep")
