"""What a thread sees of the bot, and when: the real bot against the stand-ins, rate limits on.

`python -m tests.bench.thread [--json]`. `sign`: from a mention to the first thing that shows;
`meaning`: to the first words; both for one thread at a time and for 50 at once. `silence`: the
longest time without a visible change, from a mention to the end, of a report's turn whose model
once says nothing for `STALL_S`, too; the same words once more are no change. `edit_gap`: the least
between two edits of a progress post at work; the edit that closes it waits for nobody.
`inside_pauses`: calls of a method that Slack had asked to leave alone.

`paced_…` is the same of a simple question, a report and a comparison with a model of a realistic
pace (`REALISTIC`). `paced_meaning`: from the sign to the words that it is looked at; `paced_step`:
from the mention to the first words on what is done, of a simple question to the answer's first
sentence, which has no goal; `paced_same_words`: the longest time in which
nothing changes but the clock.
"""

import statistics
from collections import Counter
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bot.sandbox.child import start_bot
from bot.sandbox.model import ReplyPace
from bot.sandbox.settings import SandboxSettings
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.slack.records import ApiCall, Post
from bot.sandbox.world import UNHURRIED, World, open_world
from tests.bench.results import Result, run
from tests.scripted_stand_in import ScriptedStandIn

ROUNDS = 12
THREADS = 50
STALL_S = 12.0
REALISTIC = ReplyPace(first_token_s=2.5, tokens_per_s=25.0)
ON_ITS_WAY_S = 0.25
"""A call that came so soon after a pause was asked for had left before that."""
QUESTION = "What is a circuit breaker in a bot?"
REPORT = "Write a report about rate limits of chat bots."
COMPARISON = "Compare heat pumps, battery storage and wind power"
SIGNS = {"agents.sessions.setStatus", "reactions.add"}
LINE = "assistant.threads.setStatus"
WORDS = {
    LINE, "chat.postMessage", "chat.startStream", "chat.appendStream",
    "chat.update", "files.completeUploadExternal",
}  # fmt: skip
CHANNEL = "general"


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

    @property
    def took_s(self) -> float:
        return self.calls[-1].at_s - self.asked_s

    @property
    def silence_s(self) -> float:
        """The longest time without a change that people see."""
        return self._longest_s({call.at_s: shown_by(call) for call in self._visible})

    @property
    def same_words_s(self) -> float:
        """The longest time in which nothing changes but the clock."""
        return self._longest_s({call.at_s: words_of(call) for call in self._visible})

    @property
    def step_s(self) -> float:
        """From the mention to the first words on what is done, or of the answer."""
        return next(
            call.at_s - self.asked_s
            for call in self._visible
            if call.method in WORDS - {LINE} or call.args.get("loading_messages")
        )

    @property
    def _visible(self) -> list[ApiCall]:
        return [call for call in self.calls if call.ok and call.method in SIGNS | WORDS]

    def _longest_s(self, shown: Mapping[float, str]) -> float:
        changes = [self.asked_s]
        last = ""
        for at_s, words in shown.items():
            if words != last:
                changes.append(at_s)
            last = words
        changes.append(self.calls[-1].at_s)
        return max(later - earlier for earlier, later in pairwise(changes))

    @property
    def edit_gaps_s(self) -> list[float]:
        """Between the edits of its progress, which is posted first; the last edit closes it."""
        made = [call for call in self.calls if call.ok and "plan" in str(call.args.get("blocks"))]
        return [later.at_s - earlier.at_s for earlier, later in pairwise(made[:-1])]


def shown_by(call: ApiCall) -> str:
    return f"{call.method} {sorted(call.args.items(), key=str)}"


def words_of(call: ApiCall) -> str:
    """What a call shows, without the clock of a status line."""
    if call.method != LINE:
        return shown_by(call)
    line = str(call.args.get("loading_messages") or call.args.get("status"))
    return line.rpartition(" · ")[0] or line


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
async def bot_beside(
    root: Path, pace: ReplyPace = UNHURRIED
) -> AsyncGenerator[tuple[World, ScriptedStandIn]]:
    """`bot start` as a process of its own, with a model that can be silent."""
    root.mkdir(parents=True)  # noqa: ASYNC240 (nothing runs yet)
    settings = SandboxSettings()
    async with (
        open_world(settings, workspaces_root=root, web=None, pace=pace) as world,
        ScriptedStandIn(pages=world.web.ready, pace=pace) as model,
    ):
        environment = {**world.environment, **model.environment, "CRAWL_BROWSER": "off"}
        bot = await start_bot(environment, root)
        try:
            await world.slack.connected(timeout_s=60)
            await ask(world.slack, QUESTION)
            yield world, model
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
    await slack.wait_for(lambda s: is_shown(s, ts), timeout_s=400)
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
    async with bot_beside(root) as (world, model):
        slack = world.slack
        turns = [await ask(slack, QUESTION) for _ in range(ROUNDS)]
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


async def measure_pace(root: Path) -> list[Result]:
    """One thread at a time, with a model that takes its time."""
    async with bot_beside(root, REALISTIC) as (world, _):
        results: list[Result] = []
        asks = {"simple": QUESTION, "report": REPORT, "comparison": COMPARISON}
        for name, text in asks.items():
            turn = await ask(world.slack, text)
            meaning_s = turn.until(WORDS) - turn.until(SIGNS)
            results += [
                seconds(f"paced_sign_s: {name}", turn.until(SIGNS)),
                seconds(f"paced_meaning_s: {name}", meaning_s, 1),
                seconds(f"paced_step_s: {name}", turn.step_s, None if name == "simple" else 3.5),
                seconds(f"paced_silence_s: {name}", turn.silence_s, 5),
                seconds(f"paced_same_words_s: {name}", turn.same_words_s),
                seconds(f"paced_took_s: {name}", turn.took_s),
            ]
        return results


async def measure_crowd(root: Path) -> list[Result]:
    """All threads at once, in one channel."""
    async with bot_beside(root) as (world, _):
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


async def measure(root: Path) -> list[Result]:
    return [
        *await measure_turns(root / "turns"),
        *await measure_pace(root / "pace"),
        *await measure_crowd(root / "crowd"),
    ]


if __name__ == "__main__":
    run(__doc__, measure)
