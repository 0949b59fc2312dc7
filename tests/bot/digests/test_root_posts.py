"""The first post of a digest: its headline, its lines, and what they are to be read with."""

from datetime import timedelta

import pytest
from bot.digests.report import Finding, Report

from agent_core.prompts.language import Language
from bot.digests import posts
from bot.digests.posts import Telling
from bot.digests.words import WORDS
from bot.render import IsLive
from tests.bot.digests.orders import (
    BEFORE,
    LANGUAGES,
    LONG_RULE,
    NOW,
    everything,
    pings,
    report,
    schedule,
    telling,
)

SPAIN = "Spain approves 2 GW, 20 March, <https://elmundo.example/spain|El Mundo> (elmundo.example)"
ESSEN = "A plant in Essen opens, 19 March, <https://waz.example/essen|WAZ> (waz.example)"
FOOTER = (
    "_Digest 3 · every weekday at 09:00 (Europe/Berlin) · ordered by Ann"
    " · reply here to go on with it_"
)


def root(
    found: Report, told: Telling, language: Language = "en", is_live: IsLive = everything
) -> list[str]:
    return posts.root(found, told, language, is_live).split("\n")


def test_the_first_digest_marks_nothing_as_new() -> None:
    assert root(report(), telling()) == [
        "*Battery storage grows*",
        f"• {SPAIN}",
        f"• {ESSEN}",
        "_This is the first one._",
        FOOTER,
    ]


def test_the_second_digest_says_what_is_new_since_the_first() -> None:
    found = report(sources=["elmundo.example/spain"])

    assert root(found, telling(BEFORE)) == [
        "*Battery storage grows*",
        f"• *new* {ESSEN}",
        f"• {SPAIN}",
        "_New since Thu 26 March 2026, 09:00: 1 of 2._",
        FOOTER,
    ]


def test_a_digest_without_news_that_is_posted_all_the_same_says_so() -> None:
    found = report(sources=["elmundo.example/spain", "waz.example/essen"])

    assert "_Nothing new since Thu 26 March 2026, 09:00._" in root(found, telling(BEFORE))
    assert not any("•" in line for line in root(found, telling(BEFORE)))


def test_a_digest_with_nothing_in_it_has_a_headline_and_notes() -> None:
    assert root(report("# Nothing new\n---\nI looked."), telling(BEFORE)) == [
        "*Nothing new*",
        "_Nothing new since Thu 26 March 2026, 09:00._",
        FOOTER,
    ]


def test_the_one_line_of_a_digest_that_found_nothing_new() -> None:
    assert posts.nothing_new(telling(BEFORE), "en") == (
        "*battery storage*: Nothing new since Thu 26 March 2026, 09:00."
    )


def test_a_late_digest_says_when_it_was_due_and_what_was_left_out() -> None:
    late = telling(claimed_at=NOW + timedelta(hours=1), left_out=2)

    assert root(report(), late)[3:] == [
        "_This is the first one._",
        "_Late: this was due Fri 27 March 2026, 09:00._",
        "_2 earlier ones were left out._",
        FOOTER,
    ]


def test_a_digest_within_five_minutes_is_not_late() -> None:
    on_time = telling(claimed_at=NOW + timedelta(seconds=posts.LATE_S))

    assert len(root(report(), on_time)) == 5


def test_a_digest_by_hand_is_never_late() -> None:
    by_hand = telling(by_hand=True, claimed_at=NOW + timedelta(hours=1), left_out=1)

    assert root(report(), by_hand)[4:] == ["_Made on request, beside its usual times._", FOOTER]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_digest_is_told_in_its_language(language: Language) -> None:
    words = WORDS[language]
    lines = root(report(), telling(BEFORE, left_out=1), language)

    assert lines[1].startswith(f"• *{words.new_mark}* Spain")
    assert lines[-2] == f"_{words.count(words.left_out, 1)}_"


def test_a_link_to_an_address_that_may_not_be_live_is_text() -> None:
    lines = root(report(), telling(), is_live=lambda url: "elmundo" in url)

    assert lines[1].endswith("<https://elmundo.example/spain|El Mundo> (elmundo.example)")
    assert lines[2].endswith("WAZ (`waz.example/essen`)")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("<!channel> all", "&lt;!channel&gt; all"),
        ("&lt;!channel&gt; all", "&lt;!channel&gt; all"),
        ("<@U9> you", "&lt;@U9&gt; you"),
        ("@here now", "@\u2060here now"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ("# Big", "# Big"),
        ("- - deep", "- - deep"),
        ("> quoted", "&gt; quoted"),
        ("``` code", "\u2035\u2035\u2035 code"),
        ("a `b` ` c", "a `b` \u2035 c"),
        ("1. one", "1. one"),
        ("| a | b |", "| a | b |"),
        ("<b>bold</b>", "&lt;b&gt;bold&lt;/b&gt;"),
    ],
)
def test_what_a_line_says_stays_one_line_without_effect(line: str, shown: str) -> None:
    found = Report(
        title="t",
        findings=(Finding(text=line, is_new=True),),
        details="",
        claims=(),
        sources=(),
    )

    assert root(found, telling())[1].replace("\u200b", "") == f"• {shown}".replace("\u200b", "")


@pytest.mark.parametrize(
    "answer",
    [
        "# " + "&" * 500 + "\n" + "\n".join("- " + f"{n} " + "&" * 400 for n in range(9)),
        "# T\n" + "\n".join(f"- {n} [Label](https://a.example/{'x' * 900})" for n in range(9)),
        "# T\n- [Label](https://a.example/" + "x" * 2_900 + ")\n- short [B](https://b.example)",
        "# T\n" + "\n".join(f"- {n} " + "<@U1>" * 200 for n in range(9)),
        "# T\n" + "\n".join(f"- {n} " + "[a](http://a.b) " * 300 for n in range(9)),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_digest_breaks_no_limit_of_slack(language: Language, answer: str) -> None:
    of = schedule(rule=LONG_RULE)
    late = telling(BEFORE, of, claimed_at=NOW + timedelta(hours=1), left_out=12)

    text = posts.root(report(answer), late, language, everything)

    assert len(text) <= posts.ROOT_CHARS
    assert sum(line.startswith("• ") for line in text.split("\n")) <= 5
    assert text.split("\n")[-1].startswith("_Digest 3")
    assert pings(text) == set()


def test_room_that_one_line_leaves_is_another_ones() -> None:
    url = f"https://a.example/{'x' * 2_000}"
    found = report(f"# T\n- one\n- two\n- three\n- four\n- [Label]({url})")

    assert root(found, telling())[5] == f"• <{url}|Label> (a.example)"


def test_a_line_that_does_not_fit_with_its_address_keeps_its_words() -> None:
    found = report(f"# T\n- Spain, [El Mundo](https://a.example/{'x' * 2_900})\n- two\n- three")

    assert root(found, telling())[1] == "• Spain, El Mundo"


def test_a_line_of_nothing_but_a_long_address_shows_its_beginning_as_text() -> None:
    found = report(f"# T\n- https://a.example/{'x' * 2_900}\n- two\n- three")

    line = root(found, telling())[1]

    assert line.startswith("• `a.example/xxx")
    assert line.endswith("x…`")
