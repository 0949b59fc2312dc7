"""How a request is written (cache points, order, effort), and that only a whole reply is one."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.errors import ModelUnavailable, ReplyTruncated, RequestTooLarge
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
from agent_core.models import Effort, ModelRequest, Reply, ToolSpec
from agent_core.models.anthropic_messages import ReplyAssembly, request_body
from tests.agent_core.models.messages_server import (
    USAGE,
    block,
    call_block,
    message_end,
    message_start,
    text_block,
    thinking_block,
)

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


def written(
    *messages: Message, effort: Effort | None = None, model: str = "claude-sonnet-5-5"
) -> JsonObject:
    request = ModelRequest(system="S", messages=messages, tools=TOOLS, effort=effort)
    return request_body(model, request)


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
def test_effort_is_sent_to_the_families_that_are_known_to_take_it(model: str, takes: bool) -> None:
    sent = written(user_message("q"), effort="low", model=model).get("output_config")
    assert sent == ({"effort": "low"} if takes else None)
    assert "output_config" not in written(user_message("q"), model=model)


def test_a_long_conversation_has_four_cache_points_at_tools_prompt_and_messages() -> None:
    turns = [m for _ in range(9) for m in (user_message("q"), assistant(Text(text="a")))]

    body = written(*turns, user_message("last"))

    assert json.dumps(body).count('"cache_control"') == 4
    assert body["system"] == [{"type": "text", "text": "S", "cache_control": CACHE}]
    assert [tool["name"] for tool in body["tools"]] == ["search", "read", "write"]
    assert body["tools"][-1]["cache_control"] == CACHE


def test_a_request_does_not_change_the_messages_it_is_made_of() -> None:
    block: JsonObject = {"type": "image", "source": {"type": "url", "url": "https://e.org/a.png"}}
    message = Message(role="user", parts=(Opaque(block=block),))

    first, second = written(message), written(message)

    assert first == second
    assert "cache_control" not in block


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


def assembled(*events: JsonObject) -> Reply:
    assembly = ReplyAssembly()
    for event in events:
        assembly.take(event)
    return assembly.reply()


def message(*blocks: Sequence[JsonObject], stop_reason: str | None) -> list[JsonObject]:
    inner = [event for one in blocks for event in one]
    return [message_start(USAGE), *inner, *message_end(stop_reason)]


WHOLE = message(
    thinking_block(0, "Look.", signature="s"),
    text_block(1, "Checking."),
    call_block(2, "search", '{"q": ', '"x"}', id="a"),
    call_block(3, "read", '{"path": "b"}', id="b"),
    stop_reason="tool_use",
)


@pytest.mark.parametrize("kept", range(len(WHOLE)))
def test_a_stream_cut_after_any_event_is_not_a_reply(kept: int) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        assembled(*WHOLE[:kept])

    assert caught.value.kind == "incomplete"


@given(st.dictionaries(st.text(max_size=6), VALUES, max_size=4), st.data())
def test_arguments_survive_any_split(arguments: dict[str, object], data: st.DataObject) -> None:
    raw = json.dumps(arguments, ensure_ascii=False)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=5)))
    pieces = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]

    reply = assembled(*message(call_block(0, "t", *pieces), stop_reason="tool_use"))

    assert reply.message.tool_calls[0].arguments == arguments


@pytest.mark.parametrize(
    "written",
    [
        *('{"q": "x', '{"q": "x"}}', "[1]", "null", '"text"', "{'q': 1}"),
        *(f'{{"n": {number}}}' for number in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999")),
        pytest.param('{"a": ' * 100_000, id="nested without end"),
        pytest.param(f'{{"a": {"[" * 300}{"]" * 300}}}', id="deeper than can be stored"),
    ],
)
def test_arguments_that_are_no_plain_object_are_not_a_call(written: str) -> None:
    with pytest.raises(ModelUnavailable, match="arguments") as caught:
        assembled(*message(call_block(0, "t", written), stop_reason="tool_use"))

    assert caught.value.kind == "incomplete"


def test_half_a_surrogate_pair_in_arguments_becomes_a_replacement_sign() -> None:
    written = r'{"k\ud800": ["a\udc00", {"b": "\ud83d\ude00"}]}'
    reply = assembled(*message(call_block(0, "t", written), stop_reason="tool_use"))

    expected = {"k\ufffd": ["a\ufffd", {"b": "\U0001f600"}]}
    assert reply.message.tool_calls[0].arguments == expected


def test_half_a_surrogate_pair_in_text_and_thinking_becomes_a_replacement_sign() -> None:
    thoughts = thinking_block(0, "Look\ud800", signature="s")
    reply = assembled(*message(thoughts, text_block(1, "So\udfff."), stop_reason="end_turn"))

    assert reply.message.text == "So\ufffd."
    assert reply.thinking == "Look\ufffd"
    assert reply.message.parts[0] == Opaque(
        block={"type": "thinking", "thinking": "Look\ufffd", "signature": "s"}
    )


def test_a_surrogate_pair_cut_between_two_pieces_is_one_sign_of_the_reply() -> None:
    text = text_block(0, "Good \ud83d", "\ude00 day \ud83d", ".")
    reply = assembled(*message(text, stop_reason="end_turn"))

    assert reply.message.text == "Good \U0001f600 day \ufffd."


def test_a_gateway_may_put_the_arguments_at_the_start() -> None:
    start: JsonObject = {"type": "tool_use", "id": "a", "name": "t", "input": {"q": 1}}
    reply = assembled(*message(block(0, start), stop_reason="tool_use"))

    assert reply.message.tool_calls[0].arguments == {"q": 1}


def test_the_output_limit_inside_a_call_is_told_apart() -> None:
    cut = call_block(1, "write", '{"text": "once upon')[:-1]
    with pytest.raises(ReplyTruncated):
        assembled(*message(text_block(0, "So:"), cut, stop_reason="max_tokens"))


def test_the_output_limit_in_plain_text_is_a_reply_that_says_so() -> None:
    reply = assembled(*message(text_block(0, "Once upon"), stop_reason="max_tokens"))

    assert (reply.message.text, reply.stop_reason) == ("Once upon", "max_tokens")


def test_a_full_context_window_inside_a_call_is_too_large() -> None:
    with pytest.raises(RequestTooLarge):
        assembled(*message(call_block(0, "t"), stop_reason="model_context_window_exceeded"))


TWICE = [*call_block(0, "t", "{}", id="a"), *call_block(1, "t", "{}", id="a")]


@pytest.mark.parametrize(
    "events",
    [
        *(
            message(call_block(0, "t", "{}"), stop_reason=reason)
            for reason in ("end_turn", "stop_sequence", "pause_turn", "new_reason")
        ),
        message(TWICE, stop_reason="tool_use"),
        message(text_block(0, "I will search."), stop_reason="tool_use"),
        [message_start(USAGE), *text_block(0, "x")[1:]],
    ],
    ids=[
        *("calls at an end", "calls at a sequence", "calls at a pause", "calls at a new reason"),
        *("two of one id", "a stop for no call", "a piece of no block"),
    ],
)
def test_what_does_not_fit_together_is_not_whole(events: list[JsonObject]) -> None:
    with pytest.raises(ModelUnavailable):
        assembled(*events)


def test_a_refusal_keeps_no_call_and_says_why() -> None:
    start, *rest = message(call_block(0, "t", "{}"), stop_reason="refusal")
    rest[-2]["delta"]["stop_details"] = {"type": "refusal", "explanation": "Not that."}

    reply = assembled(start, *rest)

    assert reply.stop_reason == "refusal"
    assert reply.message.tool_calls == ()
    assert reply.message.text == "Not that."


@pytest.mark.parametrize("explanation", ["Not that.", None])
def test_a_text_that_a_refusal_cut_off_says_so(explanation: str | None) -> None:
    start, *rest = message(text_block(0, "First you take the"), stop_reason="refusal")
    rest[-2]["delta"]["stop_details"] = {"type": "refusal", "explanation": explanation}

    reply = assembled(start, *rest)

    said = explanation or "[The model declined to go on here.]"
    assert reply.message.text == f"First you take the\n\n{said}"


def test_an_unknown_stop_reason_and_an_unknown_block_are_kept() -> None:
    unknown: JsonObject = {"type": "hologram", "data": "x", "nothing": None}
    reply = assembled(*message(block(0, unknown), text_block(1, "Hm."), stop_reason="became_bored"))

    assert reply.stop_reason == "became_bored"
    assert reply.message.parts[0] == Opaque(block={"type": "hologram", "data": "x"})


def test_the_input_of_a_server_tool_is_kept_whole() -> None:
    start: JsonObject = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    piece: JsonObject = {"type": "input_json_delta", "partial_json": '{"query": "x"}'}
    reply = assembled(*message(block(0, start, piece), stop_reason="end_turn"))

    assert reply.message.parts[0] == Opaque(block={**start, "input": {"query": "x"}})


def test_the_last_counts_win_and_a_missing_one_does_not_reset() -> None:
    events = [
        message_start(USAGE),
        *text_block(0, "x"),
        *message_end("end_turn", {"output_tokens": 9, "input_tokens": None}),
    ]
    usage = assembled(*events).usage

    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == (12, 9, 3000)
