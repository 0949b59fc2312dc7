"""What the stand-in adds to Slack's deliveries: repeated ones, made-up ones, broken sockets."""

from bot.sandbox.slack import ManualClock, SlackStandIn
from tests.bot.sandbox.slack.echo_bot import EchoBot, socket_mode

BOTH = {"channel_rename", "channel_archive"}


async def test_a_bot_is_told_of_its_own_post_and_bolt_drops_it(
    slack: SlackStandIn, bot: EchoBot
) -> None:
    await bot.client.chat_postMessage(channel=slack.channels["general"], text="mine")
    await slack.wait_for(lambda s: s.deliveries and s.deliveries[-1].acked_at_s is not None)
    assert slack.deliveries[-1].payload["event"]["bot_id"] == slack.bot_id
    assert bot.bodies == []


async def test_an_event_is_under_way_from_the_gesture_to_its_acknowledgement(
    slack: SlackStandIn, bot: EchoBot
) -> None:
    await slack.say("ann", "general", "hello")
    assert slack.events_under_way == 1
    await slack.wait_for(lambda s: not s.events_under_way)
    assert [each.acked_at_s is not None for each in slack.deliveries] == [True]


async def test_a_redelivery_has_the_same_event_id_and_bolt_handles_it_again(
    slack: SlackStandIn, bot: EchoBot
) -> None:
    await slack.say("ann", dm=True, text="hello")
    await slack.wait_for(lambda _: bot.bodies)
    await slack.redeliver(bot.bodies[0]["event_id"], attempt=1, reason="timeout")
    await slack.wait_for(lambda s: len(s.posts(s.dm_id("ann"))) == 3)
    assert bot.bodies[0]["event_id"] == bot.bodies[1]["event_id"]
    assert bot.retries == [("0", ""), ("1", "timeout")]


async def test_a_redelivery_can_use_the_same_envelope(slack: SlackStandIn, bot: EchoBot) -> None:
    await slack.say("ann", "general", "hello")
    await slack.wait_for(lambda s: s.deliveries and s.deliveries[0].acked_at_s)
    first = slack.deliveries[0]
    again = await slack.redeliver(attempt=0, same_envelope=True)
    assert (again.envelope_id, again.attempt) == (first.envelope_id, 0)
    assert again.acked_at_s is not None


async def test_a_disconnect_notice_makes_the_app_take_a_new_socket(
    slack: SlackStandIn, bot: EchoBot
) -> None:
    await slack.disconnect("refresh_requested")
    assert slack.open_sockets == 0
    await slack.connected()
    await slack.say("ann", dm=True, text="still there?")
    await slack.wait_for(lambda _: bot.bodies)


async def test_an_unknown_event_can_be_sent(slack: SlackStandIn, bot: EchoBot) -> None:
    slack.send_event({"type": "moon_landing", "event_ts": "1.000001"})
    deliveries = await slack.wait_for(lambda s: s.deliveries)
    assert deliveries[0].event_type == "moon_landing"
    assert deliveries[0].reached_socket


async def test_a_cut_connection_is_taken_up_again(slack: SlackStandIn, clock: ManualClock) -> None:
    bot = EchoBot(slack)
    async with socket_mode(bot.app, slack, ping_interval_s=0.2):
        slack.cut_sockets()
        await slack.wait_for(lambda s: s.open_sockets == 0)
        await slack.connected()
        await slack.say("ann", dm=True, text="back?")
        await slack.wait_for(lambda _: bot.bodies)
