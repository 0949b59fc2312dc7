"""Many threads at once, many turns after each other, many open turns, a rolling restart.

`python -m tests.bench.load [--turns N] [--open N] [--json]`: the real bot against the stand-ins.

`sign`: from a mention to the first thing that shows, in 200 threads of which 50 at a time are at
work, every fifth on research; the model takes a second to its first token and then writes 30 a
second, and Slack's rate limits hold. `memory_of_1000_turns_mb` is the slope of the bot's resident
memory over the last three quarters of `--turns` quick turns (2,000; the issue asks for 10,000), and
as each is in a thread of its own, also what 1,000 idle sessions hold.

`recovery`: a bot with `--open` turns at work is killed and started again; `first_s` runs from its
start to the first answer in Slack. The others are counted for a while only: each turn of a process
that died may be what killed it, so they go on one by one. Rolling restart: two processes on
Postgres are stopped and started again, one after the other, while people ask five times a second;
`ack` is from Slack's first attempt at an event to its acknowledgement, by whichever process.
"""

import asyncio
import sqlite3
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

from bot.sandbox.child import BotProcess, start_bot
from bot.sandbox.model import ReplyPace, ReplyText
from bot.sandbox.slack import SlackStandIn
from tests.bench.crash_model import RehearsedModel
from tests.bench.crash_world import SETTLE_S
from tests.bench.results import Result, resident_mb, run
from tests.bench.thread import SIGNS, WORDS, bot_beside, now_s, percentiles, until
from tests.faulty_slack import FaultySlack
from tests.members import members_on
from tests.postgres import new_database, postgres
from tests.scripted_stand_in import ScriptedStandIn

THREADS = 200
AT_ONCE = 50
PACE = ReplyPace(first_token_s=1.0, tokens_per_s=30.0)
NEVER_S = 3_600.0
CHANNELS = ("general", "energy", "news", "private")
QUESTION = "What is a circuit breaker in a bot?"
RESEARCH = "Find out what teams say about retries in chat bots"
RESEARCH_EVERY = 5
SAMPLES = 20
LOOK_S = 0.05
PATIENCE_S = 300.0
"""Nobody waits longer for the next answer."""
LATE_S = 5.0
"""How long after the last answer another one may still come."""
ASKS_A_SECOND = 5
STEADY_S = 8.0
"""Traffic before, between and after the restarts."""
ACK_S = 3.0
WATCH_S = 90.0
"""How long after the first answer of a recovery the others are counted."""


@dataclass(slots=True)
class Crowd:
    """People who ask in new threads, and what they got."""

    slack: SlackStandIn
    asked: dict[str, tuple[str, float]] = field(default_factory=dict[str, tuple[str, float]])
    """By the mention's `ts` its channel and moment."""

    async def ask(self, text: str) -> None:
        """Somebody mentions the bot in the next channel."""
        channel = CHANNELS[len(self.asked) % len(CHANNELS)]
        at_s = now_s(self.slack)
        ts = await self.slack.say("ann", channel, f"{self.slack.mention} {text}")
        self.asked[ts] = channel, at_s

    def answers(self) -> Counter[str]:
        """How many posts of the bot with words are in each thread, progress left out."""
        posts = (post for each in self.slack.state.posts.values() for post in each.values())
        return Counter(
            post.root_ts
            for post in posts
            if post.user == self.slack.bot_user_id
            and post.root_ts in self.asked
            and post.words
            and not post.words.startswith(("Working on it", "Done in", "Worked for"))
        )

    def at_work(self) -> int:
        """Threads without an answer so far."""
        return len(self.asked) - len(self.answers())

    async def fewer_than(self, limit: int, check: Callable[[], None]) -> None:
        """Wait until fewer than `limit` threads are without an answer."""
        loop = asyncio.get_running_loop()
        open_before, since_s = self.at_work(), loop.time()
        while (now_open := self.at_work()) >= limit and loop.time() - since_s < PATIENCE_S:
            check()
            if now_open < open_before:
                open_before, since_s = now_open, loop.time()
            await asyncio.sleep(LOOK_S)

    async def at_rest(self, check: Callable[[], None]) -> None:
        await self.fewer_than(1, check)
        await asyncio.sleep(LATE_S)

    def losses(self, name: str) -> list[Result]:
        """Threads without an answer, and answers that came again."""
        answers = self.answers()
        lost = [ts for ts in self.asked if not answers[ts]]
        twice = [ts for ts, count in answers.items() if count > 1]
        for what, found in (("lost", lost), ("doubled", twice)):
            sys.stderr.writelines(f"{name} {what}: {self.asked[ts][0]} {ts}\n" for ts in found)
        return [
            Result(name=f"{name}_lost", value=len(lost), unit="turns", goal=0),
            Result(name=f"{name}_doubled", value=len(twice), unit="turns", goal=0),
        ]


