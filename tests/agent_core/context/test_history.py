"""What is sent to the model is always valid, whatever was stored."""

from itertools import pairwise
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from agent_core.context.history import EMPTY_RESULT, LOST_RESULT, repaired, settled, spoken
from agent_core.ids import ToolCallId
from agent_core.messages import Message, Opaque, Part, Text, ToolCall, ToolResult, user_message


def call(id: str) -> ToolCall:
    return ToolCall(id=ToolCallId(id), name="t", arguments={})


def result(id: str, text: str = "done") -> ToolResult:
    return ToolResult(call_id=ToolCallId(id), text=text)


def assistant(*parts: Part) -> Message:
    return Message(role="assistant", parts=parts)


def user(*parts: Part) -> Message:
    return Message(role="user", parts=parts)


def test_a_call_without_a_result_gets_a_neutral_one() -> None:
    history = repaired([user_message("go"), assistant(call("a"))])
    assert history[-1].parts == (
        ToolResult(call_id=ToolCallId("a"), text=LOST_RESULT, is_error=True),
    )


def test_results_come_before_words_in_the_models_order() -> None:
    history = repaired(
        [
            user_message("go"),
            assistant(call("a"), call("b")),
            user(Text(text="also"), result("b", "B"), result("a", "A")),
        ]
    )
    assert [getattr(part, "text", "") for part in history[-1].parts] == ["A", "B", "also"]


def test_words_behind_the_last_call_are_put_before_it() -> None:
    thinking = Opaque(block={"type": "thinking", "thinking": "", "signature": "s"})
    behind = assistant(call("a"), thinking, call("b"), Text(text="So."), thinking)
    history = repaired([user_message("go"), behind, user(result("a"), result("b"))])
    assert history[1].parts == (call("a"), thinking, Text(text="So."), call("b"), thinking)


def test_a_result_that_says_nothing_says_so() -> None:
    history = repaired(
        [user_message("go"), assistant(call("a"), call("b")), user(result("a", ""), result("b"))]
    )
    texts = [part.text for part in history[-1].parts if isinstance(part, ToolResult)]
    assert texts == [EMPTY_RESULT, "done"]


def test_half_a_sign_in_words_or_results_does_not_make_a_session_unsendable() -> None:
    half, mended = "half: \ud800", "half: \ufffd"
    history = repaired([user_message(half), assistant(call("a")), user(result("a", half))])
    assert history[0] == user_message(mended)
    assert history[-1] == user(result("a", mended))


def test_thinking_of_earlier_turns_is_left_out_and_words_stay() -> None:
    thinking = Opaque(block={"type": "thinking", "thinking": "", "signature": "s"})
    assert settled([assistant(thinking, Text(text="hi"))]) == (assistant(Text(text="hi")),)


def test_only_words_are_spoken() -> None:
    history = [
        user_message("q"),
        assistant(call("a")),
        user(result("a")),
        assistant(Text(text="answer")),
    ]
    assert spoken(history) == (user_message("q"), assistant(Text(text="answer")))


PARTS = st.one_of(
    st.sampled_from(["a", "b", "c"]).map(call),
    st.sampled_from(["a", "b", "c"]).map(result),
    st.sampled_from(["words", "", "  "]).map(lambda text: Text(text=text)),
)
ROLES: list[Literal["user", "assistant"]] = ["user", "assistant"]
MESSAGES = st.lists(
    st.builds(
        Message,
        role=st.sampled_from(ROLES),
        parts=st.lists(PARTS, max_size=4).map(lambda parts: tuple(parts)),
    ),
    max_size=8,
)


@given(MESSAGES)
def test_any_history_becomes_one_that_the_api_takes(messages: list[Message]) -> None:
    history = repaired([m for m in messages if not _misplaced(m)])
    roles = [message.role for message in history]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"] * (len(roles) % 2)
    assert len(roles) % 2 == 1 or not roles
    ids = [c.id for message in history for c in message.tool_calls]
    assert len(ids) == len(set(ids))
    for before, after in pairwise(history):
        answered = [part.call_id for part in after.parts if isinstance(part, ToolResult)]
        assert answered == [c.id for c in before.tool_calls]
    assert all(message.parts for message in history)


@given(MESSAGES)
def test_repairing_twice_changes_nothing(messages: list[Message]) -> None:
    once = repaired([m for m in messages if not _misplaced(m)])
    assert repaired(once) == once


def _misplaced(message: Message) -> bool:
    """Calls belong to assistants and results to users; nothing stores them otherwise."""
    wrong = ToolResult if message.role == "assistant" else ToolCall
    return any(isinstance(part, wrong) for part in message.parts)


def test_a_name_that_a_model_invented_is_sent_in_a_form_that_providers_take() -> None:
    odd = ToolCall(id=ToolCallId("a"), name="mcp composio.search!", arguments={})
    history = repaired([user_message("go"), assistant(odd), user(result("a"))])
    assert [c.name for c in history[1].tool_calls] == ["mcp_composio_search_"]
