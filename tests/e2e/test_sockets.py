"""Sockets that go deaf, are closed or refused, under a whole bot: heard again, and nothing lost."""

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.socket import Timing
from tests.e2e.world import SIMPLE_ANSWER, World, bot_in, outside_world

SOON_DEAF = pytest.mark.parametrize("timing", [Timing(ping_interval_s=0.2, deaf_after_s=1.0)])
"""A process that stands still for a second takes its socket for deaf, too: for no other test."""
SOON_QUIET = pytest.mark.parametrize("timing", [Timing(quiet_after_s=0.5)])
PATIENCE_S = 60.0

Health = dict[str, Any]
Watched = AbstractAsyncContextManager[tuple[World, "Watcher"]]


class Watcher:
    """Asks `/healthz` as a monitor would."""

    def __init__(self, session: aiohttp.ClientSession, port: int) -> None:
        self._session = session
        self._url = f"http://127.0.0.1:{port}/healthz"

    async def ask(self) -> tuple[int, Health]:
        async with self._session.get(self._url) as answer:
            return answer.status, await answer.json()

    async def until(self, probe: Callable[[int, Health], bool]) -> Health:
        """Ask again and again until the answer is as wanted."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                status, health = await self.ask()
                if probe(status, health):
                    return health

    async def well(self) -> Health:
        return await self.until(lambda status, _: status == 200)

    async def unwell(self) -> Health:
        return await self.until(lambda status, _: status == 503)


@pytest.fixture
def timing() -> Timing:
    """The usual one; a test that must not wait for so long names its own."""
    return Timing()


@pytest.fixture
def watched(tmp_path: Path, caplog: pytest.LogCaptureFixture, timing: Timing) -> Watched:
    caplog.set_level(logging.INFO, logger="bot.console")
    return _watched(tmp_path, caplog, timing)


@asynccontextmanager
async def _watched(
    root: Path, log: pytest.LogCaptureFixture, timing: Timing
) -> AsyncGenerator[tuple[World, Watcher]]:
    async with (
        outside_world(root) as outside,
        bot_in(outside, socket_timing=timing) as world,
        aiohttp.ClientSession() as session,
    ):
        named = re.search(r"/healthz is served on \S+ port (\d+)", log.text)
        assert named, log.text
        yield world, Watcher(session, int(named[1]))


async def answers(world: World, text: str) -> None:
    world.play_simple()
    root = await world.mention(text)
    await world.answered(root)
    assert world.answers(root) == [SIMPLE_ANSWER]


@SOON_DEAF
@pytest.mark.proves("socket.healthz")
async def test_a_black_hole_is_seen_from_outside_and_healed(watched: Watched) -> None:
    async with watched as (world, watcher):
        assert (await watcher.well())["socket"]["connected"]
        world.slack.fail("apps.connections.open", status=503, times=2)
        world.slack.sockets.swallow_frames()
        world.play_simple()
        swallowed = await world.mention("Who reads this?")
        health = await watcher.unwell()
        assert health["why"][0].startswith("socket: the socket to Slack ")
        assert health["database"]["ok"]
        await watcher.well()
        await world.answered(swallowed)
        assert world.answers(swallowed) == [SIMPLE_ANSWER]
        await answers(world, "Who wrote Faust?")
        await world.slack.wait_for(lambda slack: slack.open_sockets == 1)


@pytest.mark.proves("socket.notice")
async def test_a_notice_loses_nothing_under_traffic(watched: Watched) -> None:
    async with watched as (world, watcher):
        for _ in range(15):
            world.play_simple()
        roots: list[str] = []
        for number in range(5):
            for part in ("before", "with", "after"):
                roots.append(await world.mention(f"Number {number}, {part} the notice?"))
                if part == "before":
                    await world.slack.disconnect(("warning", "refresh_requested")[number % 2])
        for root in roots:
            await world.answered(root)
        assert [world.answers(root) for root in roots] == [[SIMPLE_ANSWER]] * 15
        await world.slack.wait_for(lambda slack: slack.sockets.connections == 1)
        assert (await watcher.ask())[0] == 200


@pytest.mark.proves("socket.to_be_mended")
async def test_socket_mode_that_is_switched_off_is_told_and_does_not_end_the_bot(
    watched: Watched,
) -> None:
    async with watched as (world, watcher):
        await world.slack.disconnect("link_disabled")
        health = await watcher.unwell()
        assert "Socket Mode is switched off" in health["why"][0]
        assert not health["socket"]["connected"]
        assert world.slack.open_sockets == 0


@pytest.mark.proves("socket.too_many")
async def test_a_socket_too_many_comes_back_by_itself(watched: Watched) -> None:
    async with watched as (world, watcher):
        world.slack.sockets.to_turn_away = 1
        world.slack.cut_sockets()
        health = await watcher.until(lambda _, health: "as many sockets" in str(health["why"]))
        assert not health["ok"]
        await watcher.well()
        await answers(world, "Who painted Guernica?")


@SOON_DEAF
@pytest.mark.proves("socket.pings")
async def test_unanswered_pings_are_no_reason_to_miss_a_mention(watched: Watched) -> None:
    async with watched as (world, watcher):
        asked = len(opened(world))
        world.slack.sockets.leave_pings_unanswered()
        await world.slack.wait_for(lambda _: len(opened(world)) > asked)
        await watcher.well()
        await answers(world, "Who wrote Hamlet?")


@SOON_QUIET
@pytest.mark.proves("socket.quiet")
async def test_a_bot_whose_token_was_taken_away_says_so(watched: Watched) -> None:
    async with watched as (world, watcher):
        world.slack.fail("auth.test", error="token_revoked", times=1_000)
        health = await watcher.unwell()
        assert health["socket"]["connected"]
        assert "SLACK_BOT_TOKEN (token_revoked)" in health["why"][0]
        world.slack.heal()
        await watcher.well()
        assert len(opened(world)) == 1


@pytest.mark.proves("socket.odd_frames")
@pytest.mark.parametrize(
    "frame",
    ["no JSON", "[]", '{"envelope_id":"e","type":"moonlight","payload":{}}', "long"],
)
async def test_odd_frames_cost_nothing(watched: Watched, frame: str) -> None:
    async with watched as (world, _):
        if frame == "long":
            world.slack.send_event({"type": "message", "text": "x" * 2**20, "user": "U0"})
        else:
            await world.slack.sockets.send_text(frame)
        await answers(world, "What is the capital of France?")
        assert len(opened(world)) == 1


@pytest.mark.proves("ledger.lost_ack")
async def test_an_acknowledgement_that_is_lost_is_one_answer(watched: Watched) -> None:
    async with watched as (world, _):
        world.play_simple()
        world.slack.sockets.acks_to_lose = 2
        root = await world.mention("Only once, please?")
        await world.answered(root)
        await world.slack.wait_for(
            lambda slack: len(slack.deliveries) >= 4 and slack.deliveries[-1].acked_at_s
        )
        await world.ask_simply("What is the capital of Spain?", channel="news")
        assert world.answers(root) == [SIMPLE_ANSWER]


def opened(world: World) -> list[float]:
    return [call.at_s for call in world.slack.calls if call.method == "apps.connections.open"]
