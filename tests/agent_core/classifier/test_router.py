"""Classifier and fast answer side by side, with scripted models behind them."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date

import pytest

from agent_core.classifier import Routed, Router, Routing, rule_for
from agent_core.errors import ModelRejected, ModelUnavailable
from agent_core.events import Usage
from agent_core.messages import Attachment, Message, Opaque, Text, ToolResult, user_message
from agent_core.models import Delta, Model, Retried, RetryingModel
from agent_core.testing.models import (
    Cut,
    Held,
    ScriptedModel,
    ScriptLine,
    call,
    calls_reply,
    text_reply,
)
from tests.runtimes import inbound

TIMEOUT_S = 5
LONG_PATIENCE_S = 60.0
TINY_PATIENCE_S = 0.02

EARLIER = (
    user_message("Research solid-state batteries"),
    Message(role="assistant", parts=(Opaque(block={"type": "thinking"}), Text(text="Searching."))),
    calls_reply(call("search", {"query": "batteries"}, id="c1")).message,
    Message(role="user", parts=(ToolResult(call_id=call("search", id="c1").id, text="12 hits"),)),
    Message(role="assistant", parts=(Text(text="They store more."),)),
)


async def no_wait(_seconds: float) -> None:
    return None


@dataclass(slots=True, kw_only=True)
class Listener:
    """Keeps what is told, and says when the first of it came."""

    told: list[str] = field(default_factory=list[str])
    heard: asyncio.Event = field(default_factory=asyncio.Event)

    async def tell(self, item: Delta | Retried) -> None:
        if isinstance(item, Retried):
            self.told.clear()
        else:
            self.told.append(item.text)
        self.heard.set()

    @property
    def text(self) -> str:
        return "".join(self.told)


def routing(text: str = "Capital of France?", history: tuple[Message, ...] = ()) -> Routing:
    return Routing(text=text, opening=text, history=history, today=date(2026, 11, 21))


def router(classifier: Model, fast: Model, *, patience_s: float = LONG_PATIENCE_S) -> Router:
    answerer = RetryingModel(fast, sleep=no_wait)
    return Router(classifier=classifier, answerer=answerer, patience_s=patience_s)


async def routed(
    verdict: ScriptLine,
    answer: ScriptLine,
    *,
    patience_s: float = LONG_PATIENCE_S,
    history: tuple[Message, ...] = (),
    listener: Listener | None = None,
) -> Routed:
    made = router(ScriptedModel([verdict]), ScriptedModel([answer]), patience_s=patience_s)
    async with asyncio.timeout(TIMEOUT_S):
        return await made.route(routing(history=history), (listener or Listener()).tell)


def fast_answers() -> list[asyncio.Task[object]]:
    return [task for task in asyncio.all_tasks() if task.get_name() == "fast-answer"]


async def fast_answers_end() -> None:
    if tasks := fast_answers():
        await asyncio.wait(tasks)


@pytest.mark.proves("fast_path.side_by_side", "fast_path.waits")
@pytest.mark.parametrize("word", ["SIMPLE", "COMPLEX"])
async def test_an_answer_that_is_there_first_waits_for_the_verdict_and_both_are_paid(
    word: str,
) -> None:
    verdict = Held(then=text_reply(word, usage=Usage(output_tokens=1)))
    answer = Held(then=text_reply("Paris.", usage=Usage(output_tokens=9)))
    listener = Listener()
    made = router(ScriptedModel([verdict]), ScriptedModel([answer]))
    async with asyncio.timeout(TIMEOUT_S), asyncio.TaskGroup() as group:
        task = group.create_task(made.route(routing(), listener.tell))
        await verdict.reached.wait()
        await answer.reached.wait()
        answer.release.set()
        await fast_answers_end()
        assert listener.told == []
        verdict.release.set()
    assert listener.text == ("Paris." if word == "SIMPLE" else "")
    assert task.result().route == word
    assert task.result().usage == Usage(output_tokens=10)


@pytest.mark.proves("router.one_word", "router.unclear_is_complex", "router.verdict_is_kept")
@pytest.mark.parametrize(
    ("said", "route", "reason"),
    [
        ("SIMPLE", "SIMPLE", "classifier"),
        ("simple", "SIMPLE", "classifier"),
        ("**SIMPLE**.", "SIMPLE", "classifier"),
        ("COMPLEX", "COMPLEX", "classifier"),
        ("SIMPLE or COMPLEX", "COMPLEX", "unclear"),
        ("It is not COMPLEX, it is SIMPLE.", "COMPLEX", "unclear"),
        ("I cannot tell.", "COMPLEX", "unclear"),
        ("A simplex problem", "COMPLEX", "unclear"),
        ("", "COMPLEX", "unclear"),
    ],
)
async def test_only_a_clear_word_makes_it_simple(said: str, route: str, reason: str) -> None:
    outcome = await routed(said, "Paris.")
    assert (outcome.route, outcome.reason, outcome.raw) == (route, reason, said)


@pytest.mark.proves("router.failure_is_complex")
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (Held(then="SIMPLE"), "late"),
        (ModelUnavailable("overloaded"), "failed"),
        (ModelRejected("no key"), "failed"),
    ],
)
async def test_a_late_or_failing_classifier_means_complex(line: ScriptLine, reason: str) -> None:
    listener = Listener()
    outcome = await routed(line, "Paris.", patience_s=TINY_PATIENCE_S, listener=listener)
    assert (outcome.route, outcome.reason, outcome.raw) == ("COMPLEX", reason, "")
    assert outcome.answer is None
    assert listener.told == []


@pytest.mark.parametrize(
    "stop_reason", ["max_tokens", "model_context_window_exceeded", "pause_turn"]
)
async def test_a_fast_answer_that_was_cut_short_goes_to_the_full_agent(stop_reason: str) -> None:
    outcome = await routed("SIMPLE", replace(text_reply("The capital of"), stop_reason=stop_reason))
    assert (outcome.route, outcome.fallback) == ("COMPLEX", "answer_cut")
    assert outcome.answer is None


async def test_a_fast_answer_that_fails_after_a_simple_verdict_is_an_error() -> None:
    with pytest.raises(ModelRejected, match="spend limit"):
        await routed("SIMPLE", ModelRejected("spend limit"))
    assert fast_answers() == []


async def test_a_fast_answer_that_broke_off_before_the_verdict_is_told_once() -> None:
    verdict, listener = Held(then="SIMPLE"), Listener()
    again = Held(then="Paris.")
    fast = ScriptedModel([Cut(text="Half a", error=ModelUnavailable("cut")), again])
    made = router(ScriptedModel([verdict]), fast)
    async with asyncio.timeout(TIMEOUT_S), asyncio.TaskGroup() as group:
        task = group.create_task(made.route(routing(), listener.tell))
        await again.reached.wait()
        verdict.release.set()
        again.release.set()
    assert listener.text == "Paris."
    assert task.result().answer == text_reply("Paris.").message


@pytest.mark.proves("router.no_tools", "router.history")
async def test_the_classifier_gets_words_and_context_and_the_answer_posts_and_no_machinery() -> (
    None
):
    classifier, fast = ScriptedModel(["SIMPLE"]), ScriptedModel(["In cars too."])
    opening = "Bo: look at cars\n\nAnd in cars?"
    question = replace(routing("And in cars?", EARLIER), opening=opening)
    await router(classifier, fast).route(question, Listener().tell)
    [judged] = classifier.requests
    words = judged.messages[-1].text
    assert "user: Research solid-state batteries" in words
    assert "They store more." in words
    assert "Query: And in cars?" in words
    assert judged.tools == ()
    [asked] = fast.requests
    assert [(message.role, message.text) for message in asked.messages] == [
        ("user", "Research solid-state batteries"),
        ("assistant", "Searching.\n\nThey store more."),
        ("user", opening),
    ]
    assert {part.kind for message in asked.messages for part in message.parts} == {"text"}
    assert [tool.name for tool in asked.tools] == ["use_tools"]
    assert "Saturday, 21 November 2026" in asked.system


async def test_cancelling_leaves_no_task_behind() -> None:
    verdict, answer = Held(then="SIMPLE"), Held(then="Paris.")
    classifier, fast = ScriptedModel([verdict]), ScriptedModel([answer])
    task = asyncio.create_task(router(classifier, fast).route(routing(), Listener().tell))
    async with asyncio.timeout(TIMEOUT_S):
        await verdict.reached.wait()
        await answer.reached.wait()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    assert task.cancelled()
    assert (classifier.aborted, fast.aborted) == (1, 1)
    assert fast_answers() == []


async def test_a_listener_that_fails_fails_the_call_and_leaves_no_task_behind() -> None:
    async def fail(item: Delta | Retried) -> None:
        raise ConnectionError("nobody listens")

    made = router(ScriptedModel(["SIMPLE"]), ScriptedModel(["Paris."]))
    with pytest.raises(ConnectionError):
        await made.route(routing(), fail)
    assert fast_answers() == []


FILE = Attachment(name="a.log", path="downloads/a.log", mimetype="text/plain", size_bytes=3)


@pytest.mark.proves("router.assent_is_complex")
@pytest.mark.parametrize(
    "text",
    [
        *("continue", "Continue.", "  proceed!", "yes", "YES, do it", "ok", "go ahead", "carry on"),
        *("ja", "mach weiter", "oui", "d'accord", "sí", "vale", "continúa", "👍"),
    ],
)
def test_a_short_assent_continues(text: str) -> None:
    assert rule_for(inbound(text), has_unfinished_work=False) == "continue"


@pytest.mark.parametrize(
    "text",
    [
        *("", "yesterday's weather", "okapi habitat", "What does continue do in Python?"),
        *("continue: add a section on retries", "ok so what is a thread?", "Capital of France?"),
    ],
)
def test_whatever_says_more_is_the_classifiers_unless_work_is_unfinished(text: str) -> None:
    assert rule_for(inbound(text), has_unfinished_work=False) is None
    assert rule_for(inbound(text), has_unfinished_work=True) == "unfinished_work"


def test_the_first_rule_that_holds_gives_the_name() -> None:
    message = replace(inbound("yes"), attachments=(FILE,), scheduled=True)
    assert rule_for(message, has_unfinished_work=True) == "scheduled"
    asked = replace(message, scheduled=False)
    assert rule_for(asked, has_unfinished_work=True, is_whole=False) == "attachment"
    assert rule_for(asked, has_unfinished_work=True) == "continue"
    assert rule_for(replace(asked, text="What is this?"), has_unfinished_work=False) is None
    assert rule_for(inbound("yes"), has_unfinished_work=True) == "continue"
    assert rule_for(inbound("word " * 3_000), has_unfinished_work=True) == "long_text"
