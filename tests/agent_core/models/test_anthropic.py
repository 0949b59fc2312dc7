"""The Anthropic model over the official SDK, against a server on loopback."""

import json

import pytest

from agent_core.errors import (
    ModelRejected,
    SettingsError,
)
from agent_core.messages import JsonObject, Opaque, user_message
from agent_core.models import ModelRequest
from agent_core.models.anthropic import AnthropicConnection, AnthropicModel
from tests.agent_core.models.asking import FINE, HELLO, ask, failure_of
from tests.agent_core.models.messages_server import (
    MessagesServer,
    Refusal,
    Stream,
    block,
    message_start,
    text_block,
    thinking_block,
    whole,
)


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


async def test_two_models_share_one_connection(
    model: AnthropicModel, server: MessagesServer
) -> None:
    server.answers.extend([FINE, FINE])
    await ask(model)
    await ask(model.beside("claude-haiku-5-5"))

    assert [body["model"] for body in server.bodies] == ["claude-sonnet-5-5", "claude-haiku-5-5"]
    assert server.headers[0]["authorization"] == server.headers[1]["authorization"]


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


async def test_no_sampling_and_no_forced_tool_is_sent(
    model: AnthropicModel, server: MessagesServer
) -> None:
    server.answers.append(FINE)
    await ask(model)

    assert set(server.bodies[0]) == {"model", "max_tokens", "messages", "system", "stream"}


async def test_a_model_can_be_closed_and_used_again(
    model: AnthropicModel, server: MessagesServer
) -> None:
    server.answers.extend([FINE, FINE])
    await ask(model)
    await model.close()

    assert (await ask(model)).message.text == "Fine."