@asynccontextmanager
async def bot_on(
    slack: FaultySlack, model: ScriptedStandIn, root: Path
) -> AsyncGenerator[BotProcess]:
    """`bot start` on one SQLite file; leaving the context stops it."""
    environment = {
        **slack.environment,
        **model.environment,
        "WORKSPACES_ROOT": str(root),
        "CONSOLE_PORT": "0",
        "CRAWL_BROWSER": "off",
        "SLACK_SETTLE_S": str(SETTLE_S),
    }
    bot = await start_bot(environment, root)
    try:
        await slack.connected(timeout_s=60)
        yield bot
    finally:
        await bot.stop()


async def measure_crowd(root: Path) -> list[Result]:
    async with bot_beside(root, PACE) as (world, _):
        slack, crowd = world.slack, Crowd(world.slack)
        for number in range(THREADS):
            await crowd.fewer_than(AT_ONCE, lambda: None)
            await crowd.ask(RESEARCH if number % RESEARCH_EVERY == 0 else QUESTION)
        await crowd.at_rest(lambda: None)
        shown = SIGNS | WORDS  # Slack allows fifty of either sign a minute, and 600 status lines
        signs = [until(slack.calls, ts, at_s, shown) for ts, (_, at_s) in crowd.asked.items()]
        took_s = now_s(slack) - LATE_S - min(at_s for _, at_s in crowd.asked.values())
        return [
            *percentiles(f"sign_of_{THREADS}_threads", signs, 2_000),
            Result(name=f"all_{THREADS}_answered_s", value=round(took_s, 1), unit="s"),
            *crowd.losses("crowd"),
        ]


