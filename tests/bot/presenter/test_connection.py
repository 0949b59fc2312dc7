"""Connecting an account: everybody sees who is waited for, and one person the links."""

import json

import pytest

from agent_core.ids import ConsentId
from bot.presenter.apps import app_name, app_names, deed, read_value
from bot.presenter.consents import ended_draft, link_draft, waiting_draft
from bot.threads import ThreadRef
from bot.words import BOT
from tests.bot.presenter.turns import Turn

TURN = Turn(ThreadRef(team="T1", channel="C1", root_ts="1.000001"))


def test_everybody_sees_who_is_waited_for_and_what_is_to_be_connected() -> None:
    draft = waiting_draft(TURN.auth_required("gmail", "googlecalendar"), BOT.of("en"))
    assert draft.text.startswith(
        "Waiting for <@U1> to connect Gmail and Google Calendar, until <!date^"
    )
    row = draft.blocks[-1]
    assert [each["text"]["text"] for each in row["elements"]] == ["Show my link", "Skip"]
    assert [read_value(each["value"]) for each in row["elements"]] == [
        (ConsentId("consent1"), ("gmail", "googlecalendar"))
    ] * 2


def test_the_asker_gets_a_button_for_each_app_and_says_when_it_is_done() -> None:
    links = {"gmail": "https://c.example/lk_1", "github": "https://c.example/lk_2"}
    draft = link_draft(ConsentId("consent1"), links, BOT.of("en"))
    elements = draft.blocks[-1]["elements"]
    assert [each["text"]["text"] for each in elements] == [
        "Connect Gmail",
        "Connect GitHub",
        "I have connected it",
    ]
    assert [each.get("url") for each in elements] == [*links.values(), None]
    assert "lk_" not in draft.text
    assert len({each["action_id"] for each in elements}) == 3


def test_how_it_ended_is_said_and_nothing_is_left_to_press() -> None:
    said = {
        outcome: ended_draft(TURN.auth_ended("gmail", outcome=outcome), BOT.of("en"))
        for outcome in ("connected", "skipped", "expired", "overtaken")
    }
    assert said["connected"].text == "Gmail connected by <@U1>"
    assert said["skipped"].text == "<@U1> skipped connecting Gmail"
    assert said["expired"].text == "Gmail was not connected in time"
    assert len({draft.text for draft in said.values()}) == 4
    assert "button" not in json.dumps([draft.blocks for draft in said.values()])


@pytest.mark.parametrize(
    ("language", "expired", "overtaken"),
    [
        (
            "en",
            "Gmail, HubSpot and Stripe were not connected in time",
            "Gmail, HubSpot and Stripe were not connected:",
        ),
        (
            "de",
            "Gmail, HubSpot und Stripe wurden nicht rechtzeitig verbunden",
            "Gmail, HubSpot und Stripe wurden nicht verbunden:",
        ),
        (
            "fr",
            "Gmail, HubSpot et Stripe n'ont pas été connectés à temps",
            "Gmail, HubSpot et Stripe n'ont pas été connectés :",
        ),
        (
            "es",
            "Gmail, HubSpot y Stripe no se conectaron a tiempo",
            "Gmail, HubSpot y Stripe no se conectaron:",
        ),
    ],
)
def test_several_apps_are_told_in_the_plural(language: str, expired: str, overtaken: str) -> None:
    apps, words = ("gmail", "hubspot", "stripe"), BOT.of(language)
    late = ended_draft(TURN.auth_ended(*apps, outcome="expired"), words)
    left = ended_draft(TURN.auth_ended(*apps, outcome="overtaken"), words)
    assert late.text == expired
    assert left.text.startswith(overtaken)


def test_apps_and_deeds_are_spelled_as_people_do() -> None:
    assert app_name("GMAIL") == "Gmail"
    assert app_name("some_new-app") == "Some New App"
    assert "<" not in app_name("<!channel>")
    assert app_names(("gmail", "slack", "github"), "and") == "Gmail, Slack and GitHub"
    assert deed("GMAIL_SEND_EMAIL", "gmail") == "Send email"
    assert deed("GOOGLECALENDAR_CREATE_EVENT", "googlecalendar") == "Create event"
    assert deed("ONE_DRIVE_UPLOAD_FILE", "one_drive") == "Upload file"
    assert deed("mcp__local_toolkit__write_file", "") == "Write file"
