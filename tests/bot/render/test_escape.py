import re
from collections.abc import Iterator
from json import dumps

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it.token import Token

from bot.render import answer_drafts, clean, escape, one_line, to_text
from tests.bot.render.slack_links import MARKDOWN, words_of

LIVE_MENTION = re.compile(r"<(?:[@#][A-Z0-9]|![a-z])[^>]*>")
"""Slack reads up to the next `>`, but only what begins with an id or a name is a reference."""
BROADCAST = re.compile(r"@(here|channel|everyone|group)\b", re.IGNORECASE)

hostile = st.lists(
    st.sampled_from([
        "<!channel>", "<!here>", "<@U12345>", "<!subteam^S1>", "<#C1>", "@here", "@Channel",
        "@everyone", "```", "`", "**", "*", "_", "~", "> ", "\n", " ", "[", "](", ")", "![",
        "https://evil.example/?k=1", "javascript:alert(1)", "|", "<", ">", "&", "&lt;", "word",
        "\u202e", "\u0007",
    ]),
    max_size=25,
).map("".join)  # fmt: skip


@given(hostile)
def test_no_mention_in_foreign_text_is_live(text: str) -> None:
    for draft in answer_drafts(text):
        assert not LIVE_MENTION.search(draft.text)
        assert not BROADCAST.search(draft.text)
        for block in draft.blocks:
            shown = dumps(block, ensure_ascii=False)
            assert not LIVE_MENTION.search(shown)
            assert not BROADCAST.search(shown)


marked = st.lists(
    st.sampled_from([
        "<!here>", "<@U1>", "**", "*", "_", "~~", "~", "`", "```", "\n```\n", "> ", "\n", "\n\n",
        " ", "# ", "- ", "1. ", "7) ", "+ ", "=", "---", ":", "\\", "#", "&amp;",
        "word", "two words", "x_y", "[1]", "]", "[", ")", "!", "    ", "\t",
    ]),
    max_size=25,
).map("".join)  # fmt: skip


@settings(max_examples=200)
@given(marked)
def test_markdown_written_anew_says_what_was_said(text: str) -> None:
    said = re.sub(r"[\s\u200b\u2060]+", "", "".join(_words(MARKDOWN.parse(clean(text)))))
    shown = "".join(map(words_of, answer_drafts(text)))
    assert shown.replace("\u2035", "`") == said.replace("\u2035", "`")


def _words(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        yield token.content if token.type in {"fence", "code_block"} else ""
        for child in token.children or ():
            yield child.content


@given(hostile)
def test_nothing_hidden_reaches_slack_and_every_link_goes_to_the_web(text: str) -> None:
    shown = to_text(text)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08]", shown)
    for target in re.findall(r"<([^>|]+)", shown):
        assert target.startswith(("https://", "http://", "mailto:"))


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("<!channel>", "&lt;!channel&gt;"),
        ("<@U12345>", "&lt;@U12345&gt;"),
        ("<!subteam^S1>", "&lt;!subteam^S1&gt;"),
        ("&lt;!channel&gt;", "&amp;lt;!channel&amp;gt;"),
        ("@here and @CHANNEL", "@\u2060here and @\u2060CHANNEL"),
        ("ann@hereford.test", "ann@hereford.test"),
    ],
)
def test_mentions_are_shown_and_ring_nobody(foreign: str, shown: str) -> None:
    assert escape(foreign) == shown


@pytest.mark.parametrize(
    ("given_text", "kept"),
    [
        ("report\u202efdp.exe", "reportfdp.exe"),
        ("a\u0000b\u0007c", "abc"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("see\U000e0041\U000e0042", "see"),
        ("a\u200d👩\u200d👧", "a\u200d👩\u200d👧"),
        ("lone \ud800 surrogate", "lone  surrogate"),
    ],
)
def test_characters_that_hide_or_turn_text_are_dropped(given_text: str, kept: str) -> None:
    assert clean(given_text) == kept


def test_foreign_words_in_our_lines_are_one_short_line() -> None:
    assert one_line("a query\nover lines " + "x" * 100, 20) == "a query over lines…"
