"""Who is answered, where, and with what the thread already holds."""

import asyncio
import re
from functools import partial

import pytest
from typer.testing import CliRunner

from bot.cli import app
from bot.clicks import PreferenceClick
from bot.sandbox.model import ReplyText
from bot.sandbox.slack.records import View
from bot.words import BOT
from tests.e2e.world import SIMPLE_ANSWER, TURN_S, World

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.proves("thread.direct_message")
async def test_a_direct_message_is_answered_in_its_own_thread(world: World) -> None:
    world.play_simple()
    ts = await world.slack.say("ann", text="Hello, are you there?", dm=True)
    place = world.slack.dm_id("ann")
    await world.answered(ts, channel=place)
    assert world.answers(ts, channel=place) == [SIMPLE_ANSWER]


@pytest.mark.proves("thread.reply", "router.session_goes_on")
async def test_a_reply_in_a_thread_that_began_with_a_mention_needs_none(world: World) -> None:
    root = await world.ask_simply("What is a thread?")
    world.play_simple()
    reply = await world.slack.say("ann", "general", "And a channel?", thread_ts=root)
    await world.answered(reply)
    assert world.answers(root) == [SIMPLE_ANSWER, SIMPLE_ANSWER]


async def test_a_new_thread_is_told_what_an_earlier_one_found_with_a_link_to_it(
    world: World,
) -> None:
    root = await world.ask_simply("What is a thread?")
    asked = await world.mention("What did the answer you gave earlier say?")
    await world.answered(asked)
    [answer] = world.answers(asked)
    assert SIMPLE_ANSWER in answer
    assert f"archives/{world.slack.channels['general']}/p{root.replace('.', '')}" in answer


async def test_a_thread_of_people_is_answered_only_when_mentioned(world: World) -> None:
    root = await world.slack.say("ann", "general", "Lunch is on *Thursday* at the Blue Door")
    await world.slack.say("ben", "general", "I cannot come before one", thread_ts=root)
    await world.nothing_more_happens()
    assert not await world.was_taken_up(root)

    world.model.play(ReplyText(text="Thursday at one."))
    await world.answered(await world.mention("go ahead", user="ben", thread_ts=root))
    [request] = world.requests_with("Lunch is on")
    material = str(request["messages"])
    assert "never an instruction" in material
    assert re.search(r"Ann Arbor \(\d\d:\d\d\): Lunch is on", material)
    assert re.search(r"Ben Nevis \(\d\d:\d\d\): I cannot come before one", material)

    thanks = await world.slack.say("ann", "general", "See you then", thread_ts=root)
    await world.nothing_more_happens()
    assert not await world.was_taken_up(thanks)
    assert world.answers(root) == ["Thursday at one."]


async def home(world: World, user: str) -> View:
    """What a person sees who looks at it now."""
    homes, person = world.slack.state.homes, world.slack.user_id(user)
    before = homes.get(person)
    await world.slack.open_home(user)
    await world.slack.wait_for(lambda _: homes.get(person) is not before)
    return homes[person]


async def in_home(world: World, user: str, name: str, chosen: str = "") -> str:
    """A person presses or chooses something on their Home; what it then says."""
    homes, person = world.slack.state.homes, world.slack.user_id(user)
    before = homes.get(person) or await home(world, user)
    await world.slack.click_view(user, before.id, name, chosen)
    await world.slack.wait_for(lambda _: homes[person].body != before.body)
    return str(homes[person].body)


async def command(world: World, user: str, words: str) -> str:
    told = await world.slack.slash(user, "general", "/agent", words)
    return str((told.answer or {})["text"])


async def test_who_chose_a_language_gets_it_from_the_model_and_in_what_they_alone_are_told(
    world: World,
) -> None:
    await in_home(
        world, "cleo", "home.language", PreferenceClick(kind="home.language", choice="fr").encoded()
    )
    world.model.play(ReplyText(text="Douze."))
    await world.answered(await world.mention("continue: how many are there?", user="cleo"))
    [request] = world.requests_with("how many are there?")
    assert "who wants every answer in French" in str(request["messages"])
    for user, language in (("cleo", "fr"), ("ann", "en")):
        words = BOT.say(language, "home-help", command="/agent")
        assert await command(world, user, "help") == words


@pytest.mark.proves("loop.history")
async def test_two_people_in_one_thread_share_its_history(world: World) -> None:
    world.model.play(ReplyText(text="The blue one is taller."))
    root = await world.ask("continue comparing the towers")
    world.model.play(ReplyText(text="By four metres."))
    asked = f"{world.slack.mention} continue: by how much?"
    reply = await world.slack.say("ben", "general", asked, thread_ts=root)
    turn = await world.answered(reply)
    assert turn.inbound.author_name == "Ben Nevis"
    [request] = world.requests_with("continue: by how much?")
    assert "Ben Nevis is asking" in str(request["system"])
    assert "continue comparing the towers" in str(request["messages"])
    assert "The blue one is taller." in str(request["messages"])
    assert world.answers(root) == ["The blue one is taller.", "By four metres."]


@pytest.mark.proves("workspace.isolated")
async def test_two_threads_at_once_do_not_mix(world: World) -> None:
    asks = ("Find out what pages say about grid batteries", "Look up heat pumps in old houses")
    first, second = [await world.mention(ask) for ask in asks]
    async with asyncio.TaskGroup() as group:
        for ts in (first, second):
            group.create_task(world.answered(ts))
    assert all(asks[1] not in str(request) for request in world.requests_with(asks[0]))
    assert "gridwatch" in world.answers(first)[0]
    assert "warmhouse" not in world.answers(first)[0]
    assert "warmhouse" in world.answers(second)[0]
    assert "gridwatch" not in world.answers(second)[0]
    assert await world.workspace(first) != await world.workspace(second)


@pytest.mark.proves("why.told", "why.command")
async def test_whoever_wonders_about_a_post_is_told_what_became_of_it(world: World) -> None:
    slack = world.slack
    answered = await world.ask_simply("What is a channel?")
    thanks = await slack.say("ben", "general", "thanks!", thread_ts=answered)
    lunch = await slack.say("ann", "general", "Lunch at one?")
    reply = await slack.say("ben", "general", "Fine with me", thread_ts=lunch)
    guest = await slack.say("guest", "general", f"{slack.mention} hello")
    fates = {answered: "answered", thanks: "reaction", reply: "not_ours", guest: "guest"}
    for ts, fate in fates.items():
        key = world.turn_id(ts).removeprefix("turn:")
        async with asyncio.timeout(TURN_S):
            while await world.runtime.overview.fate(key) != fate:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        link = f"https://x.slack.test/archives/{slack.channel_id('general')}/p{ts.replace('.', '')}"
        environment = {"WORKSPACES_ROOT": str(world.outside.root), "DATABASE_URL": ""}
        run = partial(CliRunner().invoke, app, ["why", link], env=environment)
        result = await asyncio.to_thread(run)
        assert BOT.say("en", "why", state=fate) in result.stdout, result.output

    [refusal] = [each for each in await world.runtime.audit.records() if each["kind"] == "refusal"]
    assert refusal["about"]["reason"] == "guest"

    for ts, sentence in ((answered, "answered"), (thanks, "others_post")):
        await slack.shortcut("ann", "general", ts, "why.silent")
        await slack.wait_for(
            lambda slack, sentence=sentence: any(
                post.text == BOT.say("en", "why", state=sentence)
                for post in slack.posts(slack.dm_id("ann"))
            )
        )
