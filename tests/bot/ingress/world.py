"""A bot on the real slack-bolt in front of the Slack stand-in, with an agent that only listens."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import repeat
from typing import Any

import aiohttp
from slack_bolt.app.async_app import AsyncApp

from agent_core.background import Background
from agent_core.ids import SessionId, TurnId, UserId, turn_of
from agent_core.messages import Attachment, InboundMessage, JsonObject
from agent_core.models import ModelRequest
from agent_core.runtime import KnownSessions, Ledger, Marks, ReplyReader, StoredTurn
from agent_core.testing.models import ScriptedModel, ScriptLine, call
from bot.front import FileFault, FrontDoor, KnownTurn, LeftOut, ThreadActivity, WorkspaceFiles
from bot.inbound import InboundPost, SlackFile, posted_ts, read_post
from bot.ingress import (
    Backfill,
    Ingress,
    Rules,
    Watermark,
    connect_socket,
    create_app,
    leave_to_next_start,
    register,
)
from bot.ingress.actions import ANSWER_WITHIN_S, Actions, Handler
from bot.ingress.backfill_run import HEAD_START_S
from bot.presenter import Indicators
from bot.sandbox.slack.state import DEFAULT_EVENTS, DEFAULT_SCOPES, App
from bot.slack_api import Identity, People, SkippingClock, SlackApi, web_client
from bot.threads import ThreadRef
from tests.clocks import ManualClock
from tests.faulty_slack import FaultySlack


@dataclass
class ListeningFront(FrontDoor):
    """Keeps what it is given. A turn waits until it is in `begun`, and `revise` changes it."""

    messages: list[InboundMessage] = field(default_factory=list[InboundMessage])
    got_one: asyncio.Event = field(default_factory=asyncio.Event)
    failures: int = 0
    withdrawn: list[str] = field(default_factory=list[str])
    called_off: dict[str, str] = field(default_factory=dict[str, str])
    """Who called off what, by its words."""
    slow: str | None = None
    """Words that are not taken before `may_take_slow`."""
    took_slow: asyncio.Event = field(default_factory=asyncio.Event)
    may_take_slow: asyncio.Event = field(default_factory=asyncio.Event)
    withdrew_one: asyncio.Event = field(default_factory=asyncio.Event)
    begun: set[str] = field(default_factory=set[str])
    have_ended: set[str] = field(default_factory=set[str])
    stopped: list[str] = field(default_factory=list[str])
    works_in_channel: bool = False
    asks: tuple[UserId, ...] = ()
    """Whose answer it waits for."""
    of_old: set[str] = field(default_factory=set[str])
    """What was taken up long ago."""
    may_end: asyncio.Event = field(default_factory=asyncio.Event)
    """Whether a catch-up sees turns end."""

    async def handle(self, message: InboundMessage) -> TurnId | None:
        if self.failures:
            self.failures -= 1
            raise OSError("the database is away")
        if message.key in self.keys:
            return None
        self.messages.append(message)
        if message.text == self.slow:
            self.took_slow.set()
            await self.may_take_slow.wait()
        self.got_one.set()
        return TurnId(message.key)

    async def revise(self, key: str, text: str) -> bool:
        waits = key in self.keys and key not in self.begun
        if waits:
            self.messages = [
                replace(each, text=text) if each.key == key else each for each in self.messages
            ]
        return waits

    async def withdraw(self, key: str, *, by: str = "") -> bool:
        if by:
            self.called_off |= {each.text: by for each in self.messages if each.key == key}
        else:
            self.withdrawn.append(key)
        has_not_ended = key in self.keys and key not in self.have_ended
        if has_not_ended:
            self.have_ended.add(key)
        self.withdrew_one.set()
        return has_not_ended

    async def known_turn(self, key: str) -> KnownTurn | None:
        for message in self.messages:
            if message.key == key:
                return KnownTurn(
                    text=message.text, is_at_work=key in self.begun and key not in self.have_ended
                )
        if key in self.of_old:
            return KnownTurn(text="", is_at_work=False)
        return None

    async def ended(self, key: str) -> None:
        await self.may_end.wait()

    async def stop_channel(self, team: str, channel: str, by: str, *, before_ts: str) -> bool:
        self.stopped.append(f"{channel} before {before_ts} by {by}")
        return self.works_in_channel

    async def stop(self, session: SessionId, by: str) -> bool:
        self.stopped.append(f"{session} by {by}")
        return True

    async def newest_of(self, session: SessionId, *, before_ts: str) -> str:
        known = [posted_ts(each.key) for each in self.messages if each.session == session]
        return max((ts for ts in known if ts < before_ts), default="")

    async def activity(self, session: SessionId) -> ThreadActivity:
        at_work = [m for m in self.messages if m.session == session and m.key in self.begun]
        return ThreadActivity(
            works_for=tuple(m.asker for m in at_work if m.key not in self.have_ended),
            asks=self.asks,
        )

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.messages]

    @property
    def keys(self) -> list[str]:
        return [message.key for message in self.messages]


@dataclass
class MemoryLedger(Ledger):
    """A ledger that can be held up, to see what happens meanwhile, and can fail."""

    bodies: list[JsonObject] = field(default_factory=list[JsonObject])
    settled: list[str] = field(default_factory=list[str])
    released: set[str] = field(default_factory=set[str])
    failures: int = 0
    settle_failures: int = 0
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    may_go_on: asyncio.Event = field(default_factory=asyncio.Event)
    rows: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    verdicts: dict[str, str] = field(default_factory=dict[str, str])

    async def record(
        self, key: str, second_key: str, body: JsonObject, at: datetime | None = None
    ) -> bool:
        self.asked.set()
        await self.may_go_on.wait()
        if self.failures:
            self.failures -= 1
            raise ConnectionError("the ledger is away")
        keys = {key, second_key} - {""}
        is_new = not keys & set(self.rows)
        self.rows |= {each: {} for each in keys - set(self.rows)}
        if is_new:
            self.rows[key] = body
            self.bodies.append(body)
        return is_new

    async def failed_enough(self) -> None:
        """Wait until it has failed as often as it was to; the caller bounds the wait."""
        while self.failures:
            self.asked.clear()
            await self.asked.wait()

    async def has(self, key: str) -> bool:
        return key in self.rows

    async def judged(self, key: str, verdict: str) -> None:
        self.verdicts[key] = verdict

    async def refuse(self, key: str, who: str, reason: str) -> None:
        self.verdicts[key] = reason

    async def settle(self, key: str) -> None:
        if self.settle_failures:
            self.settle_failures -= 1
            raise ConnectionError("the ledger is away")
        self.settled.append(key)

    async def forget(self, key: str, second_key: str) -> None:
        for each in (key, second_key):
            self.rows.pop(each, None)

    async def release(self, key: str) -> None:
        self.released.add(key)

    async def unsettled(self) -> list[JsonObject]:
        taken = [self.rows[key] for key in self.released - set(self.settled)]
        self.released.clear()
        return taken

    @property
    def unfinished(self) -> set[str]:
        """Keys under which a payload is kept that was not settled."""
        return {key for key, body in self.rows.items() if body} - set(self.settled)


@dataclass
class MemoryMarks(Marks):
    """Marks in memory; two bots that share them follow each other."""

    saved: dict[str, str] = field(default_factory=dict[str, str])

    async def load(self, prefix: str) -> dict[str, str]:
        return {name: value for name, value in self.saved.items() if name.startswith(prefix)}

    async def save(self, values: Mapping[str, str]) -> None:
        for name, value in values.items():
            self.saved[name] = max(value, self.saved.get(name, ""))


@dataclass
class MemorySessions(KnownSessions):
    """Knows the sessions that it is told of."""

    known: list[SessionId] = field(default_factory=list[SessionId])
    turns: list[StoredTurn] = field(default_factory=list[StoredTurn])

    async def newest_before(self, prefix: str, bound: str, *, limit: int) -> list[SessionId]:
        sessions = [one for one in self.known if one.startswith(prefix) and one < prefix + bound]
        return sorted(sessions, reverse=True)[:limit]

    async def unfinished(self, prefix: str, *, limit: int | None = None) -> list[StoredTurn]:
        return [turn for turn in self.turns if turn.session.startswith(prefix)][:limit]

    async def turns_of(self, session: SessionId) -> list[TurnId]:
        return [turn_of(one) for one in self.known if one == session]


class NamingFiles(WorkspaceFiles):
    """Pretends to have saved each file under its name; can be held up, and can leave some out."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()
        self.left_out: dict[str, FileFault] = {}

    async def keep(
        self, session: SessionId, files: tuple[SlackFile, ...]
    ) -> tuple[Attachment | LeftOut, ...]:
        self.asked.set()
        await self.may_go_on.wait()
        return tuple(map(self._kept, files))

    def _kept(self, file: SlackFile) -> Attachment | LeftOut:
        if fault := self.left_out.get(file.name):
            return LeftOut(name=file.name, fault=fault)
        return Attachment(
            name=file.name,
            path=f"downloads/{file.name}",
            mimetype=file.mimetype,
            size_bytes=file.size_bytes,
        )


