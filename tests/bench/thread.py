"""What a thread sees of the bot, and when: the real bot against the stand-ins, rate limits on.

`python -m tests.bench.thread [--json]`. `sign`: from a mention to the first thing that shows;
`meaning`: to the first words; both for one thread at a time and for 50 at once. `silence`: the
longest time without a visible change, from a mention to the end, of a report's turn whose model
once says nothing for `STALL_S`, too. `edit_gap`: the least between two edits of a progress post at
work; the edit that closes it waits for nobody.
`inside_pauses`: calls of a method that Slack had asked to leave alone. The slow turn is written for
seven minutes by a clock that runs `FASTER` times as fast; `lost_chars` are those of its answer that
are not in the thread once.
"""

import asyncio
import json
import re
import statistics
import time
from collections import Counter
from collections.abc import AsyncGenerator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from agent_core.settings import CoreSettings
from bot.app import running_bot
from bot.sandbox.child import start_bot
from bot.sandbox.model import ReplyPace, ReplyText
from bot.sandbox.model.message import CHARS_PER_TOKEN
from bot.sandbox.settings import SandboxSettings
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.slack.clock import SandboxClock
from bot.sandbox.slack.records import ApiCall, Post
from bot.sandbox.slack.wire import texts_in
from bot.sandbox.world import UNHURRIED, World, open_world
from bot.settings import BotSettings
from bot.slack_api import MonotonicClock
from tests.bench.results import Result, run
from tests.e2e.world import settings_of

ROUNDS = 12
THREADS = 50
STALL_S = 12.0
FASTER = 10.0
SLOW_S = 420.0
ON_ITS_WAY_S = 0.25
"""A call that came so soon after a pause was asked for had left before that."""
QUESTION = "What is a circuit breaker in a bot?"
REPORT = "Write a report about rate limits of chat bots."
SIGNS = {"agents.sessions.setStatus", "reactions.add"}
WORDS = {
    "assistant.threads.setStatus", "chat.postMessage", "chat.startStream", "chat.appendStream",
    "chat.update", "files.completeUploadExternal",
}  # fmt: skip
STREAMS = {"chat.startStream", "chat.appendStream"}
CHANNEL = "general"


class FastTime(SandboxClock):
    """Slack's clock, which runs `FASTER` times as fast from now on."""

    def __init__(self) -> None:
        self._began_s = time.time()

    def now(self) -> float:
        return self._began_s + (time.time() - self._began_s) * FASTER

    async def sleep_until(self, at_s: float) -> None:
        await MonotonicClock().sleep(max(0.0, at_s - self.now()) / FASTER)


class FastClock(MonotonicClock):
    """The bot's clock beside it."""

    def seconds(self) -> float:
        return time.monotonic() * FASTER

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds / FASTER)

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        await super().wait(event, seconds / FASTER)


