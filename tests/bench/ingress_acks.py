"""How soon the bot acknowledges, beside a Bolt app that does nothing, seen from Slack's side.

Both hear the same stream at the same time, each event over the socket of one of them: what else the
machine does meanwhile meets both alike. Before that the bare app has the stream to itself.
"""

import asyncio
import statistics
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from bot.sandbox.slack import SlackStandIn
from bot.sandbox.slack.records import Delivery
from tests.bench.bare_bolt import ANSWER
from tests.bench.ingress_gestures import CHANNELS, WORDS
from tests.bench.results import Result

STREAM_S = 30
WARM_UP_S = 5
"""These seconds of a stream come before those that count."""
ADDRESSED_EVERY = 10
"""Every tenth post is for the bot; it comes as two events."""
CHATTER = "The lift in the north wing is out of order again, so please take the stairs today."
LAST_ACKS_S = 5.0
CONNECT_S = 60.0
SECOND_MS = 1_000


@asynccontextmanager
async def bare_app(slack: SlackStandIn) -> AsyncGenerator[None]:
    """The app that does nothing, listening in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.bench.bare_bolt",
        *(slack.bot_token, slack.app_token, slack.api_url),
    )
    before = slack.open_sockets
    try:
        await slack.wait_for(lambda _: slack.open_sockets > before, timeout_s=CONNECT_S)
        yield
    finally:
        process.kill()
        await process.wait()


async def stream(slack: SlackStandIn, events_a_second: int) -> list[Delivery]:
    """People talk, steadily; what was delivered of it after the first seconds."""
    loop = asyncio.get_running_loop()
    began_s, sent, number, warm = loop.time(), 0, 0, len(slack.deliveries)
    while sent < events_a_second * (WARM_UP_S + STREAM_S):
        await asyncio.sleep(max(0.0, began_s + sent / events_a_second - loop.time()))
        if sent < events_a_second * WARM_UP_S:
            warm = len(slack.deliveries)
        is_addressed = number % ADDRESSED_EVERY == 0
        text = f"{slack.mention} {WORDS}" if is_addressed else CHATTER
        await slack.say("ann", CHANNELS[number % len(CHANNELS)], text)
        sent, number = sent + (2 if is_addressed else 1), number + 1
    await asyncio.sleep(LAST_ACKS_S)
    return [each for each in slack.deliveries[warm:] if _is_by_person(each)]


def results_of(both: Sequence[Delivery], alone: Sequence[Delivery]) -> list[Result]:
    """The figures.

    Args:
        both: What came while the bots and the bare app listened.
        alone: What came while the bare app listened alone.
    """
    ours = [ack_ms(each) for each in both if not _is_bare(each)]
    bare = [ack_ms(each) for each in both if _is_bare(each)]
    bare_alone = [ack_ms(each) for each in alone]
    figures = {
        "ack_p50_ms": statistics.median(ours),
        "ack_p99_ms": p99(ours),
        "ack_max_ms": max(ours),
        "bare_p50_ms": statistics.median(bare),
        "bare_p99_ms": p99(bare),
        "bare_alone_p99_ms": p99(bare_alone),
    }
    ratio, ratio_alone = p99(ours) / p99(bare), p99(ours) / p99(bare_alone)
    return [
        Result(name="ack_events", value=len(ours), unit="events"),
        *(Result(name=name, value=round(ms, 1), unit="ms") for name, ms in figures.items()),
        Result(name="ack_p99_ratio", value=round(ratio, 2), unit="ratio", goal=2),
        Result(name="ack_p99_ratio_to_bare_alone", value=round(ratio_alone, 2), unit="ratio"),
    ]


def ack_ms(delivery: Delivery) -> float:
    """From the envelope's sending to its acknowledgement; infinite where there was none."""
    if delivery.acked_at_s is None:
        return float("inf")
    return (delivery.acked_at_s - delivery.sent_at_s) * SECOND_MS


def p99(times_ms: Sequence[float]) -> float:
    return sorted(times_ms)[int(len(times_ms) * 0.99)]


def _is_by_person(delivery: Delivery) -> bool:
    return "client_msg_id" in delivery.payload["event"]


def _is_bare(delivery: Delivery) -> bool:
    return (delivery.answer or {}).get("text") == ANSWER
