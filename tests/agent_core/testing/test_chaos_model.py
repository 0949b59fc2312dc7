"""What ChaosModel adds to the Model protocol: legal answers of every kind, alike for one seed."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import replace

import pytest

from agent_core.errors import (
    ModelError,
    ModelRejected,
    ModelUnavailable,
    ReplyTruncated,
    RequestTooLarge,
)
from agent_core.messages import Opaque, Text, ToolCall, user_message
from agent_core.models import Delta, Model, ModelRequest, Reply, ToolSpec
from agent_core.testing.chaos import ChaosModel
from agent_core.tools.schemas import fault_of_arguments

TOOLS = (
    ToolSpec(
        name="search",
        description="Searches.",
        input_schema={
            "type": "object",
            "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["query"],
            "additionalProperties": False,
        },
    ),
    ToolSpec(name="clock", description="Tells the time.", input_schema={"type": "object"}),
)
REQUEST = ModelRequest(system="", messages=(user_message("Hello"),), tools=TOOLS)
SEEDS = 1_500
STOP_REASONS = {
    "end_turn",
    "tool_use",
    "max_tokens",
    "model_context_window_exceeded",
    "refusal",
    "pause_turn",
    "stop_sequence",
}

Heard = list[Delta | Reply | ModelError]


async def heard_from(model: Model, request: ModelRequest = REQUEST) -> Heard:
    """One call's items, and the failure that ended it."""
    heard: Heard = []
    try:
        async with aclosing(model.stream(request)) as items:
            async for item in items:
                heard.append(item)
    except ModelError as error:
        heard.append(error)
    return heard


def replies(all_heard: Iterable[Heard]) -> list[Reply]:
    return [item for heard in all_heard for item in heard if isinstance(item, Reply)]


def said(heard: Heard) -> list[str]:
    """What was heard, in a form in which two failures of one kind are alike."""
    return [repr(item) for item in heard]


@pytest.fixture(scope="module")
def many() -> list[Heard]:
    """The first answers of many seeds."""

    async def listen() -> list[Heard]:
        return [await heard_from(ChaosModel(seed)) for seed in range(SEEDS)]

    return asyncio.run(listen())


async def test_the_same_seed_answers_the_same_requests_alike() -> None:
    one, other = ChaosModel(7), ChaosModel(7)
    for _ in range(20):
        assert said(await heard_from(one)) == said(await heard_from(other))


async def test_what_is_asked_in_between_does_not_change_an_answer() -> None:
    elsewhere = replace(REQUEST, messages=(user_message("Something else"),))
    one, other = ChaosModel(7), ChaosModel(7)
    for _ in range(5):
        await heard_from(other, elsewhere)
    assert said(await heard_from(one)) == said(await heard_from(other))


async def test_another_seed_or_asking_again_brings_another_answer() -> None:
    model = ChaosModel(7)
    answers = [said(await heard_from(model)), said(await heard_from(model))]
    answers.append(said(await heard_from(ChaosModel(8))))
    assert len({str(answer) for answer in answers}) == 3


def test_every_answer_is_deltas_and_then_one_reply_or_one_failure(many: list[Heard]) -> None:
    for *deltas, last in many:
        assert all(isinstance(item, Delta) and item.text for item in deltas)
        assert isinstance(last, Reply | ModelError)
        if isinstance(last, Reply):
            texts = [part.text for part in last.message.parts if isinstance(part, Text)]
            words = "".join(item.text for item in deltas if isinstance(item, Delta))
            assert words.strip() == "".join(texts).strip()


def test_calls_come_exactly_with_their_stop_reason_and_have_ids_of_their_own(
    many: list[Heard],
) -> None:
    for reply in replies(many):
        calls = reply.message.tool_calls
        assert bool(calls) == (reply.stop_reason == "tool_use")
        assert len({call.id for call in calls}) == len(calls) <= 8
        assert all(call.name for call in calls)


def test_whatever_is_said_can_be_written_as_json_in_utf_8(many: list[Heard]) -> None:
    for reply in replies(many):
        written = [
            part.text if isinstance(part, Text) else repr(part) for part in reply.message.parts
        ]
        arguments = [call.arguments for call in reply.message.tool_calls]
        assert json.dumps([written, arguments], ensure_ascii=False, allow_nan=False).encode()


def test_every_kind_of_answer_comes(many: list[Heard]) -> None:
    ends = [heard[-1] for heard in many]
    assert {type(end) for end in ends} == {
        Reply,
        ModelUnavailable,
        ModelRejected,
        RequestTooLarge,
        ReplyTruncated,
    }
    waits = {end.retry_after_s for end in ends if isinstance(end, ModelUnavailable)}
    assert {None, 0.0, 2.5, 90.0} <= waits
    assert any(len(heard) > 1 for heard in many if isinstance(heard[-1], ModelUnavailable))
    assert {reply.stop_reason for reply in replies(many)} >= STOP_REASONS
    assert any(not reply.message.parts for reply in replies(many))
    assert any(len(reply.message.text) > 3_000 for reply in replies(many))
    assert {len(reply.message.tool_calls) for reply in replies(many)} == set(range(9))


def test_thinking_comes_signed_alone_and_between_calls(many: list[Heard]) -> None:
    messages = [reply.message for reply in replies(many)]
    thoughts = [part for message in messages for part in message.parts if isinstance(part, Opaque)]
    seals = [part.block.get("signature") or part.block["data"] for part in thoughts]
    assert len(set(seals)) == len(seals) > SEEDS / 4
    assert any(all(isinstance(p, Opaque) for p in m.parts) for m in messages if m.parts)
    kinds = ["".join(part.kind[0] for part in message.parts) for message in messages]
    assert any("tot" in kind for kind in kinds), "thinking between two calls"
    assert any(kind.endswith("tt") for kind in kinds), "a text behind a call, or two calls"


def test_calls_are_right_wrong_unknown_doubled_and_huge(many: list[Heard]) -> None:
    schemas = {tool.name: tool.input_schema for tool in TOOLS}
    calls = [call for reply in replies(many) for call in reply.message.tool_calls]
    of_known = [call for call in calls if call.name in schemas]
    fitting = [c for c in of_known if not fault_of_arguments(c.arguments, schemas[c.name])]
    assert len(calls) > len(of_known) > len(fitting) > len(calls) / 2
    assert any(len(json.dumps(call.arguments)) > 50_000 for call in calls)
    assert any(_has_doubles(reply.message.tool_calls) for reply in replies(many))


def _has_doubles(calls: tuple[ToolCall, ...]) -> bool:
    return any(n > 1 for n in Counter(f"{c.name}{c.arguments}" for c in calls).values())


@pytest.mark.parametrize(
    "request_without_calls", [replace(REQUEST, may_call_tools=False), replace(REQUEST, tools=())]
)
async def test_who_may_not_call_tools_does_not(request_without_calls: ModelRequest) -> None:
    heard = [await heard_from(ChaosModel(seed), request_without_calls) for seed in range(100)]
    assert not any(reply.message.tool_calls for reply in replies(heard))
    assert not any(isinstance(each[-1], ReplyTruncated) for each in heard)


async def test_asking_again_gets_past_what_is_passing() -> None:
    for seed in range(100):
        model = ChaosModel(seed)
        ends = [(await heard_from(model))[-1] for _ in range(20)]
        assert any(isinstance(end, Reply) for end in ends)
