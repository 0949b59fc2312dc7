"""The stream as the real client reads it: its events, its pace, its usage, its faults."""

import asyncio
from typing import Any

import httpx2
import pytest
from anthropic import (
    APIStatusError,
    AsyncAnthropic,
    InternalServerError,
    RateLimitError,
)
from anthropic.types import Message, ToolParam

from bot.sandbox.model import ModelStandIn, Pace, Text, ToolUse

MODEL = "claude-sonnet-5-5"
SEEK: ToolParam = {
    "name": "seek",
    "description": "Searches the web.",
    "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}},
}


async def stream(
    client: AsyncAnthropic, *, max_tokens: int = 4000, model: str = MODEL, **fields: Any
) -> tuple[list[str], Message]:
    kinds: list[str] = []
    async with client.messages.stream(
        model=model,
        max_tokens=max_tokens,
        messages=[{"role": "user", "content": "hello"}],
        **fields,
    ) as events:
        kinds.extend([event.type async for event in events])
        return kinds, await events.get_final_message()


async def raw_events(model: ModelStandIn, body: dict[str, Any]) -> list[str]:
    headers = {"authorization": "Bearer x", "anthropic-version": "2026-10-21"}
    async with httpx2.AsyncClient(headers=headers) as http:
        answer = await http.post(f"{model.base_url}/v1/messages", json=body)
    assert answer.headers["request-id"].startswith("req_")
    frames = answer.text.split("\n\n")
    assert frames[-1] == ""
    return [frame.split("\n")[0].removeprefix("event: ") for frame in frames[:-1]]


async def test_the_events_come_in_the_order_of_the_real_api(model: ModelStandIn) -> None:
    model.play(Text(text="Checking."), ToolUse(name="seek", input={"query": "x"}))
    body = {
        "model": MODEL,
        "max_tokens": 100,
        "stream": True,
        "tools": [SEEK],
        "messages": [{"role": "user", "content": "hello"}],
    }
    assert await raw_events(model, body) == [
        "message_start",
        "content_block_start",
        "ping",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]


