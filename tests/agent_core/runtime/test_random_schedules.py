"""Random schedules of a busy thread, and what must hold of a thread however it went."""

import asyncio
import random
import zlib
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent_core.errors import ModelRejected
from agent_core.events import AnyEvent, TurnFinished
from agent_core.ids import SessionId, ToolCallId, TurnId, UserId
from agent_core.messages import JsonObject, Message, Text, ToolCall, ToolResult
from agent_core.models import Delta, ModelRequest, Reply
from agent_core.runtime import Runtime
from agent_core.sessions import Database, SessionStore, StoredTurn, WriteBehind
from agent_core.testing.models import ScriptedModel, calls_reply, text_reply
from agent_core.testing.tools import FakeTool, FakeToolset
from agent_core.tools import OnProgress, ToolContext
from tests.agent_core.runtime.threads import BEN
from tests.agent_core.testing.validity import faults_of
from tests.runtimes import inbound, scripted_runtime

CHILD_TOOL = "mcp__local_toolkit__write_local_file"  # a call that only reads may be made again
CHILD = "Report Creation Expert"
PACE_S = 0.004
QUIET_S = 60
GRACE_S = 0.25
"""After a stop was taken, until the last effect may begin; the issue allows two seconds."""
FAILS, ENDS = 2, 25
"""Of a hundred decisions so many, and so many less those before."""
STEPS = (
    ("send",),
    ("send",),
    ("look", "send"),
    ("ask_user",),
    ("ask_user", "send"),
    ("Task", "send", "Task"),
    ("look",),
)
ACTIONS = (
    *("say",) * 8,
    *("stop",) * 2,
    *("status",) * 2,
    *("revise", "withdraw", "button", "pause", "pause", "pause"),
)


@dataclass(slots=True, kw_only=True)
class Thread:
    """What people do in one thread, and what they were told."""

    number: int
    actions: list[str]
    said: int = 0
    stops: list[tuple[int, float]] = field(default_factory=list[tuple[int, float]])
    """How much was said when a stop was taken, and when."""

    @property
    def session(self) -> SessionId:
        return inbound("", thread=self.number).session