def now_s(slack: SlackStandIn) -> float:
    return slack.backend.state.clock.now()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn that was alone, as Slack saw it."""

    ts: str
    asked_s: float
    calls: Sequence[ApiCall]
    posts: Sequence[Post]

    def until(self, methods: Collection[str]) -> float:
        """From the mention to the first call of these."""
        return until(self.calls, self.ts, self.asked_s, methods)

    def count(self, method: str) -> int:
        return sum(call.method == method for call in self.calls)

    @property
    def took_s(self) -> float:
        return self.calls[-1].at_s - self.asked_s

    @property
    def silence_s(self) -> float:
        shown = SIGNS | WORDS
        seen = [self.asked_s, *(c.at_s for c in self.calls if c.ok and c.method in shown)]
        return max(later - earlier for earlier, later in pairwise(seen))

    @property
    def edit_gaps_s(self) -> list[float]:
        """Between the edits of its progress, which is posted first; the last edit closes it."""
        made = [call for call in self.calls if call.ok and "plan" in str(call.args.get("blocks"))]
        return [later.at_s - earlier.at_s for earlier, later in pairwise(made[:-1])]

    def streamed(self) -> str:
        """What all its streams got, one after another."""
        calls = [call.args for call in self.calls if call.ok and call.method in STREAMS]
        return "".join(texts_in([json.loads(args["chunks"]) for args in calls]))


def until(calls: Iterable[ApiCall], ts: str, asked_s: float, methods: Collection[str]) -> float:
    """From a mention to the first call in its thread of these."""
    return next(
        call.at_s - asked_s
        for call in calls
        if call.ok
        and call.method in methods
        and ts in (call.args.get("thread_ts"), call.args.get("timestamp"))
    )


def seconds(name: str, value: float, goal: float | None = None, **how: bool) -> Result:
    return Result(name=name, value=round(value, 2), unit="s", goal=goal, **how)


def count(name: str, value: int, goal: int | None = None, **how: bool) -> Result:
    return Result(name=name, value=value, unit="", goal=goal, **how)


@asynccontextmanager
async def bot_beside(root: Path) -> AsyncGenerator[World]:
    """`bot start` as a process of its own."""
    root.mkdir(parents=True)  # noqa: ASYNC240 (nothing runs yet)
    settings = SandboxSettings()
    async with open_world(settings, workspaces_root=root, web=None, pace=UNHURRIED) as world:
        bot = await start_bot({**world.environment, "CRAWL_BROWSER": "off"}, root)
        try:
            await world.slack.connected(timeout_s=60)
            await ask(world.slack, QUESTION)
            yield world
        finally:
            await bot.stop()


def is_shown(slack: SlackStandIn, ts: str) -> bool:
    """Whether the turn of a thread is at its end, as people see it."""
    told = [c.args for c in slack.calls if c.ok and c.method == "agents.sessions.setStatus"]
    states = [each["status"] for each in told if each.get("thread_ts") == ts]
    return states[-1:] == ["active"]


async def ask(slack: SlackStandIn, text: str) -> Turn:
    """Mention the bot in a new thread and wait for the end of its turn."""
    asked_s, before = now_s(slack), len(slack.calls)
    ts = await slack.say("ann", CHANNEL, f"{slack.mention} {text}")
    await slack.wait_for(lambda s: is_shown(s, ts), timeout_s=180)
    calls, posts = slack.calls[before:], posts_in(slack, ts)
    return Turn(ts=ts, asked_s=asked_s, calls=calls, posts=posts)


def posts_in(slack: SlackStandIn, ts: str) -> list[Post]:
    return [post for post in slack.thread(CHANNEL, ts) if post.user == slack.bot_user_id]


def percentiles(name: str, waits_s: Sequence[float], goal_ms: float) -> list[Result]:
    cuts = statistics.quantiles(waits_s, n=20, method="inclusive")
    return [
        Result(name=f"{name}_p{p}_ms", value=round(cuts[p // 5 - 1] * 1000), unit="ms", goal=goal)
        for p, goal in ((50, goal_ms), (95, goal_ms))
    ]


def inside_pauses(calls: Sequence[ApiCall]) -> int:
    """How many calls came while Slack had asked for none of the kind."""
    closed: dict[str, tuple[float, float]] = {}
    found = 0
    for call in calls:
        posts = call.method == "chat.postMessage"
        gate = f"{call.method} {call.args.get('channel') if posts else ''}"
        since_s, until_s = closed.get(gate, (0.0, 0.0))
        found += since_s + ON_ITS_WAY_S < call.at_s < until_s - ON_ITS_WAY_S
        if call.retry_after_s:
            closed[gate] = call.at_s, call.at_s + call.retry_after_s
    return found


def calls_of(name: str, turn: Turn) -> list[Result]:
    made = Counter(call.method for call in turn.calls)
    return [count(f"{name}: {method}", times) for method, times in sorted(made.items())]


async def measure_turns(root: Path) -> list[Result]:
    """One thread at a time."""
    async with bot_beside(root) as world:
        slack, model = world.slack, world.model
        turns = [await ask(slack, QUESTION) for _ in range(ROUNDS)]
        if model is not None:
            model.stall(STALL_S, kinds={"delegated"})
        report = await ask(slack, REPORT)
        asks = [*turns, report]
        return [
            *percentiles("sign", [turn.until(SIGNS) for turn in asks], 300),
            *percentiles("meaning", [turn.until(WORDS) for turn in asks], 1_000),
            seconds("report_took_s", report.took_s),
            seconds("longest_silence_s", max(turn.silence_s for turn in asks), 5),
            seconds("edit_gap_s", min(report.edit_gaps_s), 2, at_least=True),
            count("simple_posts", max(len(turn.posts) for turn in turns), 1),
            count("report_posts", len(report.posts), 2),
            count("report_posts_with_files", sum(bool(post.files) for post in report.posts), 1),
            count("refused", sum(not call.ok for call in slack.calls)),
            count("inside_pauses", inside_pauses(slack.calls), 0),
            *calls_of("simple", turns[-1]),
            *calls_of("report", report),
        ]


async def measure_crowd(root: Path) -> list[Result]:
    """All threads at once, in one channel."""
    async with bot_beside(root) as world:
        slack, asked = world.slack, dict[str, float]()
        text = f"{slack.mention} {QUESTION}"
        for _ in range(THREADS):
            at_s = now_s(slack)
            asked[await slack.say("ann", CHANNEL, text)] = at_s
        await slack.wait_for(lambda s: all(is_shown(s, ts) for ts in asked), timeout_s=300)
        calls, n = slack.calls, THREADS
        signs = [until(calls, ts, at_s, SIGNS) for ts, at_s in asked.items()]
        words = [until(calls, ts, at_s, WORDS) for ts, at_s in asked.items()]
        return [
            *percentiles(f"sign_of_{n}", signs, 300),
            *percentiles(f"meaning_of_{n}", words, 1_000),
            seconds(f"all_{n}_answered_s", calls[-1].at_s - min(asked.values())),
            count(f"posts_of_{n}", max(len(posts_in(slack, ts)) for ts in asked), 1),
            count(f"pauses_of_{n}", sum(call.retry_after_s > 0 for call in calls)),
            count(f"inside_pauses_of_{n}", inside_pauses(calls), 0),
        ]


def slow_answer() -> str:
    """Numbered sentences in paragraphs."""
    said = [f"Line {n:03} of the answer says **what** comes {n} lines on." for n in range(200)]
    return "\n\n".join(" ".join(said[n : n + 5]) for n in range(0, len(said), 5))


def lost_chars(answer: str, shown: str) -> int:
    """How much of an answer's lines is not shown, or more than once."""
    lines, seen = re.findall(r"Line .*?on\.", answer), letters(shown)
    return sum(len(line) for line in lines if seen.count(letters(line)) != 1)


