"""Tools over REST without a session, sessions that change, and the ways in which all may fail."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import httpx2
import pytest
from composio_client import AsyncComposio, BadRequestError, NotFoundError, RateLimitError

from bot.sandbox.composio import ComposioStandIn, Session
from bot.sandbox.composio.faults import ResultType
from tests.bot.sandbox.composio.test_rest import open_sdk
from tests.bot.sandbox.composio.world import run_batch, run_meta

MAIL = {"recipient_email": "bob@example.com", "subject": "Lunch"}
SEND = "GMAIL_SEND_EMAIL"


async def test_the_record_of_a_tool_says_what_a_policy_needs(api: AsyncComposio) -> None:
    mail, search = (
        await api.tools.retrieve(SEND),
        await api.tools.retrieve("COMPOSIO_SEARCH_WEB"),
    )
    assert (mail.toolkit.slug, mail.no_auth) == ("gmail", False)
    assert "createHint" in mail.tags
    assert mail.version
    assert "attachment" in str(mail.input_parameters["properties"])
    assert (search.no_auth, "readOnlyHint" in search.tags) == (True, True)
    with pytest.raises(NotFoundError):
        await api.tools.retrieve("NO_SUCH_TOOL")


async def test_every_app_tool_has_exactly_one_kind_of_effect(standin: ComposioStandIn) -> None:
    kinds = {"readOnlyHint", "createHint", "updateHint", "destructiveHint"}
    for app in ("gmail", "googlecalendar", "slack", "github", "notion", "codeinterpreter"):
        for tool in standin.catalogue.toolkits[app].tools:
            assert kinds & set(tool.tags)
            assert not (tool.reads_only and kinds & set(tool.tags) - {"readOnlyHint"})


async def test_a_direct_call_runs_as_the_user_id_or_not_at_all(
    standin: ComposioStandIn, api: AsyncComposio, browser: httpx2.AsyncClient
) -> None:
    standin.connect("T1:U1", "gmail")
    sent = await api.tools.execute(SEND, user_id="T1:U1", arguments={**MAIL})
    assert sent.successful
    url, headers = f"/api/v3.1/tools/execute/{SEND}", {"x-api-key": standin.api_key}
    answer = await browser.post(url, json={"user_id": "T1:U2"}, headers=headers)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (404, 1810)
    assert error["slug"] == "ActionExecute_ConnectedAccountNotFound"
    account = standin.connect("T1:U2", "gmail")
    body = {"connected_account_id": account.id, "arguments": MAIL}
    assert (await browser.post(url, json=body, headers=headers)).status_code == 400
    assert (
        await browser.post(url, json=body | {"user_id": "T1:U1"}, headers=headers)
    ).status_code == 404
    assert len(standin.effects) == 1


async def test_the_sync_sdk_runs_a_tool_directly(standin: ComposioStandIn) -> None:
    standin.connect("T1:U1", "gmail")

    def use_sdk() -> dict[str, Any]:
        with open_sdk(standin) as sdk:
            execute = cast("Callable[..., dict[str, Any]]", sdk.tools.execute)  # pyright: ignore[reportUnknownMemberType]
            return execute(SEND, user_id="T1:U1", arguments=MAIL, version="20261101_00")

    assert (await asyncio.to_thread(use_sdk))["successful"] is True
    assert len(standin.mailbox("T1:U1").sent) == 1


async def test_the_sync_sdk_waits_until_the_link_was_followed(standin: ComposioStandIn) -> None:
    def use_sdk() -> str:
        with open_sdk(standin) as sdk:
            asked = sdk.create(user_id="T1:U1").authorize("gmail")
            standin.follow_link(str(asked.redirect_url))
            return str(asked.wait_for_connection(timeout=5).status)

    assert await asyncio.to_thread(use_sdk) == "ACTIVE"


async def test_what_does_not_fit_the_transport_is_413(
    standin: ComposioStandIn, api: AsyncComposio, session: Session, browser: httpx2.AsyncClient
) -> None:
    headers = {"x-api-key": standin.api_key}
    url = f"/api/v3.1/tool_router/session/{session.id}/execute"
    body = {"tool_slug": "COMPOSIO_SEARCH_WEB", "arguments": {"query": "x" * 6_000_001}}
    assert (await browser.post(url, json=body, headers=headers)).status_code == 413
    standin.remote_files("T1:U1").put("big.txt", b"x" * 6_000_001, standin.accounts.clock())
    body = {"tool_slug": "CODEINTERPRETER_GET_FILE_CMD", "arguments": {"file_path": "big.txt"}}
    assert (await browser.post(url, json=body, headers=headers)).status_code == 413


async def test_too_many_requests_are_told_when_to_come_back(
    standin: ComposioStandIn, api: AsyncComposio
) -> None:
    standin.faults.rate_limited = 1
    with pytest.raises(RateLimitError) as refused:
        await api.connected_accounts.list()
    assert refused.value.response.headers["retry-after"] == "1"
    await api.connected_accounts.list()


@pytest.mark.parametrize(
    ("result_type", "sent"), [("failed", 1), ("blocked", 0), ("response_blocked", 1)]
)
async def test_a_call_can_end_in_each_of_the_bad_ways(
    standin: ComposioStandIn,
    api: AsyncComposio,
    session: Session,
    result_type: ResultType,
    sent: int,
) -> None:
    standin.connect("T1:U1", "gmail")
    standin.faults.result_types[SEND] = result_type
    done = await api.tool_router.session.execute(session.id, tool_slug=SEND, arguments={**MAIL})
    assert done.result_type == ("failed" if result_type == "failed" else "blocked")
    assert done.model_dump().get("error") is None
    assert len(standin.effects) == sent


@pytest.mark.parametrize(("decision", "sent"), [("approve", 1), ("deny", 0)])
async def test_a_call_that_wants_an_answer_runs_only_with_one(
    standin: ComposioStandIn, api: AsyncComposio, session: Session, decision: str, sent: int
) -> None:
    standin.connect("T1:U1", "gmail")
    standin.faults.result_types[SEND] = "input_required"
    execute = api.tool_router.session.execute
    asked = await execute(session.id, tool_slug=SEND, arguments={**MAIL})
    assert asked.result_type == "input_required"
    assert standin.effects == []
    done = await execute(
        session.id,
        tool_slug=SEND,
        arguments={**MAIL},
        request_state=str(asked.request_state),
        input_responses={"q1": {"action": "accept", "content": {"decision": decision}}},
    )
    assert done.result_type == ("completed" if sent else "failed")
    assert len(standin.effects) == sent


async def test_an_app_can_refuse_and_an_item_can_fail_before_it_runs(
    standin: ComposioStandIn, api: AsyncComposio, session: Session
) -> None:
    for app in ("gmail", "slack"):
        standin.connect("T1:U1", app)
    standin.faults.refusals["SLACK_SEND_MESSAGE"] = "channel_not_found"
    standin.faults.item_errors[SEND] = "Timed out"
    post = {"channel": "general", "markdown_text": "Hi"}
    said_no, failed = await run_batch(api, session, ("SLACK_SEND_MESSAGE", post), (SEND, MAIL))
    assert said_no["response"]["successful"] is False
    assert said_no["response"]["error"] == "channel_not_found"
    assert (failed["response"], failed["error"]) == (None, "Timed out")
    assert standin.effects == []
    assert [execution.slug for execution in standin.executions] == ["SLACK_SEND_MESSAGE"]


async def test_answers_can_have_their_older_shapes(
    standin: ComposioStandIn, api: AsyncComposio, session: Session
) -> None:
    standin.faults.bare_batch_items = standin.faults.nested_news = True
    search = {"tool_slug": "COMPOSIO_SEARCH_NEWS", "arguments": {"query": "outage"}}
    body = {"tools": [search], "sync_response_to_workbench": False}
    done = await run_meta(api, session, "COMPOSIO_MULTI_EXECUTE_TOOL", body)
    assert set(done.data) == {"results"}
    [item] = cast("list[dict[str, Any]]", done.data["results"])
    assert set(item) == {"response", "error"}
    assert len(item["response"]["data"]["results"]["news_results"]) == 2


async def test_a_session_is_changed_only_by_who_knows_its_version(
    standin: ComposioStandIn, session: Session, browser: httpx2.AsyncClient
) -> None:
    async def patch(version: int, toolkits: dict[str, list[str]] | None) -> int:
        answer = await browser.patch(
            f"/api/v3.1/tool_router/session/{session.id}",
            json={"toolkits": toolkits, "expected_config_version": version},
            headers={"x-api-key": standin.api_key},
        )
        return answer.status_code

    assert await patch(1, {"enable": ["gmail"]}) == 200
    assert standin.sessions[session.id].config_version == 2
    assert not standin.sessions[session.id].allows("slack")
    assert await patch(1, {"enable": ["slack"]}) == 409
    assert await patch(2, {"enabled": ["slack"]}) == 400
    assert await patch(2, None) == 200
    assert standin.sessions[session.id].allows("slack")
    assert standin.sessions[session.id].user_id == "T1:U1"


async def test_a_session_that_names_a_wrong_tool_is_not_made(api: AsyncComposio) -> None:
    with pytest.raises(BadRequestError, match="GMAIL_FLY"):
        await api.tool_router.session.create(
            user_id="T1:U1", tools={"gmail": {"enable": ["GMAIL_FLY"]}}
        )
