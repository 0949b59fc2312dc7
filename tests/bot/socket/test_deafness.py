"""A socket that went deaf is noticed, and one that is only quiet is left alone."""

import pytest

from bot.slack_api import SlackAuthRefused, SlackUnavailable
from tests.bot.socket.world import World, fresh_world

NOTICED_WITHIN_S = 30
HEALED_WITHIN_S = 60


@pytest.mark.proves("socket.deaf")
async def test_a_black_hole_is_noticed_and_healed_in_time(world: World) -> None:
    await world.pass_time(12)
    world.slack.sockets.swallow_frames()
    world.slack.fail("apps.connections.open", status=503, hang_s=1.0)
    began_s = world.clock.now()
    await world.until(lambda: not world.socket.health().ok, within_s=NOTICED_WITHIN_S)
    assert "silent" in world.socket.health().reason
    await world.until(lambda: world.healed, within_s=HEALED_WITHIN_S)
    assert world.clock.now() - began_s <= HEALED_WITHIN_S
    assert world.socket.health().ok
    assert (world.socket.health().last_heard_s or 0.0) <= 1.0
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
    assert world.socket.health().ok


async def test_a_process_that_slept_is_not_deaf(world: World) -> None:
    await world.pass_time(7)
    world.clock.advance(3_600)
    await world.pass_time(60)
    assert len(world.tries()) == 1


async def test_a_cut_connection_is_replaced_at_once(world: World) -> None:
    world.slack.cut_sockets()
    await world.at_once(lambda: world.healed)
    await world.delivers("back?")


@pytest.mark.proves("socket.one")
@pytest.mark.parametrize("count", [1, 20])
async def test_one_socket_is_open_in_the_end_however_often_it_was_cut(
    world: World, count: int
) -> None:
    for number in range(1, count + 1):
        world.slack.cut_sockets()
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
    await world.until(lambda: not world.socket.health().ok, within_s=61)
    health = world.socket.health()
    assert health.connected
    assert "token_revoked" in health.reason
    await world.pass_time(240)
    assert world.asked.times == 5
    assert len(world.tries()) == 1
    world.asked.error = None
    await world.until(lambda: world.socket.health().ok, within_s=61)


async def test_a_web_api_that_is_away_is_told_while_the_socket_is_well(world: World) -> None:
    world.asked.error = SlackUnavailable("auth.test", detail="status 503")
    await world.until(lambda: not world.socket.health().ok, within_s=61)
    assert "status 503" in world.socket.health().reason


async def test_nobody_is_asked_while_payloads_come(world: World) -> None:
    for _ in range(6):
        await world.delivers("busy")
        await world.pass_time(30)
    assert world.asked.times == 0


async def test_before_the_first_connection_it_is_not_well() -> None:
    async with fresh_world() as world:
        assert not world.socket.health().ok
        assert world.socket.health().last_heard_s is None
