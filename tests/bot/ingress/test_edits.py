"""A person changes the text of a post: before its turn has begun the new text counts."""

import asyncio
from typing import Any

import pytest

from agent_core.messages import JsonObject
from bot.inbound import Deletion, PostEvent, read_event
from bot.ingress.handover import MAX_LOOKS
from tests.bot.ingress.world import (
    World,
    bring,
    connected_world,
    event_payload,
    forgetful_ingress,
    post_payload,
)


async def edit(world: World, ts: str, text: str) -> None:
    """An edit of Ann's, delivered and handled."""
    before = len(world.slack.deliveries)
    await world.slack.edit("ann", "general", ts, text)
    await acknowledged(world, before)
    await world.settle()


async def acknowledged(world: World, before: int) -> None:
    """Wait until one more delivery than before was acknowledged, and all those before it."""
    await world.slack.wait_for(
        lambda slack: (
            len(slack.deliveries) > before
            and all(one.acked_at_s is not None for one in slack.deliveries)
        )
    )


def edit_payload(
    world: World, ts: str, text: str, *, edited_ts: str, before: str = "", **more: Any
) -> JsonObject:
    """An edit of Ann's as Slack tells of it."""
    now = post_payload(world, ts, text, **more)["event"]
    now["edited"] = {"user": now["user"], "ts": edited_ts}
    previous = {**now, "text": before or f"{world.mention} before"}
    return event_payload(
        world, subtype="message_changed", ts=edited_ts, message=now, previous_message=previous
    )


@pytest.mark.parametrize("shape", ["message_changed", "app_mention"])
async def test_an_edit_that_adds_the_mention_to_a_reply_among_people_begins_its_first_turn(
    world: World, shape: str
) -> None:
    """The reply had to be looked at: how its thread began was not known."""
    root = await world.say("ben", "general", "lunch?")
    ts = await world.say("ann", "general", "what is new?", thread_ts=root)
    await world.settle()
    text, edited_ts = f"{world.mention} what is new?", "1999999991.000000"
    body = edit_payload(world, ts, text, edited_ts=edited_ts, before="what is new?", thread_ts=root)
    if shape == "app_mention":
        body["event"] = {**body["event"]["message"], "type": "app_mention"}
    await bring(world, body)

    [message] = world.front.messages
    assert (message.text, message.key.rpartition(":")[2]) == ("what is new?", ts)
    assert world.ledger.unfinished == set()


@pytest.mark.proves("edits.disorder")
async def test_of_a_post_and_its_edits_in_any_order_the_latest_edit_wins(world: World) -> None:
    await bring(
        world, edit_payload(world, TS, f"{world.mention} three", edited_ts="1783536992.000000")
    )
    await bring(world, post_payload(world, TS, f"{world.mention} one"))
    await bring(
        world, edit_payload(world, TS, f"{world.mention} two", edited_ts="1783536991.000000")
    )

    assert world.front.texts == ["three"]
    assert world.ledger.unfinished == set()


async def test_an_edit_by_somebody_who_may_not_use_the_bot_is_ignored() -> None:
    async with connected_world(users=frozenset[str]()) as world:
        ts = await world.say("ann", "general", f"{world.mention} one")
        await world.settle()
        await edit(world, ts, f"{world.mention} two")

        assert world.front.messages == []
        assert len(world.told("ann")) == 1
        assert world.ledger.unfinished == set()


@pytest.mark.parametrize("looks", [1, MAX_LOOKS])
async def test_an_edit_waits_for_its_posts_turn_and_is_given_up_in_the_end(
    world: World, looks: int
) -> None:
    """Another process hands the post over."""
    ts = await world.say("ann", "general", f"{world.mention} one")
    await world.settle()
    [message] = world.front.messages
    world.front.messages.clear()
    other = forgetful_ingress(world)
    body = edit_payload(world, ts, f"{world.mention} two", edited_ts="1999999991.000000")
    change = await other.receive(body)
    assert change is not None
    for _ in range(looks):
        other.in_vain.clear()
        await other.replay(body)
    is_given_up = looks == MAX_LOOKS
    assert other.in_vain == (set() if is_given_up else {change.key})
    assert (change.key in world.ledger.settled) == is_given_up

    world.front.messages.append(message)
    await other.replay(body)
    assert is_given_up or world.front.texts == ["two"]


