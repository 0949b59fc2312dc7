"""How a request is written: cache points, content order, effort."""

import json

import pytest

from agent_core.ids import ToolCallId
from agent_core.messages import (
    JsonObject,
    Message,
    Opaque,
    Text,
    ToolCall,
    ToolResult,
    user_message,
)
from agent_core.models import Effort, ModelRequest, ToolSpec
from agent_core.models.anthropic_messages import request_body, takes_effort

CACHE: JsonObject = {"type": "ephemeral"}
TOOLS = tuple(
    ToolSpec(name=name, description=f"{name}s", input_schema={"type": "object"})
    for name in ("search", "read", "write")
)


def assistant(*parts: Text | Opaque | ToolCall) -> Message:
    return Message(role="assistant", parts=parts)


def called(call_id: str) -> ToolCall:
    return ToolCall(id=ToolCallId(call_id), name="search", arguments={"q": "x"})


def answered(call_id: str, *, is_error: bool = False) -> ToolResult:
    return ToolResult(call_id=ToolCallId(call_id), text="found", is_error=is_error)


def written(*messages: Message, effort: Effort | None = None) -> JsonObject:
    request = ModelRequest(system="S", messages=messages, tools=TOOLS, effort=effort)
    return request_body("claude-sonnet-5-5", request)


def test_tools_keep_their_order_and_the_last_is_a_cache_point() -> None:
    tools = written(user_message("Hi"))["tools"]

    assert [tool["name"] for tool in tools] == ["search", "read", "write"]
    assert [tool.get("cache_control") for tool in tools] == [None, None, CACHE]


def test_the_last_two_user_messages_are_cache_points_at_their_last_block() -> None:
    body = written(
        user_message("one"),
        assistant(called("a")),
        Message(role="user", parts=(answered("a"), Text(text="more"))),
        assistant(Text(text="so")),
        user_message("three"),
    )

    points = [
        (place, at)
        for place, message in enumerate(body["messages"])
        for at, block in enumerate(message["content"])
        if "cache_control" in block
    ]
    assert points == [(2, 1), (4, 0)]


def test_results_come_before_text_in_a_user_message() -> None:
    parts = (Text(text="Also"), answered("a"), Text(text="this"), answered("b", is_error=True))
    body = written(user_message("q"), Message(role="user", parts=parts))

    content = body["messages"][1]["content"]
    assert [block["type"] for block in content] == ["tool_result", "tool_result", "text", "text"]
    assert content[0] == {"type": "tool_result", "tool_use_id": "a", "content": "found"}
    assert content[1]["is_error"] is True
    assert [block["text"] for block in content[2:]] == ["Also", "this"]


def test_an_assistants_parts_keep_their_order() -> None:
    thought: JsonObject = {"type": "thinking", "thinking": "", "signature": "s"}
    message = assistant(
        Opaque(block=thought), Text(text="First"), called("a"), Opaque(block=thought)
    )

    content = written(user_message("q"), message)["messages"][1]["content"]

    assert [block["type"] for block in content] == ["thinking", "text", "tool_use", "thinking"]


def test_blank_text_is_left_out_and_so_is_a_message_of_nothing_else() -> None:
    body = written(
        user_message("q"),
        assistant(Text(text="\n\n"), called("a")),
        Message(role="user", parts=(answered("a"),)),
        assistant(Text(text="")),
        user_message("go on"),
    )

    assert [message["role"] for message in body["messages"]] == [
        "user",
        "assistant",
        "user",
        "user",
    ]
    assert [block["type"] for block in body["messages"][1]["content"]] == ["tool_use"]


def test_tools_stay_in_sight_when_they_may_not_be_called() -> None:
    request = ModelRequest(
        system="", messages=(user_message("q"),), tools=TOOLS, may_call_tools=False
    )
    body = request_body("m", request)

    assert body["tool_choice"] == {"type": "none"}
    assert len(body["tools"]) == 3
    assert "system" not in body
    assert "tool_choice" not in written(user_message("q"))


def test_effort_is_sent_to_a_model_that_takes_it() -> None:
    assert written(user_message("q"), effort="low")["output_config"] == {"effort": "low"}
    assert "output_config" not in written(user_message("q"))


@pytest.mark.parametrize(
    ("model", "takes"),
    [
        ("claude-sonnet-5-5", True),
        ("claude-haiku-5-5", True),
        ("claude-opus-5", True),
        ("anthropic.claude-opus-5-5", True),
        ("claude-mythos-6-20270101", True),
        ("claude-haiku-4-5-20251001", False),
        ("claude-sonnet-4-6", False),
        ("glm-5", False),
        ("stand-in", False),
    ],
)
def test_only_known_families_are_known_to_take_effort(model: str, takes: bool) -> None:
    assert takes_effort(model) is takes


def test_the_system_prompt_is_one_cached_block() -> None:
    assert written(user_message("Hi"))["system"] == [
        {"type": "text", "text": "S", "cache_control": CACHE}
    ]


def test_a_long_conversation_has_four_cache_points() -> None:
    turns = [m for _ in range(9) for m in (user_message("q"), assistant(Text(text="a")))]

    body = written(*turns, user_message("last"))

    assert json.dumps(body).count('"cache_control"') == 4


def test_a_request_does_not_change_the_messages_it_is_made_of() -> None:
    block: JsonObject = {"type": "image", "source": {"type": "url", "url": "https://e.org/a.png"}}
    message = Message(role="user", parts=(Opaque(block=block),))

    first, second = written(message), written(message)

    assert first == second
    assert "cache_control" not in block
