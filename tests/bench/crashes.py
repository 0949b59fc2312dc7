"""How the bot takes kill -9: at every fault point once, then at random, under traffic.

`python -m tests.bench.crashes [--kills N] [--json]`. The real bot is a child process beside the
sandbox's stand-ins. Threads ask plain questions, errands (a tool call with an effect), chains of
steps with notes thrown in, doubts that the bot must ask about, letters that want an account and an
approval, and reports with a sub-agent; Slack fails in passing now and then. After the last death
everything is given time to come to rest, and then it is counted from outside.

`model_calls_repeated` is the number of requests that the model had word for word before, for each
kill; a call that was under way has to be made again, so with several turns under way one kill may
cost several. What was found wrong is listed on standard error.
"""

import asyncio
import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from agent_core.fault_points import EVENT_POINT, POINTS
from bot.sandbox.child import KINDS
from bot.sandbox.slack.records import Post
from tests.bench.crash_world import (
    CHANNEL,
    REPORTS,
    Asked,
    Kind,
    Life,
    Lives,
    Outside,
    Traffic,
    files_in,
    lives_in,
    op_of,
    outside_world,
)
from tests.bench.results import Result, run


@dataclass(slots=True, kw_only=True)
class Tally:
    """Lists of what is wrong, so that a person can look at it; their lengths are the figures."""

    lost: list[str] = field(default_factory=list[str])
    duplicate_posts: list[str] = field(default_factory=list[str])
    duplicate_files: list[str] = field(default_factory=list[str])
    duplicate_effects: list[str] = field(default_factory=list[str])
    left_open: list[str] = field(default_factory=list[str])
    """Progress posts that still say that the bot is at work."""
    model_calls_repeated: list[str] = field(default_factory=list[str])
    """The digest of each request that had come before."""
    model_calls_wasted: list[str] = field(default_factory=list[str])
    """The digest of each that came again although the work had gone on from its reply."""


def count(outside: Outside, traffic: Traffic) -> Tally:
    """Count everything."""
    posts = [p for p in outside.slack.posts(CHANNEL) if p.user == outside.slack.bot_user_id]
    return Tally(
        lost=[asked.word for asked in traffic.open()]
        + [f"report of {ts}" for ts in traffic.without_report()],
        duplicate_posts=_duplicate_posts(posts),
        duplicate_files=_surplus_files(traffic.asked, posts),
        duplicate_effects=_duplicate_effects(outside),
        left_open=[post.text.partition("\n")[0] for post in traffic.at_work()],
        model_calls_repeated=_repeated(outside),
        model_calls_wasted=_wasted(outside),
    )


def _surplus_files(asked: Sequence[Asked], posts: Sequence[Post]) -> list[str]:
    wanted = Counter(ask.root_ts for ask in asked if ask.kind in REPORTS)
    surplus: list[str] = []
    for ts in {post.root_ts for post in posts if post.files}:
        surplus += files_in(posts, ts)[wanted[ts] :]
    return surplus


def _duplicate_posts(posts: Sequence[Post]) -> list[str]:
    """The same op id twice, or the same answer twice in a thread."""
    ops = Counter(op for post in posts if (op := op_of(post)))
    answers = Counter((p.root_ts, p.words) for p in posts if ":answer" in op_of(p) and p.words)
    found = [op for op, times in ops.items() for _ in range(times - 1)]
    return found + [text[:80] for (_, text), times in answers.items() for _ in range(times - 1)]


def _duplicate_effects(outside: Outside) -> list[str]:
    """Errands and letters that the Composio stand-in has run more than once."""
    done = Counter(str(call.arguments.get("thought") or "") for call in outside.composio.calls)
    errands = Counter({word: n for word, n in done.items() if word.startswith("errand")})
    letters = Counter(str(each.arguments.get("subject")) for each in outside.composio.effects)
    return [word for word, times in (errands + letters).items() for _ in range(times - 1)]


def _repeated(outside: Outside) -> list[str]:
    answered = [call for call in outside.model.calls if call.status == 200 and call.digest]
    times = Counter(call.digest for call in answered)
    return [digest for digest, count in times.items() for _ in range(count - 1)]


def _wasted(outside: Outside) -> list[str]:
    """A reply that a later request has in its messages was stored, so nobody need ask for it."""
    earlier: list[tuple[str, Sequence[object]]] = []
    wasted: list[str] = []
    for call in outside.model.calls:
        if call.status != 200 or call.body is None:
            continue
        messages = _without_cache_marks(call.body["messages"])
        digests = [digest for digest, _ in earlier]
        if call.digest in digests:
            since = earlier[digests.index(call.digest) :]
            if any(_goes_on(later, messages) for _, later in since):
                wasted.append(call.digest)
        earlier.append((call.digest, messages))
    return wasted


def _goes_on(later: Sequence[object], messages: Sequence[object]) -> bool:
    count = len(messages)
    return len(later) > count and later[:count] == messages


def _without_cache_marks(messages: object) -> Sequence[object]:
    def without_mark(block: dict[str, object]) -> dict[str, object]:
        block.pop("cache_control", None)
        return block

    return json.loads(json.dumps(messages), object_hook=without_mark)


