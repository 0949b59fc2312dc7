"""The stream of changes: each kind, to whom it comes, and how it ends and begins again."""

import asyncio
import os

import pytest

from bot.sandbox.page import NoPortError, Page
from bot.sandbox.slack import ManualClock, SlackStandIn
from bot.sandbox.slack.feed import MAX_WAITING_CHANGES
from tests.bot.sandbox.page.visitor import PATIENCE_S, Stream, texts, visit
from tests.bot.sandbox.slack.echo_bot import EchoBot, bolt_app, socket_mode, web_client

OWN_PORT = 21_000 + os.getpid() % 1_000 * 10
"""Below the ports that systems give away, and no other test run's: it is free after a pause."""
MODAL = {
    "type": "modal",
    "title": {"type": "plain_text", "text": "Form"},
    "blocks": [{"type": "divider"}],
}


async def test_a_post_comes_when_it_is_new_changed_reacted_to_and_gone() -> None:
    async with visit() as page, page.watch("ben") as stream:
        ts = await page.slack.say("ann", "general", "one")
        post = (await stream.change("post"))["post"]
        assert (post["text"], post["ts"], post["sandbox"]["channel"]) == ("one", ts, page.general)
        await page.slack.edit("ann", "general", ts, "two")
        post = (await stream.change("post"))["post"]
        assert (post["text"], post["edited"]["user"]) == ("two", page.id("ann"))
        await page.slack.react("cleo", "general", ts, "eyes")
        [reaction] = (await stream.change("post"))["post"]["reactions"]
        assert (reaction["name"], reaction["users"]) == ("eyes", [page.id("cleo")])
        await page.slack.delete("general", ts)
        assert await stream.change("post_deleted") == {
            "kind": "post_deleted",
            "channel": page.general,
            "ts": ts,
        }


async def test_a_deleted_root_with_replies_stays_as_a_tombstone() -> None:
    async with visit() as page, page.watch("ben") as stream:
        root = await page.slack.say("ann", "general", "one")
        await page.slack.say("ben", "general", "two", thread_ts=root)
        await page.slack.delete("general", root)
        change = await stream.change(
            "post", lambda c: c["post"]["ts"] == root and c["post"].get("subtype")
        )
        assert change["post"]["subtype"] == "tombstone"


async def test_what_a_person_cannot_see_is_not_told() -> None:
    async with visit() as page:
        await page.slack.remove_from_channel("hidden", "cleo")
        client = web_client(page.slack)
        async with page.watch("cleo") as stream:
            await page.slack.say("ann", "hidden", "between us")
            await page.slack.say("ann", text="to the bot", dm=True)
            await client.chat_postEphemeral(channel=page.general, user=page.id("ann"), text="psst")
            await page.slack.say("ann", "general", "for all")
            assert (await stream.change("post"))["post"]["text"] == "for all"


async def test_an_ephemeral_post_comes_and_goes_for_its_person() -> None:
    async with visit() as page, page.watch("ann") as stream:
        client = web_client(page.slack)
        await client.chat_postEphemeral(channel=page.general, user=page.id("ann"), text="psst")
        post = (await stream.change("post"))["post"]
        assert post["text"] == "psst"
        page.slack.state.remove_ephemeral(page.slack.posts("general")[0])
        assert (await stream.change("post_deleted"))["ts"] == post["ts"]


async def test_sessions_and_prompts_come() -> None:
    async with visit() as page, page.watch("ann") as stream:
        root = await page.slack.say("ann", "general", "go")
        client = web_client(page.slack)
        await client.assistant_threads_setStatus(
            channel_id=page.general, thread_ts=root, status="is reading", loading_messages=["…"]
        )
        session = (await stream.change("session"))["session"]
        assert (session["status_text"], session["loading_messages"]) == ("is reading", ["…"])
        direct = page.slack.dm_id("ann")
        prompt = {"title": "A report", "message": "Write a report"}
        await client.api_call(
            "assistant.threads.setSuggestedPrompts",
            json={"channel_id": direct, "title": "Try", "prompts": [prompt]},
        )
        prompts = (await stream.change("prompts"))["prompts"]
        assert (prompts["channel"], prompts["title"]) == (direct, "Try")
        assert prompts["prompts"][0]["message"] == "Write a report"


async def test_modals_and_home_come_to_their_person_alone() -> None:
    async with visit() as page, page.watch("ann") as ann, page.watch("ben") as ben:
        client, slack = web_client(page.slack), page.slack
        for method in (client.views_open, client.views_push):
            trigger = slack.workspace.triggers.issue(page.id("ann"))
            view = (await method(trigger_id=trigger, view=MODAL))["view"]
        await ann.change("modals")
        views = (await ann.change("modals"))["views"]
        assert [shown["id"] for shown in views] == [view["root_view_id"], view["id"]]
        await slack.close_view("ann", view["id"])
        assert len((await ann.change("modals"))["views"]) == 1
        home = {"type": "home", "blocks": [{"type": "divider"}]}
        await client.views_publish(user_id=page.id("ann"), view=home)
        assert (await ann.change("home"))["view"]["blocks"][0]["type"] == "divider"
        await slack.say("cleo", "general", "the end")
        kinds = {change["kind"] for change in await ben.changes(4)}
        assert kinds == {"call", "post"}


