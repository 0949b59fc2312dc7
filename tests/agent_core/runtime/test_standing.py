"""What is told of a turn's work to who asks how far it is, and when it was stopped."""

from datetime import UTC, datetime, timedelta
from typing import Any

from agent_core.events import (
    AnyEvent,
    ArtifactSaved,
    StepFinished,
    StepStarted,
    ToolCallFinished,
    ToolCallStarted,
    TurnStarted,
    Usage,
)
from agent_core.ids import ROOT_RUN, SessionId, ToolCallId, TurnId, UserId
from agent_core.messages import JsonObject
from agent_core.prompts.language import Language
from agent_core.runtime.standing import Standing, unsure_words
from agent_core.sessions import Stop
from agent_core.words import CORE

BEGIN = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
MAIL: JsonObject = {"tools": [{"tool_slug": "GMAIL_SEND_EMAIL", "arguments": {"to": "a@b.test"}}]}
STOP = Stop(by="Ben", why="asked")
DELETED = Stop(by="", why="deleted")


def at(n: int) -> dict[str, Any]:
    return {
        "session": SessionId("s"),
        "turn": TurnId("t"),
        "run": ROOT_RUN,
        "step": 1,
        "attempt": 1,
        "n": n,
        "at": BEGIN,
    }


def started() -> TurnStarted:
    return TurnStarted(**at(0), asker=UserId("T:U"), author_name="Ann", text="Go")


def thought(text: str = "") -> StepFinished:
    return StepFinished(
        **at(1),
        text=text,
        thinking="",
        model="m",
        stop_reason="tool_use",
        usage=Usage(),
        duration_s=1.0,
        tool_calls=1,
    )


def thinking() -> StepStarted:
    return StepStarted(**at(5))


def called(tool: str, arguments: JsonObject | None = None, *, call: str = "c1") -> ToolCallStarted:
    return ToolCallStarted(**at(2), call_id=ToolCallId(call), tool=tool, arguments=arguments or {})


def returned(*, call: str = "c1", may_have_happened: bool = False) -> ToolCallFinished:
    return ToolCallFinished(
        **at(3),
        call_id=ToolCallId(call),
        tool="mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL",
        is_error=may_have_happened,
        preview="",
        size_bytes=0,
        duration_s=1.0,
        may_have_happened=may_have_happened,
    )


def saved() -> ArtifactSaved:
    return ArtifactSaved(
        **at(4), path="work_products/a.html", title="A", mimetype="text/html", size_bytes=1
    )


def asked_after(seconds: float, *events: AnyEvent, language: Language = "en") -> str:
    now = Standing([started(), *events])
    return now.progress(BEGIN + timedelta(seconds=seconds), CORE.of(language))


def stopped(stop: Stop, *events: AnyEvent) -> str:
    return Standing([started(), *events]).stopped(stop, CORE.of("en"))


def test_what_a_carried_tool_does_is_told_and_not_the_tool_that_carries_it() -> None:
    carrier = called("mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL", MAIL)
    assert "Under way right now: `gmail send email`." in asked_after(20, thought(), carrier)
    lost = [started(), thought(), carrier, returned(may_have_happened=True)]
    assert "What may or may not have happened: `gmail send email`." in unsure_words(
        lost, CORE.of("en")
    )


def test_a_sub_agent_is_told_by_its_name() -> None:
    task = called("Task", {"subagent_type": "report-creation-expert", "prompt": "Write"})
    assert "`report creation expert`" in asked_after(20, thought(), task)


def test_calls_are_counted_when_they_begin_as_progress_counts_them() -> None:
    said = asked_after(20, thought(), called("crawl"), returned(), called("save", call="c2"))
    assert "1 step and 2 tool calls so far" in said


def test_a_question_is_no_tool_call() -> None:
    question = called("ask_user", {"question": "Which?"})
    assert "Until then: 1 step." in stopped(STOP, thought(), question)


def test_a_first_step_that_takes_long_has_not_just_begun() -> None:
    assert asked_after(90).startswith("I have been at work for 1 min 30 s.")
    assert asked_after(90, language="de").startswith("Ich bin seit 1 min 30 s dabei.")
    assert asked_after(5).startswith("I have just begun.")


def test_a_step_that_is_under_way_waits_for_the_model() -> None:
    said = "I am waiting for the model's reply."
    assert f"I have just begun. {said}" in asked_after(1, thinking())
    assert said in asked_after(25, thinking())


def test_a_step_that_has_ended_waits_for_nothing() -> None:
    assert "the model" not in asked_after(25, thinking(), thought())
    calling = asked_after(1, thinking(), thought(), called("crawl"))
    assert "Under way right now: `crawl`." in calling
    assert "the model" not in calling


def test_after_a_stop_it_can_go_on_and_the_last_words_are_quoted() -> None:
    said = stopped(STOP, thought("I have three of five."))
    assert said == (
        "Stopped, as Ben asked. Until then: 1 step. Reply “continue” and I go on from there."
        "\n\n> I have three of five."
    )


def test_after_a_deletion_only_what_is_left_behind_is_told() -> None:
    assert stopped(DELETED, thought("Three of five."), called("crawl"), returned()) == (
        "Stopped, because the message that asked for it was deleted."
    )
    left = stopped(DELETED, thought(), called("send"), saved())
    assert "Saved: `work_products/a.html`." in left
    assert "What may or may not have happened: `send`." in left
    assert "continue" not in left
