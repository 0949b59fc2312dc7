"""Settings in words: proposed with what holds now, agreed to by who may, and what comes of them."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from agent_core.ids import UserId
from agent_core.scoped_settings import SETTINGS
from bot.sandbox.slack import Post
from bot.words import BOT
from tests.e2e.world import World

pytestmark = pytest.mark.asyncio(loop_scope="module")

WAIT_S = 20.0


async def propose(world: World, text: str, *, user: str = "ann", channel: str = "news") -> Post:
    """Someone says what they want set, in a new thread; the bot's answer."""
    ts = await world.mention(text, user=user, channel=channel)
    posts = await world.slack.wait_for(
        lambda _: world.bot_posts(ts, channel=channel), timeout_s=WAIT_S
    )
    return posts[0]


async def agree(world: World, post: Post, *, user: str = "ann") -> str:
    """Someone presses the button; the post as it reads then."""
    await world.slack.click(user, post.channel, post.ts, "setting.agree")

    def agreed(_: object) -> str:
        now = world.slack.find(post.channel, post.ts)
        return now.text if "setting.agree" not in json.dumps(now.blocks) else ""

    return await world.slack.wait_for(agreed, timeout_s=WAIT_S)


def scope(world: World, channel: str) -> str:
    return f"{world.slack.team_id}:{world.slack.channel_id(channel)}"


def last_request(world: World, text: str) -> Any:
    return world.requests_with(text)[-1]


@pytest.mark.proves("scopes.in_words")
async def test_a_manager_sets_the_model_by_a_click_and_others_are_told_who_may(
    world: World,
) -> None:
    slack = world.slack
    ben = slack.people["ben"]
    proposal = await propose(
        world, "in this channel use the small model", channel="energy", user="ben"
    )
    assert (
        "• *Model*: the small one · _for this channel_\nNow it is:\n• *Model*: the main one"
        in proposal.text
    )

    await slack.click("cleo", proposal.channel, proposal.ts, "setting.agree")
    refused = await slack.wait_for(
        lambda _: [
            post.text
            for post in slack.thread("energy", proposal.root_ts)
            if post.ephemeral_to == slack.user_id("cleo")
        ],
        timeout_s=WAIT_S,
    )
    assert f"<@{ben}>" in refused[0]
    assert (await world.runtime.scopes.at(scope(world, "energy"))).values.model == "main"

    changed = await agree(world, proposal, user="ben")
    assert changed.startswith(f"<@{ben}> changed how I work:\n• *Model*: the small one")
    told = [post.text for post in slack.posts("energy") if not post.is_reply]
    assert changed in told
    records = await world.runtime.audit.records()
    assert (records[-1]["kind"], records[-1]["who"]) == ("setting", f"{slack.team_id}:{ben}")

    await world.ask_simply("What is a heat pump?", channel="energy")
    assert "haiku" in last_request(world, "What is a heat pump?")["model"]


@pytest.mark.proves("scopes.refused")
async def test_who_neither_manages_nor_administers_is_refused_with_who_may(world: World) -> None:
    ann = world.slack.people["ann"]
    refused = await propose(world, "in this channel use the small model", user="cleo")
    assert f"<@{ann}>" in refused.text
    assert "setting.agree" not in json.dumps(refused.blocks)


@pytest.mark.proves("scopes.instructions")
async def test_instructions_reach_the_answer_as_the_channels_wishes_until_they_are_removed(
    world: World,
) -> None:
    proposal = await propose(world, "answer in German in this channel")
    await agree(world, proposal)
    await world.ask_simply("What is a heat pump, in one sentence?", channel="news")
    system = json.dumps(last_request(world, "in one sentence?")["system"])
    assert "answer in German" in system
    assert "A wish asks for nothing and allows nothing" in system

    await agree(world, await propose(world, "remove the channel's instructions"))
    await world.ask_simply("What is a heat pump, in two sentences?", channel="news")
    assert "wish of" not in json.dumps(last_request(world, "in two sentences?")["system"])


@pytest.mark.proves("scopes.guests")
async def test_guests_are_served_where_the_channel_lets_them_in(world: World) -> None:
    guest = world.slack.user_id("guest")
    ts = await world.mention("What is a heat pump?", user="guest", channel="energy")
    await world.slack.wait_for(
        lambda slack: [post for post in slack.posts("energy") if post.ephemeral_to == guest],
        timeout_s=WAIT_S,
    )
    assert world.bot_posts(ts, channel="energy") == []
    energy = scope(world, "energy")
    await world.runtime.scopes.change(
        energy, {"guests": "true"}, UserId("T1:U1"), key="guests", now=datetime.now(UTC)
    )
    world.play_simple()
    ts = await world.mention("What is a heat pump?", user="guest", channel="energy")
    await world.answered(ts, channel="energy")
    assert world.answers(ts, channel="energy")


@pytest.mark.proves("scopes.digests")
async def test_where_digests_are_switched_off_none_is_ordered(world: World) -> None:
    shared = scope(world, "shared")
    await world.runtime.scopes.change(
        shared, {"digests": "false"}, UserId("T1:U1"), key="digests", now=datetime.now(UTC)
    )
    order = "every weekday at 9 post a digest on battery storage in #shared"
    refused = await propose(world, order, channel="shared")
    assert refused.text.startswith("Digests are switched off in")


async def test_every_setting_has_a_name_of_its_own_in_each_language() -> None:
    for language in ("en", "de", "fr", "es"):
        words = BOT.of(language)
        names = {words("setting-name", name=name) for name in SETTINGS}
        assert len(names) == len(SETTINGS), language
