"""Slack's rules on files: three calls, shares, downloads, deletion (SLACK.md 3.7)."""

from typing import Any

import aiohttp
import pytest

from bot.sandbox.slack import SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client
from tests.bot.sandbox.slack.refusals import error_of

Body = dict[str, Any]


async def download(url: str, token: str) -> tuple[str, bytes]:
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as answer:
        return answer.content_type, await answer.read()


async def test_an_upload_arrives_byte_for_byte_in_the_thread(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    root = await slack.say("ann", "general", "report, please")
    content = bytes(range(256)) * 64
    answer = await client.files_upload_v2(
        filename="report.html",
        content=content,
        title="Report",
        channel=general,
        thread_ts=root,
        initial_comment="Here it is.",
    )
    assert answer["file"]["shares"] == {}  # Sharing comes after the answer.
    message = (await client.conversations_replies(channel=general, ts=root))["messages"][1]
    assert (message["subtype"], message["text"]) == ("file_share", "Here it is.")
    file = (await client.files_info(file=message["files"][0]["id"]))["file"]
    assert (file["name"], file["title"], file["mimetype"]) == ("report.html", "Report", "text/html")
    assert file["shares"]["public"][general] == [{"ts": message["ts"], "thread_ts": root}]
    assert await download(file["url_private"], slack.bot_token) == ("text/html", content)


async def test_a_download_without_the_token_is_a_page_to_sign_in(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    await slack.say("ann", "general", "a log", files=[("a.log", b"3 errors", "text/plain")])
    history = await client.conversations_history(channel=general)
    file = history["messages"][0]["files"][0]
    for url in (file["url_private"], file["url_private_download"]):
        assert await download(url, slack.bot_token) == ("text/plain", b"3 errors")
        kind, page = await download(url, "xoxb-wrong")
        assert (kind, b"Sign in" in page) == ("text/html", True)


async def test_a_file_of_a_channel_without_the_bot_does_not_exist_for_it(
    slack: SlackStandIn, client: Client
) -> None:
    await slack.say("ann", "hidden", "ours", files=[("b.log", b"secret", None)])
    [file] = slack.files
    assert await error_of(client.files_info(file=file.id)) == "file_not_found"
    kind, _ = await download(file.url_private, slack.bot_token)
    assert kind == "text/html"


async def test_bytes_come_before_the_completion_once_and_at_the_announced_length(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    ticket = await client.files_getUploadURLExternal(filename="a.txt", length=3)
    files = [{"id": ticket["file_id"]}]
    early = client.files_completeUploadExternal(files=files, channel_id=general)
    assert await error_of(early) == "file_not_found"
    async with aiohttp.ClientSession() as session:
        for content, status in ((b"abcd", 400), (b"abc", 200)):
            async with session.post(ticket["upload_url"], data=content) as answer:
                assert answer.status == status
    await client.files_completeUploadExternal(files=files, channel_id=general)
    again = client.files_completeUploadExternal(files=files, channel_id=general)
    assert await error_of(again) == "file_not_found"
    assert [post.files[0].content for post in slack.posts("general")] == [b"abc"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"length": 0}, "missing_argument"),
        ({"length": 1_073_741_825}, "file_upload_size_restricted"),
        ({"alt_txt": "x" * 1_001}, "alt_txt_too_large"),
    ],
)
async def test_a_file_that_slack_does_not_take(client: Client, arguments: Body, error: str) -> None:
    given = {"filename": "a.txt", "length": 3, **arguments}
    assert await error_of(client.files_getUploadURLExternal(**given)) == error


@pytest.mark.parametrize(
    ("channel", "error"),
    [
        ("random", "not_in_channel"),
        ("hidden", "channel_not_found"),
        ("archived", "posting_to_channel_denied"),
        ("announcements", "posting_to_channel_denied"),
    ],
)
async def test_a_file_goes_only_where_the_bot_may_post(
    slack: SlackStandIn, client: Client, channel: str, error: str
) -> None:
    call = client.files_upload_v2(filename="a.txt", content="abc", channel=slack.channels[channel])
    assert await error_of(call) == error


async def test_a_deleted_file_goes_with_the_post_that_only_carried_it(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    said: list[str] = []
    for comment in (None, "Read this."):
        answer = await client.files_upload_v2(
            filename="a.txt", content="abc", channel=general, initial_comment=comment
        )
        said.append(answer["file"]["id"])
    for file in said:
        await client.files_delete(file=file)
        assert await error_of(client.files_info(file=file)) == "file_deleted"
    assert [(post.text, post.files) for post in slack.posts("general")] == [("Read this.", ())]
    assert slack.files == []
