"""Proposals, lists, refusals and trouble, as their readers see them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, get_args

import pytest

from agent_core.prompts.language import Language
from bot.digests import posts
from bot.digests.clerk import NotDone
from bot.digests.words import WORDS, Button, Refusal
from bot.render import limits
from tests.bot.digests.orders import LANGUAGES, LONG_RULE, NOW, RULE, SCHEDULE, schedule


def texts_of(blocks: Sequence[Any]) -> list[str]:
    return [block["text"]["text"] for block in blocks if block["type"] == "section"]


def test_a_proposal_says_what_was_understood_and_asks_for_one_click() -> None:
    draft = posts.proposal(schedule(status="proposed"), "en", NOW)

    assert draft.text == (
        "*battery storage*\n"
        "Every weekday at 09:00 (Europe/Berlin), in <#C0NEWS>\n"
        "Next: Mon 30 March 2026, 09:00 · Tue 31 March 2026, 09:00 · Wed 1 April 2026, 09:00\n"
        "Shall I do that?"
    )
    section, actions = draft.blocks
    assert texts_of([section]) == [draft.text]
    assert actions == {
        "type": "actions",
        "elements": [
            {
                "type": "button",
                "action_id": "digest.confirm",
                "text": {"type": "plain_text", "text": "Confirm"},
                "value": "0123456789abcdef",
                "style": "primary",
            },
            {
                "type": "button",
                "action_id": "digest.change",
                "text": {"type": "plain_text", "text": "Change"},
                "value": "0123456789abcdef",
            },
            {
                "type": "button",
                "action_id": "digest.cancel",
                "text": {"type": "plain_text", "text": "Cancel"},
                "value": "0123456789abcdef",
            },
        ],
    }


@pytest.mark.parametrize(
    ("mode", "line"),
    [
        ("be_silent", "_I post only when there is something new._"),
        ("say_so", "_When there is nothing new, I say so in one line._"),
    ],
)
def test_a_proposal_says_what_happens_without_news(mode: str, line: str) -> None:
    assert posts.proposal(schedule(mode=mode), "en", NOW).text.split("\n")[3] == line


def test_what_was_agreed_on_says_by_whom() -> None:
    draft = posts.agreed(SCHEDULE, "de", NOW)

    assert draft.text == (
        "Eingeplant als Digest 3, bestellt von <@U1>: *battery storage*\n"
        "Jeden Werktag um 09:00 Uhr (Europe/Berlin), in <#C0NEWS>\n"
        "Nächste: Mo, 30. März 2026, 09:00 · Di, 31. März 2026, 09:00 · Mi, 1. April 2026, 09:00"
    )
    assert draft.blocks == ()


def test_the_next_times_are_told_in_the_zone_of_who_ordered_it() -> None:
    far = schedule(rule=replace(RULE, zone="America/New_York"), zone="Europe/Berlin")

    for draft in (posts.proposal(far, "en", NOW), posts.agreed(far, "en", NOW)):
        lines = draft.text.split("\n")
        assert lines[1] == "Every weekday at 09:00 (America/New_York), in <#C0NEWS>"
        assert lines[2] == (
            "Next: Fri 27 March 2026, 14:00 · Mon 30 March 2026, 15:00 · Tue 31 March 2026, 15:00"
            " (Europe/Berlin)"
        )


def test_a_schedule_without_a_time_left_shows_none() -> None:
    over = schedule(rule=replace(RULE, ends=NOW - timedelta(days=2)))

    assert posts.agreed(over, "en", NOW).text.endswith("\nNext: -")


def test_a_direct_conversation_is_named_in_words() -> None:
    private = schedule(place="D0ANN")

    assert ", in our direct messages\n" in posts.proposal(private, "en", NOW).text
    assert " · our direct messages · " in posts.listing([private], "en", NOW).text


def test_an_empty_list_says_how_to_order_a_digest() -> None:
    draft = posts.listing([], "en", NOW)

    assert draft.text == (
        "There are no digests here. Ask for one, for example: "
        "“every weekday at 9 post a digest on battery storage in #energy”."
    )
    assert draft.blocks == ()


def test_a_list_of_one_offers_what_can_be_done_with_it() -> None:
    draft = posts.listing([SCHEDULE], "en", NOW)

    line = (
        "3. *battery storage* · every weekday at 09:00 (Europe/Berlin) · <#C0NEWS>"
        " · _next: Mon 30 March 2026, 09:00_"
    )
    assert draft.text == f"*Digests*\n{line}"
    assert texts_of(draft.blocks) == ["*Digests*", line]
    menu = draft.blocks[1]["accessory"]
    assert menu["action_id"] == "digest.menu"
    assert [(option["text"]["text"], option["value"]) for option in menu["options"]] == [
        ("Pause", "pause:0123456789abcdef"),
        ("Run now", "run:0123456789abcdef"),
        ("Edit", "edit:0123456789abcdef"),
        ("Delete", "delete:0123456789abcdef"),
    ]


@pytest.mark.parametrize(
    ("status", "reason", "state"),
    [
        ("paused", "", "_paused_"),
        ("paused", "failing", "_paused: it failed three times in a row_"),
        ("paused", "of another version", "_paused_"),
        ("over", "", "_over_"),
    ],
)
def test_a_list_says_why_a_digest_does_not_come(status: str, reason: str, state: str) -> None:
    draft = posts.listing([schedule(status=status, reason=reason)], "en", NOW)

    assert draft.text.endswith(f" · {state}")
    assert draft.blocks[1]["accessory"]["options"][0]["text"]["text"] == "Resume"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_list_of_25_shows_20_and_says_so(language: Language) -> None:
    draft = posts.listing([schedule(number=n) for n in range(1, 26)], language, NOW)

    assert len(draft.blocks) == 22
    assert texts_of(draft.blocks)[-1] == WORDS[language].more.format(n=5)
    assert all(f"\n{n}. *battery" in draft.text for n in range(1, 21))
    assert "\n21. " not in draft.text


@pytest.mark.parametrize("task", ["&" * 2_000, "word " * 400, "_*`" * 500, "x" * 2_000])
def test_a_list_breaks_no_limit_of_slack(task: str) -> None:
    long = [schedule(task=task, rule=LONG_RULE, number=n) for n in range(25)]
    draft = posts.listing(long, "es", NOW)

    assert len(draft.text) <= limits.TEXT_CHARS
    assert len(draft.blocks) <= limits.BLOCKS_PER_POST
    assert sum(map(len, texts_of(draft.blocks))) <= limits.BLOCK_TEXT_CHARS


@pytest.mark.parametrize("task", ["&" * 2_000, "word " * 400, "_*`" * 500, "x" * 2_000])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_proposal_breaks_no_limit_of_slack(language: Language, task: str) -> None:
    draft = posts.proposal(schedule(task=task, rule=LONG_RULE, mode="be_silent"), language, NOW)

    assert len(draft.text) <= limits.SECTION_CHARS
    assert texts_of(draft.blocks) == [draft.text]


@pytest.mark.parametrize("language", LANGUAGES)
def test_menus_and_buttons_are_as_short_as_slack_wants_them(language: Language) -> None:
    shown = posts.listing([SCHEDULE], language, NOW).blocks[1]
    options = shown["accessory"]["options"]
    buttons = posts.proposal(SCHEDULE, language, NOW).blocks[1]["elements"]

    assert 2 <= len(options) <= 5
    assert all(len(each["text"]["text"]) <= 75 for each in (*options, *buttons))
    assert all(len(option["value"]) <= 75 for option in options)
    known = {f"{posts.PREFIX}{name}" for name in get_args(Button)}
    assert {button["action_id"] for button in buttons} <= known


def test_whose_decision_a_proposal_is_names_no_number() -> None:
    text = posts.refusal(NotDone("not_yours_yet", schedule(number=0)), "en")

    assert text == "Only <@U1>, who ordered it, can decide that."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("refusal", get_args(Refusal))
def test_every_refusal_is_told_whole(language: Language, refusal: Refusal) -> None:
    text = posts.refusal(NotDone(refusal, SCHEDULE, channel="<#C0NEWS>", n="20"), language)

    assert "{" not in text
    assert ("<#C0NEWS>" in text) is ("{channel}" in WORDS[language].refusals[refusal])


def test_one_of_several_is_asked_for_by_its_number() -> None:
    refused = NotDone("which")
    refused.candidates = tuple(schedule(number=n, task=f"topic {n}") for n in range(1, 23))

    lines = posts.refusal(refused, "en").split("\n")

    assert lines[:3] == [
        "Which one do you mean? Name it by its number:",
        "1. topic 1",
        "2. topic 2",
    ]
    assert len(lines) == 22
    assert lines[-1] == "And 2 more. Name one by its number: “edit digest 21”."


def test_trouble_is_told_with_what_can_be_done() -> None:
    words = WORDS["en"]

    assert posts.named(words.failed, SCHEDULE) == (
        "Digest 3 (*battery storage*) could not be made this time. I will try again."
    )
    assert posts.named(words.paused_because, SCHEDULE, why=words.why_paused["owner_left"]) == (
        "Digest 3 (*battery storage*) is paused: the person who ordered it has left the channel or"
        " the workspace. “Resume digest 3” starts it again."
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_about_a_change_is_told_whole(language: Language) -> None:
    words = WORDS[language]
    for form in (words.paused, words.resumed, words.deleted, words.started, words.changed):
        text = posts.told(form, SCHEDULE, language, NOW)

        assert "battery storage" in text
        assert "3" in text
        assert "{" not in text
