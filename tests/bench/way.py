"""How many files and functions of the product a mention runs through.

`python -m tests.bench.way [--json]`. The real bot runs in this process among the stand-ins; a
profile hook notes each function of `bot` (without the sandbox) and `agent_core` that its thread
calls from a mention to its answer: a SIMPLE one, a COMPLEX one with a report, an order of a digest.
Other threads and processes (the durable engine's, the toolkit's) are not followed. What runs
without a mention (leases, heartbeats, housekeeping) is part of what is counted.

The click on Approve is followed in the task that carries it out, to where the decision is stored.
"""

import asyncio
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from bot.sandbox.driving import PostButton, find_buttons, press
from tests.bench.results import Result, run
from tests.e2e.world import CHANNEL, World, bot_in_a_world
from tests.faulty_slack import FaultySlack

REPOSITORY = Path(__file__).parents[2]
QUESTION = "What is a circuit breaker in a bot?"
REPORT = "Write a report about rate limits of chat bots."
MAIL = "email bob@example.com that lunch is at 12"
ORDER = "every weekday at 9 post a digest on battery storage in #energy"
DECISIONS = {("agent_core/sessions/turns.py", "AskStore.decide")}
"""Where what a person decided is stored."""
WAIT_S = 90.0


Task = asyncio.Task[Any]
Function = tuple[str, str]
"""A file and the qualified name of a function in it."""


@dataclass(slots=True)
class Way:
    """The functions that ran, and for each task which ran in it, in the order of their calls."""

    functions: set[Function] = field(default_factory=set[Function])
    by_task: dict[Task | None, list[Function]] = field(
        default_factory=dict[Task | None, list[Function]]
    )
    _files: dict[CodeType, str] = field(default_factory=dict[CodeType, str])

    def note(self, code: CodeType) -> None:
        """A function was called, or went on after it had waited."""
        file = self._files.get(code)
        if file is None:
            file = product_file(code.co_filename)
            self._files[code] = file
        if file:
            function = (file, code.co_qualname)
            self.functions.add(function)
            self.by_task.setdefault(current_task(), []).append(function)

    def to_decision(self) -> set[Function]:
        """What ran in the task that carried out a click, from its dispatch to the decision."""
        for functions in self.by_task.values():
            decided = [function for function in functions if function in DECISIONS]
            if decided:
                return set(functions[: functions.index(decided[0]) + 1])
        raise LookupError("no task came to a decision")


def product_file(path: str) -> str:
    """The path of a product file below the repository, or nothing for any other."""
    try:
        relative = Path(path).relative_to(REPOSITORY)
    except ValueError:
        return ""
    if relative.parts[0] not in {"agent_core", "bot"} or "sandbox" in relative.parts:
        return ""
    return str(relative)


def current_task() -> Task | None:
    """The task that runs in this thread, if any."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


class Tracer:
    """The profile hook of this thread."""

    def __init__(self) -> None:
        self._way: Way | None = None

    @contextmanager
    def installed(self) -> Generator[None]:
        """Watch this thread until the block is left."""
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)

    @contextmanager
    def way(self) -> Generator[Way]:
        """Note what is called until the block is left."""
        self._way = way = Way()
        try:
            yield way
        finally:
            self._way = None

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        way = self._way
        if way is not None and event == "call":
            way.note(frame.f_code)


async def ask_simply(world: World) -> None:
    """A plain question and its answer."""
    world.play_simple()
    await world.answered(await world.mention(QUESTION), timeout_s=WAIT_S)


async def ask_for_report(world: World) -> None:
    """A mention that the classifier calls COMPLEX, to its report."""
    await world.answered(await world.mention(REPORT), timeout_s=WAIT_S)


async def order_digest(world: World) -> None:
    """An order in words, to the proposal that repeats it."""
    ts = await world.mention(ORDER)
    await world.slack.wait_for(lambda slack: buttons_in(slack, ts), timeout_s=WAIT_S)


async def wait_for_approval(world: World) -> PostButton:
    """A mail that is to be sent, to its Approve button."""
    ann = f"{world.slack.team_id}:{world.slack.user_id('ann')}"
    world.outside.composio.connect(ann, "gmail")
    ts = await world.mention(MAIL)

    def approve_buttons(slack: FaultySlack) -> list[PostButton]:
        return [button for button in buttons_in(slack, ts) if button.is_called("approve")]

    return (await world.slack.wait_for(approve_buttons, timeout_s=WAIT_S))[0]


def buttons_in(slack: FaultySlack, root_ts: str) -> list[PostButton]:
    """The buttons that Ann sees in a thread."""
    in_thread = {post.ts for post in slack.thread(CHANNEL, root_ts)}
    return [button for button in find_buttons(slack, "ann") if button.ts in in_thread]


async def measure(root: Path) -> list[Result]:
    """Each kind of mention once, after one that has loaded and remembered what later ones use."""
    tracer = Tracer()
    with tracer.installed():
        async with bot_in_a_world(root) as world:
            await ask_simply(world)
            results: list[Result] = []
            for name, goal, follow in MENTIONS:
                with tracer.way() as way:
                    await follow(world)
                results += results_of(name, way.functions, goal)
            approve = await wait_for_approval(world)
            with tracer.way() as way:
                await press(world.slack, "ann", approve)
                await world.slack.wait_for(
                    lambda _: world.outside.composio.effects, timeout_s=WAIT_S
                )
            return [*results, *results_of("approval_click", way.to_decision(), goal=8)]


def results_of(name: str, functions: set[Function], goal: int | None) -> list[Result]:
    """How many files and functions ran."""
    files = {file for file, _ in functions}
    return [
        Result(name=f"{name}_files", value=len(files), unit="files", goal=goal),
        Result(name=f"{name}_functions", value=len(functions), unit="functions"),
    ]


MENTIONS = (
    ("simple", 60, ask_simply),
    ("complex", 95, ask_for_report),
    ("digest_order", None, order_digest),
)


if __name__ == "__main__":
    run(__doc__, measure)
