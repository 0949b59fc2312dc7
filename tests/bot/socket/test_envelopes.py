"""What comes over the socket: everything is dealt with, and nothing ends the connection."""

import json
from typing import Any

import pytest
from slack_bolt.app.async_app import AsyncApp

from agent_core.messages import JsonObject
from bot.ingress import create_app
from bot.ingress.register import acknowledge
from bot.slack_api import Identity, web_client
from bot.socket.connection import Envelope
from tests.bot.socket.world import World

NO_ENVELOPES = [
    "",
    "{",
    "not JSON",
    "[" * 100_000,
    "[]",
    "null",
    "1",
    json.dumps({"type": "hello", "num_connections": "many"}),
    json.dumps({"type": "moonlight"}),
    json.dumps({"type": ["events_api"], "payload": {}}),
    json.dumps({"envelope_id": 7, "type": "events_api", "payload": {}}),
]


@pytest.mark.proves("socket.odd_frames")
@pytest.mark.parametrize("text", NO_ENVELOPES, ids=[text[:12] or "empty" for text in NO_ENVELOPES])
async def test_a_frame_that_says_nothing_is_left(
    world: World, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert await world.slack.sockets.send_text(text)
    await world.delivers("and then")
    assert world.texts == ["and then"]
    assert len(world.tries()) == 1
    assert [record for record in caplog.records if record.exc_info] == []


@pytest.mark.proves("socket.odd_frames")
async def test_a_payload_of_a_megabyte_is_taken(world: World) -> None:
    long = "word " * 210_000
    await world.delivers(long)
    assert world.texts == [long]


@pytest.mark.parametrize("payload", [None, "text", 7, ["list"]])
async def test_an_envelope_without_a_payload_reaches_the_desk(
    world: World, payload: JsonObject | str | int | list[str] | None
) -> None:
    envelope = {"envelope_id": "e-1", "type": "events_api", "payload": payload}
    await world.slack.sockets.send_text(json.dumps(envelope))
    await world.at_once(lambda: world.desk.taken)
    assert (world.desk.taken[0].id, world.desk.taken[0].payload) == ("e-1", None)


@pytest.mark.proves("ledger.retry_used")
async def test_a_handling_that_failed_is_not_acknowledged_and_comes_again(world: World) -> None:
    world.desk.failures = 1
    await world.slack.say("ann", dm=True, text="twice")
    await world.until(lambda: world.acknowledged(1), within_s=5)
    assert world.texts == ["twice", "twice"]
    assert not world.acknowledged(0)
    assert len(world.tries()) == 1


async def test_a_payload_in_hand_is_finished_though_its_socket_is_gone(world: World) -> None:
    world.desk.may_go_on.clear()
    await world.slack.say("ann", dm=True, text="in hand")
    await world.at_once(lambda: world.desk.taken)
    world.slack.sockets.cut()
    await world.at_once(lambda: world.healed)
    world.desk.may_go_on.set()
    await world.at_once(lambda: world.desk.finished == 1)
    assert not world.acknowledged(0)


ACKNOWLEDGED = {"envelope_id": "e-1"}


@pytest.fixture
def app() -> AsyncApp:
    identity = Identity(team="T1", bot_user="U1", bot_id="B1", app_id="A1")
    return create_app(web_client("xoxb-1", base_url="http://127.0.0.1:1/api/"), identity)


def envelope(payload: JsonObject | None, kind: str = "events_api", **more: Any) -> Envelope:
    return Envelope(id="e-1", type=kind, payload=payload, **more)


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("moonlight", {"type": "event_callback"}),
        ("", {}),
        ("events_api", None),
        ("events_api", {"type": "app_rate_limited", "team_id": "T1"}),
        ("events_api", {"type": "event_callback"}),
        ("events_api", {"type": "event_callback", "event": "text"}),
        ("events_api", {"type": "event_callback", "event": [], "authorizations": 7}),
        ("interactive", {"type": "block_actions", "team": "T1", "user": 7, "channel": []}),
    ],
)
async def test_what_nobody_can_ever_read_is_acknowledged(
    app: AsyncApp, kind: str, payload: JsonObject | None
) -> None:
    assert await acknowledge(app, envelope(payload, kind)) == ACKNOWLEDGED
