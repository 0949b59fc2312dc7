"""Slack's rules on tokens, scopes, rates and unknown methods (SLACK.md 3.1 to 3.3, 7)."""

import asyncio
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest
from slack_sdk import WebClient

from tests.bot.sandbox.slack.refusals import answer_of, error_of, refusal_of
from tests.conformance.slack_app import Web, web_client
from tests.conformance.slack_team import Team


async def test_posts_of_one_channel_run_into_a_limit_and_others_do_not(
    team: Team, web: Web, general: str
) -> None:
    # 3.2, 7: about one a second after a burst; 429 says when to come back.
    for number in range(20):
        await web.chat_postMessage(channel=general, text=str(number))
    response = await answer_of(web.chat_postMessage(channel=general, text="one too many"))
    assert (response.status_code, response["error"]) == (429, "ratelimited")
    retry_after_s = int(response.headers["Retry-After"])
    await web.chat_postMessage(channel=team.channels["energy"], text="elsewhere")
    team.pass_time(retry_after_s)
    await web.chat_postMessage(channel=general, text="in time")


@pytest.mark.parametrize(
    ("method", "arguments", "per_minute"),
    [
        pytest.param("users.list", {"limit": 1}, 20, id="3.2 tier 2"),
        pytest.param("team.info", {}, 50, id="3.2 tier 3"),
        pytest.param("users.info", {"user": ""}, 100, id="3.2 tier 4"),
    ],
)
async def test_a_method_takes_as_many_calls_a_minute_as_its_tier(
    team: Team, web: Web, method: str, arguments: dict[str, Any], per_minute: int
) -> None:
    filled = {**arguments, "user": team.people["ann"]} if "user" in arguments else arguments
    for _ in range(per_minute):
        await web.api_call(method, params=filled)
    response = await answer_of(web.api_call(method, params=filled))
    assert response.status_code == 429
    wait_s = int(response.headers["Retry-After"])
    assert 1 <= wait_s <= 60
    assert (await web.api_call("auth.test"))["ok"]  # Each method has a limit of its own.
    team.pass_time(wait_s)
    assert (await web.api_call(method, params=filled))["ok"]


@pytest.mark.parametrize(
    ("token", "error"),
    [
        pytest.param("xoxb-wrong", "invalid_auth", id="3.3 wrong"),
        pytest.param("", "not_authed", id="3.3 none"),
    ],
)
async def test_a_call_needs_the_token(team: Team, token: str, error: str) -> None:
    assert await error_of(web_client(team, token=token).auth_test()) == error


async def test_a_revoked_token_says_so(team: Team, web: Web) -> None:
    # 3.3
    await web.auth_test()
    team.revoke_tokens()
    assert await error_of(web.auth_test()) == "token_revoked"


async def test_each_token_opens_its_own_methods(team: Team) -> None:
    # 3.3
    for token in (team.app_token, team.config_token):
        call = web_client(team, token=token).auth_test()
        assert await error_of(call) == "not_allowed_token_type"


async def test_a_missing_scope_is_named_with_those_there_are(
    new_team: Callable[..., Team],
) -> None:
    # 3.3
    async with new_team(scopes=["users:read", "team:read"]) as team:
        web, general = web_client(team), team.channels["general"]
        refusal = await refusal_of(web.chat_postMessage(channel=general, text="hi"))
        assert refusal["error"] == "missing_scope"
        assert (refusal["needed"], refusal["provided"]) == ("chat:write", "users:read,team:read")
        response = await web.team_info()
        assert response.headers["x-oauth-scopes"] == "users:read,team:read"
        assert response.headers["x-accepted-oauth-scopes"] == "team:read"


async def test_a_method_that_is_not_there_is_unknown(web: Web) -> None:
    # 3.3
    assert await error_of(web.api_call("chat.sing", json={})) == "unknown_method"


async def test_a_missing_argument_is_named(web: Web, general: str) -> None:
    # 3.3
    call = web.api_call("chat.update", json={"channel": general, "text": "x"})
    refusal = await refusal_of(call)
    assert refusal["error"] == "invalid_arguments"
    assert refusal["response_metadata"]["messages"] == ["[ERROR] missing required field: ts"]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        pytest.param("{", "invalid_json", id="3.3 no JSON"),
        pytest.param("[]", "json_not_object", id="3.3 no object"),
    ],
)
async def test_a_body_that_is_no_json_object_is_refused(team: Team, body: str, error: str) -> None:
    headers = {"Authorization": f"Bearer {team.bot_token}", "Content-Type": "application/json"}
    async with aiohttp.ClientSession(headers=headers) as session:
        url = f"{team.api_url}chat.postMessage"
        async with session.post(url, data=body) as answer:
            assert (answer.status, (await answer.json())["error"]) == (200, error)


async def test_the_forms_of_the_sync_client_are_understood(team: Team, general: str) -> None:
    # 3.1
    client: Any = WebClient(token=team.bot_token, base_url=team.api_url)
    await asyncio.to_thread(client.chat_postMessage, channel=general, text="hi")
    history = await asyncio.to_thread(client.conversations_history, channel=general, limit=1)
    assert history["messages"][0]["text"] == "hi"
    await asyncio.to_thread(
        client.files_upload_v2, filename="a.txt", content="abc", channel=general
    )
    assert team.seen("ann", "general")[1]["files"][0]["size"] == 3
