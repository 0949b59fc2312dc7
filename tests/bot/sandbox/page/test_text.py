"""Texts as HTML: what each form of text shows, and that nothing foreign comes through."""

from html.parser import HTMLParser
from typing import Any

import pytest

from bot.sandbox.page.text import Texts
from tests.clocks import ManualClock
from tests.faulty_slack import FaultySlack

NOW_S = 1_790_000_000
ATTACKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<javascript:alert(1)|click>",
    "[x](javascript:alert(1))",
    "[x](/acts/say)",
    "![x](data:text/html,<script>alert(1)</script>)",
    '<https://a.test/" onmouseover="alert(1)|x>',
    '<@U1" onclick="alert(1)>',
    "<!date^1^{date}^javascript:alert(1)|x>",
    "`<b onclick=alert(1)>`",
    "```<iframe src=//evil.test>```",
    ":<svg/onload=alert(1)>:",
    "*<style>*{display:none}</style>*",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<https://a.test|<img src=x onerror=alert(1)>>",
    "\0 0\0 \x001\0",
)


@pytest.fixture
def texts() -> Texts:
    slack = FaultySlack(clock=ManualClock(NOW_S))
    return Texts(slack.state, slack.people["ann"])


def html_of(texts: Texts, block: dict[str, Any]) -> str:
    return texts.dress(block)["html"]


def link(address: str, words: str) -> str:
    return f'<a href="{address}" target="_blank" rel="noopener noreferrer">{words}</a>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*bold* _italic_ ~gone~", "<strong>bold</strong> <em>italic</em> <s>gone</s>"),
        ("*a _b_ c*", "<strong>a <em>b</em> c</strong>"),
        ("2 * 3 * 4 and snake_case_name", "2 * 3 * 4 and snake_case_name"),
        ("**no** *", "**no** *"),
        ("*\u200bno* a\u200b_yes_", "*\u200bno* a\u200b<em>yes</em>"),
        ("`a *b* &lt;c&gt;`", "<code>a *b* &lt;c&gt;</code>"),
        ("one\n  two\n\nthree", "one<br>\n&nbsp;&nbsp;two<br><br>three"),
        ("a\n&gt; b\n&gt; *c*\nd", "a<blockquote>\nb<br>\n<strong>c</strong></blockquote>\nd"),
        ("a\n```\n  x *y*\n```\nb", "a<pre><code>  x *y*</code></pre>b"),
        ("half ``` open", "half ``` open"),
        (
            "see https://a.test/x_y_z.",
            f"see {link('https://a.test/x_y_z', 'https://a.test/x_y_z')}.",
        ),
        ("<https://a.test?a=1&amp;b=2|A & B>", link("https://a.test?a=1&amp;b=2", "A &amp; B")),
        ("<mailto:a@b.test>", link("mailto:a@b.test", "a@b.test")),
        (":nothing: 10:30:45", ":nothing: 10:30:45"),
        (
            "<!here> <!subteam^S1|@ops>",
            '<span class="mention is-me">@here</span> <span class="mention is-me">@ops</span>',
        ),
        ("<!date^1790000000^{date_short_pretty}, {time}|then>", "<time>today, 4:13 PM</time>"),
    ],
)
def test_mrkdwn_is_shown_as_slack_shows_it(texts: Texts, text: str, html: str) -> None:
    assert texts.mrkdwn(text) == html


def test_people_and_channels_go_by_their_names_and_oneself_stands_out(texts: Texts) -> None:
    slack = FaultySlack()
    ann, ben = slack.people["ann"], slack.people["ben"]
    general = slack.channels["general"]
    assert texts.mrkdwn(f"<@{ben}>") == (
        f'<button class="mention" data-user="{ben}" type="button">@Ben Nevis</button>'
    )
    assert 'class="mention is-me"' in texts.mrkdwn(f"<@{ann}|somebody>")
    assert ">#general</button>" in texts.mrkdwn(f"<#{general}|old-name>")
    assert texts.typed(f"<@{ben}> in <#{general}> &lt;3 <https://a.test|x>") == (
        "@ben in #general <3 https://a.test"
    )


def test_markdown_has_headings_lists_tables_code_and_links_that_lead_outside(texts: Texts) -> None:
    text = (
        "# Title\n\n1. one\n2. two\n   - deep\n\n| A | B |\n|---|---|\n| x | **1** |\n\n> said\n\n"
        "```py\nprint(1)\n```\n\n[words](https://a.test) ~~gone~~ <!here> :tada: "
        "[https://b.test](https://a.test)"
    )
    html = html_of(texts, {"type": "markdown", "text": text})
    assert "<h4>Title</h4>" in html
    assert "<ol>\n<li>one</li>\n<li>two<ul>\n<li>deep</li>" in html.replace("two\n", "two")
    assert "<td><strong>1</strong></td>" in html
    assert "<blockquote>" in html
    assert "<pre><code>print(1)\n</code></pre>" in html
    assert link("https://a.test", "words") in html
    assert "<s>gone</s>" in html
    assert "@here</span>" in html
    assert "🎉" in html
    assert html.count("<a ") == 2


LEAVES = [
    {"type": "text", "text": "a\nb"},
    {"type": "link", "url": "https://a.test"},
    {"type": "link", "url": "javascript:alert(1)", "text": "no link"},
]
TADA = '<span class="emoji" role="img" aria-label="tada emoji" title=":tada:">🎉</span>'


@pytest.mark.parametrize(
    ("block", "html"),
    [
        ({"type": "plain_text", "text": "*a* <b>\n:tada:"}, f"*a* &lt;b&gt;<br>{TADA}"),
        (
            {"type": "rich_text", "elements": [{"elements": LEAVES}]},
            f"<div>a<br>b{link('https://a.test', 'https://a.test')}no link</div>",
        ),
    ],
)
def test_plain_and_rich_text_show_what_they_hold(
    texts: Texts, block: dict[str, Any], html: str
) -> None:
    assert html_of(texts, block) == html


def test_html_that_an_app_sends_along_is_taken_away_everywhere(texts: Texts) -> None:
    evil = "<img src=x onerror=alert(1)>"
    dressed = texts.dress(
        [
            {
                "type": "section",
                "html": evil,
                "text": {"type": "mrkdwn", "text": "x", "html": evil},
            },
            {"type": "raw_text", "text": "x", "html": evil, "deep": [{"html": evil}]},
            {"type": "mrkdwn", "text": 7, "html": evil},
        ]
    )
    assert "onerror" not in str(dressed)
    assert dressed[0]["text"]["html"] == "x"


class Seen(HTMLParser):
    """Fails on any tag, attribute or address that could do something."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "style", "iframe", "img", "svg", "object", "form", "link"), tag
        for name, value in attrs:
            assert not name.startswith("on"), name
            assert name not in ("style", "src", "srcdoc", "id"), name
            if name == "href":
                assert value is not None
                assert value.startswith(("http://", "https://", "mailto:")), value


@pytest.mark.parametrize("kind", ["mrkdwn", "plain_text", "markdown"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_attack_becomes_markup(texts: Texts, kind: str, attack: str) -> None:
    Seen().feed(html_of(texts, {"type": kind, "text": attack}))
    leaf = {"type": "link", "url": attack, "text": attack, "style": {"bold": True}}
    part = {"type": "rich_text_section", "elements": [leaf]}
    Seen().feed(html_of(texts, {"type": "rich_text", "elements": [part]}))