async def test_parallel_calls_arrive_whole_with_ids_of_their_own(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.play(*[ToolUse(name="seek", input={"query": f"ä{n} " * 200}) for n in range(40)])
    _, message = await stream(client, tools=[SEEK], max_tokens=64_000)
    uses = [block for block in message.content if block.type == "tool_use"]
    assert message.stop_reason == "tool_use"
    assert [use.input for use in uses] == [{"query": f"ä{n} " * 200} for n in range(40)]
    assert len({use.id for use in uses}) == 40


async def test_the_model_id_is_echoed_and_the_call_logged(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.play(ToolUse(name="seek", input={}))
    _, message = await stream(client, model="glm-4.7", tools=[SEEK])
    (call,) = model.calls
    assert message.model == call.model == "glm-4.7"
    assert (call.kind, call.tools, call.called) == ("scripted", ("seek",), ("seek",))
    assert call.stop_reason == "tool_use"
    assert call.usage["output_tokens"] == message.usage.output_tokens


async def test_thinking_is_hidden_unless_it_was_asked_for(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.play(Text(text="hi"), times=3)
    _, hidden = await stream(client)
    assert hidden.content[0].type == "thinking"
    assert (hidden.content[0].thinking, bool(hidden.content[0].signature)) == ("", True)
    _, small = await stream(client, model="claude-haiku-5-5")
    assert [block.type for block in small.content] == ["text"]


async def test_the_pace_holds_back_first_token_and_stream() -> None:
    pace = Pace(first_token_s=0.15, tokens_per_s=100.0)
    async with (
        ModelStandIn(pace=pace) as model,
        AsyncAnthropic(base_url=model.base_url, api_key="x") as client,
    ):
        model.play(Text(text="word " * 16), times=2)
        loop = asyncio.get_running_loop()
        started_s = loop.time()
        kinds, _ = await stream(client, model="claude-haiku-5-5")
        assert loop.time() - started_s >= 0.15 + 0.18
        assert kinds.count("text") == 20
        started_s = loop.time()
        await client.messages.create(
            model="claude-haiku-5-5",
            max_tokens=100,
            messages=[{"role": "user", "content": "hello"}],
        )
        assert loop.time() - started_s >= 0.15 + 0.18


async def test_a_reply_longer_than_max_tokens_is_cut(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.play(Text(text="word " * 100))
    _, message = await stream(client, max_tokens=10)
    text = message.content[-1]
    assert message.stop_reason == "max_tokens"
    assert text.type == "text"
    assert len(text.text) == 40


async def test_max_tokens_inside_a_call_leaves_an_empty_input(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.play(ToolUse(name="seek", input={"query": "x" * 500}))
    _, message = await stream(client, max_tokens=20, tools=[SEEK])
    use = message.content[-1]
    assert message.stop_reason == "max_tokens"
    assert use.type == "tool_use"
    assert use.input == {}


async def test_a_stop_sequence_ends_the_text_before_it(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.play(Text(text="one two END three"))
    _, message = await stream(client, stop_sequences=["END"])
    assert (message.stop_reason, message.stop_sequence) == ("stop_sequence", "END")
    assert message.content[-1].to_dict() == {"type": "text", "text": "one two "}


@pytest.mark.parametrize("reason", ["pause_turn", "refusal", "brand_new_reason"])
async def test_any_stop_reason_can_be_played(
    model: ModelStandIn, client: AsyncAnthropic, reason: str
) -> None:
    model.play(Text(text="hm"), stop_reason=reason)
    _, message = await stream(client)
    assert message.stop_reason == reason


async def test_a_clean_cut_raises_nothing_and_has_no_stop_reason(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.play(ToolUse(name="seek", input={"query": "x" * 500}))
    model.fail(cut="clean", after_events=8)
    _, message = await stream(client, tools=[SEEK])
    use = message.content[-1]
    assert message.stop_reason is None
    assert use.type == "tool_use"
    assert use.input == {}
    assert model.calls[-1].stop_reason is None
    assert model.calls[-1].error == "clean cut"


async def test_an_abrupt_cut_breaks_the_connection(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.play(Text(text="word " * 100))
    model.fail(cut="abrupt", after_events=7)
    with pytest.raises(httpx2.RemoteProtocolError):
        await stream(client)
    assert len(model.calls) == 1


async def test_an_overload_in_mid_stream_comes_with_status_200_and_no_retry(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.play(Text(text="word " * 100))
    model.fail(type="overloaded_error", mid_stream=True, after_events=7)
    with pytest.raises(APIStatusError) as failure:
        await stream(client)
    assert failure.value.status_code == 200
    assert failure.value.type == "overloaded_error"
    assert len(model.calls) == 1


async def test_overloads_before_the_stream_are_retried_by_the_client(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.play(Text(text="at last"))
    model.fail(status=529, times=2, retry_after=0.01, kinds={"answer", "scripted"})
    _, message = await stream(client)
    assert message.stop_reason == "end_turn"
    assert [call.status for call in model.calls] == [529, 529, 200]


async def test_an_error_carries_status_type_code_and_retry_after(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.fail(
        status=429, error_code="enforced_spend_limit_reached", message="Limit", retry_after=90
    )
    with pytest.raises(RateLimitError) as failure:
        await stream(client.with_options(max_retries=0))
    assert failure.value.response.headers["retry-after"] == "90"
    assert failure.value.type == "rate_limit_error"
    assert type(failure.value).__name__ == "EnforcedSpendLimitReachedError"


async def test_a_fault_for_one_kind_leaves_the_others_alone(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.fail(status=500, kinds={"classify"})
    model.play(Text(text="fine"))
    await stream(client)
    route = "Answer SIMPLE or COMPLEX."
    with pytest.raises(InternalServerError):
        await client.with_options(max_retries=0).messages.create(
            model=MODEL, max_tokens=5, messages=[{"role": "user", "content": route}]
        )


async def test_a_stall_holds_the_stream_back_and_lets_it_go_on(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.play(Text(text="hello"))
    model.stall(0.2, after_events=3)
    started_s = asyncio.get_running_loop().time()
    _, message = await stream(client)
    assert message.stop_reason == "end_turn"
    assert asyncio.get_running_loop().time() - started_s >= 0.2


async def test_a_stall_ends_when_it_is_told_to(model: ModelStandIn, client: AsyncAnthropic) -> None:
    model.play(Text(text="hello"))
    over = model.stall(600, after_events=1)
    async with (
        asyncio.timeout(10),
        client.messages.stream(
            model=MODEL, max_tokens=100, messages=[{"role": "user", "content": "hello"}]
        ) as events,
    ):
        async for event in events:
            if event.type == "message_start":
                over.set()
        assert (await events.get_final_message()).stop_reason == "end_turn"


async def test_leaving_the_server_ends_a_stalled_stream() -> None:
    began = asyncio.Event()

    async def listen(client: AsyncAnthropic) -> None:
        async with client.messages.stream(
            model=MODEL, max_tokens=100, messages=[{"role": "user", "content": "hello"}]
        ) as events:
            async for _ in events:
                began.set()

    async with asyncio.timeout(10):
        async with ModelStandIn() as model:
            model.play(Text(text="hello"))
            model.stall(60, after_events=1)
            client = AsyncAnthropic(base_url=model.base_url, api_key="x", max_retries=0)
            listening = asyncio.create_task(listen(client))
            await began.wait()
        with pytest.raises(httpx2.HTTPError):
            await listening
        await client.close()


async def test_a_healthy_server_says_so(model: ModelStandIn) -> None:
    async with httpx2.AsyncClient() as http:
        assert (await http.get(f"{model.base_url}/healthz")).json() == {"ok": True}
