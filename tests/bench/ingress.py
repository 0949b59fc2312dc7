"""How the bot takes what Slack delivers: each gesture once, and acknowledged soon.

`python -m tests.bench.ingress [--json]`. Two `bot start` processes share a Postgres database and a
directory of workspaces; all stand-ins are in this process. First 2,000 gestures come in the four
shapes in which Slack delivers one twice, in random order, each copy over the socket of either
process. People say "help", which is answered without a model.

`retry`: a new envelope with a retry number; of every third gesture the first delivery was lost on
its way, so the retry is the only one. `envelope`: the same envelope again. `mention`: `app_mention`
and `message` of one post. `twin`: two messages with different `ts` and one `client_msg_id`.

Then people talk, with every tenth post for the bot, so that 50 events a second come to the bots for
30 s, and 25 more to a Bolt app that does nothing.
How soon the bot acknowledges is seen from Slack's side: both hear the same stream at the same time.
"""

import asyncio
import random
import statistics
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient
from sqlalchemy import create_engine, select

from agent_core.messages import JsonObject
from agent_core.sessions.schema import turns
from bot.sandbox.model import ModelStandIn
from bot.sandbox.slack.messages import mention_event, message_event, wrap_event
from bot.sandbox.slack.records import Delivery, Post
from tests.bench.results import Result, come_to_rest, run
from tests.faulty_slack import FaultySlack
from tests.members import Members, members_on
from tests.postgres import driven, new_database, postgres

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


Shape = Literal["retry", "envelope", "mention", "twin"]

SHAPES: tuple[Shape, ...] = get_args(Shape)
PEOPLE = ("ann", "ben", "cleo")
CHANNELS = ("general", "energy", "news", "private")
WORDS = "help"
"""It is answered by every part of the bot but the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """One delivery of a gesture."""

    gesture: int
    payload: JsonObject
    envelope: str
    attempt: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gesture:
    shape: Shape
    posts: tuple[Post, ...]
    """One, or the two posts that Slack makes of a twin."""
    copies: tuple[Copy, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What came of the gestures, by their numbers."""

    answers: Counter[int]
    """Posts with an answer."""
    turns: Counter[int]
    """Turns in the database."""


