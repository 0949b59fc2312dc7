"""The Anthropic model over the official SDK, against a server on loopback, and what goes wrong."""

import asyncio
import json
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_core.errors import (
    ModelError,
    ModelRejected,
    ModelUnavailable,
    RequestTooLarge,
    SettingsError,
)
from agent_core.events import Usage
from agent_core.messages import JsonObject, Opaque, user_message
from agent_core.models import AWAY_S, ModelRequest, Retried, RetryingModel
from agent_core.models.anthropic import AnthropicConnection, AnthropicModel
from agent_core.prices import read_prices
from tests.agent_core.models.conftest import FINE, HELLO, ask, failure_of
from tests.agent_core.models.messages_server import (
    USAGE,
    MessagesServer,
    Refusal,
    Stream,
    block,
    message_end,
    message_start,
    text_block,
    thinking_block,
    whole,
)


async def test_a_reply_carries_usage_model_and_readable_thinking(
    model: AnthropicModel, server: MessagesServer
) -> None:
    thinking = thinking_block(0, "Look ", "up.", signature="EqQBsig==")
    full = whole(thinking, text_block(1, "Done."))
    without_usage = [message_start(), *full.events[1:-2], *message_end("end_turn")]
    server.answers.extend([full, Stream(events=without_usage)])

    reply = await ask(model)

    assert (reply.thinking, reply.message.text) == ("Look up.", "Done.")
    assert reply.model == "claude-sonnet-5-5"
    cost = (12 * 2 + 77 * 10 + 3000 * 0.10 + 900 * 2.5) / 1_000_000
    assert reply.usage.cost_usd == pytest.approx(cost)
    assert replace(reply.usage, cost_usd=0) == Usage(
        input_tokens=12, output_tokens=77, cache_read_tokens=3000, cache_write_tokens=900
    )
    assert (await ask(model)).usage == Usage(), "a gateway may leave it out"


@pytest.mark.proves("money.priced")
def test_an_operators_prices_replace_the_shipped_ones_and_an_unknown_model_has_none(
    tmp_path: Path,
) -> None:
    file = tmp_path / "prices.toml"
    price = "{ input = 1, cache_write = 2, cache_read = 3, output = 4 }"
    file.write_text(f'as_of = "2026-11-28"\n[models]\nglm-5 = {price}\nglm-5-air = {price}\n')
    prices = read_prices(file)
    used = Usage(input_tokens=1_000_000, output_tokens=500_000)

    assert prices.priced(used, "glm-5-2026").cost_usd == 3
    assert prices.priced(used, "claude-opus-5-5-20260901").cost_usd == 14
    total = prices.priced(used, "glm-5") + prices.priced(used, "stand-in")
    assert (total.cost_usd, total.unpriced_calls) == (3, 1)
    file.write_text('as_of = "2026-11-28"\n[models]\nglm-5 = { input = 1 }\n')
    with pytest.raises(SettingsError, match=r"PRICES_FILE .* cannot be read"):
        read_prices(file)


THOUGHTS: list[JsonObject] = [
    {"type": "thinking", "thinking": "Ä “quoted”  thought\n", "signature": "EqQBsig=="},
    {"type": "thinking", "thinking": "", "signature": "Zero+text/=="},
    {"type": "redacted_thinking", "data": "AbC=="},
    {"type": "compaction", "content": "kept", "extra": {"b": 1, "a": [1.5, True]}},
]


async def test_blocks_that_are_not_ours_return_byte_for_byte_and_in_order(
    model: AnthropicModel, server: MessagesServer
) -> None:
    blocks = [event for index, one in enumerate(THOUGHTS) for event in block(index, one)]
    server.answers.extend([whole(blocks, text_block(len(THOUGHTS), "Done.")), FINE])

    reply = await ask(model)
    messages = (*HELLO.messages, reply.message, user_message("And now?"))
    await ask(model, ModelRequest(system="Be brief.", messages=messages))

    sent_back = server.bodies[1]["messages"][1]["content"]
    assert json.dumps(sent_back[:-1]) == json.dumps(THOUGHTS)
    assert sent_back[-1] == {"type": "text", "text": "Done."}
    assert all(isinstance(part, Opaque) for part in reply.message.parts[:-1])


