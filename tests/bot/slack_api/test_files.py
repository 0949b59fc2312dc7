"""Files up and down, each once and only with Slack."""

from io import BytesIO

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.slack_api import DownloadRefused, FileTooBig, SlackApi, Upload, web_client
from bot.slack_api.files import CHUNK_BYTES, MAX_REDIRECTS
from tests.bot.desk import Desk

RESERVE = "files.getUploadURLExternal"


def upload_of(name: str, content: bytes, title: str = "A") -> Upload:
    return Upload(name=name, read=lambda: content, title=title)


async def test_a_secret_in_what_a_file_is_called_is_masked(desk: Desk) -> None:
    secret = "ghp_" + "a1b2c3d4e5" * 4
    upload = Upload(
        name=f"{secret}.png", read=lambda: b"x", title=f"T {secret}", alt_text=f"A {secret}"
    )
    await desk.api.files.share(desk.thread, [upload])
    *_, post = desk.slack.thread("general", desk.thread.root_ts)
    assert "[masked]" in post.files[0].title
    assert [call.method for call in desk.slack.calls if secret in str(call.args)] == []


async def test_a_file_that_slack_refuses_does_not_cost_the_others(desk: Desk) -> None:
    desk.slack.fail("files.getUploadURLExternal", error="file_type_not_allowed")

    uploads = [upload_of("a.html", b"x"), upload_of("a.pdf", b"y")]
    [(left_out, why)] = await desk.api.files.share(desk.thread, uploads)

    assert why.code == "file_type_not_allowed"
    assert {file.name for file in desk.slack.files} == {"a.html", "a.pdf"} - {left_out.name}


@pytest.mark.proves("files.one_at_a_time")
async def test_a_file_is_read_when_the_one_before_it_is_with_slack(desk: Desk) -> None:
    uploaded_before: list[int] = []

    def upload(name: str) -> Upload:
        def read() -> bytes:
            sent = [call for call in desk.slack.calls if call.method == RESERVE]
            uploaded_before.append(len(sent))
            return b"x"

        return Upload(name=name, read=read, title=name)

    assert not await desk.api.files.share(desk.thread, [upload(f"{n}.txt") for n in range(3)])
    assert uploaded_before == [0, 1, 2]


async def test_a_file_that_is_gone_does_not_cost_the_others(desk: Desk) -> None:
    def read() -> bytes:
        raise FileNotFoundError("it is gone")

    gone = Upload(name="b.txt", read=read, title="B")
    [(left_out, _)] = await desk.api.files.share(desk.thread, [upload_of("a.txt", b"x"), gone])
    assert left_out is gone
    *_, post = desk.slack.thread("general", desk.thread.root_ts)
    assert [file.name for file in post.files] == ["a.txt"]


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
