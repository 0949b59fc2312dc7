"""What becomes of a post later: edits, deletions, and what Slack tells that nobody knows."""

import asyncio
import logging

import pytest

from tests.bot.ingress.world import World


async def test_an_edit_that_adds_the_mention_begins_the_first_turn_of_the_post(
    world: World,
) -> None:
    ts = await world.say("ann", "general", "what is new?")
    await world.slack.edit("ann", "general", ts, f"{world.mention} what is new?")
    async with asyncio.timeout(10):
        await world.front.got_one.wait()
    await world.settle()

    [message] = world.front.messages
    assert (message.text, message.key.rpartition(":")[2]) == ("what is new?", ts)


@pytest.mark.parametrize("text", ["{mention} what is newer?", "{mention} what is new?"])
async def test_an_edit_of_a_post_that_had_its_turn_begins_no_other(world: World, text: str) -> None:
    ts = await world.say("ann", "general", f"{world.mention} what is new?")
    await world.settle()
    before = len(world.slack.deliveries)
    await world.slack.edit("ann", "general", ts, text.format(mention=world.mention))
    await world.slack.wait_for(lambda slack: len(slack.deliveries) > before)
    await world.settle()

    assert world.front.texts == ["what is new?"]


async def test_a_post_that_is_deleted_while_its_files_come_is_not_handed_over(
    world: World,
) -> None:
    world.files.may_go_on.clear()
    files = [("a.log", b"12345", "text/plain")]
    ts = await world.say("ann", "general", f"{world.mention} look", files=files)
    await world.files.asked.wait()
    await world.slack.delete("general", ts)
    await world.slack.wait_for(lambda _: world.front.withdrawn)
    world.files.may_go_on.set()
    await world.settle()

    assert world.front.messages == []
    assert "active" in world.signs_shown()
    key = f"{world.slack.team_id}:{world.slack.channels['general']}:{ts}"
    assert key in world.ledger.settled


async def test_a_deletion_that_comes_before_its_post_holds_it_back(world: World) -> None:
    channel, ts = world.slack.channels["general"], "1783536983.783769"
    gone = {"type": "message", "subtype": "message_deleted", "channel": channel, "deleted_ts": ts}
    world.slack.send_event({**gone, "ts": "1783536984.000001"})
    await world.slack.wait_for(lambda _: world.front.withdrawn)
    post = {"type": "app_mention", "user": world.slack.people["ann"], "channel": channel, "ts": ts}
    world.slack.send_event({**post, "text": f"{world.mention} look"})
    await world.slack.wait_for(lambda _: "active" in world.signs_shown())
    await world.settle()

    assert world.front.messages == []


async def test_the_deletion_of_any_other_post_changes_nothing(world: World) -> None:
    other = await world.say("ben", "general", "lunch?")
    await world.say("ann", "general", f"{world.mention} what is new?")
    await world.slack.delete("general", other)
    await world.slack.wait_for(lambda _: world.front.withdrawn)
    await world.settle()

    assert world.front.texts == ["what is new?"]


@pytest.mark.parametrize(
    "event",
    [
        {"type": "thread_teleported", "channel": "C1", "event_ts": "1783536983.783769"},
        {
            "type": "message",
            "subtype": "hologram",
            "user": "U1",
            "channel": "C1",
            "ts": "1783536983.783769",
        },
    ],
    ids=["type", "subtype"],
)
async def test_what_nobody_knows_is_acknowledged_and_logged_once(
    world: World, event: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="bot.ingress.unheard"):
        for _ in range(2):
            world.slack.send_event(event)
        await world.slack.wait_for(
            lambda slack: sum(one.acked_at_s is not None for one in slack.deliveries) == 2
        )
        await world.settle()

    [line] = [record for record in caplog.records if record.name == "bot.ingress.unheard"]
    assert line.levelno == logging.INFO
    assert event.get("subtype", event["type"]) in line.getMessage()
    assert world.front.messages == []


async def test_what_is_left_alone_on_purpose_is_not_logged(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="bot.ingress.unheard"):
        ts = await world.say("ann", "general", "lunch?")
        await world.slack.edit("ann", "general", ts, "dinner?")
        await world.slack.delete("general", ts)
        await world.slack.wait_for(lambda slack: len(slack.deliveries) == 3)
        await world.settle()

    assert [record for record in caplog.records if record.name == "bot.ingress.unheard"] == []
