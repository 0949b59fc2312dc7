"""The stream of facts: what a page begins with, each change, to whom it comes, and how it ends."""

import asyncio
import os

import pytest

from bot.sandbox.page import NoPortError, Page
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.slack.feed import MAX_WAITING_CHANGES
from tests.bot.sandbox.page.stage import form
from tests.bot.sandbox.page.visitor import PATIENCE_S, Stream, visit
from tests.bot.sandbox.slack.echo_bot import EchoBot, socket_mode, web_client

OWN_PORT = 21_000 + os.getpid() % 1_000 * 10
"""Below the ports that systems give away, and no other test run's: it is free after a pause."""


async def test_a_page_begins_with_all_that_its_person_sees() -> None:
    async with visit(commands=({"command": "/ops"},)) as page:
        await page.slack.remove_from_channel("hidden", "cleo")
        root = await page.slack.say("ann", "general", "*go* <3")
        client = web_client(page.slack)
        await client.assistant_threads_setStatus(
            channel_id=page.general, thread_ts=root, status="is reading", loading_messages=["…"]
        )
        await client.chat_postEphemeral(channel=page.general, user=page.id("ann"), text="psst")
        home = {"type": "home", "blocks": [{"type": "divider"}]}
        await client.views_publish(user_id=page.id("ann"), view=home)
        begun = await page.facts("cleo")
        team = begun.facts["team"]
        assert (team["me"], team["bot"]["name"]) == (page.id("cleo"), "universal-agent")
        assert [command["command"] for command in team["commands"]] == ["/ops"]
        names = {channel.get("name") for channel in begun.all("channel/")}
        assert "general" in names
        assert "hidden" not in names
        [post] = begun.all(f"post/{page.general}/")
        assert post["html"].startswith("<strong>go</strong>")
        assert begun.facts[f"session/{page.general}/{root}"]["status_text"] == "is reading"
        assert "home" not in begun.facts
        assert "home" in (await page.facts("ann")).facts
        assert begun.all("call/")[0]["method"] == "assistant.threads.setStatus"


async def test_a_post_comes_when_it_is_new_changed_reacted_to_and_gone() -> None:
    async with visit() as page, page.watch("ben") as stream:
        ts = await page.slack.say("ann", "general", "one")
        post = await stream.change("post")
        assert (post["text"], post["ts"], post["channel"]) == ("one", ts, page.general)
        await page.slack.edit("ann", "general", ts, "two")
        post = await stream.change("post")
        assert (post["text"], post["edited"]["user"]) == ("two", page.id("ann"))
        await page.slack.react("cleo", "general", ts, "eyes")
        [reaction] = (await stream.change("post"))["reactions"]
        assert (reaction["name"], reaction["users"]) == ("eyes", [page.id("cleo")])
        await page.slack.delete("general", ts)
        assert await stream.change(f"post/{page.general}/{ts}") is None


async def test_what_a_person_cannot_see_is_not_told() -> None:
    async with visit() as page:
        await page.slack.remove_from_channel("hidden", "cleo")
        client = web_client(page.slack)
        async with page.watch("cleo") as stream:
            await page.slack.say("ann", "hidden", "between us")
            await page.slack.say("ann", text="to the bot", dm=True)
            await client.chat_postEphemeral(channel=page.general, user=page.id("ann"), text="psst")
            await page.slack.say("ann", "general", "for all")
            assert (await stream.change("post"))["text"] == "for all"


async def test_modals_and_home_come_to_their_person_alone() -> None:
    async with visit() as page, page.watch("ann") as ann, page.watch("ben") as ben:
        client, slack = web_client(page.slack), page.slack
        trigger = slack.workspace.triggers.issue(page.id("ann"))
        view = (await client.views_open(trigger_id=trigger, view=form()))["view"]
        assert [shown["id"] for shown in await ann.change("modals")] == [view["id"]]
        await slack.close_view("ann", view["id"])
        assert await ann.change("modals") == []
        home = {"type": "home", "blocks": [{"type": "divider"}]}
        await client.views_publish(user_id=page.id("ann"), view=home)
        assert (await ann.change("home"))["blocks"][0]["type"] == "divider"
        await slack.say("cleo", "general", "the end")
        kinds = {key.split("/")[0] for key, _ in await ben.changes(3)}
        assert kinds == {"call", "post"}


