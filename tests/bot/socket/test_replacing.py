"""Slack's notices: what is refreshed without a gap, and what waits."""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from itertools import pairwise

import pytest

from tests.bot.socket.world import World
from tests.faulty_slack import FaultySlack


@contextmanager
def counted(slack: FaultySlack) -> Generator[list[int]]:
    """How many connections there are, after each change of their number."""
    counts: list[int] = []

    def note(_change: object) -> None:
        if counts[-1:] != [slack.sockets.connections]:
            counts.append(slack.sockets.connections)

    with slack.state.watch(note):
        yield counts


@pytest.mark.proves("socket.notice")
@pytest.mark.parametrize("reason", ["warning", "refresh_requested", "something_new"])
async def test_the_new_socket_is_open_before_the_old_one_is_closed(
    world: World, reason: str
) -> None:
    with counted(world.slack) as counts:
        await world.slack.sockets.disconnect(reason)
        await world.at_once(lambda: len(counts) > 1 and world.slack.sockets.connections == 1)
    assert counts[-2:] == [2, 1]
    assert 0 not in counts
    assert world.healed == []
    assert not world.socket.fault
    await world.delivers("over the new one")


@pytest.mark.proves("socket.notice")
async def test_what_came_over_the_old_socket_is_acknowledged_before_it_closes(world: World) -> None:
    world.desk.may_go_on.clear()
    await world.slack.say("ann", dm=True, text="in hand")
    await world.at_once(lambda: world.desk.taken)
    await world.slack.sockets.disconnect("warning")
    await world.at_once(lambda: world.slack.sockets.connections == 2)
    await world.round_trip()
    assert world.slack.sockets.connections == 2
    world.desk.may_go_on.set()
    await world.at_once(lambda: world.acknowledged(0))
    await world.at_once(lambda: world.slack.sockets.connections == 1)
    assert world.texts == ["in hand"]


@pytest.mark.proves("socket.notice")
async def test_a_payload_between_notice_and_new_socket_is_taken(world: World) -> None:
    world.slack.fail("apps.connections.open", status=500, times=2)
    await world.slack.sockets.disconnect("warning")
    await world.delivers("in between")
    assert not world.socket.fault
    await world.until(lambda: world.slack.open_sockets == 1, within_s=9)
    assert world.healed == []


async def test_a_server_that_ends_every_socket_is_not_stormed(world: World) -> None:
    for _ in range(60):
        await world.slack.sockets.disconnect("refresh_requested")
        await world.pass_time(1)
    assert len(world.tries()) <= 15


@pytest.mark.proves("socket.too_many")
async def test_an_app_with_too_many_sockets_waits_longer_each_time(world: World) -> None:
    world.slack.sockets.to_turn_away = 4
    world.slack.sockets.cut()
    await world.until(lambda: world.healed, within_s=200)
    tries = world.tries()[1:]
    waits = [later - earlier for earlier, later in pairwise(tries)]
    assert len(waits) == 4
    longest = (10, 20, 40, 60)
    assert all(5 <= wait <= most + 4 for wait, most in zip(waits, longest, strict=True))


@pytest.mark.proves("socket.to_be_mended")
async def test_socket_mode_that_is_switched_off_is_said_once_and_looked_at_each_minute(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.slack.fail("apps.connections.open", error="link_disabled", times=100)
    await world.slack.sockets.disconnect("link_disabled")
    await world.pass_time(300)
    assert len(world.tries()[1:]) in {4, 5}
    assert "Socket Mode is switched off" in world.socket.fault
    errors = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert [record.getMessage() for record in errors] == [world.socket.fault]
    world.slack.heal()
    await world.until(lambda: world.healed, within_s=61)
    await world.delivers("on again")
