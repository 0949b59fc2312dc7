"""Only a whole reply becomes a Reply, however the stream was cut."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.errors import ModelUnavailable, ReplyTruncated, RequestTooLarge
from agent_core.messages import JsonObject, Opaque
from agent_core.models import Reply
from agent_core.models.anthropic_messages import ReplyAssembly
from tests.agent_core.models.messages_server import (
    USAGE,
    block,
    call_block,
    message_end,
    message_start,
    text_block,
    thinking_block,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


def assembled(*events: JsonObject) -> Reply:
    assembly = ReplyAssembly("req_1")
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


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=6), VALUES, max_size=4), st.data())
def test_arguments_survive_any_split(arguments: dict[str, object], data: st.DataObject) -> None:
    raw = json.dumps(arguments, ensure_ascii=False)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=5)))
    pieces = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]

    reply = assembled(*message(call_block(0, "t", *pieces), stop_reason="tool_use"))

    assert reply.message.tool_calls[0].arguments == arguments


@pytest.mark.parametrize(
    "written", ['{"q": "x', '{"q": "x"}}', "[1]", "null", '"text"', "{'q': 1}"]
)
def test_arguments_that_are_not_an_object_are_not_a_call(written: str) -> None:
    with pytest.raises(ModelUnavailable, match="arguments"):
        assembled(*message(call_block(0, "t", written), stop_reason="tool_use"))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_arguments_with_a_number_that_json_does_not_have_are_not_a_call(number: str) -> None:
    with pytest.raises(ModelUnavailable, match="arguments") as caught:
        assembled(*message(call_block(0, "t", f'{{"n": {number}}}'), stop_reason="tool_use"))

    assert caught.value.kind == "incomplete"


@pytest.mark.parametrize(
    "deep",
    [
        pytest.param('{"a": ' * 100_000, id="without end"),
        pytest.param(f'{{"a": {"[" * 300}{"]" * 300}}}', id="deeper than can be stored"),
    ],
)
def test_arguments_that_are_nested_beyond_reason_are_not_a_call(deep: str) -> None:
    with pytest.raises(ModelUnavailable, match="arguments"):
        assembled(*message(call_block(0, "t", deep), stop_reason="tool_use"))


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


def test_a_surrogate_pair_cut_between_two_pieces_is_one_sign() -> None:
    assembly = ReplyAssembly()
    events = message(text_block(0, "Good \ud83d", "\ude00 day \ud83d", "."), stop_reason="end_turn")

    said = [text for event in events if (text := assembly.take(event))]

    assert said == ["Good ", "\U0001f600 day ", "\ufffd."]
    assert assembly.reply().message.text == "".join(said)


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


@pytest.mark.parametrize("stop_reason", ["end_turn", "stop_sequence", "pause_turn", "new_reason"])
def test_a_call_without_the_stop_reason_for_it_does_not_run(stop_reason: str) -> None:
    with pytest.raises(ModelUnavailable):
        assembled(*message(call_block(0, "t", "{}"), stop_reason=stop_reason))


def test_two_calls_with_one_id_do_not_run() -> None:
    twice = [*call_block(0, "t", "{}", id="a"), *call_block(1, "t", "{}", id="a")]
    with pytest.raises(ModelUnavailable, match="same id"):
        assembled(*message(twice, stop_reason="tool_use"))


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


def test_a_stop_for_a_call_that_is_not_there_is_not_whole() -> None:
    with pytest.raises(ModelUnavailable):
        assembled(*message(text_block(0, "I will search."), stop_reason="tool_use"))


def test_a_piece_for_a_block_that_never_began_is_not_whole() -> None:
    with pytest.raises(ModelUnavailable):
        assembled(message_start(USAGE), *text_block(0, "x")[1:])


def test_only_the_answers_text_comes_as_deltas() -> None:
    assembly = ReplyAssembly()

    said = [text for event in WHOLE if (text := assembly.take(event))]

    assert said == ["Checking."]
