"""Faults on order, rate limits that are lifted, and the record of calls."""

import asyncio

import aiohttp
import pytest
from slack_sdk.errors import SlackRequestError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler

from bot.sandbox.slack import ManualClock, SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client, web_client
from tests.bot.sandbox.slack.refusals import answer_of, error_of


@pytest.fixture
def general(slack: SlackStandIn) -> str:
    return slack.channels["general"]


async def test_rate_limits_can_be_lifted() -> None:
    async with SlackStandIn(rate_limits=False) as slack:
        for number in range(25):
            await web_client(slack).chat_postMessage(
                channel=slack.channels["general"], text=str(number)
            )
        assert len(slack.posts("general")) == 25


async def test_an_ordered_429_names_its_retry_after(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    slack.fail("chat.postMessage", status=429, retry_after_s=7)
    answer = await answer_of(client.chat_postMessage(channel=general, text="hi"))
    assert answer.headers["Retry-After"] == "7"
    await client.chat_postMessage(channel=general, text="hi")
    assert [call.status for call in slack.calls] == [429, 200]


async def test_the_sdks_handler_waits_out_a_429(slack: SlackStandIn, general: str) -> None:
    slack.fail("chat.postMessage", status=429, retry_after_s=1)
    client = web_client(slack, retry_handlers=[AsyncRateLimitErrorRetryHandler(max_retry_count=1)])
    await client.chat_postMessage(channel=general, text="patient")
    assert [post.text for post in slack.posts("general")] == ["patient"]


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
