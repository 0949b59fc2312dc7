"""Files: the upload in three calls with real bytes, shares, downloads, deletion."""

import aiohttp
import pytest

from bot.sandbox.slack import SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client
from tests.bot.sandbox.slack.refusals import error_of


async def download(url: str, token: str | None) -> tuple[str, bytes]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as answer:
        return answer.content_type, await answer.read()


async def test_an_upload_arrives_byte_for_byte_in_the_thread(
    slack: SlackStandIn, client: Client
) -> None:
    root = await slack.say("ann", "general", "report, please")
    content = bytes(range(256)) * 64
    answer = await client.files_upload_v2(
        filename="report.html",
        content=content,
        title="Report",
        channel=slack.channels["general"],
        thread_ts=root,
        initial_comment="Here it is.",
    )
    assert answer["file"]["shares"] == {}  # Sharing comes after the answer.

    post = slack.thread("general", root)[1]
    assert (post.subtype, post.text) == ("file_share", "Here it is.")
    file = slack.files[0]
    assert (file.name, file.title, file.mimetype) == ("report.html", "Report", "text/html")
    assert file.content == content
    assert post.files == (file,)

    info = (await client.files_info(file=file.id))["file"]
    shares = info["shares"]["public"][slack.channels["general"]]
    assert shares == [{"ts": post.ts, "thread_ts": root}]
    assert info["size"] == len(content)


async def test_a_download_needs_the_token(slack: SlackStandIn, client: Client) -> None:
    await slack.say("ann", "general", "a log", files=[("a.log", b"3 errors", "text/plain")])
    info = (await client.files_info(file=slack.files[0].id))["file"]
    for url in (info["url_private"], info["url_private_download"]):
        assert await download(url, slack.bot_token) == ("text/plain", b"3 errors")
        for token in (None, "xoxb-wrong"):
            kind, page = await download(url, token)
            assert kind == "text/html"
            assert b"Sign in" in page


async def test_a_file_of_a_channel_without_the_bot_does_not_exist_for_it(
    slack: SlackStandIn, client: Client
) -> None:
    await slack.say("ann", "random", "ours", files=[("a.log", b"secret", None)])
    file = slack.files[0]
    assert await error_of(client.files_info(file=file.id)) == "file_not_found"
    kind, _ = await download(file.url_private, slack.bot_token)
    assert kind == "text/html"


async def test_a_file_without_bytes_cannot_be_completed(
    slack: SlackStandIn, client: Client
) -> None:
    ticket = await client.files_getUploadURLExternal(filename="a.txt", length=3)
    files = [{"id": ticket["file_id"], "title": "A"}]
    call = client.files_completeUploadExternal(files=files)
    assert await error_of(call) == "file_not_found"


async def test_an_upload_of_another_length_is_refused(slack: SlackStandIn, client: Client) -> None:
    ticket = await client.files_getUploadURLExternal(filename="a.txt", length=3)
    async with (
        aiohttp.ClientSession() as session,
        session.post(ticket["upload_url"], data=b"four") as answer,
    ):
        assert answer.status == 400


async def test_an_empty_file_is_refused(client: Client) -> None:
    call = client.files_getUploadURLExternal(filename="a.txt", length=0)
    assert await error_of(call) == "missing_argument"


@pytest.mark.parametrize(
    ("channel", "error"), [("random", "not_in_channel"), ("hidden", "channel_not_found")]
)
async def test_a_file_is_shared_only_where_the_bot_is(
    slack: SlackStandIn, client: Client, channel: str, error: str
) -> None:
    call = client.files_upload_v2(filename="a.txt", content="abc", channel=slack.channels[channel])
    assert await error_of(call) == error
    assert slack.files == []


async def test_a_deleted_file_is_gone_with_its_post(slack: SlackStandIn, client: Client) -> None:
    await client.files_upload_v2(filename="a.txt", content="abc", channel=slack.channels["general"])
    file = slack.files[0]
    await client.files_delete(file=file.id)
    assert slack.files == []
    assert slack.posts("general") == []
    assert await error_of(client.files_info(file=file.id)) == "file_deleted"


async def test_a_persons_file_cannot_be_deleted_by_the_bot(
    slack: SlackStandIn, client: Client
) -> None:
    await slack.say("ann", "general", "mine", files=[("a.log", b"x", None)])
    call = client.files_delete(file=slack.files[0].id)
    assert await error_of(call) == "cant_delete_file"
