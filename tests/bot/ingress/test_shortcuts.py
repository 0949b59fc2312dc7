"""“Ask the agent about this”: a post's menu opens a form, and the question is one of its thread."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.clicks import AskForm, AskShortcut
from bot.ingress import AskAbout, Handler
from bot.slack_api import People, SlackApi
from tests.bot.ingress.world import World, connected_world


@pytest.fixture
async def world() -> AsyncIterator[World]:
    handlers: dict[type, Handler] = {}

    def handlers_of(_api: SlackApi, _people: People) -> dict[type, Handler]:
        return handlers

    async with connected_world(handlers=handlers_of) as world:
        ask_about = AskAbout(world.api, world.people, world.ingress)
        handlers[AskShortcut] = ask_about.ask
        handlers[AskForm] = ask_about.submit
        yield world


async def ask_about(world: World, channel: str, ts: str, *, user: str = "ann") -> str:
    """The form that the menu of a post opens; empty where it opens none."""
    await world.slack.shortcut(user, channel, ts, AskShortcut().kind)
    await world.handled()
    return next(iter(world.slack.state.views), "")


async def test_a_question_about_a_post_is_asked_in_its_thread_with_the_post_as_material(
    world: World,
) -> None:
    ts = await world.slack.say("ben", "general", "The pilot is delayed by 3 weeks")
    view = await ask_about(world, "general", ts)
    await world.slack.submit_view("ann", view, {"question": "what does <that> cost us?"})
    await world.handled()
    [message] = world.front.messages
    assert message.session.endswith(f":{ts}")
    assert message.asker.endswith(world.slack.people["ann"])
    assert message.text.startswith(
        "what does <that> cost us?\n\n(this is about what Ben Nevis wrote at "
    )
    assert "The pilot is delayed by 3 weeks" in message.background
    [told] = [post.words for post in world.slack.thread("general", ts)][1:]
    assert "Ann Arbor asks about this:" in told
    assert "what does &lt;that&gt; cost us?" in told


async def test_in_a_thread_the_post_that_is_meant_is_named_and_words_are_optional(
    world: World,
) -> None:
    root = await world.slack.say("ben", "general", "Plans?")
    reply = await world.slack.say("cleo", "general", "We wait.", thread_ts=root)
    view = await ask_about(world, "general", reply)
    await world.slack.submit_view("ann", view, {})
    await world.handled()
    [message] = world.front.messages
    assert message.session.endswith(f":{root}")
    assert "what Cleo Lind wrote at" in message.text
    assert message.title == "About Cleo Lind's message: “We wait.”"
    assert "We wait" not in message.text
    assert "We wait." in message.background


async def test_a_name_brings_no_address_into_the_askers_words(world: World) -> None:
    ben = world.slack.users["ben"]
    user = world.slack.state.users[ben]
    world.slack.state.users[ben] = replace(user, display_name="Bob evil.example.com/a1")
    view = await ask_about(world, "general", await world.slack.say("ben", "general", "hi"))
    await world.slack.submit_view("ann", view, {"question": "right?"})
    await world.handled()
    [message] = world.front.messages
    assert "what Bob evil example com a1 wrote" in message.text


async def test_where_the_bot_is_not_the_person_alone_is_told(world: World) -> None:
    ts = await world.slack.say("ben", "random", "hi")
    assert not await ask_about(world, "random", ts)
    [told] = world.slack.posts(world.slack.dm_id("ann"))
    assert "I am not in that channel" in told.words
    assert len(world.slack.thread("random", ts)) == 1


async def test_a_question_that_comes_again_is_asked_once(world: World) -> None:
    ts = await world.slack.say("ben", "general", "hello all")
    view = await ask_about(world, "general", ts)
    delivery = await world.slack.submit_view("ann", view, {"question": "why?"})
    await world.handled()
    await world.actions.replay(delivery.payload)
    await world.handled()
    assert len(world.front.messages) == 1
    assert len(world.slack.thread("general", ts)) == 2
