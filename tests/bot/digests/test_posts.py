"""A digest's first post, and what is said about digests, as their readers see it."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agent_core.ids import SessionId
from agent_core.schedules.schedule import PublishedDigest, Schedule, Slot, faults_of
from bot.clicks import DigestForm
from bot.digests import posts
from bot.digests.clicks import form, read_form
from bot.digests.orders import refused
from bot.render import limits
from bot.words import BOT
from tests.schedules import a_schedule, an_order

NOW = datetime(2026, 3, 27, 8, tzinfo=UTC)
BEFORE = NOW - timedelta(days=1)
ORDER = an_order(place="C0NEWS", owner_locale="en-US")
SCHEDULE = a_schedule(ORDER, 3)
SLOT = Slot(
    schedule=SCHEDULE.id, at=NOW, state="begun", claimed_at=NOW, left_out=0, by_hand=False, root=""
)
SPAIN = {"text": "Spain approves 2 GW", "source": "https://elmundo.example/spain", "is_new": True}
ESSEN = {"text": "A plant in Essen opens", "source": "", "is_new": True}
FOOTER = (
    "_Digest 3 · every weekday at 09:00 (Europe/Berlin) · ordered by Ann · reply here to ask more_"
)
HOSTILE = "<!channel> @here <@U1> *bold* <http://evil.example|x> `tick"
PING = re.compile(r"<[@!#][^>]*>|@(?:here|channel|everyone)\b", re.IGNORECASE)


def published(*lines: dict[str, Any], **parts: Any) -> PublishedDigest:
    return PublishedDigest.model_validate({"headline": "Storage grows", "lines": lines, **parts})


def root(
    found: PublishedDigest,
    before: datetime | None = None,
    *,
    schedule: Schedule = SCHEDULE,
    is_live: bool = True,
    **slot: Any,
) -> list[str]:
    told = posts.root(found, schedule, replace(SLOT, **slot), before, lambda _: is_live)
    return told.split("\n")


def test_the_first_digest_marks_nothing_as_new() -> None:
    assert root(published(SPAIN, ESSEN)) == [
        "*Storage grows*",
        "• Spain approves 2 GW, <https://elmundo.example/spain|elmundo.example>",
        "• A plant in Essen opens",
        "_First edition._",
        FOOTER,
    ]


@pytest.mark.parametrize("known", [("elmundo.example/spain",), ("Spain approves 2 GW",)])
def test_what_was_told_before_is_not_new_whatever_the_model_says(known: tuple[str, ...]) -> None:
    line = SPAIN if "/" in known[0] else {**SPAIN, "source": ""}
    found = published(line).beside(known)
    assert not found.has_news
    assert "_Nothing new since Thu 26 March 2026, 09:00._" in root(found, BEFORE)
    assert not any("•" in each for each in root(found, BEFORE))


def test_late_and_left_out_and_by_hand_are_said() -> None:
    told = root(published(ESSEN), BEFORE, claimed_at=NOW + timedelta(hours=2), left_out=2)
    assert "_Late: this was due Fri 27 March 2026, 09:00._" in told
    assert "_2 earlier ones were left out._" in told
    by_hand = root(published(ESSEN), BEFORE, by_hand=True)
    assert "_Extra edition, made on request._" in by_hand


@pytest.mark.parametrize("language", BOT.languages)
def test_no_digest_pings_anybody_or_makes_foreign_links_live(language: str) -> None:
    lines = [{"text": HOSTILE * 9, "source": "http://evil.example/x", "is_new": True}] * 5
    schedule = replace(SCHEDULE, order=replace(ORDER, owner_locale=language))
    found = published(*lines, headline=HOSTILE)
    text = "\n".join(root(found, BEFORE, schedule=schedule, is_live=False))
    assert PING.findall(text) == []
    assert "<http" not in text
    assert len(text) <= posts.ROOT_CHARS


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({"headline": "x", "lines": [SPAIN], "details": ""}, ""),
        ({"headline": "x", "lines": [{**SPAIN, "source": "https://elmundo.example/spain/#a"}]}, ""),
        ({"headline": "x", "lines": [ESSEN] * 6}, "lines"),
        ({"headline": "", "lines": []}, "headline"),
        ({"headline": "x", "lines": [{**SPAIN, "source": "https://other.example"}]}, "other.exam"),
        ("prose", "Not published"),
    ],
)
def test_a_digest_with_sources_that_nobody_read_is_not_published(
    arguments: object, fault: str
) -> None:
    told = faults_of(arguments, ["https://elmundo.example/spain"])
    assert fault in told
    assert bool(told) == bool(fault)


@pytest.mark.parametrize("language", BOT.languages)
def test_whatever_a_person_wrote_stays_words_in_our_sentences(language: str) -> None:
    order = replace(ORDER, task=HOSTILE, owner_name=HOSTILE, reads="C0GENERAL")
    schedule = replace(SCHEDULE, order=order)
    texts = [
        posts.proposal(schedule, NOW, may_read=False).text,
        posts.listing([schedule], language, NOW, "digest-refusal-which").text.replace(
            "<#C0NEWS>", ""
        ),
        refused("place_closed", channel=HOSTILE).text(language),
        posts.question(HOSTILE, language, "day", "UTC"),
        posts.listing([schedule], language, NOW).text,
    ]
    pings = [ping for text in texts for ping in PING.findall(text)]
    assert set(pings) <= {"<#C0GENERAL>", "<#C0NEWS>"}


def test_a_long_list_says_how_many_are_left_and_fits_in_its_blocks() -> None:
    draft = posts.listing([replace(SCHEDULE, number=n) for n in range(1, 31)], "en", NOW)
    assert "And 10 more." in draft.text
    assert len(draft.blocks) <= limits.BLOCKS_PER_POST
    assert len(str(draft.blocks)) < 60_000


def test_a_form_cannot_lose_a_rule_that_its_menus_do_not_have() -> None:
    rule = replace(ORDER.rule, recurrence="FREQ=HOURLY;INTERVAL=6")
    order = replace(ORDER, rule=rule)
    shown = str(form(order, "en", DigestForm(session=SessionId("T1:C1:1.0"))))
    changed = read_form({"task": "wine", "news": "be_silent"}, order, "en", NOW)
    assert "every 6 hours" in shown
    assert "09:00" not in shown
    assert changed == replace(order, task="wine", when_nothing_new="be_silent")
