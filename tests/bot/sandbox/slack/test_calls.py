"""Slack's rules on calls: posts, reactions, reading back, files, limits (SLACK.md 3, 5 to 7)."""

from typing import Any

import aiohttp
import pytest

from bot.sandbox.slack import ManualClock, SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client, error_of, refusal_of, web_client

Body = dict[str, Any]
OP: Body = {"event_type": "op", "event_payload": {"op_id": "1"}}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"channel": "C0UNKNOWN"}, "channel_not_found"),
        ({"channel": "random"}, "not_in_channel"),
        ({"channel": "hidden"}, "channel_not_found"),
        ({"channel": "archived"}, "is_archived"),
        ({"channel": "announcements"}, "restricted_action_read_only_channel"),
        ({"text": " \n"}, "no_text"),
        ({"markdown_text": "x"}, "markdown_text_conflict"),
        ({"text": None, "markdown_text": "x" * 12_001}, "msg_too_long"),
    ],
)
async def test_a_post_that_slack_does_not_take_is_refused(
    slack: SlackStandIn, client: Client, arguments: Body, error: str
) -> None:
    given = {"channel": "general", "text": "hi", **arguments}
    given["channel"] = slack.channels.get(given["channel"], given["channel"])
    sent = {name: value for name, value in given.items() if value is not None}
    assert await error_of(client.api_call("chat.postMessage", json=sent)) == error
    assert slack.posts("general") == []


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("a < b && c", "a &lt; b &amp;&amp; c"),
        ("see https://x.test/a?b=1.", "see <https://x.test/a?b=1>."),
        ("<https://y.test|Y> <@U1>", "<https://y.test|Y> <@U1>"),
        ("x" * 40_001, "x" * 40_000),
    ],
)
async def test_text_is_kept_escaped_linked_and_cut(
    client: Client, general: str, sent: str, kept: str
) -> None:
    answer = await client.chat_postMessage(channel=general, text=sent)
    assert answer["message"]["text"] == kept