@pytest.mark.parametrize("shape", ["message", "app_mention"])
async def test_the_text_that_the_turn_has_already_is_not_called_late(
    world: World, shape: str
) -> None:
    """The turn began with the edited text: the edit itself comes a second time, or late."""
    ts = "1783536983.783769"
    payload = post_payload(world, ts, f"{world.mention} two")
    edited = {"user": world.slack.people["ann"], "ts": "1783536990.000000"}
    payload["event"] |= {"type": shape, "edited": edited}
    await bring(world, payload)
    world.front.begun.update(world.front.keys)
    await bring(
        world, edit_payload(world, ts, f"{world.mention} two", edited_ts="1783536990.000000")
    )

    assert world.front.texts == ["two"]
    assert world.told("ann") == []


async def test_an_edit_that_takes_the_mention_out_keeps_the_request(world: World) -> None:
    ts = await world.say("ann", "general", f"{world.mention} what is new?")
    await world.settle()
    await edit(world, ts, "what is newer?")

    assert world.front.texts == ["what is newer?"]


TS = "1783536983.783769"


def gone(world: World) -> JsonObject:
    """A deletion that does not tell what the post was."""
    return event_payload(world, subtype="message_deleted", deleted_ts=TS, ts="1783536999.000001")


def mention(world: World) -> JsonObject:
    return post_payload(world, TS, f"{world.mention} look", type="app_mention")


async def test_a_post_that_is_deleted_while_its_files_come_is_not_handed_over(world: World) -> None:
    world.files.may_go_on.clear()
    files = [("a.log", b"12345", "text/plain")]
    ts = await world.say("ann", "general", f"{world.mention} look", files=files)
    await world.files.asked.wait()
    before = len(world.slack.deliveries)
    await world.slack.delete("general", ts)
    await acknowledged(world, before)
    async with asyncio.timeout(10):
        await world.front.withdrew_one.wait()
    world.files.may_go_on.set()
    await world.settle()

    assert world.front.messages == []
    assert "active" in world.signs_shown()
    assert world.ledger.unfinished == set()


@pytest.mark.proves("edits.disorder")
async def test_a_deletion_that_comes_before_its_post_holds_it_back(world: World) -> None:
    await bring(world, gone(world), forgetful_ingress(world))
    assert await world.ingress.receive(mention(world)) is None

    assert world.front.messages == []
    assert world.ledger.unfinished == set()


async def test_a_deletion_is_tried_again_until_the_post_has_its_turn(world: World) -> None:
    """Another process has recorded the post, and is still bringing its files."""
    owner, other = forgetful_ingress(world), forgetful_ingress(world)
    post = await owner.receive(mention(world))
    deletion = await other.receive(gone(world))
    assert post is not None
    assert deletion is not None
    await other.hand_over(deletion)
    assert other.in_vain == {deletion.key}

    await owner.hand_over(post)
    assert world.front.texts == ["look"]
    await other.replay(gone(world))
    assert world.front.have_ended == {world.key(TS)}
    assert world.ledger.unfinished == set()


POST_TS = "1783536983.783769"
EDITED_BY_ANN = {"user": "U1", "ts": "1783537000.000000"}
POST = {"type": "message", "user": "U1", "ts": POST_TS, "text": "<@UBOT> status"}


def read(**event: Any) -> PostEvent | None:
    whole = {"type": "message", "channel": "C1", "channel_type": "channel", **event}
    return read_event({"team_id": "T1", "event": whole}, bot_user="UBOT")


def read_change(now: dict[str, Any], before: dict[str, Any]) -> PostEvent | None:
    return read(
        subtype="message_changed",
        hidden=True,
        ts="1783537000.000001",
        message={**POST, **now},
        previous_message={**POST, **before},
    )


@pytest.mark.parametrize(
    ("now", "before"),
    [
        ({"attachments": [{"title": "a page"}]}, {}),
        ({"edited": EDITED_BY_ANN}, {}),
        ({"text": "news"}, {}),
        ({"text": "news", "edited": EDITED_BY_ANN | {"user": "U2"}}, {}),
        ({"text": "news", "edited": EDITED_BY_ANN, "bot_id": "B1"}, {"bot_id": "B1"}),
        ({"text": "news", "edited": EDITED_BY_ANN, "user": "UBOT"}, {"user": "UBOT"}),
        ({"text": "news", "edited": "yes"}, {}),
    ],
    ids=["preview", "same text", "unmarked", "by another", "a bot's", "our own", "odd mark"],
)
def test_what_is_no_edit_by_its_author_tells_nothing(
    now: dict[str, Any], before: dict[str, Any]
) -> None:
    assert read_change(now, before) is None


def test_a_root_that_leaves_a_tombstone_is_deleted_as_well() -> None:
    deletion = read_change({"subtype": "tombstone", "user": "USLACKBOT", "text": "gone"}, {})

    assert isinstance(deletion, Deletion)
    assert deletion.post_key == f"T1:C1:{POST_TS}"