class Schedules:
    """Many threads in one runtime that ends and begins again; all from one seed."""

    def __init__(self, root: Path, seed: int, *, threads: int, actions: int = 14) -> None:
        self._root = root
        self._random = random.Random(seed)  # noqa: S311 (not for secrets)
        self.threads = [
            Thread(number=number, actions=self._random.choices(ACTIONS, k=actions))
            for number in range(1, threads + 1)
        ]
        self.effects: list[tuple[SessionId, str, str, float]] = []
        """Session, turn, what was done, when it began."""
        self.faults: list[str] = []
        self._at_work: defaultdict[SessionId, Counter[str]] = defaultdict(Counter)

    async def run(self, *, restarts: int, longest_s: float = 0.6) -> None:
        """Everything that people do, with restarts in between, until nothing is left to do."""
        for _ in range(restarts):
            async with self._runtime() as runtime:
                people = asyncio.create_task(self._act(runtime))
                await asyncio.wait({people}, timeout=self._random.uniform(0.02, longest_s))
                people.cancel()
                await asyncio.wait({people})
            self._at_work.clear()
        database = Database(f"sqlite:///{self._root}/state.sqlite")
        self._store = SessionStore(database, WriteBehind(database))
        async with self._runtime() as runtime:
            await self._act(runtime)
            async with asyncio.timeout(QUIET_S):
                async with asyncio.TaskGroup() as group:
                    for thread in self.threads:
                        group.create_task(self._settle(runtime, thread))
                while not self.effects:  # chance may have it that every turn was stopped before one
                    await self._say(runtime, self.threads[0], "say")
                    await self._settle(runtime, self.threads[0])
            for thread in self.threads:
                await self._examine(runtime, thread)
        await database.close()

    def _runtime(self) -> Runtime:
        send = FakeTool(run=self._effect, is_repeatable=False)
        return scripted_runtime(
            self._root,
            model=Decider(self._random, self.faults),
            classifier=ScriptedModel([_route] * 10_000),
            fast=ScriptedModel(["At once."] * 10_000),
            tools=FakeToolset({"send": send, "look": self._look, CHILD_TOOL: send}),
        )

    async def _act(self, runtime: Runtime) -> None:
        async with asyncio.TaskGroup() as group:
            for thread in self.threads:
                group.create_task(self._act_in(runtime, thread))

    async def _act_in(self, runtime: Runtime, thread: Thread) -> None:
        """An action that a restart interrupted is done once more, as from the ledger."""
        while thread.actions:
            await self._do(runtime, thread, thread.actions[0])
            del thread.actions[0]

    async def _do(self, runtime: Runtime, thread: Thread, action: str) -> None:
        match action:
            case "say" | "stop" | "status":
                await self._say(runtime, thread, action)
            case "revise":
                number = self._random.randint(1, max(1, thread.said))
                await runtime.revise(_key(thread, number), f"continue with w{number}x, rather")
            case "withdraw":
                number = self._random.randint(1, max(1, thread.said))
                await runtime.withdraw(_key(thread, number))
            case "button":
                await runtime.stop(thread.session, by="Cleo")
            case _:
                await asyncio.sleep(self._random.uniform(0, 10 * PACE_S))

    async def _say(
        self, runtime: Runtime, thread: Thread, action: str, asker: UserId | None = None
    ) -> None:
        number = thread.said + 1
        text = {"say": f"continue with w{number}x", "stop": "stop", "status": "how far are you?"}
        message = inbound(text[action], number=1, thread=thread.number)
        if asker == BEN or (asker is None and number % 2):
            message = replace(message, asker=BEN, author_name="Ben")
        message = replace(message, key=_key(thread, number))
        await runtime.handle(message)
        thread.said = number
        if action == "stop":
            thread.stops.append((number, asyncio.get_running_loop().time()))

    async def _settle(self, runtime: Runtime, thread: Thread) -> None:
        """Until every turn has ended; whoever is asked a question answers it."""
        while unfinished := await self._store.unfinished_of(thread.session):
            asked = [
                turn.wait.asker for turn in unfinished if turn.wait and turn.status == "waiting"
            ]
            answered = [turn.inbound.asker for turn in unfinished if turn.status == "queued"]
            for person in set(asked) - set(answered):
                await self._say(runtime, thread, "say", person)
            await asyncio.sleep(5 * PACE_S)

    async def _effect(
        self, arguments: JsonObject, context: ToolContext, progress: OnProgress
    ) -> str:
        now_s = asyncio.get_running_loop().time()
        self.effects.append((context.session, context.turn, str(arguments), now_s))
        return await self._look(arguments, context, progress)

    async def _look(self, arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        at_work = self._at_work[context.session]
        at_work[context.turn] += 1
        if len(+at_work) > 1:
            self.faults.append(f"{context.session} has two turns at work: {+at_work}")
        try:
            await asyncio.sleep(self._random.uniform(0, 3 * PACE_S))
        finally:
            at_work[context.turn] -= 1
        return "done"

    async def _examine(self, runtime: Runtime, thread: Thread) -> None:
        turns = [
            await runtime.turn(_turn_id(thread, number)) for number in range(1, thread.said + 1)
        ]
        last = replace(turns[-1], seq=10_000) if turns else None
        history = await self._store.history_before(last) if last else ()
        for fault in (
            *faults_of_turns(turns),
            *faults_of_words(turns, history),
            *self._faults_of_effects(thread, turns),
        ):
            self.faults.append(f"{thread.session}: {fault}")
        for turn in turns:
            async with asyncio.timeout(QUIET_S):
                events = [event async for _, event in runtime.events(turn.id)]
            self.faults.extend(f"{turn.id}: {fault}" for fault in faults_of_events(turn, events))

    def _faults_of_effects(self, thread: Thread, turns: Sequence[StoredTurn]) -> Iterable[str]:
        own = [effect for effect in self.effects if effect[0] == thread.session]
        for what, count in Counter(done for _, _, done, _ in own).items():
            if count > 1:
                yield f"{what} was done {count} times"
        seq = {turn.id: turn.seq for turn in turns}
        for number, at_s in thread.stops:
            for _, turn, done, began_s in own:
                if began_s > at_s + GRACE_S and seq[turns[number - 1].id] > seq[_id(turns, turn)]:
                    yield f"{done} was done {began_s - at_s:.2f} s after the stop"


class Decider:
    """A model that decides from the request alone; each of its calls has a number of its own."""

    name = "decider"

    def __init__(self, pace: random.Random, faults: list[str]) -> None:
        self._pace = pace
        self._faults = faults

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta | Reply, None]:
        self._faults.extend(faults_of(request))
        await asyncio.sleep(self._pace.uniform(0, 2 * PACE_S))
        yield Delta(text="Well")
        await asyncio.sleep(self._pace.uniform(0, 2 * PACE_S))
        yield _decide(request)


