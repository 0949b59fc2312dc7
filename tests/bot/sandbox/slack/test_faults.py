"""Limits, tokens, faults on order, and the record of calls (SLACK.md 3.1 to 3.3)."""

import asyncio

import aiohttp
import pytest
from slack_sdk.errors import SlackRequestError

from bot.sandbox.slack import ManualClock, SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client, web_client
from tests.bot.sandbox.slack.refusals import answer_of, error_of


async def test_posts_of_one_channel_run_into_a_limit_and_others_do_not(
    slack: SlackStandIn, client: Client, general: str, clock: ManualClock
) -> None:
    # SLACK.md 3.2, 7: about one a second after a burst; 429 says when to come back.
    for number in range(20):
        await client.chat_postMessage(channel=general, text=str(number))
    refused = await answer_of(client.chat_postMessage(channel=general, text="one too many"))
    assert (refused.status_code, refused["error"]) == (429, "ratelimited")
    await client.chat_postMessage(channel=slack.channels["energy"], text="elsewhere")
    clock.advance(int(refused.headers["Retry-After"]))
    await client.chat_postMessage(channel=general, text="in time")


@pytest.mark.parametrize(
    ("method", "per_minute"),
    [("chat.startStream", 20), ("conversations.replies", 50), ("users.info", 100)],
)
async def test_a_method_takes_as_many_calls_a_minute_as_its_tier(
    slack: SlackStandIn, client: Client, clock: ManualClock, method: str, per_minute: int
) -> None:
    for _ in range(per_minute):
        assert await error_of(client.api_call(method, params={})) == "invalid_arguments"
    refused = await answer_of(client.api_call(method, params={}))
    wait_s = int(refused.headers["Retry-After"])
    assert (refused.status_code, 1 <= wait_s <= 60) == (429, True)
    clock.advance(wait_s)
    assert await error_of(client.api_call(method, params={})) == "invalid_arguments"


async def test_rate_limits_can_be_lifted() -> None:
    async with SlackStandIn(rate_limits=False) as slack:
        client, general = web_client(slack), slack.channels["general"]
        for number in range(25):
            await client.chat_postMessage(channel=general, text=str(number))
        assert len(slack.posts("general")) == 25


async def test_a_call_needs_a_good_token_of_its_kind_and_a_known_name(
    slack: SlackStandIn, client: Client
) -> None:
    for token, error in (
        ("xoxb-wrong", "invalid_auth"),
        ("", "not_authed"),
        (slack.app_token, "not_allowed_token_type"),
    ):
        assert await error_of(web_client(slack, token=token).auth_test()) == error
    opening = client.apps_connections_open(app_token=slack.bot_token)
    assert await error_of(opening) == "not_allowed_token_type"
    assert await error_of(client.api_call("chat.sing", json={})) == "unknown_method"
    slack.revoke_tokens()
    assert await error_of(client.auth_test()) == "token_revoked"


@pytest.mark.parametrize(("body", "error"), [("{", "invalid_json"), ("[]", "json_not_object")])
async def test_a_body_that_is_no_json_object_is_refused(
    slack: SlackStandIn, body: str, error: str
) -> None:
    headers = {"Authorization": f"Bearer {slack.bot_token}", "Content-Type": "application/json"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.post(f"{slack.api_url}chat.postMessage", data=body) as answer,
    ):
        assert (answer.status, (await answer.json())["error"]) == (200, error)


async def test_an_ordered_429_names_its_retry_after(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    slack.fail("chat.postMessage", status=429, retry_after_s=7)
    answer = await answer_of(client.chat_postMessage(channel=general, text="hi"))
    assert answer.headers["Retry-After"] == "7"
    await client.chat_postMessage(channel=general, text="hi")
    assert [call.status for call in slack.calls] == [429, 200]


async def test_a_connection_dropped_after_the_work_makes_the_sdk_post_twice(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    slack.fail("chat.postMessage", drop_after_accept=True)
    await client.chat_postMessage(channel=general, text="once?")
    assert [post.text for post in slack.posts("general")] == ["once?", "once?"]


async def test_without_the_sdks_retry_a_dropped_post_stands_once(
    slack: SlackStandIn, general: str
) -> None:
    slack.fail("chat.postMessage", drop_after_accept=True)
    client = web_client(slack, retry_handlers=[])
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel=general, text="once")
    assert [post.text for post in slack.posts("general")] == ["once"]


async def test_an_ordered_error_does_not_do_the_work(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    slack.fail("*", error="fatal_error", times=2)
    assert await error_of(client.chat_postMessage(channel=general, text="hi")) == "fatal_error"
    assert await error_of(client.auth_test()) == "fatal_error"
    await client.auth_test()
    assert slack.posts("general") == []


async def test_an_outage_can_answer_with_a_page(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    slack.fail("chat.postMessage", status=503, html=True)
    answer = await answer_of(client.chat_postMessage(channel=general, text="hi"))
    assert answer.status_code == 503
    assert slack.calls[0].ok is False


async def test_a_hanging_call_is_done_late(
    slack: SlackStandIn, client: Client, general: str, clock: ManualClock
) -> None:
    slack.fail("chat.postMessage", hang_s=30)
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(client.chat_postMessage(channel=general, text="slow"))
        await clock.waited_on()
        assert slack.posts("general") == []
        clock.advance(30)
    assert call.result()["ok"]


async def test_every_call_is_on_record(slack: SlackStandIn, client: Client, general: str) -> None:
    await client.chat_postMessage(channel=general, text="hi")
    await error_of(client.chat_postMessage(channel="C0UNKNOWN", text="hi"))
    good, bad = slack.calls
    assert (good.method, good.args["text"], good.ok) == ("chat.postMessage", "hi", True)
    assert (bad.ok, bad.error) == (False, "channel_not_found")
    assert slack.bot_token not in str(slack.calls)
    assert good.duration_ms > 0


async def test_a_failing_upload_leaves_no_file(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    slack.fail("upload", status=500)
    with pytest.raises(SlackRequestError):
        await client.files_upload_v2(filename="a.txt", content="abc", channel=general)
    assert slack.files == []