REACH_S = 45.0
"""How long a fault point may take to be reached."""
REST_S = 120.0
"""How long everything may take to come to rest after the last death."""
MAX_OPEN = 4
"""With more open asks than this, no new ones are made for mere traffic."""
SEED = 4
EVENTS = tuple(
    f"{EVENT_POINT}{kind}" for kind in sorted(KINDS, key=lambda kind: kind.startswith("approval_"))
)
"""Approvals last: an account that was just connected for one is not asked for again so soon."""
REACHED_BY: dict[str, tuple[Kind, ...]] = {
    "upload_": ("edition",),
    "inbox.": ("note",),
    "event.message_taken": ("note",),
    "wait.": ("doubt",),
    "event.question_asked": ("doubt",),
    "event.auth_": ("letter",),
    "event.approval_": ("letter",),
    "event.correction_injected": ("careless",),
    "event.artifact_saved": ("edition",),
    "event.tool_call_progressed": ("edition",),
    "event.step_retried": ("errand",),
}
"""What has to be asked to come by a point, by the beginning of its name; else these:"""
USUAL: tuple[Kind, ...] = ("item", "errand")
VARIED: tuple[Kind, ...] = (*USUAL, "note", "doubt", "edition", "letter")
FAULTS: tuple[dict[str, Any], ...] = (
    {"status": 429, "retry_after_s": 1},
    {"status": 500},
    {"status": 503, "html": True},
    {"html": True},
    {"error": "internal_error"},
    {"drop_after_accept": True},
    {"hang_s": 1.0},
)
FAULTY = ("chat.postMessage", "chat.update", "files.completeUploadExternal", "upload", "*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How it went."""

    deaths: list[Life]
    unreached: list[str]
    has_settled: bool
    tally: Tally
    asks: int


class Harness:
    """Kills the bot, starts it again, and keeps people asking."""

    def __init__(self, lives: Lives, traffic: Traffic) -> None:
        self._lives = lives
        self._traffic = traffic
        self._outside = lives.outside
        self._random = random.Random(SEED)  # noqa: S311 - the same run each time, nothing secret
        self.unreached: list[str] = []

    async def die_at(self, point: str) -> None:
        """One life that ends at a fault point; one that never comes by it is killed."""
        await self._lives.begin(point)
        self._disturb(point)
        asking = asyncio.create_task(self._ask_and_tend(kinds_for(point)))
        try:
            if not await self._lives.dies(within_s=REACH_S):
                self.unreached.append(point)
                await self._lives.kill()
        finally:
            asking.cancel()
            await asyncio.wait([asking])
            if not asking.cancelled():
                asking.result()

    async def _ask_and_tend(self, kinds: Iterable[Kind]) -> None:
        await self._traffic.ask_all(kinds)
        await self._traffic.tend()

    async def die_at_random(self) -> None:
        """One life with some traffic and a failing Slack, killed at any time."""
        await self._lives.begin()
        self._disturb("")
        await self._traffic.see_to_it()
        if len(self._traffic.open()) < MAX_OPEN:
            kinds = self._random.sample(VARIED, k=2)
            await self._traffic.ask_all(kinds)
            await self._traffic.follow_up()
        await asyncio.sleep(self._random.uniform(0.1, 4.0))
        await self._lives.kill()

    async def come_to_rest(self) -> bool:
        """A last life in which everything is finished."""
        self._outside.slack.heal()
        await self._lives.begin()
        return await self._traffic.settled(REST_S)

    def _disturb(self, point: str) -> None:
        if point == "event.step_retried":
            self._outside.model.fail(status=529, times=4, kinds={"scripted"})
        if not point:
            self._outside.slack.sockets.acks_to_lose = self._random.choice((0, 0, 1, 3))
            fault = self._random.choice(FAULTS)
            self._outside.slack.fail(self._random.choice(FAULTY), **fault)


def kinds_for(point: str) -> tuple[Kind, ...]:
    """What to ask so that the bot comes by a fault point."""
    return next((kinds for name, kinds in REACHED_BY.items() if point.startswith(name)), USUAL)


async def crash(root: Path, points: Sequence[str], *, kills: int) -> Report:
    """Kill the bot at each of the points, then at random until it was killed often enough."""
    async with outside_world(root) as outside, lives_in(outside) as lives:
        traffic = Traffic(outside)
        harness = Harness(lives, traffic)
        for point in points:
            await harness.die_at(point)
        while len(lives.deaths) < kills:
            await harness.die_at_random()
        has_settled = await harness.come_to_rest()
        return Report(
            deaths=lives.deaths,
            unreached=harness.unreached,
            has_settled=has_settled,
            tally=count(outside, traffic),
            asks=len(traffic.asked),
        )


def results_of(report: Report) -> list[Result]:
    """The figures with their goals; each thing that is wrong goes to standard error."""
    wrong = asdict(report.tally) | {"unreached_points": report.unreached}
    repeated = len(wrong.pop("model_calls_repeated"))
    for name, found in wrong.items():
        sys.stderr.writelines(f"{name}: {each}\n" for each in found)
    if not report.has_settled:
        sys.stderr.write(f"not at rest after {REST_S:.0f} s\n")
    kills = len(report.deaths)
    return [
        Result(name="kills", value=kills, unit="kills"),
        Result(name="asks", value=report.asks, unit="asks"),
        *(Result(name=name, value=len(found), unit="", goal=0) for name, found in wrong.items()),
        Result(
            name="model_calls_repeated",
            value=round(repeated / max(kills, 1), 3),
            unit="a kill",
            goal=1,
        ),
    ]


async def measure(root: Path, kills: int) -> list[Result]:
    return results_of(await crash(root, (*POINTS, *EVENTS)[:kills], kills=kills))


if __name__ == "__main__":
    run(__doc__, measure, kills=100)
