"""What Slack sends of posts that nobody listens to."""

import logging

import pytest

from tests.bot.ingress.world import World


@pytest.mark.proves("socket.odd_frames")
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
    with caplog.at_level(logging.INFO, logger="bot.ingress.changes"):
        for _ in range(2):
            world.slack.send_event(event)
        await world.slack.wait_for(
            lambda slack: sum(one.acked_at_s is not None for one in slack.deliveries) == 2
        )
        await world.settle()

    [line] = [record for record in caplog.records if record.name == "bot.ingress.changes"]
    assert line.levelno == logging.INFO
    assert event.get("subtype", event["type"]) in line.getMessage()
    assert world.front.messages == []


