"""Acts among people: saying, editing, deleting, reacting, inviting, stopping, opening Home."""

import io
import json
from typing import Any

import aiohttp
import pytest

from tests.bot.sandbox.page.visitor import Visitor, texts, visit
from tests.bot.sandbox.slack.echo_bot import EchoBot, bolt_app, listener, socket_mode, web_client

GONE = "That message is gone."


async def posts_of(page: Visitor, who: str, channel: str = "general") -> list[dict[str, Any]]:
    return (await page.world(who))["posts"][page.slack.channels[channel]]


async def test_what_is_typed_is_posted_in_wire_form() -> None:
    async with visit() as page:
        ts = await page.say("ann", "@bot what of #energy & 1 < 2?")
        [post] = await posts_of(page, "ben")
        energy = page.slack.channels["energy"]
        wire = f"{page.slack.mention} what of <#{energy}|energy> &amp; 1 &lt; 2?"
        assert (post["ts"], post["user"], post["text"]) == (ts, page.id("ann"), wire)


async def test_a_mention_is_answered_in_its_thread() -> None:
    async with visit() as page:
        bot = EchoBot(page.slack)
        async with socket_mode(bot.app, page.slack):
            ts = await page.say("cleo", "@universal-agent hello")
            answer = await page.slack.wait_for(lambda slack: slack.thread("general", ts)[1:])
        assert answer[0].text == f"echo: {page.slack.mention} hello"


async def test_a_direct_message_reaches_the_bot() -> None:
    async with visit() as page:
        bot = EchoBot(page.slack)
        async with socket_mode(bot.app, page.slack):
            direct = page.slack.dm_id("ben")
            await page.act("ben", "say", channel=direct, text="hello")
            await page.slack.wait_for(lambda slack: slack.posts(direct)[1:])
        assert texts((await page.world("ben"))["posts"][direct]) == ["hello", "echo: hello"]


async def test_a_reply_hangs_on_its_root_even_if_it_answers_a_reply() -> None:
    async with visit() as page:
        root = await page.say("ann", "root")
        reply = await page.say("ben", "reply", thread_ts=root)
        await page.say("cleo", "reply to the reply", thread_ts=reply)
        await page.say("ann", "for all", thread_ts=root, broadcast=True)
        posts = await posts_of(page, "ann")
        assert [post.get("thread_ts") for post in posts] == [None, root, root, root]
        assert [post.get("subtype") for post in posts][-1] == "thread_broadcast"


async def test_forty_thousand_characters_go_and_one_more_does_not() -> None:
    async with visit() as page:
        await page.say("ann", "🎉" * 40_000)
        [post] = await posts_of(page, "ben")
        assert len(post["text"]) == 40_000
        refused = await page.refusal("ann", "say", channel=page.general, text="x" * 40_001)
        assert refused == "A message has at most 40,000 characters, yours 40,001."


async def test_files_go_with_a_message_and_come_back_byte_for_byte() -> None:
    async with visit() as page:
        content = bytes(range(256)) * 300
        form = aiohttp.FormData(quote_fields=False)  # as browsers do it
        fields = {"as": page.id("ann"), "channel": page.general, "text": "look"}
        form.add_field("body", json.dumps(fields))
        form.add_field("file", content, filename="../a b/ü?.log", content_type="text/x-log")
        form.add_field("file", b"two", filename="two.txt")
        status, answer = await page.post("say", data=form)
        assert (status, answer["ok"]) == (200, True), answer
        [post] = await posts_of(page, "ben")
        first, second = post["files"]
        assert (post["text"], first["name"], second["name"]) == ("look", "ü?.log", "two.txt")
        assert (first["mimetype"], first["size"]) == ("text/x-log", len(content))
        assert first["url_private"] == f"/files/{first['id']}/%C3%BC%3F.log"
        async with page.http.get(page.page.url.rstrip("/") + first["url_private"]) as download:
            assert await download.read() == content


async def test_a_file_of_200_mb_goes_through() -> None:
    async with visit() as page:
        size = 200 * 2**20
        form = aiohttp.FormData()
        fields = {"as": page.id("ann"), "channel": page.general}
        form.add_field("body", json.dumps(fields))
        form.add_field("file", io.BytesIO(bytes(size)), filename="big.bin")
        status, answer = await page.post("say", data=form)
        assert (status, answer["ok"]) == (200, True), answer
        [file] = page.slack.files
        assert len(file.content) == size
        async with page.http.get(f"{page.page.url}files/{file.id}/big.bin") as download:
            got = 0
            async for chunk in download.content.iter_chunked(2**20):
                got += len(chunk)
        assert got == size


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"text": " \n"}, "There is nothing to say."),
        ({"channel": "C1"}, "There is no such channel."),
        ({"channel": "archived"}, "#archived is archived."),
        ({"channel": "random"}, "You are not a member of #random."),
        ({"channel": "hidden"}, "There is no such channel."),
        ({"channel": "announcements"}, "Only Ann Arbor may post in #announcements."),
        ({"thread_ts": "1.2"}, GONE),
        ({"channel": None}, "“channel” cannot be read: input should be a valid string."),
        ({"text": 7}, "“text” cannot be read: input should be a valid string."),
    ],
)
async def test_what_cannot_be_said_is_refused(fields: dict[str, Any], sentence: str) -> None:
    async with visit() as page:
        for channel in ("random", "hidden"):
            await page.slack.remove_from_channel(channel, "cleo")
        if fields.get("channel") in page.slack.channels:
            fields = {**fields, "channel": page.slack.channels[fields["channel"]]}
        said = {"channel": page.general, "text": "hi", **fields}
        assert await page.refusal("cleo", "say", **said) == sentence


