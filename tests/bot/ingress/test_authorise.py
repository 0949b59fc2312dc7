"""Who may use the bot, and to whom a post speaks: pure decisions on what a payload says."""

from dataclasses import replace
from typing import Any

import pytest

from bot.inbound import Sender, read_post
from bot.ingress.filter import Address, Reason, Rules, address, authorise
from bot.slack_api import Identity, Person

RULES = Rules(identity=Identity(team="T1", bot_user="UBOT", bot_id="B1", app_id="A1"))
FACTS = Sender(team="T1", app_id="A1", channel="C1", user="U1", user_team="T1")
ANN = Person(id="U1", team="T1", name="Ann")
HOMELESS = replace(FACTS, user_team="")
LISTED = replace(
    RULES, teams=frozenset({"T1"}), channels=frozenset({"C1"}), users=frozenset({"U1"})
)
NO_ONE = frozenset[str]()

ROOT, TS = "1783536000.000001", "1783536983.783769"


@pytest.mark.parametrize(
    ("facts", "rules", "person", "reason"),
    [
        (replace(FACTS, app_id="A2"), RULES, ANN, "foreign_app"),
        (replace(FACTS, team="T2"), RULES, ANN, "foreign_team"),
        (replace(FACTS, team=""), RULES, ANN, "foreign_team"),
        (replace(FACTS, is_bot=True), RULES, ANN, "bot"),
        (replace(FACTS, user="UBOT"), RULES, ANN, "bot"),
        (replace(FACTS, user=""), RULES, ANN, "bot"),
        (replace(FACTS, user_team="T2"), RULES, ANN, "stranger"),
        (replace(FACTS, user="U2"), RULES, ANN, "unknown_user"),
        (FACTS, RULES, None, "unknown_user"),
        (FACTS, RULES, replace(ANN, is_bot=True), "bot"),
        (FACTS, RULES, replace(ANN, is_deactivated=True), "deactivated"),
        (FACTS, LISTED, replace(ANN, is_guest=True), "guest"),
        (FACTS, RULES, replace(ANN, team="T2"), "stranger"),
        (HOMELESS, RULES, replace(ANN, team=""), "stranger"),
        (FACTS, RULES, replace(ANN, is_stranger=True), "stranger"),
        (FACTS, replace(RULES, teams=NO_ONE), ANN, "stranger"),
        (FACTS, replace(RULES, channels=NO_ONE), ANN, "channel_not_listed"),
        (FACTS, replace(RULES, channels=frozenset({"C2"})), ANN, "channel_not_listed"),
        (replace(FACTS, channel="D1"), LISTED, ANN, "channel_not_listed"),
        (FACTS, replace(RULES, users=NO_ONE), ANN, "user_not_listed"),
        (FACTS, replace(RULES, users=frozenset({"U2"})), ANN, "user_not_listed"),
        (FACTS, RULES, replace(ANN, id="U2", name="UBOT admin\u202e"), "unknown_user"),
    ],
)
def test_who_may_not_use_the_bot_is_denied(
    facts: Sender, rules: Rules, person: Person | None, reason: Reason
) -> None:
    assert authorise(facts, rules, person) == reason


@pytest.mark.parametrize(
    ("facts", "rules", "person"),
    [
        (FACTS, RULES, ANN),
        (FACTS, LISTED, ANN),
        (
            replace(FACTS, user_team="T2"),
            replace(RULES, teams=frozenset({"T1", "T2"})),
            replace(ANN, team="T2", is_stranger=True),
        ),
        (
            replace(FACTS, app_id="A9"),
            replace(RULES, identity=replace(RULES.identity, app_id="")),
            ANN,
        ),
    ],
    ids=["by default", "on every list", "of a listed foreign team", "app not known yet"],
)
def test_who_is_served_is_allowed(facts: Sender, rules: Rules, person: Person) -> None:
    assert authorise(facts, rules, person) == person


@pytest.mark.parametrize(
    ("event", "whose"),
    [
        ({"channel": "D1", "channel_type": "im", "text": "hi"}, "ours"),
        ({"channel": "D1", "channel_type": "im", "text": "<@U2> hi"}, "ours"),
        ({"text": "<@UBOT> hi"}, "ours"),
        ({"text": "<@U2> ask <@UBOT>"}, "ours"),
        ({"text": "<@UBOT> hi", "thread_ts": ROOT}, "ours"),
        ({"text": "hi"}, "not_ours"),
        ({"text": "hi", "channel_type": "mpim"}, "not_ours"),
        ({"text": "&lt;@UBOT&gt; hi"}, "not_ours"),
        ({"text": "<@U2> hi", "thread_ts": ROOT}, "not_ours"),
        ({"text": "<!here> hi", "thread_ts": ROOT}, "not_ours"),
        ({"text": "hi", "thread_ts": ROOT}, "reply"),
        ({"text": "hi", "thread_ts": TS}, "not_ours"),
    ],
)
def test_whose_post_it_is(event: dict[str, Any], whose: Address) -> None:
    base = {"type": "message", "user": "U1", "ts": TS, "channel": "C1", "channel_type": "channel"}
    post = read_post({"team_id": "T1", "event": {**base, **event}}, bot_user="UBOT")

    assert post is not None
    assert address(post) == whose
