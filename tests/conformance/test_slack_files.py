"""Slack's rules on files: three calls, shares, downloads, deletion (SLACK.md 3.7)."""

from typing import Any

import aiohttp
import pytest

from tests.bot.sandbox.slack.refusals import error_of
from tests.conformance.slack_app import RecordingApp, Web
from tests.conformance.slack_team import Json, Team


async def download(url: str, token: str | None) -> tuple[str, bytes]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as answer:
        return answer.content_type, await answer.read()


async def upload(web: Web, channel: str, **more: Any) -> Json:
    """Upload a small file and return it as it is once it was shared."""
    answer = await web.files_upload_v2(filename="a.txt", content="abc", channel=channel, **more)
    file: Json = (await web.files_info(file=answer["file"]["id"]))["file"]
    return file


async def test_an_upload_arrives_byte_for_byte_in_the_thread(
    team: Team, web: Web, general: str
) -> None:
    root = await team.say("ann", "general", "report, please")
    content = bytes(range(256)) * 64
    answer = await web.files_upload_v2(
        filename="report.html",
        content=content,
        title="Report",
        channel=general,
        thread_ts=root,
        initial_comment="Here it is.",
    )
    assert answer["file"]["shares"] == {}  # Sharing comes after the answer.
    message = (await web.conversations_replies(channel=general, ts=root))["messages"][1]
    assert (message["subtype"], message["text"]) == ("file_share", "Here it is.")
    file = (await web.files_info(file=message["files"][0]["id"]))["file"]
    assert (file["name"], file["title"], file["mimetype"]) == (
        "report.html",
        "Report",
        "text/html",
    )
    assert file["shares"]["public"][general] == [{"ts": message["ts"], "thread_ts": root}]
    assert await download(file["url_private"], team.bot_token) == ("text/html", content)


async def test_a_file_without_a_channel_stays_private(web: Web) -> None:
    answer = await web.files_upload_v2(filename="a.txt", content="abc")
    file = (await web.files_info(file=answer["file"]["id"]))["file"]
    assert (file["shares"], file["is_public"]) == ({}, False)


async def test_a_download_without_the_token_is_a_page_to_sign_in(team: Team, web: Web) -> None:
    await team.say("ann", "general", "a log", files=[("a.log", b"3 errors", "text/plain")])
    history = await web.conversations_history(channel=team.channels["general"])
    file = history["messages"][0]["files"][0]
    for url in (file["url_private"], file["url_private_download"]):
        assert await download(url, team.bot_token) == ("text/plain", b"3 errors")
        for token in (None, "xoxb-wrong"):
            kind, page = await download(url, token)
            assert kind == "text/html"
            assert b"Sign in" in page


async def test_a_file_of_a_channel_without_the_bot_does_not_exist_for_it(
    team: Team, app: RecordingApp
) -> None:
    await team.invite("ann", "random", "bot")
    await team.say("ann", "random", "ours", files=[("a.log", b"secret", None)])
    (shared,) = await app.gets("file_shared")
    assert (await app.web.files_info(file=shared["file_id"]))["ok"]
    await team.say("ann", "hidden", "ours", files=[("b.log", b"secret", None)])
    hidden = team.seen("ann", "hidden")[0]["files"][0]
    assert await error_of(app.web.files_info(file=hidden["id"])) == "file_not_found"
    kind, _ = await download(hidden["url_private"], team.bot_token)
    assert kind == "text/html"


async def test_a_file_without_bytes_cannot_be_completed(web: Web) -> None:
    ticket = await web.files_getUploadURLExternal(filename="a.txt", length=3)
    files = [{"id": ticket["file_id"], "title": "A"}]
    assert await error_of(web.files_completeUploadExternal(files=files)) == "file_not_found"


async def test_an_upload_of_another_length_is_refused(web: Web) -> None:
    ticket = await web.files_getUploadURLExternal(filename="a.txt", length=3)
    async with (
        aiohttp.ClientSession() as session,
        session.post(ticket["upload_url"], data=b"four") as answer,
    ):
        assert answer.status == 400


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        pytest.param({"length": 0}, "missing_argument", id="empty"),
        pytest.param({"length": 2**31}, "file_upload_size_restricted", id="over 1 GB"),
        pytest.param({"length": 1, "alt_txt": "x" * 1001}, "alt_txt_too_large", id="alt text"),
        pytest.param(
            {"length": 2**20 + 1, "snippet_type": "python"}, "snippet_too_large", id="snippet"
        ),
        pytest.param(
            {"length": 1, "snippet_type": "no such!"}, "unknown_snippet_type", id="snippet type"
        ),
    ],
)
async def test_an_upload_has_its_limits(web: Web, arguments: Json, error: str) -> None:
    call = web.files_getUploadURLExternal(filename="a.txt", **arguments)
    assert await error_of(call) == error


@pytest.mark.parametrize(
    ("channel", "error"),
    [
        ("random", "not_in_channel"),
        ("hidden", "channel_not_found"),
        ("archived", "posting_to_channel_denied"),
    ],
)
async def test_a_file_is_shared_only_where_the_bot_may_post(
    team: Team, web: Web, channel: str, error: str
) -> None:
    call = web.files_upload_v2(filename="a.txt", content="abc", channel=team.channels[channel])
    assert await error_of(call) == error


async def test_a_thread_is_of_one_channel(team: Team, web: Web) -> None:
    ticket = await web.files_getUploadURLExternal(filename="a.txt", length=3)
    both = [team.channels[name] for name in ("general", "energy")]
    call = web.files_completeUploadExternal(
        files=[{"id": ticket["file_id"]}], channels=both, thread_ts="1.000001"
    )
    assert await error_of(call) == "invalid_arguments"


async def test_a_deleted_file_is_gone_with_its_message(web: Web, general: str) -> None:
    file = await upload(web, general)
    await web.files_delete(file=file["id"])
    assert (await web.conversations_history(channel=general))["messages"] == []
    assert await error_of(web.files_info(file=file["id"])) == "file_deleted"


async def test_a_persons_file_cannot_be_deleted_by_the_bot(team: Team, web: Web) -> None:
    await team.say("ann", "general", "mine", files=[("a.log", b"x", None)])
    history = await web.conversations_history(channel=team.channels["general"])
    file = history["messages"][0]["files"][0]
    assert await error_of(web.files_delete(file=file["id"])) == "cant_delete_file"
