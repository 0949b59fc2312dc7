"""Files up and down, each once and only with Slack."""

from io import BytesIO

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.slack_api import DownloadRefused, FileTooBig, SlackApi, web_client
from bot.slack_api.files import CHUNK_BYTES, MAX_REDIRECTS
from tests.bot.desk import Desk


async def test_a_file_is_uploaded_into_the_thread(desk: Desk) -> None:
    remembered: list[str] = []

    async def remember(file_id: str) -> None:
        assert desk.calls("files.completeUploadExternal") == 0
        remembered.append(file_id)

    file_id = await desk.api.files.upload(
        desk.thread, name="a.html", content=b"<p>hi</p>", title="A", remember=remember
    )

    (file,) = desk.slack.files
    assert (file.id, file.content, file.title) == (file_id, b"<p>hi</p>", "A")
    assert remembered == [file_id]
    assert desk.texts() == [""]
    assert await desk.api.files.is_shared(file_id, desk.thread.channel)


async def test_a_sign_in_page_is_not_taken_for_a_file(desk: Desk) -> None:
    ts = await desk.slack.say("ann", "general", "log", files=[("a.log", b"lines", "text/plain")])
    file = desk.slack.find("general", ts).files[0]
    stranger = SlackApi(web_client("xoxb-wrong", base_url=desk.slack.api_url), clock=desk.clock)

    with pytest.raises(DownloadRefused):
        await stranger.files.download(file.url_private, BytesIO(), max_bytes=10)


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/a.log",
        "https://slack.com.evil.example/a.log",
        "http://files.slack.com/a.log",
        "file:///etc/passwd",
        "",
    ],
)
async def test_the_token_is_never_sent_anywhere_but_to_slack(desk: Desk, url: str) -> None:
    with pytest.raises(DownloadRefused, match="does not lie with Slack"):
        await desk.api.files.download(url, BytesIO(), max_bytes=10)


async def test_a_file_that_is_too_big_is_not_read_to_its_end(desk: Desk) -> None:
    content = b"x" * (CHUNK_BYTES + 1)
    ts = await desk.slack.say("ann", "general", "log", files=[("a.log", content, "text/plain")])
    file = desk.slack.find("general", ts).files[0]
    into = BytesIO()

    with pytest.raises(FileTooBig, match=f"more than {CHUNK_BYTES} bytes"):
        await desk.api.files.download(file.url_private, into, max_bytes=CHUNK_BYTES)
    assert len(into.getvalue()) <= CHUNK_BYTES


async def test_redirects_are_followed_within_slack_alone_and_not_for_ever(desk: Desk) -> None:
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        match request.path:
            case "/moved":
                raise web.HTTPFound("/there")
            case "/away":
                raise web.HTTPFound("http://127.0.0.1:1/canary")
            case "/around":
                raise web.HTTPFound("/around")
            case _:
                return web.Response(text=request.headers["Authorization"])

    app = web.Application()
    app.router.add_get("/{path}", answer)
    async with TestServer(app) as server:
        files = SlackApi(web_client("xoxb-1", base_url=str(server.make_url("/api/")))).files
        into = BytesIO()
        await files.download(str(server.make_url("/moved")), into, max_bytes=100)
        assert into.getvalue() == b"Bearer xoxb-1"
        with pytest.raises(DownloadRefused, match="does not lie with Slack"):
            await files.download(str(server.make_url("/away")), BytesIO(), max_bytes=10)
        with pytest.raises(DownloadRefused, match="too many redirects"):
            await files.download(str(server.make_url("/around")), BytesIO(), max_bytes=10)

    assert asked == ["/moved", "/there", "/away", *["/around"] * (MAX_REDIRECTS + 1)]