async def test_one_edits_and_deletes_ones_own_posts_alone() -> None:
    async with visit() as page:
        ts = await page.say("ann", "one")
        place = {"channel": page.general, "ts": ts}
        for name, fields in (("edit", {"text": "mine"}), ("delete", {})):
            refused = await page.refusal("ben", name, **place, **fields)
            assert refused == "That message was written by somebody else."
        await page.act("ann", "edit", **place, text="ask @ben")
        [post] = await posts_of(page, "cleo")
        assert post["text"] == f"ask <@{page.id('ben')}>"
        assert post["edited"]["user"] == page.id("ann")
        empty = await page.refusal("ann", "edit", **place, text=" ")
        assert empty == "A message cannot be empty. It can be deleted."
        await page.act("ann", "delete", **place)
        assert await posts_of(page, "cleo") == []
        for name, fields in (("edit", {"text": "again"}), ("delete", {})):
            assert await page.refusal("ann", name, **place, **fields) == GONE


async def test_a_tombstone_cannot_be_acted_on_but_its_thread_goes_on() -> None:
    async with visit() as page:
        root = await page.say("ann", "root")
        await page.say("ben", "reply", thread_ts=root)
        await page.act("ann", "delete", channel=page.general, ts=root)
        sentence = await page.refusal("ann", "react", channel=page.general, ts=root, name="eyes")
        assert sentence == "That message was deleted."
        await page.say("cleo", "still here", thread_ts=root)
        assert texts(await posts_of(page, "ann"))[1:] == ["reply", "still here"]


async def test_reactions_are_added_once_and_taken_back() -> None:
    async with visit() as page:
        place = {"channel": page.general, "ts": await page.say("ann", "one"), "name": "+1"}
        for who in ("ben", "ben", "cleo"):
            await page.act(who, "react", **place)
        [post] = await posts_of(page, "ann")
        users = [page.id("ben"), page.id("cleo")]
        assert post["reactions"] == [{"name": "+1", "users": users, "count": 2}]
        for who in ("ben", "ben", "cleo"):
            await page.act(who, "react", **place, remove=True)
        [post] = await posts_of(page, "ann")
        assert "reactions" not in post
        refused = await page.refusal("ann", "react", **{**place, "name": "not a name"})
        assert refused.startswith("“name” cannot be read:")


async def test_an_ephemeral_post_is_gone_for_others_and_takes_no_reaction() -> None:
    async with visit() as page:
        client = web_client(page.slack)
        await client.chat_postEphemeral(channel=page.general, user=page.id("ann"), text="psst")
        [post] = await posts_of(page, "ann")
        place = {"channel": page.general, "ts": post["ts"], "name": "eyes"}
        assert await page.refusal("ben", "react", **place) == GONE
        refused = await page.refusal("ann", "react", **place)
        assert refused == "That message is only visible to you; this is not possible with it."


async def test_the_bot_is_invited_once() -> None:
    async with visit() as page:
        random = page.slack.channels["random"]
        await page.act("ben", "invite", channel=random)
        assert page.slack.bot_user_id in page.slack.state.channels[random].members
        again = await page.refusal("ben", "invite", channel=random)
        assert again == "The bot is in #random already."
        direct = await page.refusal("ben", "invite", channel=page.slack.dm_id("ben"))
        assert direct == "Nobody can be invited into a direct conversation."


async def test_opening_home_and_stopping_a_thread_reach_the_app() -> None:
    async with visit() as page:
        app, told = bolt_app(page.slack), list[dict[str, Any]]()
        for kind in ("app_home_opened", "agent_session_stopped"):

            @listener(app.event(kind))
            async def note(event: dict[str, Any]) -> None:
                told.append(event)

        async with socket_mode(app, page.slack):
            root = await page.say("ann", "go")
            await page.act("ann", "open_home", tab="messages")
            await page.act("ann", "stop", channel=page.general, thread_ts=root)
            await page.slack.wait_for(lambda _: len(told) == 2)
        opened, stopped = sorted(told, key=lambda event: "tab" not in event)
        assert (opened["user"], opened["tab"]) == (page.id("ann"), "messages")
        assert (stopped["user"], stopped["thread_ts"]) == (page.id("ann"), root)
        refused = await page.refusal("ann", "open_home", tab="about")
        assert refused.startswith("“tab” cannot be read:")
        assert await page.refusal("ann", "stop", channel=page.general, thread_ts="1.2") == GONE


@pytest.mark.parametrize("who", ["stranger", "guest", "nameless", "robot", "bot"])
async def test_nobody_but_the_three_people_can_be_acted_as(who: str) -> None:
    async with visit() as page:
        refused = await page.refusal(who, "say", channel=page.general, text="I am somebody else")
        assert refused == "Only Ann Arbor, Ben Nevis and Cleo Lind can be acted as."
        assert page.slack.posts("general") == []