def letters(text: str) -> str:
    return re.sub(r"\W", "", text)


async def measure_slow(root: Path) -> list[Result]:
    """An answer that is written for longer than Slack keeps a stream open."""
    answer = slow_answer()
    pace = ReplyPace(tokens_per_s=len(answer) / CHARS_PER_TOKEN / SLOW_S * FASTER)
    async with open_world(
        SandboxSettings(), workspaces_root=root, web=None, pace=pace, clock=FastTime()
    ) as world:
        slack, environment = world.slack, {**world.environment, "CRAWL_BROWSER": "off"}
        own, core = settings_of(BotSettings, environment), settings_of(CoreSettings, environment)
        async with running_bot(own, core, slack_clock=FastClock()):
            await slack.connected(timeout_s=60)
            if world.model is not None:
                world.model.play(ReplyText(text=answer))
            turn = await ask(slack, "continue")
    shown = "".join("".join(texts_in(post.blocks)) for post in turn.posts)
    preview = letters(answer).startswith(letters(turn.streamed()))
    return [
        seconds("slow_took_s", turn.took_s, SLOW_S, at_least=True),
        seconds("slow_silence_s", turn.silence_s, 5),
        count("slow_streams", turn.count("chat.startStream"), 2, at_least=True),
        count("slow_posts", len(turn.posts)),
        count("slow_lost_chars", lost_chars(answer, shown), 0),
        count("slow_preview_is_its_beginning", preview, 1, at_least=True),
        *calls_of("slow", turn),
    ]


async def measure(root: Path) -> list[Result]:
    return [
        *await measure_turns(root / "turns"),
        *await measure_crowd(root / "crowd"),
        *await measure_slow(root / "slow"),
    ]


if __name__ == "__main__":
    run(__doc__, measure)
