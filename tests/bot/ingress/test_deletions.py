"""A post is deleted: it is not answered, or what was begun is stopped."""

import asyncio

import pytest

from agent_core.messages import JsonObject
from tests.bot.ingress.world import World, forgetful_ingress, replay_all

TS = "1783536983.783769"


def gone(world: World, ts: str = TS) -> JsonObject:
    """A deletion that does not tell what the post was."""
    event = {
        "type": "message",
        "subtype": "message_deleted",
        "channel": world.slack.channels["general"],
        "deleted_ts": ts,
        "ts": "1783536999.000001",
    }
    return {"type": "event_callback", "team_id": world.slack.team_id, "event": event}


def mention(world: World, ts: str = TS) -> JsonObject:
    event = {
        "type": "app_mention",
        "user": world.slack.people["ann"],
        "channel": world.slack.channels["general"],
        "ts": ts,
        "text": f"{world.mention} look",
    }
    return {"type": "event_callback", "team_id": world.slack.team_id, "event": event}


def key_of(world: World, ts: str = TS) -> str:
    return f"{world.slack.team_id}:{world.slack.channels['general']}:{ts}"


async def delete(world: World, ts: str) -> None:
    """A deletion, delivered and handled."""
    before = len(world.slack.deliveries)
    await world.slack.delete("general", ts)
    await world.slack.wait_for(
        lambda slack: (
            len(slack.deliveries) > before
            and all(one.acked_at_s is not None for one in slack.deliveries)
        )
    )


@pytest.mark.proves("edits.deleted")
@pytest.mark.parametrize("state", ["waits", "begun"])
async def test_the_turn_of_a_deleted_post_is_withdrawn(world: World, state: str) -> None:
    ts = await world.say("ann", "general", f"{world.mention} what is new?")
    await world.settle()
    if state == "begun":
        world.front.begun.update(world.front.keys)
    await delete(world, ts)
    await world.settle()

    assert world.front.withdrawn == [key_of(world, ts)]
    assert world.front.have_ended == {key_of(world, ts)}
    assert world.ledger.unfinished == set()


async def test_a_post_that_is_deleted_while_its_files_come_is_not_handed_over(
    world: World,
) -> None:
    world.files.may_go_on.clear()
    files = [("a.log", b"12345", "text/plain")]
    ts = await world.say("ann", "general", f"{world.mention} look", files=files)
    await world.files.asked.wait()
    await delete(world, ts)
    async with asyncio.timeout(10):
        await world.front.withdrew_one.wait()
    world.files.may_go_on.set()
    await world.settle()

    assert world.front.messages == []
    assert "active" in world.signs_shown()
    assert world.ledger.unfinished == set()


@pytest.mark.proves("edits.disorder")
async def test_a_deletion_that_comes_before_its_post_holds_it_back(world: World) -> None:
    await forget_and_hand_over(world, gone(world))
    assert await world.ingress.receive(mention(world)) is None

    assert world.front.messages == []
    assert world.ledger.unfinished == set()




@pytest.mark.proves("ledger.before_ack")
async def test_a_deletion_is_recorded_before_it_is_acknowledged(world: World) -> None:
    ts = await world.say("ann", "general", f"{world.mention} what is new?")
    await world.settle()
    world.ledger.may_go_on.clear()
    world.ledger.asked.clear()
    await world.slack.delete("general", ts)
    await world.ledger.asked.wait()
    assert any(one.acked_at_s is None for one in world.slack.deliveries)
    assert world.front.withdrawn == []

    world.ledger.may_go_on.set()
    async with asyncio.timeout(10):
        await world.front.withdrew_one.wait()
    await world.settle()


async def test_a_recorded_deletion_is_carried_out_after_a_restart(world: World) -> None:
    ts = await world.say("ann", "general", f"{world.mention} what is new?")
    await world.settle()
    body = gone(world, ts)
    assert await world.ingress.receive(body) is not None
    await forgetful_ingress(world).replay(body)

    assert world.front.have_ended == {key_of(world, ts)}
    assert world.ledger.unfinished == set()




async def test_a_deletion_is_tried_again_until_the_post_has_its_turn(world: World) -> None:
    """Another process has recorded the post, and is still bringing its files."""
    owner, other = forgetful_ingress(world), forgetful_ingress(world)
    post = await owner.receive(mention(world))
    deletion = await other.receive(gone(world))
    assert post is not None
    assert deletion is not None
    await other.hand_over(deletion)
    assert other.in_vain == {deletion.told.key}

    await owner.hand_over(post)
    assert world.front.texts == ["look"]
    await other.replay(gone(world))
    assert world.front.have_ended == {key_of(world)}
    assert world.ledger.unfinished == set()




async def forget_and_hand_over(world: World, body: JsonObject) -> None:
    """Both halves of a delivery, in an ingress that knows nothing of earlier ones."""
    ingress = forgetful_ingress(world)
    arrival = await ingress.receive(body)
    assert arrival is not None
    async with asyncio.timeout(10):
        await ingress.hand_over(arrival)
