"""Odd messages and broken places: each has a defined answer, and nothing is met with silence."""

import shutil
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from agent_core.events import StepStarted
from bot.sandbox.model import ReplyText, ToolUse
from bot.sandbox.web import WebPage
from tests.e2e.one_task import in_one_task
from tests.e2e.reports import Report
from tests.e2e.world import SIMPLE_ANSWER, World, bot_in_a_world

pytestmark = pytest.mark.asyncio(loop_scope="module")

HELP = "Here I am. "
THANKS = "You are welcome! If there is more I can do, a few words are enough."
NOTHING_RUNS = (
    "Nothing is running in this thread. If I am at work in another one, please reply there."
)
GONE = "The earlier files of this thread are gone, so I started without them."
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


def asked(world: World) -> int:
    """How often a model was asked so far."""
    return sum(bool(call.body) for call in world.model.calls)


def reports_of(world: World, root_ts: str) -> list[str]:
    """The files that the bot shared in a thread."""
    shared = [file for file in world.slack.files if file.shares[0].thread_ts == root_ts]
    return [file.content.decode() for file in shared]


@pytest.mark.parametrize("text", ["", "   \n "])
async def test_an_empty_mention_gets_a_short_help_and_no_model_call(
    world: World, text: str
) -> None:
    before = asked(world)
    root = await world.ask(text)
    [answer] = world.answers(root)
    assert answer.startswith(HELP)
    assert all(word in answer for word in ("report", "files", "continue"))
    assert world.progress(root) == []
    assert asked(world) == before


async def test_an_empty_mention_in_a_thread_with_a_session_tells_its_state(world: World) -> None:
    root = await world.ask_simply("What is a thread?")
    before = asked(world)
    await world.answered(await world.mention("", thread_ts=root))
    said = world.answers(root)[-1]
    assert said.startswith("The last request in this thread is answered. Just write")
    assert asked(world) == before


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("🎉🎉", THANKS),
        ("danke :pray:", "Gern! Wenn ich noch etwas tun kann, genügen ein paar Worte."),
        ("stop", NOTHING_RUNS),
    ],
)
async def test_thanks_and_a_stop_after_the_answer_get_a_sentence_and_no_model_call(
    world: World, text: str, answer: str
) -> None:
    root = await world.ask_simply("What is a thread?")
    before = asked(world)
    await world.answered(await world.mention(text, thread_ts=root))
    assert world.answers(root) == [SIMPLE_ANSWER, answer]
    assert asked(world) == before


async def test_one_letter_39000_times_gets_its_length_and_no_model_call(world: World) -> None:
    before = asked(world)
    root = await world.ask("x" * 39_000)
    [answer] = world.answers(root)
    assert answer.startswith("Your message has 39,000 characters and no word in it")
    assert asked(world) == before


async def test_a_document_of_39000_characters_with_a_question_is_answered(world: World) -> None:
    document = "Slack bots retry with a pause that grows. " * 928
    text = f"{document}What do the bots do?"
    world.model.play(ReplyText(text="They retry."))
    root = await world.ask(text)
    [answer] = world.answers(root)
    assert answer == (
        f"That was a long message ({len(text):,} characters). I took in all of it.\n\nThey retry."
    )
    assert len(text) > 38_000
    assert len(world.requests_with(text)) == 1
    saved = await world.workspace(root) / "downloads" / "message_1.txt"
    assert saved.read_text(encoding="utf-8") == text


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


async def test_a_thread_whose_workspace_was_deleted_gets_a_new_one_and_is_told_once(
    world: World,
) -> None:
    world.model.play(ReplyText(text="One."))
    root = await world.ask("continue with the first")
    shutil.rmtree(await world.workspace(root))
    for text in ("Two.", "Three."):
        world.model.play(ReplyText(text=text))
        await world.answered(await world.mention("continue", thread_ts=root))
    assert world.answers(root) == ["One.", f"{GONE}\n\nTwo.", "Three."]
    assert (await world.workspace(root) / "trace.json").exists()
    assert "continue with the first" in str(world.requests_with("Two.")[-1]["messages"])


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


async def test_a_bot_that_is_removed_in_mid_turn_answers_directly_and_then_falls_silent(
    world: World,
) -> None:
    may_go_on = world.model.stall(LONG_WORK_S, after_events=1, kinds=SCRIPTED)
    world.model.play(ReplyText(text="Found it."))
    root = await world.mention("continue with the long work", channel="energy")
    await world.until(root, StepStarted, channel="energy")
    await world.slack.remove_from_channel("energy", "bot")
    may_go_on.set()
    turn = await world.answered(root, channel="energy")
    assert turn.outcome == "answered"
    assert world.answers(root, channel="energy") == []
    direct = [post.text for post in world.slack.posts(world.slack.dm_id("ann"))]
    assert direct[-2:] == [NOT_IN_THREAD, "Found it."]
    before = len(world.slack.calls)
    await world.nothing_more_happens()
    later = [call for call in world.slack.calls[before:] if "energy" in str(call.args)]
    assert later == []
    await world.slack.invite("energy", "bot")


@pytest.mark.parametrize("becomes", ["renamed", "archived"])
async def test_a_channel_that_changes_in_mid_turn_costs_no_answer(
    world: World, becomes: str
) -> None:
    channel = "energy" if becomes == "renamed" else "shared"
    may_go_on = world.model.stall(LONG_WORK_S, after_events=1, kinds=SCRIPTED)
    world.model.play(ReplyText(text=f"It is {becomes}."))
    root = await world.mention("continue with the long work", channel=channel)
    await world.until(root, StepStarted, channel=channel)
    await (
        world.slack.rename("energy", "power")
        if becomes == "renamed"
        else world.slack.archive("shared")
    )
    may_go_on.set()
    assert (await world.answered(root, channel=channel)).outcome == "answered"
    direct = [post.text for post in world.slack.posts(world.slack.dm_id("ann"))]
    if becomes == "renamed":
        assert world.answers(root, channel=channel) == ["It is renamed."]
        assert "It is renamed." not in direct
    else:
        assert direct[-2:] == [NOT_IN_THREAD, "It is archived."]