@dataclass(slots=True)
class Judge:
    """Plays the small model: a reply is for the bot where it is listed; `mode` is the channel's."""

    for_bot: set[str] = field(default_factory=set[str])
    mode: str = "meant"
    lines: list[ScriptLine] = field(default_factory=list[ScriptLine])
    """What it says instead, where it is scripted."""
    asked: list[str] = field(default_factory=list[str])
    """What it was told, request by request."""

    def reader(self) -> ReplyReader:
        return ReplyReader(ScriptedModel(repeat(self._judge)))

    def _judge(self, request: ModelRequest) -> ScriptLine:
        briefing = request.messages[0].text
        self.asked.append(briefing)
        if self.lines:
            return self.lines.pop(0)
        reply = briefing.partition("<reply>\n")[2].partition("\n</reply>")[0]
        return call("judge_reply", {"is_for_bot": reply.partition(": ")[2] in self.for_bot})

    async def follow_ups(self, _thread: ThreadRef) -> str:
        return self.mode


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A bot, and what is outside of it."""

    slack: FaultySlack
    front: ListeningFront
    ledger: MemoryLedger
    files: NamingFiles
    app: AsyncApp
    ingress: Ingress
    actions: Actions
    backfill: Backfill
    api: SlackApi
    people: People
    rules: Rules
    judge: Judge
    _expected: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    async def say(self, user: str, channel: str | None = None, text: str = "", **more: Any) -> str:
        """A person posts. `settle` waits for what Slack delivers of it."""
        ts = await self.slack.say(user, channel, text, **more)
        self._expected.add(("message", ts))
        if self.mention in text and channel is not None:
            self._expected.add(("app_mention", ts))
        return ts

    async def redeliver(self) -> None:
        """Slack delivers the last event once more."""
        events = [delivery for delivery in self.slack.deliveries if delivery.event_id]
        await self.slack.sockets.attempt("events_api", events[-1].payload, attempt=1)

    async def settle(self, *event_types: str) -> None:
        """Wait until all that was said, and these events, came, were acknowledged and handled."""
        await self.slack.wait_for(lambda slack: self._all_came(event_types))
        await self.handled()

    async def handled(self) -> None:
        """Wait until nothing is under way."""
        for way in (self.ingress, self.actions):
            await done(way.under_way)

    def _all_came(self, event_types: tuple[str, ...]) -> bool:
        deliveries = self.slack.deliveries
        came = {(one.event_type, one.payload["event"].get("ts")) for one in deliveries}
        types = {one.event_type for one in deliveries}
        acked = all(one.acked_at_s is not None for one in deliveries)
        return acked and self._expected <= came and set(event_types) <= types

    @property
    def mention(self) -> str:
        return self.slack.mention

    @property
    def identity(self) -> Identity:
        return self.rules.identity

    def key(self, ts: str, channel: str = "general") -> str:
        """The key of a post."""
        return f"{self.slack.team_id}:{self.slack.channels[channel]}:{ts}"

    def signs_shown(self) -> list[str]:
        """The statuses and reactions that were asked for, in order."""
        return [
            str(call.args.get("status") or call.args["name"])
            for call in self.slack.calls
            if call.method in {"agents.sessions.setStatus", "reactions.add"}
        ]

    def bot_texts(self, post: InboundPost) -> list[str]:
        """What the bot wrote into the thread of a post."""
        thread = post.thread
        posts = self.slack.thread(thread.channel, thread.root_ts)
        return [post.text for post in posts if post.user == self.slack.bot_user_id]

    def told(self, user: str) -> list[str]:
        """What only this user sees."""
        people = self.slack.users
        calls = [call for call in self.slack.calls if call.method == "chat.postEphemeral"]
        return [str(call.args["text"]) for call in calls if call.args["user"] == people[user]]


def make_ingress(
    front: ListeningFront,
    ledger: Ledger,
    api: SlackApi,
    rules: Rules,
    files: NamingFiles,
    judge: Judge | None = None,
    **more: Any,
) -> Ingress:
    judge = judge or Judge()
    judging = (judge.reader(), judge.follow_ups)
    return Ingress(front, ledger, files, api, rules, Indicators(api), People(api), *judging, **more)


Handlers = Callable[[SlackApi, People], Mapping[type, Handler]]


@asynccontextmanager
async def connected_world(
    scopes: Sequence[str] = DEFAULT_SCOPES, bot_events: Sequence[str] = DEFAULT_EVENTS, **more: Any
) -> AsyncGenerator[World, None]:
    """`more` is for `bot_in`. Waits between tries end at once."""
    async with (
        FaultySlack(App(scopes=scopes, bot_events=bot_events), rate_limits=False) as slack,
        bot_in(Outside(slack=slack), listens=True, **more) as world,
    ):
        yield world


async def recorded_mention(
    world: World, user: str = "ann", **more: Any
) -> tuple[Ingress, InboundPost]:
    """A mention as if it were in the ledger and not handed over yet, and an ingress to do it."""
    await world.say(user, "general", f"{world.mention} hi", **more)
    await world.settle()
    post = read_post(world.ledger.bodies[0], bot_user=world.identity.bot_user)
    assert post is not None
    world.front.messages.clear()
    world.ledger.settled.clear()
    world.files.asked.clear()
    return forgetful_ingress(world), post


async def done(work: Background) -> None:
    async with asyncio.timeout(10):
        while work:
            await work.settle()


def thread_at(world: World, ts: str, channel: str = "") -> ThreadRef:
    channel_id = channel or world.slack.channels["general"]
    return ThreadRef(team=world.slack.team_id, channel=channel_id, root_ts=ts)


def forgetful_ingress(world: World) -> Ingress:
    """An ingress that remembers nobody, as after a restart."""
    return make_ingress(world.front, world.ledger, world.api, world.rules, world.files)


def event_payload(world: World, **event: Any) -> JsonObject:
    """What Slack tells of #general, to be put before the ingress by hand."""
    fields = {"type": "message", "channel": world.slack.channels["general"]}
    return {"type": "event_callback", "team_id": world.slack.team_id, "event": fields | event}


