"""kill -9 at fault points, with several threads under way: nothing is lost, nothing twice.

The walk is made once, in two worlds side by side; each test looks at one thing that came of it.
Each place is passed on one of its sides here. `python -m tests.bench.crashes` is the long form: it
walks both, and kills at random as well.
"""

import asyncio
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pytest
import pytest_asyncio

from agent_core.fault_points import POINTS
from bot.sandbox.model import ReplyText
from tests.bench.crashes import Report, crash
from tests.e2e.bot_process import bot_process, mention
from tests.e2e.world import CHANNEL, outside_world
from tests.faulty_slack import FaultySlack

PASSED = [point for point in POINTS if not point.startswith(("stream_", "delete"))]
"""Its model answers at once and nothing is streamed: that has a death of its own below."""
WALKED = (*PASSED[::4], *PASSED[3::4])
LINES = [f"Line {n:03} of the answer is written." for n in range(60)]
SOME_EVENTS = 12
"""Of the model's stream: about a quarter of the lines."""

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.process("only a process can be killed"),
    pytest.mark.timeout(600),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """Both worlds together."""

    reports: Sequence[Report]

    def found(self, name: str) -> list[str]:
        return list(chain.from_iterable(getattr(report.tally, name) for report in self.reports))

    @property
    def died_at(self) -> set[str]:
        deaths = chain.from_iterable(report.deaths for report in self.reports)
        return {life.fault_point for life in deaths if life.died_by_itself}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    async with asyncio.TaskGroup() as group:
        worlds = [
            group.create_task(crash(tmp_path_factory.mktemp("world"), WALKED[place::2], kills=0))
            for place in range(2)
        ]
    return Walk(reports=[world.result() for world in worlds])


@pytest.mark.proves("crashes.lost")
@pytest.mark.parametrize("point", WALKED)
async def test_the_bot_came_by_each_fault_point_and_died_there(walk: Walk, point: str) -> None:
    assert point in walk.died_at


@pytest.mark.proves(
    "crashes.lost",
    "crashes.model_calls",
    "effects.once",
    "posts.crash",
    "posts.left_open",
    "uploads.once",
)
@pytest.mark.parametrize(
    "name",
    [
        "lost",
        "duplicate_posts",
        "duplicate_files",
        "duplicate_effects",
        "left_open",
        "model_calls_wasted",
    ],
)
async def test_after_all_deaths_there_is_nothing_lost_and_nothing_twice(
    walk: Walk, name: str
) -> None:
    assert walk.found(name) == []


@pytest.mark.proves("crashes.model_calls")
async def test_a_death_costs_no_more_model_calls_than_were_under_way(walk: Walk) -> None:
    """Several turns are at work at once; how many wait for a model is the machine's pace."""
    deaths = sum(len(report.deaths) for report in walk.reports)
    assert len(walk.found("model_calls_repeated")) <= 2 * deaths


@pytest.mark.proves("posts.crash")
async def test_a_bot_that_dies_while_it_streams_leaves_its_answer_once(tmp_path: Path) -> None:
    async with outside_world(tmp_path) as outside:
        outside.model.play(ReplyText(text=" ".join(LINES)), times=2)
        outside.model.stall(600, after_events=SOME_EVENTS, kinds={"scripted"})
        async with bot_process(outside, fault_at="stream_start.after") as bot:
            ts = await mention(outside, "continue counting the bridges")
            assert await bot.wait() == -signal.SIGKILL

        def said(slack: FaultySlack) -> str:
            return "\n".join(post.words for post in slack.thread(CHANNEL, ts))

        assert LINES[0] in said(outside.slack)
        assert LINES[-1] not in said(outside.slack)
        async with bot_process(outside):
            await outside.slack.wait_for(lambda slack: LINES[-1] in said(slack), timeout_s=60)
        assert [line for line in LINES if said(outside.slack).count(line) != 1] == []
