"""How a request is written (cache points, order, effort), and that only a whole reply is one."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.errors import ModelError, ModelUnavailable, ReplyTruncated, RequestTooLarge
from agent_core.ids import ToolCallId
from agent_core.messages import (
    JsonObject,
    Message,
    Opaque,
    Part,
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


def test_prompt_tools_and_the_last_two_user_messages_are_cache_points_at_their_last_block() -> None:
    block: JsonObject = {"type": "image", "source": {"type": "url", "url": "https://e.org/a.png"}}
    first = Message(role="user", parts=(Opaque(block=block),))
    results = Message(role="user", parts=(answered("a"), Text(text="more")))
    messages = (first, assistant(called("a")), results, assistant(Text(text="so")), first)
    body = written(*messages)

    marked = [
        (place, at)
        for place, message in enumerate(body["messages"])
        for at, content in enumerate(message["content"])
        if "cache_control" in content
    ]
    assert marked == [(2, 1), (4, 0)]
    assert json.dumps(body).count('"cache_control"') == 4
    assert body["system"] == [{"type": "text", "text": "S", "cache_control": CACHE}]
    parts = request_body("m", ModelRequest(system="S\n\n## This session\nAnn", messages=messages))
    assert parts["system"] == [*body["system"], {"type": "text", "text": "## This session\nAnn"}]
    assert [tool["name"] for tool in body["tools"]] == ["search", "read", "write"]
    assert body["tools"][-1]["cache_control"] == CACHE
    assert written(*messages) == body, "it changed the messages that it was made of"


def test_results_come_before_text_and_blank_text_is_left_out() -> None:
    parts = (Text(text="Also"), answered("a"), Text(text="this"), answered("b", is_error=True))
    body = written(
        user_message("q"),
        assistant(Text(text="\n\n"), called("a"), called("b")),
        Message(role="user", parts=parts),
        assistant(Text(text="")),
        user_message("go on"),
    )

    roles = [message["role"] for message in body["messages"]]
    assert roles == ["user", "assistant", "user", "user"]
    assert [block["type"] for block in body["messages"][1]["content"]] == ["tool_use"] * 2
    content = body["messages"][2]["content"]
    assert content[0] == {"type": "tool_result", "tool_use_id": "a", "content": "found"}
    assert content[1]["is_error"] is True
    assert [block["text"] for block in content[2:]] == ["Also", "this"]


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


PASSAGES = json.dumps(
    {
        "passages": [
            {"id": f"{n}#4", "n": n, "title": "", "url": f"https://e.org/{n}", "kind": "page",
             "heading": "", "text": f"Towers of {n} metres."}
            for n in (3, 5)
        ],
        "note": "Sources searched: 9.",
    }
)  # fmt: skip


@pytest.mark.proves("model.cites_natively")
def test_passages_are_search_results_where_the_server_knows_citations() -> None:
    """Not what another tool calls passages: only our own have numbers."""
    ours = "mcp__local_toolkit__search_corpus"
    calls = assistant(
        ToolCall(id=ToolCallId("a"), name=ours, arguments={}),
        ToolCall(id=ToolCallId("b"), name=ours, arguments={}),
        called("c"),
    )
    result = ToolResult(call_id=ToolCallId("a"), text=PASSAGES)
    other = ToolResult(call_id=ToolCallId("b"), text="Nothing was retrieved yet.")
    foreign = ToolResult(call_id=ToolCallId("c"), text=PASSAGES)
    messages = (calls, Message(role="user", parts=(result, other, foreign)))
    request = ModelRequest(system="S", messages=messages, tools=TOOLS)

    content = request_body("m", request, may_cite=True)["messages"][1]["content"]
    first, second, note = content[0]["content"]
    assert first == {
        "type": "search_result",
        "source": "https://e.org/3",
        "title": "https://e.org/3",
        "content": [{"type": "text", "text": "[3#4] Towers of 3 metres."}],
        "citations": {"enabled": True},
    }
    assert (second["source"], note["text"]) == ("https://e.org/5", "Sources searched: 9.")
    assert content[1]["content"] == other.text
    assert content[2]["content"] == foreign.text
    elsewhere = request_body("m", request)["messages"][1]["content"]
    assert elsewhere[0]["content"] == PASSAGES


def cited(index: int, text: str, *quotes: str) -> list[JsonObject]:
    deltas: list[JsonObject] = [{"type": "text_delta", "text": text}]
    for quote in quotes:
        citation = {"type": "search_result_location", "cited_text": quote}
        deltas.append({"type": "citations_delta", "citation": citation})
    return block(index, {"type": "text", "text": ""}, *deltas)


@pytest.mark.proves("model.cites_natively")
def test_a_reply_that_cites_natively_is_one_text_with_the_marks_of_its_passages() -> None:
    events = message(
        cited(0, "Towers grew"),
        cited(1, " to 3 metres.", "[3#4] Towers of 3 metres.", "[3#4] Towers"),
        cited(2, " And to 5. [5#4]", "[5#4] Towers of 5 metres.", "Of no passage of ours"),
        cited(3, " Why, nobody knows."),
        stop_reason="end_turn",
    )
    assembly = ReplyAssembly()
    streamed = [piece.text for event in events if (piece := assembly.take(event))]

    text = "Towers grew to 3 metres. [3#4] And to 5. [5#4] Why, nobody knows."
    assert "".join(streamed) == assembly.reply().message.text == text
    uncited = message(text_block(0, "One."), text_block(1, "Two."), stop_reason="end_turn")
    assert assembled(*uncited).message.text == "One.\n\nTwo."


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


START: JsonObject = {"type": "tool_use", "id": "a", "name": "t", "input": {"q": 1}}
HOLOGRAM: JsonObject = {"type": "hologram", "data": "x"}


@pytest.mark.parametrize(
    ("events", "part"),
    [
        (
            call_block(0, "t", r'{"k\ud800": ["a\udc00", {"b": "\ud83d\ude00"}]}'),
            ToolCall(
                id=ToolCallId("toolu_1"),
                name="t",
                arguments={"k\ufffd": ["a\ufffd", {"b": "\U0001f600"}]},
            ),
        ),
        (
            thinking_block(0, "Look\ud800", signature="s"),
            Opaque(block={"type": "thinking", "thinking": "Look\ufffd", "signature": "s"}),
        ),
        (
            text_block(0, "Good \ud83d", "\ude00 day \ud83d", "."),
            Text(text="Good \U0001f600 day \ufffd."),
        ),
        (block(0, START), ToolCall(id=ToolCallId("a"), name="t", arguments={"q": 1})),
        (block(0, {**HOLOGRAM, "nothing": None}), Opaque(block=HOLOGRAM)),
    ],
    ids=[
        *("half a surrogate pair in arguments", "in thinking", "a pair cut between pieces"),
        *("arguments at the start", "an unknown block"),
    ],
)
def test_odd_blocks_become_whole_parts(events: list[JsonObject], part: Part) -> None:
    reason = "tool_use" if isinstance(part, ToolCall) else "became_bored"
    reply = assembled(*message(events, stop_reason=reason))

    assert reply.message.parts == (part,)
    assert reply.stop_reason == reason


@pytest.mark.parametrize(
    ("stop_reason", "failure"),
    [("max_tokens", ReplyTruncated), ("model_context_window_exceeded", RequestTooLarge)],
)
def test_a_limit_inside_a_call_is_told_apart_and_ends_a_text_as_it_is(
    stop_reason: str, failure: type[ModelError]
) -> None:
    text = text_block(0, "Once upon")
    with pytest.raises(failure):
        assembled(*message(text, call_block(1, "write", '{"t')[:-1], stop_reason=stop_reason))
    reply = assembled(*message(text, stop_reason=stop_reason))

    assert (reply.message.text, reply.stop_reason) == ("Once upon", stop_reason)


@pytest.mark.parametrize("explanation", ["Not that.", None])
def test_a_refusal_keeps_no_call_and_says_why_a_text_is_cut(explanation: str | None) -> None:
    blocks = (text_block(0, "First you take the"), call_block(1, "t", "{}"))
    start, *rest = message(*blocks, stop_reason="refusal")
    rest[-2]["delta"]["stop_details"] = {"type": "refusal", "explanation": explanation}

    reply = assembled(start, *rest)

    why = explanation or "[The model declined to go on here.]"
    assert reply.message.text == f"First you take the\n\n{why}"
    assert reply.message.tool_calls == ()


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