async def measure_memory(root: Path, turns: int) -> list[Result]:
    root.mkdir(parents=True)  # noqa: ASYNC240 (nothing runs yet)
    async with (
        FaultySlack(rate_limits=False) as slack,
        ScriptedStandIn() as model,
        bot_on(slack, model, root) as bot,
    ):
        crowd = Crowd(slack)
        samples: list[tuple[int, float]] = []
        for number in range(1, turns + 1):
            model.play(ReplyText(text="SIMPLE"), times=2)  # the verdict is the answer, too
            await crowd.ask(QUESTION)
            await crowd.fewer_than(AT_ONCE // 2, bot.check)
            if number % (turns // SAMPLES) == 0:
                await crowd.fewer_than(1, bot.check)
                samples.append((number, resident_mb(bot.pid)))
                sys.stderr.write(f"{number} turns: {samples[-1][1]:.1f} MB\n")
        await crowd.at_rest(bot.check)
        counted = samples[SAMPLES // 4 - 1 :]
        slope = statistics.linear_regression(*zip(*counted, strict=True)).slope * 1_000
        return [
            Result(name="turns", value=turns, unit="turns"),
            Result(name="memory_before_mb", value=round(counted[0][1], 1), unit="MB"),
            Result(name="memory_after_mb", value=round(counted[-1][1], 1), unit="MB"),
            Result(name="memory_of_1000_turns_mb", value=round(slope, 1), unit="MB", goal=10),
            Result(name="idle_1000_sessions_mb", value=round(slope, 1), unit="MB", goal=60),
            *crowd.losses("quick"),
        ]


def running(state: Path) -> int:
    """Turns that are stored as at work."""
    with closing(sqlite3.connect(f"file:{state}?mode=ro", uri=True)) as database:
        query = "SELECT count(*) FROM turns WHERE status = 'running'"
        return database.execute(query).fetchone()[0]


async def measure_recovery(root: Path, count: int) -> list[Result]:
    root.mkdir(parents=True)  # noqa: ASYNC240 (nothing runs yet)
    loop = asyncio.get_running_loop()
    async with (
        FaultySlack(rate_limits=False) as slack,
        RehearsedModel(first_token_s=NEVER_S) as silent,
        RehearsedModel(first_token_s=PACE.first_token_s) as quick,
    ):
        crowd = Crowd(slack)
        async with bot_on(slack, silent, root) as bot:
            for number in range(count):
                await crowd.ask(f"What is item{number}?")
            async with asyncio.timeout(PATIENCE_S):
                while running(root / "state.sqlite") < count:
                    bot.check()
                    await asyncio.sleep(LOOK_S)
            bot.kill()
            await bot.ended()
        started_s = loop.time()
        async with bot_on(slack, quick, root) as bot:
            await crowd.fewer_than(count, bot.check)
            first_s = loop.time() - started_s
            await asyncio.sleep(WATCH_S)
            bot.check()
        answers = crowd.answers()
        twice = sum(posts > 1 for posts in answers.values())
        return [
            Result(name="open_turns", value=count, unit="turns"),
            Result(name="recovery_first_s", value=round(first_s, 1), unit="s", goal=10),
            Result(name=f"recovery_in_{WATCH_S:.0f}_s", value=len(answers), unit="turns"),
            Result(name="recovery_doubled", value=twice, unit="turns", goal=0),
        ]


async def measure_rolling(root: Path, url: str) -> list[Result]:
    async with (
        FaultySlack(rate_limits=False) as slack,
        ScriptedStandIn() as model,
        members_on(url, slack, root, {**model.environment, "CRAWL_BROWSER": "off"}) as members,
    ):
        first, second = await members.begin(2)
        crowd = Crowd(slack)

        async def traffic() -> None:
            while True:
                await crowd.ask(QUESTION)
                await asyncio.sleep(1 / ASKS_A_SECOND)

        asking = asyncio.create_task(traffic())
        for old in (first, second):
            await asyncio.sleep(STEADY_S)
            await members.stop(old)
            await members.begin(1)
        await asyncio.sleep(STEADY_S)
        asking.cancel()
        await asyncio.wait({asking})
        await crowd.at_rest(members.check)
        acks_s = list(acks_of(slack).values())
        late = sum(each > ACK_S for each in acks_s)
        return [
            Result(name="rolling_asks", value=len(crowd.asked), unit="turns"),
            *crowd.losses("rolling"),
            Result(name="rolling_ack_max_s", value=round(max(acks_s), 2), unit="s", goal=ACK_S),
            Result(name="rolling_acks_late", value=late, unit="events", goal=0),
        ]


def acks_of(slack: FaultySlack) -> Mapping[str, float]:
    """By event, from the first attempt to the first acknowledgement; infinite without one."""
    attempts: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for each in slack.deliveries:
        if "client_msg_id" not in (each.payload.get("event") or {}):
            continue
        acked_s = float("inf") if each.acked_at_s is None else each.acked_at_s
        attempts[str(each.event_id)].append((each.sent_at_s, acked_s))
    return {
        event: min(acked for _, acked in times) - min(sent for sent, _ in times)
        for event, times in attempts.items()
    }


async def measure(root: Path, **counts: int) -> list[Result]:
    with postgres(for_benchmark=True) as server:
        rolling = await measure_rolling(root / "rolling", new_database(server))
    return [
        *await measure_crowd(root / "crowd"),
        *await measure_memory(root / "memory", counts["turns"]),
        *await measure_recovery(root / "recovery", counts["open"]),
        *rolling,
    ]


if __name__ == "__main__":
    run(__doc__, measure, turns=2_000, open=1_000)
