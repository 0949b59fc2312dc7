"""What goes wrong with a model call, and what becomes of it."""

import asyncio
from typing import Any

import pytest

from agent_core.errors import (
    ModelError,
    ModelRejected,
    ModelUnavailable,
    RequestTooLarge,
)
from agent_core.messages import JsonObject
from agent_core.models.anthropic import AnthropicConnection, AnthropicModel
from tests.agent_core.models.asking import FINE, ask, failure_of
from tests.agent_core.models.messages_server import (
    USAGE,
    MessagesServer,
    Refusal,
    Stream,
    block,
    message_start,
    text_block,
    whole,
)


def refusal(status: int, kind: str = "", message: str = "no", error_code: str = "") -> Refusal:
    return Refusal(status=status, kind=kind, message=message, error_code=error_code)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (refusal(400, "invalid_request_error"), ModelRejected),
        (refusal(401, "authentication_error"), ModelRejected),
        (refusal(402, "billing_error"), ModelRejected),
        (refusal(403, "permission_error"), ModelRejected),
        (refusal(404, "not_found_error"), ModelRejected),
        (
            refusal(429, "rate_limit_error", error_code="enforced_spend_limit_reached"),
            ModelRejected,
        ),
        (refusal(413, "request_too_large"), RequestTooLarge),
        (refusal(400, "invalid_request_error", "prompt is too long: 9 > 8"), RequestTooLarge),
        (refusal(408, "timeout_error"), ModelUnavailable),
        (refusal(409, "conflict_error"), ModelUnavailable),
        (refusal(429, "rate_limit_error"), ModelUnavailable),
        (refusal(500, "api_error"), ModelUnavailable),
        (refusal(502), ModelUnavailable),
        (refusal(503), ModelUnavailable),
        (refusal(529, "overloaded_error"), ModelUnavailable),
    ],
)
async def test_an_http_error_is_told_by_its_status_and_asked_once(
    model: AnthropicModel, server: MessagesServer, answer: Refusal, expected: type[ModelError]
) -> None:
    server.answers.append(answer)

    failure = await failure_of(model)

    assert type(failure) is expected
    assert failure.status == answer.status
    assert failure.kind == (answer.error_code or answer.kind)
    assert failure.request_id == "req_1"
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("overloaded_error", ModelUnavailable),
        ("api_error", ModelUnavailable),
        ("rate_limit_error", ModelUnavailable),
        ("timeout_error", ModelUnavailable),
        ("never_heard_of", ModelUnavailable),
        ("invalid_request_error", ModelRejected),
        ("authentication_error", ModelRejected),
        ("permission_error", ModelRejected),
        ("billing_error", ModelRejected),
    ],
)
async def test_an_error_in_mid_stream_is_told_by_its_kind(
    model: AnthropicModel, server: MessagesServer, kind: str, expected: type[ModelError]
) -> None:
    error: JsonObject = {"type": "error", "error": {"type": kind, "message": "no"}}
    events = [message_start(USAGE), *text_block(0, "Half"), error]
    server.answers.append(Stream(events=events))

    failure = await failure_of(model)

    assert type(failure) is expected
    assert (failure.status, failure.kind) == (200, kind)


HALF = [message_start(USAGE), *text_block(0, "Half")]
NAN: JsonObject = {"type": "tool_use", "id": "a", "name": "t", "input": {"q": float("nan")}}


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Stream(events=HALF, end="abrupt"), "connection"),
        (whole(block(0, NAN), stop_reason="tool_use"), "malformed"),
        (Refusal(status=200), "incomplete"),
    ],
)
async def test_what_comes_broken_may_be_tried_again(
    model: AnthropicModel, server: MessagesServer, answer: Stream | Refusal, kind: str
) -> None:
    server.answers.append(answer)

    failure = await failure_of(model)

    assert isinstance(failure, ModelUnavailable)
    assert failure.kind == kind


@pytest.mark.parametrize(
    ("limits", "answer", "kind"),
    [
        ({"idle_timeout_s": 0.2}, Stream(events=FINE.events, hold=asyncio.Event()), "timeout"),
        ({"call_timeout_s": 0.3}, Stream(events=HALF, pings_for_ever=True), "overlong"),
    ],
    ids=["falls silent", "only pings"],
)
async def test_a_reply_without_an_end_is_given_up_and_its_request_ended(
    server: MessagesServer, limits: dict[str, Any], answer: Stream, kind: str
) -> None:
    connection = AnthropicConnection(api_key="k", base_url=server.url, **limits)
    model = AnthropicModel("m", connection=connection)
    server.answers.append(answer)

    failure = await failure_of(model)
    await model.close()
    async with asyncio.timeout(10):
        await server.aborted.wait()

    assert isinstance(failure, ModelUnavailable)
    assert failure.kind == kind


async def test_a_server_that_is_not_there_may_be_tried_again() -> None:
    model = AnthropicModel("m", api_key="k", base_url="http://127.0.0.1:1")

    failure = await failure_of(model)
    await model.close()

    assert isinstance(failure, ModelUnavailable)
    assert failure.kind == "connection"


async def test_several_calls_at_once_share_the_first_opening(
    model: AnthropicModel, server: MessagesServer
) -> None:
    server.answers.extend([FINE] * 4)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask(model)) for _ in range(4)]

    assert [task.result().message.text for task in tasks] == ["Fine."] * 4
