"""The Anthropic model over the wire: what it sends, and what it makes of the answers."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from agent_core.errors import (
    ModelError,
    ModelRejected,
    ModelUnavailable,
    RequestTooLarge,
    SettingsError,
)
from agent_core.messages import JsonObject, Opaque, user_message
from agent_core.models import ModelRequest, Reply
from agent_core.models.anthropic import AnthropicConnection, AnthropicModel
from tests.agent_core.models.messages_server import (
    USAGE,
    MessagesServer,
    Refusal,
    Stream,
    block,
    call_block,
    message_start,
    serve_messages,
    text_block,
    thinking_block,
    whole,
)

HELLO = ModelRequest(system="Be brief.", messages=(user_message("Hello"),))
FINE = whole(text_block(0, "Fine."))


@pytest.fixture
async def server() -> AsyncGenerator[MessagesServer]:
    async with serve_messages() as served:
        yield served


@pytest.fixture
async def model(server: MessagesServer) -> AsyncGenerator[AnthropicModel]:
    made = AnthropicModel("claude-sonnet-5-5", api_key="key-1", base_url=server.url)
    yield made
    await made.close()


async def ask(model: AnthropicModel, request: ModelRequest = HELLO) -> Reply:
    async with asyncio.timeout(10), aclosing(model.stream(request)) as items:
        replies = [item async for item in items if isinstance(item, Reply)]
    assert len(replies) == 1
    return replies[0]


async def failure_of(model: AnthropicModel) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await ask(model)
    return caught.value


async def test_a_reply_carries_usage_model_request_id_and_readable_thinking(
    model: AnthropicModel, server: MessagesServer
) -> None:
    thinking = thinking_block(0, "Look ", "up.", signature="EqQBsig==")
    server.answers.append(whole(thinking, text_block(1, "Done.")))

    reply = await ask(model)

    assert reply.thinking == "Look up."
    assert reply.message.text == "Done."
    assert (reply.model, reply.request_id) == ("claude-sonnet-5-5", "req_1")
    assert reply.usage.input_tokens == 12
    assert reply.usage.output_tokens == 77
    assert reply.usage.cache_read_tokens == 3000
    assert reply.usage.cache_write_tokens == 900


async def test_a_gateway_may_leave_usage_out(model: AnthropicModel, server: MessagesServer) -> None:
    events = [message_start(), *text_block(0, "Hi."), *whole().events[-2:]]
    server.answers.append(Stream(events=events))

    assert (await ask(model)).usage.input_tokens == 0


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


async def test_streamed_thinking_returns_with_its_signature(
    model: AnthropicModel, server: MessagesServer
) -> None:
    thinking = thinking_block(0, "Look ", "up.", signature="EqQBsig==")
    search = call_block(1, "search", '{"q": "x"}')
    server.answers.extend([whole(thinking, search, stop_reason="tool_use"), FINE])

    reply = await ask(model)
    again = (*HELLO.messages, reply.message, user_message("Go on"))
    await ask(model, ModelRequest(system="", messages=again))

    assert server.bodies[1]["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "Look up.", "signature": "EqQBsig=="},
        {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"q": "x"}},
    ]


async def test_a_key_goes_to_a_gateway_as_bearer_and_as_x_api_key(
    model: AnthropicModel, server: MessagesServer
) -> None:
    server.answers.append(FINE)
    await ask(model)

    assert server.headers[0]["authorization"] == "Bearer key-1"
    assert server.headers[0]["x-api-key"] == "key-1"


async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    model = AnthropicModel("m", api_key="k", base_url=server.url)
    server.answers.append(FINE)

    assert (await ask(model)).message.text == "Fine."
    await model.close()


async def test_a_token_goes_as_bearer_alone(server: MessagesServer) -> None:
    model = AnthropicModel("glm-5", auth_token="token-1", base_url=server.url)
    server.answers.append(FINE)
    await ask(model)
    await model.close()

    assert server.headers[0]["authorization"] == "Bearer token-1"
    assert "x-api-key" not in server.headers[0]


@pytest.mark.parametrize(("api_key", "auth_token"), [("", ""), ("a", "b")])
def test_a_connection_needs_one_credential(api_key: str, auth_token: str) -> None:
    with pytest.raises(SettingsError):
        AnthropicConnection(api_key=api_key, auth_token=auth_token)


async def test_no_sampling_and_no_forced_tool_is_sent(
    model: AnthropicModel, server: MessagesServer
) -> None:
    server.answers.append(FINE)
    await ask(model)

    assert set(server.bodies[0]) == {"model", "max_tokens", "messages", "system", "stream"}


async def test_two_models_share_one_connection(
    model: AnthropicModel, server: MessagesServer
) -> None:
    server.answers.extend([FINE, FINE])
    await ask(model)
    await ask(model.beside("claude-haiku-5-5"))

    assert [body["model"] for body in server.bodies] == ["claude-sonnet-5-5", "claude-haiku-5-5"]
    assert server.headers[0]["authorization"] == server.headers[1]["authorization"]


async def test_a_model_can_be_closed_and_used_again(
    model: AnthropicModel, server: MessagesServer
) -> None:
    server.answers.extend([FINE, FINE])
    await ask(model)
    await model.close()

    assert (await ask(model)).message.text == "Fine."


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


async def test_a_version_that_was_set_is_sent_and_not_replaced(server: MessagesServer) -> None:
    model = AnthropicModel("m", api_key="k", base_url=server.url, version="2024-01-01")
    server.answers.append(WRONG_VERSION)

    assert isinstance(await failure_of(model), ModelRejected)
    assert [headers["anthropic-version"] for headers in server.headers] == ["2024-01-01"]
    await model.close()


async def test_a_version_refused_twice_is_not_remembered(
    model: AnthropicModel, server: MessagesServer
) -> None:
    server.answers.extend([WRONG_VERSION, WRONG_VERSION, FINE])

    assert isinstance(await failure_of(model), ModelRejected)
    await ask(model)
    assert server.headers[2]["anthropic-version"] == server.headers[0]["anthropic-version"]


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


async def test_a_connection_that_breaks_in_mid_stream_may_be_tried_again(
    model: AnthropicModel, server: MessagesServer
) -> None:
    events = [message_start(USAGE), *text_block(0, "Half")]
    server.answers.append(Stream(events=events, end="abrupt"))

    failure = await failure_of(model)

    assert isinstance(failure, ModelUnavailable)
    assert failure.kind == "connection"


async def test_a_server_that_is_not_there_may_be_tried_again() -> None:
    async with serve_messages() as gone:
        url = gone.url
    model = AnthropicModel("m", api_key="k", base_url=url)

    failure = await failure_of(model)
    await model.close()

    assert isinstance(failure, ModelUnavailable)
    assert failure.kind == "connection"


async def test_a_stream_that_falls_silent_is_given_up(server: MessagesServer) -> None:
    connection = AnthropicConnection(api_key="k", base_url=server.url, idle_timeout_s=0.2)
    model = AnthropicModel("m", connection=connection)
    server.answers.append(Stream(events=FINE.events, hold=asyncio.Event()))

    failure = await failure_of(model)
    await model.close()

    assert isinstance(failure, ModelUnavailable)
    assert failure.kind == "timeout"


async def test_a_stream_that_only_pings_is_given_up(server: MessagesServer) -> None:
    connection = AnthropicConnection(api_key="k", base_url=server.url, call_timeout_s=0.3)
    model = AnthropicModel("m", connection=connection)
    events = [message_start(USAGE), *text_block(0, "Half")]
    server.answers.append(Stream(events=events, pings_for_ever=True))

    failure = await failure_of(model)
    async with asyncio.timeout(10):
        await server.aborted.wait()
    await model.close()

    assert isinstance(failure, ModelUnavailable)
    assert failure.kind == "overlong"


async def test_a_server_that_never_answers_is_given_up(server: MessagesServer) -> None:
    connection = AnthropicConnection(api_key="k", base_url=server.url, call_timeout_s=0.2)
    model = AnthropicModel("m", connection=connection)
    server.answers.append(Stream(events=[FINE.events[0]], hold=asyncio.Event()))

    failure = await failure_of(model)
    await model.close()

    assert isinstance(failure, ModelUnavailable)
    assert failure.kind == "overlong"


async def test_an_event_with_a_number_that_json_does_not_have_is_not_read(
    model: AnthropicModel, server: MessagesServer
) -> None:
    start: JsonObject = {"type": "tool_use", "id": "a", "name": "t", "input": {"q": float("nan")}}
    server.answers.append(whole(block(0, start), stop_reason="tool_use"))

    failure = await failure_of(model)

    assert isinstance(failure, ModelUnavailable)
    assert failure.kind == "malformed"


async def test_leaving_a_stream_in_the_middle_ends_its_request(
    model: AnthropicModel, server: MessagesServer
) -> None:
    server.answers.append(Stream(events=FINE.events, hold=asyncio.Event()))
    items = model.stream(HELLO)
    async with asyncio.timeout(10):
        await anext(items)
        await items.aclose()
        await server.aborted.wait()

    assert len(server.bodies) == 1


async def test_a_success_that_is_no_stream_is_not_a_reply(
    model: AnthropicModel, server: MessagesServer
) -> None:
    server.answers.append(Refusal(status=200))

    assert isinstance(await failure_of(model), ModelUnavailable)


async def test_several_calls_at_once_share_the_first_opening(
    model: AnthropicModel, server: MessagesServer
) -> None:
    server.answers.extend([FINE] * 4)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask(model)) for _ in range(4)]

    assert [task.result().message.text for task in tasks] == ["Fine."] * 4
