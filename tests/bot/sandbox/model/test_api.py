"""The Messages API's refusals as the real client meets them; every e2e test reads its streams."""

from typing import Any

import anthropic
import httpx2
import pytest
from anthropic import AsyncAnthropic
from anthropic.types import Message

from bot.sandbox.model import ModelStandIn, ToolUse

MODEL = "claude-sonnet-5-5"
Json = dict[str, Any]
SEEK: Json = {"name": "seek", "description": "Searches.", "input_schema": {"type": "object"}}
HELLO: Json = {"role": "user", "content": "hello"}
BLANK: Json = {"type": "text", "text": " "}
MARKED: Json = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}
CALL: Json = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "t1", "name": "seek", "input": {}}],
}
RESULT: Json = {"type": "tool_result", "tool_use_id": "t1", "content": "found"}
ANSWERED: Json = {"role": "user", "content": [RESULT]}
LATE: Json = {"role": "user", "content": [{"type": "text", "text": "so"}, RESULT]}


async def stream(client: AsyncAnthropic, **fields: Any) -> Message:
    body: Json = {"model": MODEL, "max_tokens": 4000, "messages": [HELLO], **fields}
    async with client.messages.stream(**body) as events:
        return await events.get_final_message()


async def refusal(client: AsyncAnthropic, **fields: Any) -> str:
    """The message of the 400 that a request gets."""
    with pytest.raises(anthropic.BadRequestError) as refused:
        await stream(client, **fields)
    return str(refused.value)


@pytest.mark.parametrize(
    ("fields", "refused"),
    [
        ({"messages": [{"role": "user", "content": ""}]}, "non-empty content"),
        ({"messages": [{"role": "user", "content": [BLANK]}]}, "whitespace"),
        ({"messages": [{"role": "assistant", "content": "hi"}]}, "first message"),
        ({"messages": [HELLO, {"role": "assistant", "content": "So"}]}, "prefill"),
        ({"messages": [HELLO, CALL, {"role": "user", "content": "and?"}]}, "single `tool_result`"),
        ({"messages": [HELLO, CALL, LATE]}, "single `tool_result`"),
        ({"messages": [HELLO, CALL, {"role": "user", "content": 2 * [RESULT]}]}, "single"),
        ({"messages": [{"role": "user", "content": [RESULT]}]}, "single `tool_result`"),
        ({"messages": [HELLO, CALL, ANSWERED, CALL, ANSWERED]}, "ids must be unique"),
        ({"system": [BLANK]}, "whitespace"),
        ({"system": [MARKED] * 5}, "maximum of 4"),
    ],
)  # fmt: skip
async def test_a_request_that_breaks_a_rule_is_refused(
    client: AsyncAnthropic, fields: Json, refused: str
) -> None:
    assert refused in await refusal(client, tools=[SEEK], **fields)


async def test_a_changed_thinking_block_is_found_out(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.play(ToolUse(name="seek", input={}, id="t1"))
    message = await stream(client, tools=[SEEK])
    blocks = [block.model_dump(exclude_none=True) for block in message.content]
    history = [HELLO, {"role": "assistant", "content": blocks}, ANSWERED]
    await stream(client, tools=[SEEK], messages=history)
    blocks[0]["thinking"] = "something else"
    assert "cannot be modified" in await refusal(client, tools=[SEEK], messages=history)
    assert model.calls[-1].kind == "rejected"


async def test_a_request_without_a_key_is_refused(model: ModelStandIn) -> None:
    async with httpx2.AsyncClient() as http:
        answer = await http.post(f"{model.base_url}/v1/messages", json={})
    assert answer.status_code == 401
    assert answer.json()["error"]["type"] == "authentication_error"