@pytest.mark.parametrize(
    ("credential", "bearer", "key"),
    [
        ({"api_key": "key-1"}, "Bearer key-1", "key-1"),
        ({"auth_token": "token-1"}, "Bearer token-1", None),
    ],
)
async def test_a_key_goes_to_a_gateway_as_bearer_and_as_x_api_key_and_a_token_as_bearer_alone(
    server: MessagesServer, credential: dict[str, Any], bearer: str, key: str | None
) -> None:
    model = AnthropicModel("glm-5", AnthropicConnection(**credential, base_url=server.url))
    server.answers.append(FINE)
    await ask(model)
    await model.connection.close()

    assert server.headers[0]["authorization"] == bearer
    assert server.headers[0].get("x-api-key") == key


async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    model = AnthropicModel("m", AnthropicConnection(api_key="k", base_url=server.url))
    server.answers.append(FINE)

    assert (await ask(model)).message.text == "Fine."
    await model.connection.close()


@pytest.mark.parametrize(("api_key", "auth_token"), [("", ""), ("a", "b")])
def test_a_connection_needs_one_credential(api_key: str, auth_token: str) -> None:
    with pytest.raises(SettingsError):
        AnthropicConnection(api_key=api_key, auth_token=auth_token)


async def test_two_models_share_one_connection_and_its_first_opening(
    model: AnthropicModel, server: MessagesServer
) -> None:
    server.answers.extend([FINE, FINE])
    async with asyncio.TaskGroup() as group:
        for each in (model, AnthropicModel("claude-haiku-5-5", model.connection)):
            group.create_task(ask(each))

    assert {body["model"] for body in server.bodies} == {"claude-sonnet-5-5", "claude-haiku-5-5"}
    assert server.headers[0]["authorization"] == server.headers[1]["authorization"]
    assert set(server.bodies[0]) == {"model", "max_tokens", "messages", "system", "stream"}


WRONG_VERSION = Refusal(
    status=400, kind="invalid_request_error", message="anthropic-version: unknown version"
)


async def test_a_gateway_that_refuses_the_version_is_asked_with_an_older_one_from_then_on(
    model: AnthropicModel, server: MessagesServer
) -> None:
    server.answers.extend([WRONG_VERSION, FINE, FINE])
    await ask(model)
    await ask(model)

    versions = [headers["anthropic-version"] for headers in server.headers]
    assert versions[1:] == ["2023-06-01", "2023-06-01"]
    assert versions[0] != "2023-06-01"


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


@pytest.mark.proves("model.away")
@pytest.mark.parametrize("is_alive", [True, False])
async def test_an_endpoint_that_gives_no_sign_of_life_is_told_of_and_waited_for(
    server: MessagesServer, *, is_alive: bool
) -> None:
    hold = asyncio.Event()
    events = [{"type": "ping"}, *FINE.events[-1:]] if is_alive else FINE.events[-1:]
    server.answers.extend([Stream(events=events, hold=hold), FINE])
    silent_s = 1.0 if is_alive else 0.2
    connection = AnthropicConnection(api_key="k", base_url=server.url, silent_s=silent_s)
    await connection.client()
    model = RetryingModel(AnthropicModel("m", connection), chance=lambda: 0)

    async def go_on_after_a_silence() -> None:
        await server.holding.wait()
        asyncio.get_running_loop().call_later(2 * silent_s, hold.set)

    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        group.create_task(go_on_after_a_silence())
        async with aclosing(model.stream(HELLO)) as items:
            retried = [item async for item in items if isinstance(item, Retried)]
    await connection.close()
    retries = [(each.reason, each.attempt) for each in retried]
    assert retries == ([] if is_alive else [("silent", 1)]) + [("incomplete", 2)]
    assert is_alive or retried[0].away_s == AWAY_S


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
    model = AnthropicModel("m", connection)
    server.answers.append(answer)

    failure = await failure_of(model)
    await model.connection.close()
    async with asyncio.timeout(10):
        await server.aborted.wait()

    assert isinstance(failure, ModelUnavailable)
    assert failure.kind == kind
