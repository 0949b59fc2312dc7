"""A bot that was written for Slack runs on the stand-in without a change."""

from collections.abc import AsyncIterator

import pytest

from bot.sandbox.slack import Post, SlackStandIn
from tests.bot.sandbox.slack.documented_bot import make_app, make_handler


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    async with SlackStandIn(bot_name="echo") as slack:
        handler = make_handler(make_app(slack.bot_token, slack.api_url), slack.app_token)
        await handler.connect_async()
        await slack.connected()
        yield slack
        await handler.close_async()


async def answer_to(slack: SlackStandIn, words: str) -> Post:
    """Mention the bot and wait for its first post in the thread."""
    ts = await slack.say("ann", "general", slack.typed(f"@echo {words}"))
    return (await slack.wait_for(lambda s: s.thread("general", ts)[1:]))[0]


async def open_the_form(slack: SlackStandIn) -> str:
    post = await answer_to(slack, "form")
    await slack.click("ann", "general", post.ts, "open_form")
    return next(iter(await slack.wait_for(lambda s: s.state.views)))


async def test_it_answers_a_mention_in_the_thread(slack: SlackStandIn) -> None:
    assert (await answer_to(slack, "hello there")).text == "You said: hello there"


async def test_it_answers_a_direct_message(slack: SlackStandIn) -> None:
    await slack.say("ben", dm=True, text="hello")
    posts = await slack.wait_for(lambda s: s.posts(s.dm_id("ben"))[1:])
    assert posts[0].text == "You said: hello"


async def test_its_button_opens_a_modal_whose_words_come_back(slack: SlackStandIn) -> None:
    view_id = await open_the_form(slack)
    await slack.submit_view("ann", view_id, {"typed": "over and out"})
    posts = await slack.wait_for(lambda s: s.posts(s.dm_id("ann")))
    assert posts[0].text == "You said: over and out"
    assert slack.state.views == {}


async def test_its_modal_shows_errors(slack: SlackStandIn) -> None:
    view_id = await open_the_form(slack)
    receipt = await slack.submit_view("ann", view_id, {"typed": " "})
    assert receipt.answer == {
        "response_action": "errors",
        "errors": {"words": "Say something, please."},
    }
    assert view_id in slack.state.views


async def test_it_uploads_a_file(slack: SlackStandIn) -> None:
    post = await answer_to(slack, "file")
    assert (post.text, post.files[0].content) == ("Your file.", b"echo, echo")


async def test_it_streams_an_answer(slack: SlackStandIn) -> None:
    post = await answer_to(slack, "stream")
    streamed = await slack.wait_for(
        lambda s: [p for p in s.thread("general", post.root_ts)[1:] if p.text.endswith(".")]
    )
    assert streamed[0].text == "Echo after echo."
    assert streamed[0].stream is not None
    assert streamed[0].stream.phase == "completed"


async def test_it_shows_a_home(slack: SlackStandIn) -> None:
    await slack.open_home("cleo")
    home = (await slack.wait_for(lambda s: s.state.homes))[slack.people["cleo"]]
    assert home.body["blocks"][0]["text"]["text"] == f"Hello <@{slack.people['cleo']}>"


async def test_it_answers_a_slash_command(slack: SlackStandIn) -> None:
    await slack.slash("ann", "general", "/echo", "here")
    [post] = slack.posts("general")
    assert (post.text, post.ephemeral_to) == ("You said: here", slack.people["ann"])