async def test_calls_deliveries_and_sockets_come() -> None:
    async with visit() as page, page.watch("ann") as stream:
        bot = EchoBot(page.slack)
        async with socket_mode(bot.app, page.slack):
            assert await stream.change("sockets") == 1
            await page.say("ann", "@bot hello")
            sent = await stream.change("delivery")
            assert (sent["type"], sent["reached_socket"]) == ("events_api", True)
            key = f"delivery/{sent['envelope_id']}/0"
            await stream.change(key, lambda delivery: delivery["acked_at_s"])
            call = await stream.change("call", lambda call: call["method"] == "chat.postMessage")
            assert call["args"]["text"].startswith("echo:")
        assert await stream.change("sockets") == 0


async def test_a_channel_that_opens_comes_with_its_posts_and_one_that_closes_ends_the_stream() -> (
    None
):
    async with visit() as page:
        await page.slack.remove_from_channel("hidden", "cleo")
        await page.slack.say("ann", "hidden", "between us")
        hidden = page.slack.channels["hidden"]
        async with page.watch("cleo") as stream:
            await page.slack.invite("ann", "hidden", "cleo")
            (key, channel), (_, post) = await stream.changes(2)
            assert (key, channel["am_member"]) == (f"channel/{hidden}", True)
            assert post["text"] == "between us"
            await page.slack.remove_from_channel("hidden", "cleo")
            assert await stream.ended()
        assert f"channel/{hidden}" not in (await page.facts("cleo")).facts


async def test_the_browser_is_told_to_come_back_soon_and_hears_that_the_page_lives() -> None:
    async with visit(heartbeat_s=0.01) as page, page.watch("ann") as stream:
        lines = [await stream.line() for _ in range(5)]
        assert "retry: 1000\n" in lines
        assert ": still here\n" in lines


async def test_a_page_that_falls_behind_is_let_go_and_begins_anew() -> None:
    async with visit() as page:
        async with page.watch("ann") as stream:
            for number in range(MAX_WAITING_CHANGES + 10):  # nothing is read in between
                await page.slack.say("ann", "random", str(number))
            assert await stream.ended()
        assert (await page.posts("ann", "random"))[-1]["text"] == str(MAX_WAITING_CHANGES + 9)


async def test_a_page_left_open_finds_the_sandbox_again_at_its_old_address() -> None:
    async with visit(port=OWN_PORT) as page, page.watch("ann") as stream:
        address, ann = page.page.url, page.id("ann")
        port = int(address.rstrip("/").rpartition(":")[2])
        await page.page.__aexit__()
        assert await stream.ended()
        async with visit(port=port) as again:
            assert again.page.url == address
            async with again.http.get(f"{address}events", params={"as": ann}) as answer:
                stream = Stream(answer)
                await stream.begin()
                assert stream.facts["team"]["me"] == ann


async def test_a_page_that_is_closed_leaves_nothing_behind() -> None:
    async with visit(heartbeat_s=0.01) as page:
        before = asyncio.all_tasks()
        async with page.watch("ann"):
            serving = asyncio.all_tasks() - before
        assert serving
        _, left = await asyncio.wait(serving, timeout=PATIENCE_S)
        assert left == set()


async def test_a_stranger_gets_no_stream_and_who_has_not_chosen_is_the_first_person() -> None:
    async with visit() as page:
        for who in (page.id("stranger"), page.slack.bot_user_id, "U1", ""):
            async with page.http.get(f"{page.page.url}events", params={"as": who}) as answer:
                assert answer.status == 400
        async with page.http.get(f"{page.page.url}events") as answer:
            stream = Stream(answer)
            await stream.begin()
            assert stream.facts["team"]["me"] == page.id("ann")


async def test_a_port_that_is_taken_gives_way_to_the_next_and_no_port_is_said() -> None:
    async with SlackStandIn() as slack, Page(slack) as first:
        port = int(first.url.rstrip("/").rpartition(":")[2])
        async with Page(slack, port=port) as second:
            assert second.url != first.url
        async with Page(slack, port=65_535):
            with pytest.raises(NoPortError, match="No port from 65535 to 65535 is free"):
                await Page(slack, port=65_535).__aenter__()
        for port in (-1, 65_536):
            with pytest.raises(NoPortError, match=f"There is no port {port}"):
                Page(slack, port=port)
