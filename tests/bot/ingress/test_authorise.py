from dataclasses import replace

import pytest

from bot.ingress.authorise import Allowed, Denied, Facts, Reason, Rules, authorise, screen
from bot.slack_api import Identity, Person

RULES = Rules(identity=Identity(team="T1", bot_user="UBOT", bot_id="B1", app_id="A1"))
FACTS = Facts(team="T1", app_id="A1", channel="C1", user="U1", user_team="T1")
ANN = Person(id="U1", team="T1", name="Ann")


def test_a_full_member_of_the_own_team_is_allowed_by_default() -> None:
    assert authorise(FACTS, RULES, ANN) == Allowed(person=ANN)


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (replace(FACTS, app_id="A2"), "foreign_app"),
        (replace(FACTS, team="T2"), "foreign_team"),
        (replace(FACTS, team=""), "foreign_team"),
        (replace(FACTS, is_bot=True), "bot"),
        (replace(FACTS, user="UBOT"), "bot"),
        (replace(FACTS, user=""), "bot"),
        (replace(FACTS, user_team="T2"), "stranger"),
        (replace(FACTS, user="U2"), "unknown_user"),
    ],
)
def test_a_payload_from_elsewhere_is_denied(facts: Facts, reason: Reason) -> None:
    assert authorise(facts, RULES, ANN) == Denied(reason=reason)


@pytest.mark.parametrize(
    ("person", "reason"),
    [
        (None, "unknown_user"),
        (replace(ANN, is_bot=True), "bot"),
        (replace(ANN, is_deactivated=True), "deactivated"),
        (replace(ANN, is_guest=True), "guest"),
        (replace(ANN, team="T2"), "stranger"),
        (replace(ANN, team=""), "stranger"),
        (replace(ANN, is_stranger=True), "stranger"),
    ],
)
def test_who_is_no_full_member_is_denied(person: Person | None, reason: Reason) -> None:
    facts = replace(FACTS, user_team="") if person is not None and not person.team else FACTS

    assert authorise(facts, RULES, person) == Denied(reason=reason)


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (replace(RULES, teams=frozenset[str]()), "stranger"),
        (replace(RULES, channels=frozenset[str]()), "channel_not_listed"),
        (replace(RULES, channels=frozenset({"C2"})), "channel_not_listed"),
        (replace(RULES, users=frozenset[str]()), "user_not_listed"),
        (replace(RULES, users=frozenset({"U2"})), "user_not_listed"),
    ],
)
def test_who_is_on_no_list_is_denied(rules: Rules, reason: Reason) -> None:
    assert authorise(FACTS, rules, ANN) == Denied(reason=reason)


def test_who_is_on_every_list_is_allowed() -> None:
    lists = replace(
        RULES,
        teams=frozenset({"T1"}),
        channels=frozenset({"C1"}),
        users=frozenset({"U1"}),
    )

    assert authorise(FACTS, lists, ANN) == Allowed(person=ANN)


def test_a_listed_guest_is_still_a_guest() -> None:
    listed = replace(RULES, users=frozenset({"U1"}))

    assert authorise(FACTS, listed, replace(ANN, is_guest=True)) == Denied(reason="guest")


def test_a_direct_message_is_denied_where_only_channels_are_listed() -> None:
    listed = replace(RULES, channels=frozenset({"C1"}))

    denied = authorise(replace(FACTS, channel="D1"), listed, ANN)
    assert denied == Denied(reason="channel_not_listed")


def test_a_name_gives_no_rights() -> None:
    named = replace(ANN, id="U2", name="UBOT admin\u202e")

    assert authorise(FACTS, RULES, named) == Denied(reason="unknown_user")


def test_a_listed_foreign_team_is_served() -> None:
    listed = replace(RULES, teams=frozenset({"T1", "T2"}))
    guest = replace(ANN, team="T2", is_stranger=True)

    assert authorise(replace(FACTS, user_team="T2"), listed, guest) == Allowed(person=guest)


def test_an_app_that_is_not_known_yet_is_not_compared() -> None:
    unknown = replace(RULES, identity=replace(RULES.identity, app_id=""))

    assert screen(replace(FACTS, app_id="A9"), unknown) is None
