import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render import answer_drafts, clean, escape, one_line, to_mrkdwn

LIVE_MENTION = re.compile(r"<[@#!][^>]*>")
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


@given(hostile)
def test_nothing_hidden_reaches_slack_and_every_link_goes_to_the_web(text: str) -> None:
    shown = to_mrkdwn(text)
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
