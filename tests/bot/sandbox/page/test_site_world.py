"""The snapshot with which a page begins: who sees what."""

from tests.bot.sandbox.page.visitor import texts, visit
from tests.bot.sandbox.slack.echo_bot import EchoBot, socket_mode, web_client


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


async def test_the_snapshot_says_who_and_where_one_is() -> None:
    async with visit() as page:
        world = await page.world("ben")
        assert world["me"] == page.id("ben")
        assert world["people"] == [page.id("ann"), page.id("ben"), page.id("cleo")]
        assert world["team"] == {"id": page.slack.team_id, "name": "Sandbox"}
        assert world["bot"]["user_id"] == page.slack.bot_user_id
        assert world["bot"]["name"] == world["users"][page.slack.bot_user_id]["name"]
        assert world["users"][page.id("ann")]["profile"]["email"] == "ann@sandbox.test"
        assert world["users"][page.id("stranger")]["is_stranger"] is True
        assert "is_stranger" not in world["users"][page.id("ann")]
        assert world["api_url"] == page.slack.api_url
        assert world["sockets"] == 0
        assert (world["home"], world["modals"]) == (None, [])


async def test_each_person_has_a_direct_channel_with_the_bot_from_the_start() -> None:
    async with visit() as page:
        for name in ("ann", "ben", "cleo"):
            channels = (await page.world(name))["channels"]
            [direct] = [channel for channel in channels if channel["is_im"]]
            assert direct["id"] == page.slack.dm_id(name)
            assert set(direct["members"]) == {page.id(name), page.slack.bot_user_id}
            assert direct["am_member"] is True


async def test_private_channels_are_listed_for_their_members_alone() -> None:
    async with visit() as page:
        await page.slack.say("ann", "hidden", "between us")
        await page.slack.remove_from_channel("hidden", "cleo")
        await page.slack.remove_from_channel("random", "cleo")
        hidden, random = page.slack.channels["hidden"], page.slack.channels["random"]
        ann, cleo = await page.world("ann"), await page.world("cleo")
        assert texts(ann["posts"][hidden]) == ["between us"]
        assert hidden not in cleo["posts"]
        assert hidden not in [channel["id"] for channel in cleo["channels"]]
        [public] = [channel for channel in cleo["channels"] if channel["id"] == random]
        assert public["am_member"] is False


async def test_a_read_only_channel_is_so_for_all_but_its_creator() -> None:
    async with visit() as page:
        shown = {
            name: {c["id"]: c["is_read_only"] for c in (await page.world(name))["channels"]}
            for name in ("ann", "ben")
        }
        announcements = page.slack.channels["announcements"]
        assert (shown["ann"][announcements], shown["ben"][announcements]) == (False, True)
        assert shown["ben"][page.general] is False


async def test_an_ephemeral_post_is_seen_by_its_person_alone() -> None:
    async with visit() as page:
        ann, ben = page.id("ann"), page.id("ben")
        client = web_client(page.slack)
        await client.chat_postEphemeral(channel=page.general, user=ann, text="psst")
        [post] = (await page.world("ann"))["posts"][page.general]
        assert (post["text"], post["sandbox"]["ephemeral_to"]) == ("psst", ann)
        assert (await page.world("ben"))["posts"][page.general] == []
        assert ben != ann


async def test_posts_carry_what_slack_shows_beside_its_json() -> None:
    async with visit() as page:
        root = await page.say("ann", "go")
        client = web_client(page.slack)
        stream = await client.chat_startStream(
            channel=page.general,
            thread_ts=root,
            recipient_user_id=page.id("ann"),
            recipient_team_id=page.slack.team_id,
            task_display_mode="plan",
        )
        chunk = {"type": "task_update", "id": "t1", "title": "Read", "status": "in_progress"}
        plan = {"type": "plan_update", "title": "My plan"}
        await client.chat_appendStream(channel=page.general, ts=stream["ts"], chunks=[plan, chunk])
        said, streamed = (await page.world("cleo"))["posts"][page.general]
        assert said["sandbox"] == {
            "channel": page.general,
            "ephemeral_to": None,
            "stream": None,
        }
        shown = streamed["sandbox"]["stream"]
        assert (shown["phase"], shown["task_display_mode"]) == ("in_progress", "plan")
        assert shown["plan_title"] == "My plan"
        [task] = shown["tasks"]
        assert (task["id"], task["title"], task["status"]) == ("t1", "Read", "in_progress")
        assert [part["type"] for part in shown["parts"]] == ["plan", "task"]


async def test_a_picture_of_a_file_in_slack_is_at_the_pages_own_address() -> None:
    async with visit() as page:
        await page.slack.say("ann", "general", "look", files=[("a b.png", b"x", "image/png")])
        [file] = page.slack.files
        pictures = [
            {"type": "image", "alt_text": "A", "slack_file": named}
            for named in ({"id": file.id}, {"url": file.url_private})
        ]
        client = web_client(page.slack)
        await client.chat_postMessage(channel=page.general, text="Two", blocks=pictures)
        home = {"type": "home", "blocks": pictures}
        await client.views_publish(user_id=page.id("ann"), view=home)
        world = await page.world("ann")
        own = {"id": file.id, "url": f"/files/{file.id}/a%20b.png"}
        for blocks in (world["posts"][page.general][1]["blocks"], world["home"]["blocks"]):
            assert [block["slack_file"] for block in blocks] == [own, own]
        async with page.http.get(page.page.url.rstrip("/") + own["url"]) as answer:
            assert await answer.read() == b"x"


async def test_sessions_prompts_and_home_are_in_the_snapshot() -> None:
    async with visit() as page:
        root = await page.say("ann", "go")
        client = web_client(page.slack)
        await client.assistant_threads_setStatus(
            channel_id=page.general, thread_ts=root, status="is thinking…"
        )
        home = {"type": "home", "blocks": [{"type": "section", "text": plain("Welcome")}]}
        await client.views_publish(user_id=page.id("ann"), view=home)
        world = await page.world("ann")
        [session] = world["sessions"]
        assert (session["channel"], session["thread_ts"]) == (page.general, root)
        assert (session["status"], session["status_text"]) == ("processing", "is thinking…")
        assert world["home"]["blocks"][0]["text"]["text"] == "Welcome"
        assert (await page.world("ben"))["home"] is None
        call = world["calls"][-1]
        assert (call["method"], call["ok"], call["status"]) == ("views.publish", True, 200)
        assert call["duration_ms"] > 0


async def test_the_last_200_calls_and_deliveries_are_shown() -> None:
    async with visit() as page:
        bot = EchoBot(page.slack)
        async with socket_mode(bot.app, page.slack):
            for number in range(205):
                await page.slack.say("ann", "general", str(number))
                await bot.client.auth_test()
            world = await page.world("ann")
        assert len(world["calls"]) == len(world["deliveries"]) == 200
        assert world["deliveries"][-1]["payload"]["event"]["text"] == "204"
        assert world["deliveries"][-1]["event_type"] == "message"


async def test_declared_commands_and_shortcuts_are_shown_with_every_field() -> None:
    async with visit(
        commands=[{"command": "/ops", "description": "Asks operations"}],
        shortcuts=[{"name": "Start", "type": "global", "callback_id": "start"}],
    ) as page:
        world = await page.world("ann")
    assert world["commands"] == [
        {"command": "/ops", "description": "Asks operations", "usage_hint": ""}
    ]
    assert world["shortcuts"] == [
        {"name": "Start", "type": "global", "callback_id": "start", "description": ""}
    ]
