"""How the bot takes what Slack delivers: each gesture once, and acknowledged soon.

`python -m tests.bench.ingress [--json]`. Two `bot start` processes share a Postgres database and a
directory of workspaces; all stand-ins are in this process. First 2,000 gestures come in the four
shapes in which Slack delivers one twice (`tests.bench.ingress_gestures`), in random order, each
copy over the socket of either process. People say "help", which is answered without a model.

Then people talk, with every tenth post for the bot, so that 50 events a second come to the bots for
30 s, and 25 more to a Bolt app that does nothing.
How soon the bot acknowledges is seen from Slack's side: both hear the same stream at the same time.
"""

import asyncio
import statistics
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bot.sandbox.model import ModelStandIn
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.slack.records import Delivery
from tests.bench.bare_bolt import ANSWER
from tests.bench.ingress_gestures import (
    CHANNELS,
    WORDS,
    Copy,
    Found,
    Gesture,
    Typist,
    find,
    shuffled,
)
from tests.bench.results import Result, come_to_rest, run
from tests.members import Members, members_on
from tests.postgres import new_database, postgres

GESTURES = 2_000
PROCESSES = 2
SEED = 4
MAX_UNDER_WAY = 40
"""So many deliveries wait for their acknowledgement at a time."""
MAX_OPEN = 100
"""With more unanswered gestures than this, Slack's people wait."""
REST_S = 120.0
LATE_S = 5.0
"""How long after the last answer another one may still come."""
RETRIES = 3

EVENTS_A_SECOND = 50
"""The bots hear so many in all, and the bare app beside them its share."""


@asynccontextmanager
async def bots(
    slack: SlackStandIn, model: ModelStandIn, url: str, root: Path
) -> AsyncGenerator[Members]:
    async with members_on(url, slack, root, model.environment) as members:
        await members.begin(PROCESSES)
        yield members


class Postman:
    """Delivers copies of gestures as fast as they are taken."""

    def __init__(self, slack: SlackStandIn) -> None:
        self._slack = slack
        self._slots = asyncio.Semaphore(MAX_UNDER_WAY)
        self._begun: set[int] = set()
        self._posts_before = self._posts()
        self.unacknowledged = 0

    async def deliver(self, copies: Sequence[Copy]) -> None:
        """Returns when all are acknowledged, or were tried as often as Slack would."""
        async with asyncio.TaskGroup() as group:
            for copy in copies:
                await self._slots.acquire()
                await self._few_are_open()
                self._begun.add(copy.gesture)
                task = group.create_task(self._bring(copy))
                task.add_done_callback(lambda _: self._slots.release())

    def answered(self) -> int:
        """Posts of the bot so far."""
        return self._posts() - self._posts_before

    def _posts(self) -> int:
        return sum(map(len, self._slack.state.posts.values()))

    async def _few_are_open(self) -> None:
        while len(self._begun) - self.answered() > MAX_OPEN:
            await self._slack.wait_for(
                lambda _: len(self._begun) - self.answered() <= MAX_OPEN, timeout_s=REST_S
            )

    async def _bring(self, copy: Copy) -> None:
        """A copy that is not acknowledged comes again, in an envelope of its own."""
        brought = await self._attempt(copy.payload, copy.attempt, copy.envelope)
        for attempt in range(copy.attempt + 1, RETRIES + 1):
            if brought.acked_at_s is not None:
                return
            self.unacknowledged += 1
            brought = await self._attempt(copy.payload, attempt, None)

    async def _attempt(
        self, payload: dict[str, object], attempt: int, envelope: str | None
    ) -> Delivery:
        return await self._slack.backend.deliverer.attempt(
            "events_api", payload, attempt=attempt, envelope_id=envelope
        )


async def measure_gestures(url: str, root: Path, count: int) -> list[Result]:
    """Deliver the gestures and count what came of them, in Slack and in the database."""
    async with (
        SlackStandIn(rate_limits=False) as slack,
        ModelStandIn() as model,
        bots(slack, model, url, root) as members,
    ):
        typist, loop = Typist(slack), asyncio.get_running_loop()
        gestures = [typist.make(number) for number in range(count)]
        postman, began_s = Postman(slack), loop.time()
        await postman.deliver(shuffled(gestures, SEED))
        delivered_s = loop.time() - began_s
        await come_to_rest(postman.answered, count, patience_s=REST_S, late_s=LATE_S)
        members.check()
        found = find(slack, url, gestures)
    return [*results_of(gestures, found), *pace(postman, delivered_s, found)]


def doubles(gestures: Sequence[Gesture], found: Found) -> list[int]:
    """Gestures with more than one answer or more than one turn."""
    each = range(len(gestures))
    return [number for number in each if found.answers[number] > 1 or found.turns[number] > 1]


def drops(gestures: Sequence[Gesture], found: Found) -> list[int]:
    """Gestures without an answer, or without a turn."""
    each = range(len(gestures))
    return [number for number in each if not (found.answers[number] and found.turns[number])]


def results_of(gestures: Sequence[Gesture], found: Found) -> list[Result]:
    """The figures; what is wrong is told one by one."""
    results = [Result(name="gestures", value=len(gestures), unit="gestures")]
    wrong = {"double": doubles(gestures, found), "dropped": drops(gestures, found)}
    for name, numbers in wrong.items():
        results.append(Result(name=name, value=len(numbers), unit="gestures", goal=0))
        for number in numbers:
            gesture = gestures[number]
            sys.stderr.write(
                f"{name}: {gesture.shape} {gesture.posts[0].channel}:{gesture.posts[0].ts}, "
                f"{found.answers[number]} answers, {found.turns[number]} turns\n"
            )
    return results


def pace(postman: Postman, delivered_s: float, found: Found) -> list[Result]:
    recorded = [found.by_process[process] for process in found.by_process]
    least = min(recorded) if len(recorded) == PROCESSES else 0
    return [
        Result(name="came_again_unacknowledged", value=postman.unacknowledged, unit="payloads"),
        Result(name="delivered_in_s", value=round(delivered_s, 1), unit="s"),
        Result(name="recorded_by_the_lesser_process", value=least, unit="gestures"),
    ]


async def measure_acks(url: str, root: Path) -> list[Result]:
    """The stream to the bare app alone, then to the bots and it."""
    async with SlackStandIn(rate_limits=False) as slack, ModelStandIn() as model, bare_app(slack):
        alone = await stream(slack, EVENTS_A_SECOND)
        async with bots(slack, model, url, root):
            both = await stream(slack, EVENTS_A_SECOND * (PROCESSES + 1) // PROCESSES)
    return results_of_acks(both, alone)


async def measure(root: Path, gestures: int) -> list[Result]:
    with postgres(for_benchmark=True) as server:
        return [
            *await measure_gestures(new_database(server), root / "gestures", gestures),
            *await measure_acks(new_database(server), root / "acks"),
        ]


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


def results_of_acks(both: Sequence[Delivery], alone: Sequence[Delivery]) -> list[Result]:
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


if __name__ == "__main__":
    run(__doc__, measure, gestures=GESTURES)
