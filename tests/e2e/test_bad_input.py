"""Odd messages and broken places: each has a defined answer, and nothing is met with silence."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Sequence
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from agent_core.events import StepStarted
from bot.sandbox.composio import ComposioStandIn
from bot.sandbox.model import ModelStandIn, Text
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.web import Page, SmallWeb
from tests.e2e.reports import Report
from tests.e2e.world import SIMPLE_ANSWER, Outside, World, bot_in

pytestmark = pytest.mark.asyncio(loop_scope="module")

STOP_S = 30.0
HELP = "Here I am. "
THANKS = "You are welcome! If there is more I can do, a few words are enough."
GONE = "The files of this thread were gone; I started a new workspace."
NOT_IN_THREAD = "_I could not answer in the thread, so here is the answer._"
LONG_WORK_S = 60.0
SCRIPTED = frozenset({"scripted"})
UNREACHABLE = tuple(
    Page(
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


async def _searchable(web: SmallWeb) -> Sequence[Page]:
    return (*await web.ready(), *UNREACHABLE)


async def _run(root: Path, started: "asyncio.Future[World]", may_stop: asyncio.Event) -> None:
    async with (
        SlackStandIn(rate_limits=False) as slack,
        ModelStandIn(keep_bodies=True) as model,
        SmallWeb.builtin(pace=0.0) as web,
        ComposioStandIn(partial(_searchable, web)) as composio,
        bot_in(Outside(slack=slack, model=model, composio=composio, web=web, root=root)) as world,
    ):
        started.set_result(world)
        await may_stop.wait()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[World, None]:
    """A bot of this module's own, whose search finds pages that cannot be had."""
    started: asyncio.Future[World] = asyncio.get_running_loop().create_future()
    may_stop = asyncio.Event()
    running = asyncio.create_task(_run(tmp_path_factory.mktemp("root"), started, may_stop))
    await asyncio.wait({running, started}, return_when=asyncio.FIRST_COMPLETED)
    if running.done():
        running.result()
    yield started.result()
    may_stop.set()
    async with asyncio.timeout(STOP_S):
        await running


def asked(world: World) -> int:
    """How often a model was asked so far."""
    return sum(bool(call.body) for call in world.model.calls)


def _is_signed(slack: SlackStandIn, ts: str) -> bool:
    """Whether a post that waits behind another has its sign."""
    reactions = [call for call in slack.calls if call.method == "reactions.add"]
    return any(call.args.get("timestamp") == ts for call in reactions)


def reports_of(world: World, root_ts: str) -> list[str]:
    """The files that the bot shared in a thread."""
    shared = [file for file in world.slack.files if file.shares[0].thread_ts == root_ts]
    return [file.content.decode() for file in shared]


async def under_way(world: World, ts: str, *, channel: str = "general") -> None:
    """Wait until a turn's first model call is about to be made."""
    async for _, event in world.runtime.events(world.turn_id(ts, channel)):
        if isinstance(event, StepStarted):
            return


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
    assert said.startswith("The last request in this thread is answered. A word is enough")
    assert asked(world) == before


async def test_an_empty_mention_beside_running_work_is_answered_at_once(world: World) -> None:
    may_go_on = world.model.stall(LONG_WORK_S, after_events=1, kinds=SCRIPTED)
    world.model.play(Text(text="Found it."))
    root = await world.mention("continue with the long work")
    await under_way(world, root)
    remark = await world.mention("", thread_ts=root)
    await world.slack.wait_for(lambda _: world.answers(root))
    may_go_on.set()
    await world.answered(remark)
    await world.answered(root)
    state, result = world.answers(root)
    assert state.startswith("I have just begun.")
    assert result == "Found it."


@pytest.mark.parametrize("text", [":tada:", "🎉🎉", ":+1::skin-tone-3:", "🇩🇪"])
async def test_emoji_alone_get_a_sentence_and_no_model_call(world: World, text: str) -> None:
    before = asked(world)
    root = await world.ask(text)
    assert world.answers(root) == [THANKS]
    assert asked(world) == before


