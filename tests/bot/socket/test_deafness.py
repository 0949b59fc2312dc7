"""A socket that went deaf is noticed, and one that is only quiet is left alone."""

from typing import Any

import pytest

from bot.slack_api import SlackAuthRefused
from tests.bot.socket.world import World, fresh_world

NOTICED_WITHIN_S = 30
HEALED_WITHIN_S = 60


@pytest.mark.proves("socket.deaf")
async def test_a_black_hole_is_noticed_and_healed_in_time(world: World) -> None:
    await world.pass_time(12)
    world.slack.sockets.swallow_frames()
    world.slack.fail("apps.connections.open", status=503, hang_s=1.0)
    began_s = world.clock.now()
    await world.until(lambda: world.socket.fault, within_s=NOTICED_WITHIN_S)
    assert "silent" in world.socket.fault
    await world.until(lambda: world.healed, within_s=HEALED_WITHIN_S)
    assert world.clock.now() - began_s <= HEALED_WITHIN_S
    assert not world.socket.fault
    assert (world.socket.last_heard_s or 0.0) <= 1.0
    await world.delivers("still there?")
    await world.at_once(lambda: world.slack.sockets.connections == 1)


@pytest.mark.proves("socket.pings")
async def test_pings_that_nobody_answers_are_noticed_though_payloads_come(world: World) -> None:
    world.slack.sockets.leave_pings_unanswered()
    for number in range(3):
        await world.delivers(f"number {number}")
        await world.pass_time(4)
    await world.until(lambda: world.healed, within_s=NOTICED_WITHIN_S - 12)
    assert len(world.tries()) == 2


@pytest.mark.proves("socket.quiet")
async def test_a_quiet_socket_is_left_alone(world: World) -> None:
    await world.pass_time(300)
    assert len(world.tries()) == 1
    assert world.healed == []
    assert not world.socket.fault


async def test_a_process_that_slept_is_not_deaf(world: World) -> None:
    await world.pass_time(7)
    world.clock.advance(3_600)
    await world.pass_time(60)
    assert len(world.tries()) == 1


@pytest.mark.proves("socket.one")
@pytest.mark.parametrize("count", [1, 20])
async def test_one_socket_is_open_in_the_end_however_often_it_was_cut(
    world: World, count: int
) -> None:
    for number in range(1, count + 1):
        world.slack.sockets.cut()
        await world.until(lambda wanted=number: len(world.healed) == wanted, within_s=60)
    await world.at_once(lambda: world.slack.sockets.connections == 1)
    await world.at_once(lambda: world.sessions.open == 1)


@pytest.mark.proves("socket.closed_session")
async def test_a_closed_session_is_not_used_again(world: World) -> None:
    await world.sessions.made[0].close()
    await world.at_once(lambda: world.healed)
    await world.delivers("through a new one")


@pytest.mark.proves("socket.quiet")
async def test_a_token_that_was_taken_away_is_found_out_and_nothing_is_restarted(
    world: World,
) -> None:
    world.asked.error = SlackAuthRefused("auth.test", "token_revoked")
    await world.until(lambda: world.socket.fault, within_s=61)
    assert world.socket.is_open
    assert "token_revoked" in world.socket.fault
    await world.pass_time(240)
    assert world.asked.times == 5
    assert len(world.tries()) == 1
    world.asked.error = None
    await world.until(lambda: not world.socket.fault, within_s=61)


OPEN = "apps.connections.open"
BACK_AGAIN_S = 17
"""The longest pause between two tries, and the tries themselves."""


@pytest.mark.proves("socket.outage")
@pytest.mark.parametrize(
    "fault",
    [
        {"status": 500},
        {"status": 503, "html": True},
        {"html": True},
        {"error": "internal_error"},
        {"drop_after_accept": True},
    ],
    ids=["500", "page with 503", "page with 200", "internal error", "cut"],
)
async def test_an_outage_of_ten_minutes_is_outlasted(world: World, fault: dict[str, Any]) -> None:
    world.slack.fail(OPEN, times=10_000, **fault)
    world.slack.sockets.cut()
    await world.pass_time(600)
    assert "does not open" in world.socket.fault
    assert 600 / BACK_AGAIN_S <= len(world.tries()) <= 600 / 6
    world.slack.heal()
    await world.until(lambda: world.healed, within_s=BACK_AGAIN_S)
    await world.delivers("over")


@pytest.mark.proves("socket.outage")
async def test_names_that_are_not_found_are_asked_for_again(world: World) -> None:
    world.sessions.names.are_lost = True
    world.slack.sockets.cut()
    await world.pass_time(90)
    assert "ClientConnectorDNSError" in world.socket.fault
    world.sessions.names.are_lost = False
    await world.until(lambda: world.healed, within_s=BACK_AGAIN_S)


async def test_a_pause_that_slack_asks_for_is_kept(world: World) -> None:
    world.slack.fail(OPEN, status=429, retry_after_s=40)
    world.slack.sockets.cut()
    await world.pass_time(39)
    assert len(world.tries()) == 2
    await world.until(lambda: world.healed, within_s=8)


async def test_slack_that_is_away_at_the_start_is_waited_for() -> None:
    async with fresh_world() as world:
        world.slack.fail(OPEN, status=503, times=2)
        await world.socket.start()
        assert world.socket.fault
        await world.until(lambda: world.healed, within_s=BACK_AGAIN_S)
        await world.delivers("good morning")


async def test_a_token_that_is_refused_at_the_start_ends_it() -> None:
    async with fresh_world() as world:
        world.slack.fail(OPEN, error="invalid_auth")
        with pytest.raises(SlackAuthRefused):
            await world.socket.start()
        assert [session.closed for session in world.sessions.made] == [True]


async def test_a_socket_can_be_closed_while_it_is_tried_for(world: World) -> None:
    world.slack.fail(OPEN, status=503, times=100)
    world.slack.sockets.cut()
    await world.pass_time(5)
    await world.socket.close()
    tries = len(world.tries())
    await world.pass_time(60)
    assert len(world.tries()) == tries
    assert all(session.closed for session in world.sessions.made)


async def test_what_came_is_acknowledged_before_the_socket_is_closed(world: World) -> None:
    world.desk.may_go_on.clear()
    await world.slack.say("ann", dm=True, text="last words")
    await world.at_once(lambda: world.desk.taken)
    world.desk.may_go_on.set()
    await world.socket.close()
    await world.at_once(lambda: world.acknowledged(0))
    assert world.slack.sockets.connections == 0