def post_payload(world: World, ts: str, text: str, **more: Any) -> JsonObject:
    """A post of Ann's."""
    return event_payload(world, user=world.slack.people["ann"], ts=ts, text=text, **more)


async def bring(world: World, body: JsonObject, ingress: Ingress | None = None) -> None:
    """Both halves of a delivery."""
    ingress = ingress or world.ingress
    event = await ingress.receive(body)
    if event is not None:
        await ingress.hand_over(event)


HOUR_S = 3_600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What outlives a bot: Slack, the agent and what is stored."""

    slack: FaultySlack
    clock: ManualClock = field(default_factory=ManualClock)
    front: ListeningFront = field(default_factory=ListeningFront)
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    marks: MemoryMarks = field(default_factory=MemoryMarks)
    sessions: MemorySessions = field(default_factory=MemorySessions)
    judge: Judge = field(default_factory=Judge)

    async def mention(
        self,
        text: str,
        *,
        user: str = "ann",
        channel: str = "general",
        thread_ts: str | None = None,
    ) -> str:
        words = f"{self.slack.mention} {text}"
        return await self.slack.say(user, channel, words, thread_ts=thread_ts)

    def key(self, channel: str, ts: str) -> str:
        return f"{self.slack.team_id}:{self.slack.channels[channel]}:{ts}"

    def notices(self, channel: str) -> list[str]:
        """What the bot said to a whole conversation."""
        bot = self.slack.bot_user_id
        posts = self.slack.posts(channel)
        return [post.text for post in posts if post.user == bot and not post.is_reply]


async def until_given(outside: Outside, count: int) -> None:
    """Wait until the agent was given so many messages; the caller bounds the wait."""
    while len(outside.front.messages) < count:
        outside.front.got_one.clear()
        await outside.front.got_one.wait()


@asynccontextmanager
async def outside_world() -> AsyncGenerator[Outside]:
    clock = ManualClock()
    async with FaultySlack(clock=clock, rate_limits=False) as slack:
        outside = Outside(slack=slack, clock=clock)
        outside.front.may_end.set()
        yield outside


@asynccontextmanager
async def bot_in(
    outside: Outside,
    *,
    listens: bool = False,
    head_start_s: float = HEAD_START_S,
    handlers: Handlers = lambda _api, _people: {},
    for_everybody: tuple[type, ...] = (),
    answer_within_s: float = ANSWER_WITHIN_S,
    **lists: Any,
) -> AsyncGenerator[World]:
    """A bot that catches up when it is told to; with `listens` it has a socket, too.

    `lists` are the ALLOWED_ lists of the rules.
    """
    slack, front, ledger = outside.slack, outside.front, outside.ledger
    async with aiohttp.ClientSession() as session:
        client = web_client(slack.bot_token, base_url=slack.api_url, session=session)
        api = SlackApi(client, clock=SkippingClock())
        rules = Rules(identity=await api.identify(), **lists)
        people, files, judge = People(api), NamingFiles(), outside.judge
        ledger.may_go_on.set()
        app = create_app(client, rules.identity)
        actions = Actions(
            *(handlers(api, people), ledger, rules, people, api, answer_within_s),
            for_everybody=for_everybody,
        )
        ingress = make_ingress(front, ledger, api, rules, files, judge)
        watermark = Watermark(
            outside.marks,
            rules.identity.team,
            lambda: datetime.fromtimestamp(outside.clock.now(), UTC),
        )
        await watermark.open()
        known = (outside.sessions, watermark, head_start_s)
        backfill = Backfill(ingress, front, api, rules.identity, *known)
        register(app, ingress, actions, backfill)
        socket = None
        if listens:
            socket = await connect_socket(
                app, slack.app_token, ask=api.token, on_healed=lambda: None
            )
        if socket is not None:
            await slack.connected()
        try:
            yield World(
                slack=slack,
                front=front,
                ledger=ledger,
                files=files,
                app=app,
                ingress=ingress,
                actions=actions,
                backfill=backfill,
                api=api,
                people=people,
                rules=rules,
                judge=judge,
            )
        finally:
            ledger.may_go_on.set()
            await backfill.close()
            if socket is not None:
                await socket.close()
            await leave_to_next_start(actions.under_way, patience_s=1.0)