@pytest.mark.parametrize("text", ["help", "what can you do?"])
async def test_a_message_that_only_asks_for_help_gets_it_and_no_model_call(
    world: World, text: str
) -> None:
    before = asked(world)
    root = await world.ask(text)
    [answer] = world.answers(root)
    assert answer.startswith(HELP)
    assert world.progress(root) == []
    assert asked(world) == before


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("great, thanks!", THANKS),
        ("danke :pray:", "Gern! Wenn ich noch etwas tun kann, genügen ein paar Worte."),
        (
            "stop",
            "Nothing is running in this thread. "
            "If I am at work in another one, please reply there.",
        ),
        (
            "abbrechen",
            "In diesem Thread läuft gerade nichts. "
            "Bin ich in einem anderen am Werk, antworte bitte dort.",
        ),
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


async def test_an_emoji_with_a_lost_file_gets_only_the_sentence_on_the_file(world: World) -> None:
    ts = await world.mention(":tada:", files=[("film.mov", bytes(60 * 1024**2), None)])
    await world.nothing_more_happens()
    assert world.answers(ts) == ["I left out “film.mov”: it is bigger than 50 MB."]
    assert not await world.was_taken_up(ts)


async def test_one_letter_39000_times_gets_its_length_and_no_model_call(world: World) -> None:
    before = asked(world)
    root = await world.ask("x" * 39_000)
    [answer] = world.answers(root)
    assert answer.startswith("Your message has 39,000 characters and no word in it")
    assert asked(world) == before


async def test_a_document_of_39000_characters_with_a_question_is_answered(world: World) -> None:
    document = "Slack bots retry with a pause that grows. " * 928
    text = f"{document}What do the bots do?"
    world.model.play(Text(text="They retry."))
    root = await world.ask(text)
    [answer] = world.answers(root)
    assert answer == (
        f"Your message has {len(text):,} characters; I took in all of it and saved it as "
        "`downloads/message_1.txt`.\n\nThey retry."
    )
    assert len(text) > 38_000
    assert len(world.requests_with(text)) == 1
    saved = await world.workspace(root) / "downloads" / "message_1.txt"
    assert saved.read_text(encoding="utf-8") == text


async def test_an_edit_after_the_turn_begins_no_second_one(world: World) -> None:
    root = await world.ask_simply("What is an edit?")
    before = asked(world)
    for text in ("What is an edit?", "What is a deletion?"):
        await world.slack.edit("ann", "general", root, f"{world.slack.mention} {text}")
    await world.nothing_more_happens()
    assert world.answers(root) == [SIMPLE_ANSWER]
    assert asked(world) == before + 2


async def test_an_edit_that_adds_the_mention_begins_the_first_turn(world: World) -> None:
    ts = await world.slack.say("ann", "general", "What is a mention?")
    await world.nothing_more_happens()
    assert not await world.was_taken_up(ts)
    world.play_simple()
    await world.slack.edit("ann", "general", ts, f"{world.slack.mention} What is a mention?")
    await world.answered(ts)
    await world.nothing_more_happens()
    assert world.answers(ts) == [SIMPLE_ANSWER]


@pytest.mark.proves("edits.deleted")
async def test_a_message_that_is_deleted_before_its_turn_begins_is_not_answered(
    world: World,
) -> None:
    may_go_on = world.model.stall(LONG_WORK_S, after_events=1, kinds=SCRIPTED)
    world.model.play(Text(text="Found it."))
    root = await world.mention("continue with the long work")
    await under_way(world, root)
    secret = await world.mention("continue with the secret", thread_ts=root)
    await world.slack.wait_for(lambda slack: _is_signed(slack, secret))
    await world.becomes(secret, lambda turn: turn.status == "queued")
    await world.slack.delete("general", secret)
    await world.becomes(secret, lambda turn: turn.outcome == "stopped")
    may_go_on.set()
    await world.answered(root)
    await world.nothing_more_happens()
    assert world.answers(root) == ["Found it."]
    assert world.requests_with("the secret") == []


