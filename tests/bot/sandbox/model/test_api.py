"""The Messages API as the real client meets it: the stream, its faults, and its refusals."""

from typing import Any

import anthropic
import httpx2
import pytest
from anthropic import AsyncAnthropic
from anthropic.types import Message

from bot.sandbox.model import ModelStandIn, ReplyText, ToolUse

MODEL = "claude-sonnet-5-5"
SMALL = "claude-haiku-5-5"
Json = dict[str, Any]
SEEK: Json = {"name": "seek", "description": "Searches.", "input_schema": {"type": "object"}}
HELLO: Json = {"role": "user", "content": "hello"}
BLANK: Json = {"type": "text", "text": " "}
MARKED: Json = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}
CALL: Json = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "t1", "name": "seek", "input": {}}],
}


def result(call: str = "t1", text: str = "found") -> Json:
    return {"type": "tool_result", "tool_use_id": call, "content": text}


async def stream(client: AsyncAnthropic, **fields: Any) -> tuple[list[str], Message]:
    body: Json = {"model": MODEL, "max_tokens": 4000, "messages": [HELLO], **fields}
    async with client.messages.stream(**body) as events:
        kinds = [event.type async for event in events]
        return kinds, await events.get_final_message()


async def refusal(client: AsyncAnthropic, **fields: Any) -> str:
    """The message of the 400 that a request gets."""
    with pytest.raises(anthropic.BadRequestError) as refused:
        await stream(client, **fields)
    return str(refused.value)


async def test_text_and_calls_arrive_whole_and_are_logged(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.play(
        ReplyText(text="Checking."), *[ToolUse(name="seek", input={"q": f"ä{n}"}) for n in (1, 2)]
    )
    kinds, message = await stream(client, tools=[SEEK])
    assert (kinds[0], kinds[-1]) == ("message_start", "message_stop")
    assert [block.type for block in message.content] == ["thinking", "text", "tool_use", "tool_use"]
    uses = [block for block in message.content if block.type == "tool_use"]
    assert [use.input for use in uses] == [{"q": "ä1"}, {"q": "ä2"}]
    assert len({use.id for use in uses}) == 2
    (call,) = model.calls
    assert (call.kind, message.stop_reason) == ("scripted", "tool_use")
    assert call.body is not None


async def test_every_call_wants_its_one_result_in_the_next_message(client: AsyncAnthropic) -> None:
    tools = [SEEK]
    no_result = [HELLO, CALL, {"role": "user", "content": "and?"}]
    assert "`tool_use` ids were found" in await refusal(client, tools=tools, messages=no_result)
    late = {"role": "user", "content": [{"type": "text", "text": "so"}, result()]}
    assert "immediately after" in await refusal(client, tools=tools, messages=[HELLO, CALL, late])
    orphan = {"role": "user", "content": [result("t9")]}
    assert "unexpected `tool_use_id`" in await refusal(client, messages=[orphan])
    twice = {"role": "user", "content": [result(), result()]}
    assert "single result" in await refusal(client, tools=tools, messages=[HELLO, CALL, twice])
    answered = {"role": "user", "content": [result()]}
    again = [HELLO, CALL, answered, CALL, answered]
    assert "ids must be unique" in await refusal(client, tools=tools, messages=again)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"messages": [{"role": "user", "content": ""}]}, "non-empty content"),
        ({"messages": [{"role": "user", "content": [BLANK]}]}, "whitespace"),
        ({"messages": [{"role": "assistant", "content": "hi"}]}, "first message"),
        ({"messages": [HELLO, {"role": "assistant", "content": "So"}]}, "prefill"),
        ({"system": [BLANK]}, "whitespace"),
        ({"system": [MARKED] * 5}, "maximum of 4"),
    ],
)  # fmt: skip
async def test_a_request_that_breaks_a_rule_is_refused(
    client: AsyncAnthropic, fields: Json, said: str
) -> None:
    assert said in await refusal(client, **fields)


async def test_a_changed_thinking_block_is_found_out(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.play(ToolUse(name="seek", input={}, id="t1"))
    _, message = await stream(client, tools=[SEEK])
    said = [block.model_dump(exclude_none=True) for block in message.content]
    answered = {"role": "user", "content": [result()]}
    history = [HELLO, {"role": "assistant", "content": said}, answered]
    await stream(client, tools=[SEEK], messages=history)
    said[0]["thinking"] = "something else"
    assert "cannot be modified" in await refusal(client, tools=[SEEK], messages=history)
    assert model.calls[-1].kind == "rejected"


async def test_a_request_without_a_key_is_refused(model: ModelStandIn) -> None:
    async with httpx2.AsyncClient() as http:
        answer = await http.post(f"{model.base_url}/v1/messages", json={})
    assert answer.status_code == 401
    assert answer.json()["error"]["type"] == "authentication_error"