def typed(slack: FaultySlack, number: int) -> Gesture:
    """The gesture of this number: its posts stand in Slack, and are not delivered yet."""
    shape = SHAPES[number % len(SHAPES)]
    person = PEOPLE[number % len(PEOPLE)]
    state = slack.state
    channel, text = slack.dm_id(person), WORDS
    if shape == "mention":
        channel = slack.channel_id(CHANNELS[number // len(SHAPES) % len(CHANNELS)])
        text = f"{slack.mention} {WORDS}"
    said_once = state.ids.fresh("u")
    posts = tuple(
        Post(
            channel=channel,
            ts=state.ids.fresh_ts(),
            user=slack.user_id(person),
            text=text,
            client_msg_id=said_once,
        )
        for _ in range(2 if shape == "twin" else 1)
    )
    for post in posts:
        state.keep(post)
    events = [message_event(state, post, state.channels[channel]) for post in posts]
    if shape == "mention":
        events.append(mention_event(state, posts[0]))
    copies = [
        Copy(gesture=number, payload=wrap_event(state, event), envelope=state.ids.fresh("u"))
        for event in events
    ]
    if shape == "envelope":
        copies *= 2
    if shape == "retry":
        copies.append(replace(copies[0], envelope=state.ids.fresh("u"), attempt=1))
        copies = copies if number % 3 else copies[1:]
    return Gesture(shape=shape, posts=posts, copies=tuple(copies))


def shuffled(gestures: Iterable[Gesture], seed: int) -> list[Copy]:
    """All copies in a random order: half of the gestures' at the same time, half far apart."""
    chance = random.Random(seed)  # noqa: S311 - the same order each time, nothing secret
    placed: list[tuple[float, Copy]] = []
    for gesture in gestures:
        together = chance.random()
        are_together = chance.random() < 0.5
        placed += [
            (together if are_together else chance.random(), copy)
            for copy in chance.sample(gesture.copies, k=len(gesture.copies))
        ]
    return [copy for _, copy in sorted(placed, key=lambda each: each[0])]


def find(slack: FaultySlack, database_url: str, gestures: Sequence[Gesture]) -> Found:
    """Count the answers in Slack, and the turns in the database."""
    number_of = {
        (post.channel, post.ts): number
        for number, gesture in enumerate(gestures)
        for post in gesture.posts
    }
    answers = (
        number_of[post.channel, post.root_ts]
        for posts in slack.state.posts.values()
        for post in posts.values()
        if post.user == slack.bot_user_id and (post.channel, post.root_ts) in number_of
    )
    engine = create_engine(driven(database_url))
    try:
        with engine.connect() as connection:
            keys = [str(row.id).split(":") for row in connection.execute(select(turns.c.id))]
    finally:
        engine.dispose()
    return Found(
        answers=Counter(answers), turns=Counter(number_of[channel, ts] for *_, channel, ts in keys)
    )


@asynccontextmanager
async def bots(
    slack: FaultySlack, model: ModelStandIn, url: str, root: Path
) -> AsyncGenerator[Members]:
    async with members_on(url, slack, root, model.environment) as members:
        await members.begin(PROCESSES)
        yield members


class Postman:
    """Delivers copies of gestures as fast as they are taken."""

    def __init__(self, slack: FaultySlack) -> None:
        self._slack = slack
        self._slots = asyncio.Semaphore(MAX_UNDER_WAY)
        self._begun: set[int] = set()
        self._posts_before = self._posts()

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
            brought = await self._attempt(copy.payload, attempt, None)

    async def _attempt(
        self, payload: dict[str, object], attempt: int, envelope: str | None
    ) -> Delivery:
        return await self._slack.backend.sockets.attempt(
            "events_api", payload, attempt=attempt, envelope_id=envelope
        )


async def measure_gestures(url: str, root: Path, count: int) -> list[Result]:
    """Deliver the gestures and count what came of them, in Slack and in the database."""
    async with (
        FaultySlack(rate_limits=False) as slack,
        ModelStandIn() as model,
        bots(slack, model, url, root) as members,
    ):
        gestures = [typed(slack, number) for number in range(count)]
        postman = Postman(slack)
        await postman.deliver(shuffled(gestures, SEED))
        await come_to_rest(postman.answered, count, patience_s=REST_S, late_s=LATE_S)
        members.check()
        found = find(slack, url, gestures)
    return results_of(gestures, found)


def results_of(gestures: Sequence[Gesture], found: Found) -> list[Result]:
    """The figures; what is wrong is told one by one."""
    results = [Result(name="gestures", value=len(gestures), unit="gestures")]
    made = [(found.answers[number], found.turns[number]) for number in range(len(gestures))]
    wrong = {
        "double": [number for number, counts in enumerate(made) if max(counts) > 1],
        "dropped": [number for number, counts in enumerate(made) if min(counts) == 0],
    }
    for name, numbers in wrong.items():
        results.append(Result(name=name, value=len(numbers), unit="gestures", goal=0))
        for number in numbers:
            gesture = gestures[number]
            sys.stderr.write(
                f"{name}: {gesture.shape} {gesture.posts[0].channel}:{gesture.posts[0].ts}, "
                f"{found.answers[number]} answers, {found.turns[number]} turns\n"
            )
    return results


async def measure_acks(url: str, root: Path) -> list[Result]:
    """The stream to the bare app alone, then to the bots and it."""
    async with FaultySlack(rate_limits=False) as slack, ModelStandIn() as model, bare_app(slack):
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
BARE_ANSWER = "bare"
CHATTER = "The lift in the north wing is out of order again, so please take the stairs today."
LAST_ACKS_S = 5.0
CONNECT_S = 60.0
SECOND_MS = 1_000


async def acknowledge() -> BoltResponse:
    """A middleware that ends every payload's way; its body tells it from the bot's answers."""
    return BoltResponse(status=200, body=BARE_ANSWER)


async def listen_bare(bot_token: str, app_token: str, api_url: str) -> None:
    """The least that Bolt costs, to compare with."""
    bolt = AsyncApp(client=AsyncWebClient(token=bot_token, base_url=api_url))
    app: Any = bolt  # Bolt's decorators are not typed
    app.use(acknowledge)
    handler: Any = AsyncSocketModeHandler(bolt, app_token)
    await handler.connect_async()
    await asyncio.Event().wait()


@asynccontextmanager
async def bare_app(slack: FaultySlack) -> AsyncGenerator[None]:
    """The app that does nothing, listening in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.bench.ingress",
        "bare",
        *(slack.bot_token, slack.app_token, slack.api_url),
    )
    before = slack.open_sockets
    try:
        await slack.wait_for(lambda _: slack.open_sockets > before, timeout_s=CONNECT_S)
        yield
    finally:
        process.kill()
        await process.wait()


async def stream(slack: FaultySlack, events_a_second: int) -> list[Delivery]:
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
    return (delivery.answer or {}).get("text") == BARE_ANSWER


if __name__ == "__main__":
    if sys.argv[1:2] == ["bare"]:
        asyncio.run(listen_bare(*sys.argv[2:]))
    else:
        run(__doc__, measure, gestures=GESTURES)