def _decide(request: ModelRequest) -> Reply:
    calls = [call for message in request.messages for call in message.tool_calls]
    if CHILD in request.system:
        task = request.messages[0].text
        done = text_reply("The note.")
        return done if calls else calls_reply(_call(CHILD_TOOL, 0, {"note": task}))
    roll = _roll(request)
    if roll < FAILS:
        raise ModelRejected("Not this.")
    if roll < ENDS or not request.may_call_tools:
        return text_reply("Done.")
    names = STEPS[roll % len(STEPS)]
    return calls_reply(*(_numbered(name, len(calls) + place) for place, name in enumerate(names)))


def _numbered(name: str, n: int) -> ToolCall:
    match name:
        case "send":
            return _call(name, n, {"n": n})
        case "ask_user":
            return _call(name, n, {"question": "Which?"})
        case "Task":
            arguments = {"prompt": f"Note {n}.", "subagent_type": "report-creation-expert"}
            return _call(name, n, arguments)
        case _:
            return _call(name, n)


def _call(name: str, n: int, arguments: JsonObject | None = None) -> ToolCall:
    return ToolCall(id=ToolCallId(f"c{n}"), name=name, arguments=arguments or {})


def _route(request: ModelRequest) -> str:
    return "SIMPLE" if _roll(request) % 10 == 0 else "COMPLEX"


def _roll(request: ModelRequest) -> int:
    """0 to 99; the same for the same request."""
    return zlib.crc32(repr(request.messages).encode()) % 100


def faults_of_turns(turns: Sequence[StoredTurn]) -> Iterable[str]:
    """A gesture ends in exactly one way, and nothing is left at work."""
    for turn in turns:
        if turn.status != "finished" or turn.outcome is None:
            yield f"{turn.id} is {turn.status} and ended as {turn.outcome}"
        if turn.outcome == "answered" and not turn.answer:
            yield f"{turn.id} was answered with nothing"
        if turn.outcome == "failed" and "My language model refused" not in str(turn.answer):
            yield f"{turn.id} failed, and not by its model: {turn.answer}"


def faults_of_words(turns: Sequence[StoredTurn], history: Sequence[Message]) -> Iterable[str]:
    """What was said is in the history once, in the order of its saying within a turn."""
    texts = [
        part.text
        for message in history
        if message.role == "user"
        for part in message.parts
        if isinstance(part, Text | ToolResult)
    ]
    whole = "\n".join(texts)
    for number, turn in enumerate(turns, start=1):
        if turn.kind != "work":
            continue
        count = whole.count(f"w{number}x")
        must_be_there = turn.outcome in ("answered", "limited", "steered")
        if count > 1 or (must_be_there and count != 1):
            yield f"w{number}x ({turn.outcome}) is {count} times in the history"


def faults_of_events(turn: StoredTurn, events: Sequence[AnyEvent]) -> Iterable[str]:
    """The log ends a turn once, as the store does."""
    ends = [event for event in events if isinstance(event, TurnFinished)]
    if [(end.outcome, end.answer) for end in ends] != [(turn.outcome, turn.answer or "")]:
        yield f"it ended as {turn.outcome}, its readers were told {ends}"


def _key(thread: Thread, number: int) -> str:
    return f"{thread.session}:{number}"


def _turn_id(thread: Thread, number: int) -> TurnId:
    return TurnId(f"turn:{_key(thread, number)}")


def _id(turns: Sequence[StoredTurn], turn: str) -> TurnId:
    return next(each.id for each in turns if each.id == turn)


async def test_every_gesture_of_a_random_schedule_ends_once(tmp_path: Path) -> None:
    schedules = Schedules(tmp_path, 1, threads=6)
    await schedules.run(restarts=3)
    assert schedules.faults == []
    assert not any(thread.actions for thread in schedules.threads)
    assert all(thread.said for thread in schedules.threads)
