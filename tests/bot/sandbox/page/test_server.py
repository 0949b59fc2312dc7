"""The page's door: who may knock, what is told to whom, what files may do."""

import asyncio

import pytest

from tests.bot.sandbox.page.stage import actions, button, form
from tests.bot.sandbox.page.visitor import visit
from tests.bot.sandbox.slack.echo_bot import web_client


async def test_an_act_without_an_origin_is_refused() -> None:
    async with visit() as page:
        act = {"as": page.id("ann"), "channel": page.slack.channels["general"], "text": "hi"}
        status, answer = await page.post("say", {}, json=act)
        assert (status, answer["ok"]) == (403, False)
        assert page.slack.posts("general") == []


async def test_nothing_is_kept_read_or_framed_by_others() -> None:
    async with visit() as page:
        for path in ("/", "/static/js/main.js", "/files/F1/x", "/nowhere"):
            _, headers = await page.get(path)
            assert headers["Cache-Control"] == "no-store"
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
            assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static/..%2fserver.py",
        "/static//etc/passwd",
        "/static/js",
        "/settings",
    ],
)
async def test_nothing_but_the_pages_own_files_is_served(path: str) -> None:
    async with visit() as page:
        host, port = page.page.url.removeprefix("http://").rstrip("/").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        writer.write(request.encode())
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        assert answer[:12] in (b"HTTP/1.1 404", b"HTTP/1.1 403")


@pytest.mark.parametrize("mimetype", ["text/html", "image/svg+xml", "application/xhtml+xml"])
async def test_a_file_that_can_hold_scripts_may_do_nothing(mimetype: str) -> None:
    async with visit() as page:
        name = 'a "b"\r\nX: y'
        await page.slack.say("ann", "general", "see", files=[(name, b"<svg/>", mimetype)])
        async with page.watch("ben") as stream:
            [post] = stream.all("post/")
        _, headers = await page.get(post["files"][0]["url_private"] + "?download=1")
        assert headers["Content-Type"].startswith(mimetype)
        assert headers["Content-Security-Policy"] == (
            "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"
        )
        quoted = "a%20%22b%22%0D%0AX%3A%20y"
        assert headers["Content-Disposition"] == f"attachment; filename*=UTF-8''{quoted}"


async def test_a_page_begins_with_what_its_person_sees_and_hears_of_nothing_else() -> None:
    async with visit() as page:
        slack, client = page.slack, web_client(page.slack)
        general = slack.channels["general"]

        async def not_for_cleo() -> None:
            await slack.say("ann", "hidden", "between us")
            await slack.say("ann", text="to the bot", dm=True)
            await client.chat_postEphemeral(channel=general, user=page.id("ann"), text="psst")
            trigger = slack.backend.views.trigger(page.id("ann"))
            await client.views_open(trigger_id=trigger, view=form())

        await slack.remove_from_channel("hidden", "cleo")
        root = await slack.say("ann", "general", "*go* <3")
        await not_for_cleo()
        await client.assistant_threads_setStatus(
            channel_id=general, thread_ts=root, status="is reading", loading_messages=["…"]
        )
        async with page.watch("cleo") as stream:
            team, facts = stream.facts["team"], stream.facts
            assert (team["me"], team["commands"]) == (page.id("cleo"), [{"command": "/ops"}])
            names = {channel.get("name") for channel in stream.all("channel/")}
            assert "general" in names
            assert "hidden" not in names
            [post] = stream.all("post/")
            assert post["html"].startswith("<strong>go</strong>")
            assert facts[f"session/{general}/{root}"]["status_text"] == "is reading"
            assert "modal" not in facts
            assert stream.all("call/")[-1]["method"] == "assistant.threads.setStatus"
            await not_for_cleo()
            await slack.edit("ann", "general", root, "two")
            assert (await stream.change("post"))["text"] == "two"
            await slack.delete("general", root)
            assert await stream.change(f"post/{general}/{root}") is None
        async with page.watch("ann") as stream:
            assert stream.facts["modal"]["title"]["text"] == "New report"
            await page.act("ann", "close_view", view_id=stream.facts["modal"]["id"])
            assert await stream.change("modal") is None


async def test_a_guest_sees_but_the_channels_of_their_own() -> None:
    async with visit() as page:
        for who, sees in (
            ("ann", {"general", "random"}),
            ("guest", {"general"}),
            ("stranger", set[str]()),
        ):
            async with page.watch(who) as stream:
                names = {channel.get("name") for channel in stream.all("channel/")}
                assert names & {"general", "random"} == sees


async def test_what_cannot_be_done_is_a_sentence() -> None:
    async with visit() as page:
        blocks = [actions(button("press", "Press"))]
        channel = page.slack.channels["general"]
        answer = await web_client(page.slack).chat_postMessage(
            channel=channel, text="Well?", blocks=blocks
        )
        post_address = {"channel": channel, "ts": answer["ts"]}
        for action_id, sentence in (
            ("press", "The app is not connected, so nobody answered."),
            ("gone", "That is not there any more."),
        ):
            status, refused = await page.act("ann", "click", **post_address, action_id=action_id)
            assert (status, refused["error"]) == (400, sentence)
