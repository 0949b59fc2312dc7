"""What comes over the socket: everything is dealt with, and nothing ends the connection."""

import json

import pytest

from agent_core.messages import JsonObject
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
    assert [envelope.retry_attempt for envelope in world.desk.taken] == [0, 1]
    assert len(world.tries()) == 1


async def test_what_is_not_taken_is_not_acknowledged(world: World) -> None:
    world.desk.leaves = True
    await world.slack.say("ann", dm=True, text="for nobody")
    await world.at_once(lambda: world.desk.finished)
    await world.round_trip()
    assert not world.acknowledged(0)


@pytest.mark.proves("ledger.before_ack")
async def test_nothing_is_acknowledged_before_it_is_dealt_with(world: World) -> None:
    world.desk.may_go_on.clear()
    await world.slack.say("ann", dm=True, text="wait")
    await world.at_once(lambda: world.desk.taken)
    for _ in range(5):
        await world.round_trip()
    assert not world.acknowledged(0)
    world.desk.may_go_on.set()
    await world.at_once(lambda: world.acknowledged(0))


async def test_a_slow_payload_holds_up_no_other(world: World) -> None:
    world.desk.may_go_on.clear()
    for text in ("first", "second"):
        await world.slack.say("ann", dm=True, text=text)
    await world.at_once(lambda: len(world.desk.taken) == 2)
    world.desk.may_go_on.set()
    await world.at_once(lambda: world.desk.finished == 2)


async def test_an_acknowledgement_lost_on_its_way_brings_the_payload_again(world: World) -> None:
    world.slack.sockets.acks_to_lose = 1
    await world.slack.say("ann", dm=True, text="once more")
    await world.until(lambda: world.acknowledged(1), within_s=5)
    assert world.texts == ["once more", "once more"]


async def test_a_payload_in_hand_is_finished_though_its_socket_is_gone(world: World) -> None:
    world.desk.may_go_on.clear()
    await world.slack.say("ann", dm=True, text="in hand")
    await world.at_once(lambda: world.desk.taken)
    world.slack.cut_sockets()
    await world.at_once(lambda: world.healed)
    world.desk.may_go_on.set()
    await world.at_once(lambda: world.desk.finished == 1)
    assert not world.acknowledged(0)
