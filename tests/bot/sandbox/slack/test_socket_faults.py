"""Faults of sockets on order, as the real Socket Mode client meets them."""

import asyncio

from bot.sandbox.slack import ManualClock, SlackStandIn
from tests.bot.sandbox.slack.echo_bot import EchoBot, socket_mode


async def test_a_black_hole_takes_payloads_and_never_acknowledges(
    slack: SlackStandIn, bot: EchoBot, clock: ManualClock
) -> None:
    slack.sockets.swallow_frames()
    await slack.say("ann", dm=True, text="anyone?")
    [first] = await slack.wait_for(lambda s: s.deliveries)
    clock.advance(3)
    await slack.wait_for(lambda s: len(s.deliveries) > 1)
    assert first.reached_socket
    assert slack.deliveries[0].acked_at_s is None
    assert bot.bodies == []
    assert slack.open_sockets == 1


async def test_the_client_notices_that_its_pings_are_not_answered(slack: SlackStandIn) -> None:
    bot = EchoBot(slack)
    async with socket_mode(bot.app, slack, ping_interval_s=0.2):
        asked = len(slack.calls)
        slack.sockets.leave_pings_unanswered()
        await slack.wait_for(lambda s: len(s.calls) > asked)
        await slack.connected()


async def test_a_lost_acknowledgement_brings_the_payload_again(
    slack: SlackStandIn, bot: EchoBot, clock: ManualClock
) -> None:
    slack.sockets.lose_acks(1)
    await slack.say("ann", dm=True, text="once?")
    await slack.wait_for(lambda _: bot.bodies)
    clock.advance(3)
    await slack.wait_for(lambda s: len(bot.bodies) == 2)
    assert bot.bodies[0]["event_id"] == bot.bodies[1]["event_id"]


async def test_the_next_sockets_can_be_turned_away(slack: SlackStandIn) -> None:
    slack.sockets.turn_away(1)
    bot = EchoBot(slack)
    async with socket_mode(bot.app, slack):
        await slack.connected()
    opened = [call for call in slack.calls if call.method == "apps.connections.open"]
    assert len(opened) > 1


async def test_any_frame_can_be_sent(slack: SlackStandIn, bot: EchoBot) -> None:
    assert await slack.sockets.send_text("no JSON")
    await slack.say("ann", dm=True, text="still there?")
    await slack.wait_for(lambda _: bot.bodies)


async def test_a_socket_that_is_about_to_close_is_used_while_there_is_no_other(
    slack: SlackStandIn, bot: EchoBot
) -> None:
    slack.fail("apps.connections.open", status=503, times=100)
    await slack.disconnect("warning")
    async with asyncio.timeout(10):
        await slack.say("ann", dm=True, text="the last words")
        await slack.wait_for(lambda s: s.deliveries and s.deliveries[0].reached_socket)
