"""What every Model does: the fakes, and the Anthropic one against a loopback server."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest

from agent_core.errors import ModelError, ModelRejected, ModelUnavailable
from agent_core.ids import ToolCallId
from agent_core.messages import ToolCall, user_message
from agent_core.models import CallDelta, Delta, Item, Model, ModelRequest, Reply, Silent
from agent_core.models.anthropic import AnthropicConnection, AnthropicModel
from agent_core.testing.models import Cut, Held, ScriptedModel, ScriptLine
from tests.agent_core.models.messages_server import (
    MessagesServer,
    Refusal,
    Stream,
    call_block,
    message_start,
    serve_messages,
    text_block,
    whole,
)

REQUEST = ModelRequest(system="Be brief.", messages=(user_message("Hello"),))
CALLS = (
    ToolCall(id=ToolCallId("a"), name="search", arguments={"q": "x", "n": 2}),
    ToolCall(id=ToolCallId("b"), name="clock", arguments={}),
)

HELD = "Never heard in full"
TEXT = "Good morning to you."
SEARCH = call_block(0, "search", '{"q": "x', '", "n": 2}', id="a")
ANSWERS: dict[str, tuple[ScriptLine, Stream | Refusal]] = {
    "text": (TEXT, whole(text_block(0, "Good", " morning", " to you."))),
    "calls": (CALLS, whole(SEARCH, call_block(1, "clock", id="b"), stop_reason="tool_use")),
    "cut": (
        Cut(text="Half a sen", error=ModelUnavailable("cut", kind="incomplete")),
        Stream(events=[message_start(), *text_block(0, "Half a sen")]),
    ),
    "rejected": (
        ModelRejected("wrong key", status=401),
        Refusal(status=401, kind="authentication_error"),
    ),
    "overloaded": (
        ModelUnavailable("busy", status=529, retry_after_s=7.0),
        Refusal(status=529, kind="overloaded_error", headers={"retry-after": "7"}),
    ),
}
"""What each kind of model is given, so that it answers so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A model of one kind, and the server behind it where there is one."""

    server: MessagesServer | None = None
    connections: list[AnthropicConnection] = field(default_factory=list[AnthropicConnection])

    def model(self, scripted: ScriptLine, streamed: Stream | Refusal) -> Model:
        """A model that answers so."""
        if self.server is None:
            return ScriptedModel([scripted])
        self.server.answers.append(streamed)
        connection = AnthropicConnection(api_key="k", base_url=self.server.url)
        self.connections.append(connection)
        return AnthropicModel("claude-sonnet-5-5", connection)

    def answers(self, kind: str) -> Model:
        return self.model(*ANSWERS[kind])


@pytest.fixture(params=["scripted", "anthropic"])
async def stage(request: pytest.FixtureRequest) -> AsyncGenerator[Stage]:
    if request.param == "scripted":
        yield Stage()
        return
    async with serve_messages() as server:
        stage = Stage(server=server)
        yield stage
        for connection in stage.connections:
            await connection.close()


async def items_of(model: Model) -> list[Item | Silent]:
    async with asyncio.timeout(10), aclosing(model.stream(REQUEST)) as items:
        return [item async for item in items]


async def failure_of(model: Model) -> tuple[str, ModelError]:
    """The text that came before the failure, and the failure."""
    said: list[str] = []

    async def listen() -> None:
        async with asyncio.timeout(10), aclosing(model.stream(REQUEST)) as items:
            async for item in items:
                assert isinstance(item, Delta), "a call that fails has no reply"
                said.append(item.text)

    with pytest.raises(ModelError) as caught:
        await listen()
    return "".join(said), caught.value


async def test_a_text_comes_as_deltas_and_then_as_one_whole_reply(stage: Stage) -> None:
    *deltas, reply = await items_of(stage.answers("text"))

    assert len(deltas) > 1
    assert isinstance(reply, Reply)
    assert "".join(d.text for d in deltas if isinstance(d, Delta)) == TEXT
    assert reply.message.text == TEXT
    assert reply.message.role == "assistant"
    assert reply.stop_reason == "end_turn"
    assert reply.usage.total_tokens > reply.usage.output_tokens > 0
    assert reply.model


async def test_parallel_calls_come_whole_and_in_order(stage: Stage) -> None:
    reply = (await items_of(stage.answers("calls")))[-1]

    assert isinstance(reply, Reply)
    assert reply.message.tool_calls == CALLS
    assert reply.stop_reason == "tool_use"


async def test_arguments_of_calls_come_in_pieces_while_they_are_written(stage: Stage) -> None:
    items = await items_of(stage.answers("calls"))

    written = [item for item in items if isinstance(item, CallDelta) and item.tool == "search"]
    assert json.loads("".join(piece.text for piece in written)) == CALLS[0].arguments


async def test_a_stream_that_is_cut_has_deltas_but_no_reply(stage: Stage) -> None:
    said, failure = await failure_of(stage.answers("cut"))

    assert said == "Half a sen"
    assert isinstance(failure, ModelUnavailable)
    assert failure.kind == "incomplete"


async def test_a_rejected_call_says_nothing_and_is_not_worth_a_retry(stage: Stage) -> None:
    said, failure = await failure_of(stage.answers("rejected"))

    assert said == ""
    assert isinstance(failure, ModelRejected)
    assert failure.status == 401


async def test_an_overloaded_provider_may_name_the_wait_it_wants(stage: Stage) -> None:
    _, failure = await failure_of(stage.answers("overloaded"))

    assert isinstance(failure, ModelUnavailable)
    assert failure.retry_after_s == 7.0


async def test_a_cancelled_call_ends_its_request(stage: Stage) -> None:
    held = Held(then=HELD)
    streamed = Stream(events=whole(text_block(0, HELD)).events, hold=held.release)
    model = stage.model(held, streamed)
    listening = asyncio.create_task(items_of(model))
    async with asyncio.timeout(10):
        await (stage.server.holding if stage.server else held.reached).wait()
        listening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await listening
        if stage.server:
            await stage.server.aborted.wait()
    assert not isinstance(model, ScriptedModel) or model.aborted == 1


async def test_closing_the_generator_in_mid_stream_ends_the_request(stage: Stage) -> None:
    items = stage.answers("text").stream(REQUEST)
    first = await anext(items)
    await items.aclose()

    assert isinstance(first, Delta)
    with pytest.raises(StopAsyncIteration):
        await anext(items)