async def test_calls_deliveries_and_sockets_come() -> None:
    async with visit() as page, page.watch("ann") as stream:
        bot = EchoBot(page.slack)
        async with socket_mode(bot.app, page.slack):
            assert (await stream.change("sockets"))["open"] == 1
            ts = await page.say("ann", "@bot hello")
            sent = (await stream.change("delivery"))["delivery"]
            assert (sent["type"], sent["attempt"]) == ("events_api", 0)
            assert (sent["reached_socket"], sent["acked_at_s"]) == (True, None)
            acked = await stream.change(
                "delivery",
                lambda change: change["delivery"]["envelope_id"] == sent["envelope_id"],
            )
            assert acked["delivery"]["acked_at_s"] is not None
            answer = await stream.change("post", lambda change: change["post"].get("bot_id"))
            assert answer["post"]["thread_ts"] == ts
            call = await stream.change(
                "call", lambda change: change["call"]["method"] == "chat.postMessage"
            )
            assert call["call"]["args"]["text"] == answer["post"]["text"]
        assert (await stream.change("sockets"))["open"] == 0


async def test_a_channel_that_opens_to_a_person_comes_with_its_posts() -> None:
    async with visit() as page:
        await page.slack.remove_from_channel("hidden", "cleo")
        await page.slack.say("ann", "hidden", "between us")
        hidden = page.slack.channels["hidden"]
        async with page.watch("cleo") as stream:
            await page.slack.invite("ann", "hidden", "cleo")
            channel, post = await stream.changes(2)
            assert (channel["channel"]["id"], channel["channel"]["am_member"]) == (hidden, True)
            assert post["post"]["text"] == "between us"


async def test_a_channel_that_closes_to_a_person_makes_their_page_begin_anew() -> None:
    async with visit() as page:
        async with page.watch("cleo") as stream:
            await page.slack.remove_from_channel("hidden", "cleo")
            assert await stream.ended()
        assert page.slack.channels["hidden"] not in (await page.world("cleo"))["posts"]


async def test_the_bot_in_a_channel_is_told_of() -> None:
    async with visit() as page, page.watch("ann") as stream:
        random = page.slack.channels["random"]
        await page.slack.invite("ann", "random", "bot")
        channel = (await stream.change("channel"))["channel"]
        assert (channel["id"], channel["is_member"]) == (random, True)


async def test_the_browser_is_told_to_come_back_soon_and_hears_that_the_page_lives() -> None:
    async with visit(heartbeat_s=0.01) as page, page.watch("ann") as stream:
        lines = [await stream.line() for _ in range(5)]
        assert "retry: 1000\n" in lines
        assert ": still here\n" in lines


async def test_a_page_that_falls_behind_is_let_go_and_gets_a_new_snapshot() -> None:
    async with visit() as page:
        async with page.watch("ann") as stream:
            for number in range(MAX_WAITING_CHANGES + 10):  # nothing is read in between
                await page.slack.say("ann", "random", str(number))
            assert await stream.ended()
        posts = (await page.world("ann"))["posts"][page.slack.channels["random"]]
        assert texts(posts)[-1] == str(MAX_WAITING_CHANGES + 9)


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
                assert stream.world["me"] == ann


async def test_a_page_that_is_closed_leaves_nothing_behind() -> None:
    async with visit(heartbeat_s=0.01) as page:
        before = asyncio.all_tasks()
        async with page.watch("ann"):
            serving = asyncio.all_tasks() - before
        assert serving
        _, left = await asyncio.wait(serving, timeout=PATIENCE_S)
        assert left == set()


async def test_a_stranger_gets_no_stream() -> None:
    async with visit() as page:
        for who in (page.id("stranger"), page.slack.bot_user_id, "U1", ""):
            async with page.http.get(f"{page.page.url}events", params={"as": who}) as answer:
                assert answer.status == 400
                sentence = await answer.text()
                assert sentence == "Only Ann Arbor, Ben Nevis and Cleo Lind can be acted as."


async def test_a_page_that_has_not_chosen_yet_begins_as_the_first_person() -> None:
    async with visit() as page, page.http.get(f"{page.page.url}events") as answer:
        stream = Stream(answer)
        await stream.begin()
        assert stream.world["me"] == page.id("ann")


async def test_a_port_that_is_taken_gives_way_to_the_next() -> None:
    async with SlackStandIn(clock=ManualClock()) as slack, visit(slack) as first:
        port = int(first.page.url.rstrip("/").rpartition(":")[2])
        async with Page(slack, port=port) as second:
            assert second.url != first.page.url
            async with first.http.get(f"{second.url}events?as=U1") as answer:
                assert answer.status == 400


async def test_no_port_at_all_is_said() -> None:
    async with SlackStandIn() as slack, Page(slack, port=65_535):
        with pytest.raises(NoPortError, match="No port from 65535 to 65535 is free"):
            await Page(slack, port=65_535).__aenter__()
        for port in (-1, 65_536):
            with pytest.raises(NoPortError, match=f"There is no port {port}"):
                Page(slack, port=port)


async def test_two_bots_sockets_are_counted() -> None:
    async with visit() as page, page.watch("ann") as stream:
        first, second = bolt_app(page.slack), bolt_app(page.slack)
        async with socket_mode(first, page.slack), socket_mode(second, page.slack):
            assert [(await stream.change("sockets"))["open"] for _ in range(2)] == [1, 2]
