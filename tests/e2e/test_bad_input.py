"""Odd messages and broken places: each has a defined answer, and nothing is met with silence."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest
import pytest_asyncio

from agent_core.events import StepStarted
from bot.sandbox.model import ReplyText, ToolUse
from bot.sandbox.web import WebPage
from tests.e2e.one_task import in_one_task
from tests.e2e.reports import Report
from tests.e2e.world import SIMPLE_ANSWER, World, bot_in_a_world

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOT_IN_THREAD = "_I could not answer in the thread, so here is the answer._"
LONG_WORK_S = 60.0
SCRIPTED = frozenset({"scripted"})
UNREACHABLE = tuple(
    WebPage(
        url=f"http://hangar{number}.test/airships",
        title=f"Mooring airships {number}",
        text="Airships are moored at masts. The mast of 1931 held an airship of 236 metres.",
        date=None,
        source=f"Hangar {number}",
        kind="web",
    )
    for number in range(1, 5)
)
"""The search knows them, and no host of their name serves anything."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[World, None]:
    """A bot of this module's own, whose search finds pages that cannot be had."""
    root = tmp_path_factory.mktemp("root")
    async with in_one_task(bot_in_a_world(root, found=UNREACHABLE)) as world:
        yield world


def reports_of(world: World, root_ts: str) -> list[str]:
    """The files that the bot shared in a thread."""
    shared = [file for file in world.slack.files if file.shares[0].thread_ts == root_ts]
    return [file.content.decode() for file in shared]


async def test_deleting_what_the_bot_wrote_does_not_cost_the_answer(world: World) -> None:
    world.model.stall(0.0, kinds=SCRIPTED)
    may_go_on = world.model.stall(LONG_WORK_S, after_events=1, kinds=SCRIPTED)
    world.model.play(ToolUse(name="mcp__local_toolkit__list_local_files", input={}))
    world.model.play(ReplyText(text="Found it."))
    root = await world.mention("continue in spite of it")
    [progress] = await world.slack.wait_for(lambda _: world.bot_posts(root))
    await world.slack.delete("general", progress.ts)
    may_go_on.set()
    await world.answered(root)
    assert [post.text for post in world.bot_posts(root)] == ["Found it."]
    await world.slack.delete("general", world.bot_posts(root)[0].ts)
    world.model.play(ReplyText(text="Found more."))
    await world.answered(await world.mention("continue", thread_ts=root))
    assert world.answers(root) == ["Found more."]


async def test_nothing_found_is_said_plainly_and_there_is_no_report(world: World) -> None:
    root = await world.ask("Write a comprehensive report on qwxzvk blorptangles")
    [answer] = world.answers(root)
    assert "found nothing" in answer
    assert reports_of(world, root) == []
    assert list((await world.workspace(root) / "work_products").rglob("*")) == []


async def test_pages_that_all_fail_are_named_and_no_source_is_invented(world: World) -> None:
    root = await world.ask("Write a comprehensive report on mooring airships")
    answer = world.answers(root)[0]
    assert answer.startswith("I could not read any of the pages that I tried.\n\n")
    known = {page.url for page in UNREACHABLE}
    for html in reports_of(world, root):
        assert "none of its sources was read in full" in html
        report = Report(html)
        assert report.sources
        assert {report.links[source] for source in report.sources} <= known


async def test_somebody_without_any_name_is_answered(world: World) -> None:
    world.play_simple()
    ts = await world.mention("Who am I?", user="nameless")
    turn = await world.answered(ts)
    assert world.answers(ts) == [SIMPLE_ANSWER]
    assert turn.inbound.author_name


@pytest.mark.parametrize("becomes", ["renamed", "archived", "closed to the bot"])
async def test_a_channel_that_changes_in_mid_turn_costs_no_answer(
    world: World, becomes: str
) -> None:
    slack = world.slack
    channel = "shared" if becomes == "archived" else "energy"
    changes: dict[str, dict[str, Any]] = {
        "renamed": {"name": "power"},
        "archived": {"is_archived": True},
        "closed to the bot": {"members": tuple(slack.people.values())},
    }
    may_go_on = world.model.stall(LONG_WORK_S, after_events=1, kinds=SCRIPTED)
    world.model.play(ReplyText(text=f"It is {becomes}."))
    root = await world.mention("continue with the long work", channel=channel)
    await world.until(root, StepStarted, channel=channel)
    slack.change_channel(channel, **changes[becomes])
    may_go_on.set()
    assert (await world.answered(root, channel=channel)).outcome == "answered"
    direct = [post.text for post in slack.posts(slack.dm_id("ann"))]
    if becomes == "renamed":
        assert world.answers(root, channel=channel) == ["It is renamed."]
        assert "It is renamed." not in direct
        return
    assert world.answers(root, channel=channel) == []
    assert direct[-2:] == [NOT_IN_THREAD, f"It is {becomes}."]
    before = len(slack.calls)
    await world.nothing_more_happens()
    later = [call for call in slack.calls[before:] if slack.channels[channel] in str(call.args)]
    assert later == []
