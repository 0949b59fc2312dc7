"""Sockets that go deaf, are closed or refused, under a whole bot: heard again, and nothing lost."""

import asyncio
import logging
import re
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.socket import Timing
from tests.e2e.world import SIMPLE_ANSWER, bot_in, bot_in_a_world, outside_world

SOON_DEAF = Timing(ping_interval_s=0.2, deaf_after_s=1.0)
PATIENCE_S = 60.0

Health = dict[str, Any]


class Monitor:
    """Asks `/healthz`."""

    def __init__(self, session: aiohttp.ClientSession, log: str) -> None:
        named = re.search(r"/healthz are served on \S+ port (\d+)", log)
        assert named, log
        self._session = session
        self._url = f"http://127.0.0.1:{named[1]}/healthz"

    async def until(self, status: int) -> Health:
        """Ask again and again until the status is this one."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                async with self._session.get(self._url) as answer:
                    if answer.status == status:
                        return await answer.json()


@pytest.mark.proves("socket.healthz")
async def test_a_black_hole_is_seen_from_outside_and_healed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="bot.console")
    async with (
        outside_world(tmp_path) as outside,
        bot_in(outside, socket_timing=SOON_DEAF) as world,
        aiohttp.ClientSession() as session,
    ):
        monitor = Monitor(session, caplog.text)
        assert (await monitor.until(200))["socket"]["connected"]
        world.slack.fail("apps.connections.open", status=503, times=2)
        world.slack.sockets.swallow_frames()
        world.play_simple()
        swallowed = await world.mention("Who reads this?")
        health = await monitor.until(503)
        assert health["why"][0].startswith("socket: the socket to Slack ")
        assert health["database"]["ok"]
        await monitor.until(200)
        await world.answered(swallowed)
        assert world.answers(swallowed) == [SIMPLE_ANSWER]
        assert world.answers(await world.ask_simply("Who wrote Faust?")) == [SIMPLE_ANSWER]
        await world.slack.wait_for(lambda slack: slack.open_sockets == 1)


@pytest.mark.proves("ledger.lost_ack")
async def test_an_acknowledgement_that_is_lost_is_one_answer(tmp_path: Path) -> None:
    async with bot_in_a_world(tmp_path) as world:
        world.play_simple()
        world.slack.sockets.acks_to_lose = 2
        root = await world.mention("Only once, please?")
        await world.answered(root)
        await world.slack.wait_for(
            lambda slack: len(slack.deliveries) >= 4 and slack.deliveries[-1].acked_at_s
        )
        await world.ask_simply("What is the capital of Spain?", channel="news")
        assert world.answers(root) == [SIMPLE_ANSWER]