async def test_deleting_what_the_bot_wrote_does_not_cost_the_answer(world: World) -> None:
    may_go_on = world.model.stall(LONG_WORK_S, after_events=1, kinds=SCRIPTED)
    world.model.play(Text(text="Found it."))
    root = await world.mention("continue in spite of it")
    [progress] = await world.slack.wait_for(lambda _: world.bot_posts(root))
    await world.slack.delete("general", progress.ts)
    may_go_on.set()
    await world.answered(root)
    assert [post.text for post in world.bot_posts(root)] == ["Found it."]
    await world.slack.delete("general", world.bot_posts(root)[0].ts)
    world.model.play(Text(text="Found more."))
    await world.answered(await world.mention("continue", thread_ts=root))
    assert world.answers(root) == ["Found more."]


async def test_a_thread_whose_workspace_was_deleted_gets_a_new_one_and_is_told_once(
    world: World,
) -> None:
    world.model.play(Text(text="One."))
    root = await world.ask("continue with the first")
    shutil.rmtree(await world.workspace(root))
    for text in ("Two.", "Three."):
        world.model.play(Text(text=text))
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


async def test_a_file_of_200_mb_is_named_and_the_rest_is_answered(world: World) -> None:
    world.model.play(Text(text="Only one of them."))
    files = [("film.mov", bytes(200 * 1024**2), None), ("a.log", b"lines", None)]
    ts = await world.mention("What is in there?", files=files)
    turn = await world.answered(ts)
    assert world.answers(ts) == [
        "I left out “film.mov”: it is bigger than 50 MB. I am working on the rest of your message.",
        "Only one of them.",
    ]
    assert [file.name for file in turn.inbound.attachments] == ["a.log"]
    downloads = await world.workspace(ts) / "downloads"
    assert [path.read_bytes() for path in downloads.iterdir()] == [b"lines"]


async def test_a_file_with_a_hostile_name_stays_in_its_place(world: World) -> None:
    world.model.play(Text(text="Read."))
    ts = await world.mention("Look", files=[("<!channel>\u202egpj.exe", b"lines", None)])
    turn = await world.answered(ts)
    [file] = turn.inbound.attachments
    workspace = await world.workspace(ts)
    assert (workspace / file.path).resolve().parent == workspace / "downloads"
    assert (workspace / file.path).read_bytes() == b"lines"
    assert not set("<>!\u202e") & set(file.path)


async def test_somebody_without_any_name_is_answered(world: World) -> None:
    world.play_simple()
    ts = await world.mention("Who am I?", user="nameless")
    turn = await world.answered(ts)
    assert world.answers(ts) == [SIMPLE_ANSWER]
    assert turn.inbound.author_name


@pytest.mark.parametrize(
    "error",
    [
        "not_in_channel",
        "is_archived",
        "restricted_action",
        "restricted_action_thread_locked",
        "channel_not_found",
    ],
)
async def test_an_answer_for_a_closed_channel_reaches_the_asker_directly(
    world: World, error: str
) -> None:
    world.slack.fail("chat.postMessage", error=error)
    root = await world.ask_simply(f"What is {error}?")
    assert world.answers(root) == []
    place = world.slack.dm_id("ann")
    notice = [post for post in world.slack.posts(place) if post.text == NOT_IN_THREAD][-1]
    told = world.slack.thread(place, notice.ts)
    assert [post.text for post in told] == [NOT_IN_THREAD, SIMPLE_ANSWER]


async def test_a_text_that_slack_calls_too_long_comes_in_smaller_parts(world: World) -> None:
    world.slack.fail("chat.postMessage", error="msg_too_long")
    root = await world.ask_simply("What is too long?")
    assert world.answers(root) == [SIMPLE_ANSWER]


async def test_a_bot_that_is_removed_in_mid_turn_answers_directly_and_then_falls_silent(
    world: World,
) -> None:
    may_go_on = world.model.stall(LONG_WORK_S, after_events=1, kinds=SCRIPTED)
    world.model.play(Text(text="Found it."))
    root = await world.mention("continue with the long work", channel="energy")
    await under_way(world, root, channel="energy")
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
