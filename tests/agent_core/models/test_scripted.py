"""What the scripted model adds to the Model protocol."""

import asyncio
from contextlib import aclosing

import pytest

from agent_core.errors import ModelRejected
from agent_core.messages import user_message
from agent_core.models import Model, ModelRequest, Reply
from agent_core.testing.models import (
    Held,
    ScriptedModel,
    call,
    calls_reply,
    text_reply,
)


def request(text: str) -> ModelRequest:
    return ModelRequest(system="", messages=(user_message(text),))


async def reply_of(model: Model, text: str = "Hello") -> Reply:
    async with asyncio.timeout(5), aclosing(model.stream(request(text))) as items:
        replies = [item async for item in items if isinstance(item, Reply)]
    assert len(replies) == 1
    return replies[0]


async def test_the_lines_come_in_order_and_the_requests_are_kept() -> None:
    model = ScriptedModel(["One.", call("search", {"q": "x"}), text_reply("Three.")])

    replies = [await reply_of(model, text) for text in "abc"]

    assert [reply.stop_reason for reply in replies] == ["end_turn", "tool_use", "end_turn"]
    assert replies[1].message.tool_calls == (call("search", {"q": "x"}),)
    assert [asked.messages[0].text for asked in model.requests] == ["a", "b", "c"]


async def test_a_function_sees_the_request_that_it_answers() -> None:
    model = ScriptedModel([lambda asked: f"You said {asked.messages[-1].text}"])

    assert (await reply_of(model, "moo")).message.text == "You said moo"


async def test_a_step_may_speak_and_call_several_tools() -> None:
    calls = (call("search", id="1"), call("read", id="2"))
    reply = await reply_of(ScriptedModel([calls_reply(*calls, text="Looking.", thinking="Hm.")]))

    assert reply.message.text == "Looking."
    assert reply.message.tool_calls == calls
    assert reply.thinking == "Hm."


async def test_a_held_line_waits_for_its_release() -> None:
    held = Held(then="At last.")
    listening = asyncio.create_task(reply_of(ScriptedModel([held])))
    async with asyncio.timeout(5):
        await held.reached.wait()
        assert not listening.done()
        held.release.set()
        assert (await listening).message.text == "At last."


async def test_only_a_call_that_is_left_before_its_reply_counts_as_aborted() -> None:
    model = ScriptedModel(["One two.", "Three four."])
    async with aclosing(model.stream(request("a"))) as items:
        await anext(items)
    assert model.aborted == 1

    async with aclosing(model.stream(request("b"))) as items:
        async for item in items:
            if isinstance(item, Reply):
                break
    assert model.aborted == 1


async def test_a_script_that_has_run_out_says_so() -> None:
    with pytest.raises(ModelRejected, match="run out"):
        await reply_of(ScriptedModel([]))