async def test_a_thread_hangs_on_its_root(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    root = await slack.say("ann", "general", "question")
    reply = await slack.say("ben", "general", "answer", thread_ts=root)
    call = client.chat_postMessage(channel=general, text="hm", thread_ts=reply)
    assert await error_of(call) == "cannot_reply_to_message"
    link = await client.chat_getPermalink(channel=general, message_ts=reply)
    path = f"/archives/{general}/p{reply.replace('.', '')}?thread_ts={root}&cid={general}"
    assert link["permalink"].endswith(path)


async def test_an_update_keeps_what_it_leaves_out(client: Client, general: str) -> None:
    post = {"channel": general, "text": "a", "blocks": [{"type": "divider"}], "metadata": OP}
    ts = (await client.chat_postMessage(**post))["ts"]
    kept = (await client.chat_update(channel=general, ts=ts, text="b"))["message"]
    assert (kept["text"], kept["blocks"][0]["type"]) == ("b", "divider")
    assert (kept["metadata"], bool(kept["edited"]["user"])) == (OP, True)
    cleared = await client.chat_update(channel=general, ts=ts, text="c", blocks=[], metadata={})
    assert not {"blocks", "metadata"} & cleared["message"].keys()


async def test_an_update_takes_less_text_and_only_of_the_bots_own(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    ts = (await client.chat_postMessage(channel=general, text="hi"))["ts"]
    longer = client.chat_update(channel=general, ts=ts, text="x" * 4_001)
    assert await error_of(longer) == "msg_too_long"
    theirs = await slack.say("ann", "general", "mine")
    update = client.chat_update(channel=general, ts=theirs, text="yours")
    assert await error_of(update) == "cant_update_message"
    delete = client.chat_delete(channel=general, ts=theirs)
    assert await error_of(delete) == "cant_delete_message"
    await client.chat_delete(channel=general, ts=ts)
    assert await error_of(client.chat_delete(channel=general, ts=ts)) == "message_not_found"


async def test_an_ephemeral_post_is_for_one_member_and_reached_by_no_method(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    shown = await client.chat_postEphemeral(channel=general, user=slack.people["ann"], text="psst")
    assert [post.ephemeral_to for post in slack.posts("general")] == [slack.people["ann"]]
    assert (await client.conversations_history(channel=general))["messages"] == []
    update = client.chat_update(channel=general, ts=shown["message_ts"], text="louder")
    assert await error_of(update) == "message_not_found"
    outside = client.chat_postEphemeral(channel=general, user=slack.users["stranger"], text="psst")
    assert await error_of(outside) == "user_not_in_channel"


async def test_history_is_newest_first_paged_and_bounded(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    root = await slack.say("ann", "general", "0")
    await slack.say("ben", "general", "in the thread", thread_ts=root)
    last = await slack.say("ben", "general", "1", thread_ts=root, reply_broadcast=True)
    await slack.say("ann", "general", "2")
    pages: list[list[Body]] = []
    cursor = None
    while cursor != "":
        page = await client.conversations_history(channel=general, limit=2, cursor=cursor)
        pages.append(page["messages"])
        cursor = page["response_metadata"]["next_cursor"]
        assert page["has_more"] == bool(cursor)
    assert [[message["text"] for message in page] for page in pages] == [["2", "1"], ["0"]]
    assert (pages[1][0]["reply_count"], pages[1][0]["latest_reply"]) == (2, last)
    between = {"oldest": root, "latest": root}
    one = await client.conversations_history(channel=general, **between, inclusive=True)
    assert [message["ts"] for message in one["messages"]] == [root]
    assert (await client.conversations_history(channel=general, **between))["messages"] == []


async def test_replies_come_with_the_root_from_any_ts_and_metadata_when_asked_for(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    root = await slack.say("ann", "general", "go")
    answers = [
        await client.chat_postMessage(channel=general, thread_ts=root, text=text, metadata=OP)
        for text in ("0", "1", "2")
    ]
    thread = await client.conversations_replies(channel=general, ts=answers[1]["ts"])
    assert [message["text"] for message in thread["messages"]] == ["go", "0", "1", "2"]
    assert thread["messages"][1]["metadata"] == {"event_type": "op"}
    newer = await client.conversations_replies(
        channel=general, ts=root, oldest=answers[0]["ts"], include_all_metadata=True
    )
    assert [message.get("metadata") for message in newer["messages"]] == [None, OP, OP]
    nothing = client.conversations_replies(channel=general, ts="1.000001")
    assert await error_of(nothing) == "thread_not_found"
    await slack.delete("general", root)
    thread = await client.conversations_replies(channel=general, ts=root)
    assert thread["messages"][0]["subtype"] == "tombstone"


async def test_each_kind_of_channel_needs_its_own_scope() -> None:
    async with SlackStandIn(scopes=["channels:history", "channels:read"]) as slack:
        client, channels = web_client(slack), slack.channels
        await client.conversations_history(channel=channels["general"])
        refusal = await refusal_of(client.conversations_history(channel=channels["private"]))
        assert (refusal["error"], refusal["needed"]) == ("missing_scope", "groups:history")
        assert await error_of(client.users_conversations(types="im")) == "missing_scope"


async def test_a_call_needs_a_good_token_of_its_kind_and_a_known_name(
    slack: SlackStandIn, client: Client
) -> None:
    tokens = {"xoxb-wrong": "invalid_auth", "": "not_authed"}
    for token, error in {**tokens, slack.app_token: "not_allowed_token_type"}.items():
        assert await error_of(web_client(slack, token=token).auth_test()) == error
    assert await error_of(client.api_call("chat.sing", json={})) == "unknown_method"
    slack.revoke_tokens()
    assert await error_of(client.auth_test()) == "token_revoked"


async def test_posts_of_one_channel_run_into_a_limit_and_others_do_not(
    slack: SlackStandIn, client: Client, general: str, clock: ManualClock
) -> None:
    # SLACK.md 3.2, 7: about one a second after a burst; 429 says when to come back.
    for number in range(20):
        await client.chat_postMessage(channel=general, text=str(number))
    refused = await refusal_of(client.chat_postMessage(channel=general, text="one too many"))
    assert (refused.status_code, refused["error"]) == (429, "ratelimited")
    await client.chat_postMessage(channel=slack.channels["energy"], text="elsewhere")
    clock.advance(int(refused.headers["Retry-After"]))
    await client.chat_postMessage(channel=general, text="in time")


async def test_an_ordered_fault_comes_once_and_does_the_work_only_when_it_says_so(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    slack.fail("*", error="fatal_error")
    assert await error_of(client.chat_postMessage(channel=general, text="no")) == "fatal_error"
    slack.fail("chat.postMessage", drop_after_accept=True)
    await client.chat_postMessage(channel=general, text="twice, by the SDK")
    assert [post.text for post in slack.posts("general")] == ["twice, by the SDK"] * 2


async def test_an_upload_arrives_byte_for_byte_and_goes_with_its_post(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    async def download(token: str) -> tuple[str, bytes]:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            aiohttp.ClientSession(headers=headers) as session,
            session.get(file["url_private"]) as answer,
        ):
            return answer.content_type, await answer.read()

    root = await slack.say("ann", "general", "report, please")
    content = bytes(range(256)) * 64
    where = {"channel": general, "thread_ts": root}
    answer = await client.files_upload_v2(filename="report.html", content=content, **where)
    assert answer["file"]["shares"] == {}  # Sharing comes after the answer.
    message = (await client.conversations_replies(channel=general, ts=root))["messages"][1]
    file = (await client.files_info(file=message["files"][0]["id"]))["file"]
    assert (message["subtype"], file["mimetype"]) == ("file_share", "text/html")
    assert file["shares"]["public"][general] == [{"ts": message["ts"], "thread_ts": root}]
    assert await download(slack.bot_token) == ("text/html", content)
    assert b"Sign in" in (await download("xoxb-wrong"))[1]
    await client.files_delete(file=file["id"])
    assert await error_of(client.files_info(file=file["id"])) == "file_not_found"
    assert len(slack.posts("general")) == 1
    closed = client.files_upload_v2(
        filename="a", content="a", channel=slack.channels["announcements"]
    )
    assert await error_of(closed) == "posting_to_channel_denied"
