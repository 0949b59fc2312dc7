"""Small talk is answered at once and without a model, each kind in its own way."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.events import Outcome, RouteChosen, TurnFinished
from agent_core.ids import SessionId, TurnId, UserId
from agent_core.messages import Attachment, InboundMessage
from agent_core.runtime.opening import answer_small_talk, kind_of, needs_no_model
from agent_core.sessions import StoredTurn
from agent_core.testing.models import Held, ScriptedModel
from tests.agent_core.runtime.threads import begin, end_of, events_of
from tests.runtimes import inbound, scripted_runtime

CUT_SHORT = "Half of it is done. (The answer was cut off here. Reply “continue” and I go on.)"
HELP = "Hi! Ask me a question or give me a task."
NOTHING_RUNS = (
    "I'm not working on anything here. To stop work elsewhere, write “stop” in that thread."
)
THANKS = "You're welcome!"
GERMAN = "Was ist die Hauptstadt von Frankreich?"
FILE = Attachment(name="a.log", path="downloads/a.log", mimetype="text/plain", size_bytes=3)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "at_once"),
        ("🎉", "at_once"),
        ("help", "at_once"),
        ("thanks", "at_once"),
        ("how far are you?", "at_once"),
        ("stop!", "stop"),
        ("👍", "work"),
        ("hello", "work"),
        ("continue", "work"),
    ],
)
def test_small_talk_waits_for_nothing_but_a_thumb_up_that_may_be_a_yes(
    text: str, kind: str
) -> None:
    assert kind_of(inbound(text)) == kind
    assert kind_of(replace(inbound(text), attachments=(FILE,))) == "work"
    assert kind_of(replace(inbound(text), scheduled=True)) == "work"


def turn_of(
    said: InboundMessage | str,
    *,
    seq: int = 1,
    outcome: Outcome | None = "answered",
    answer: str = "",
) -> StoredTurn:
    message = inbound(said, number=seq) if isinstance(said, str) else said
    return StoredTurn(
        id=TurnId(f"turn:{message.key}"),
        session=SessionId(message.session),
        seq=seq,
        status="finished" if outcome else "running",
        generation=1,
        inbound=message,
        outcome=outcome,
        answer=answer,
    )


def answered(message: InboundMessage | str, *earlier: StoredTurn) -> str | None:
    turn = turn_of(message, seq=9, outcome=None)
    if not needs_no_model(turn, earlier):
        return None
    routed = answer_small_talk(turn, earlier, [], turn.inbound.received_at)
    return routed.answer.text if routed.answer else None


def in_german(text: str) -> InboundMessage:
    return replace(inbound(text, number=9), author_locale="de-DE")


TOLD: list[tuple[InboundMessage | str, Sequence[StoredTurn], str]] = [
    ("", [turn_of(GERMAN)], "The last request in this thread is answered."),
    (in_german(""), [turn_of("What is the capital of France?")], "Die letzte Anfrage in diesem"),
    (in_german("stop"), [turn_of(GERMAN)], "Ich arbeite hier gerade an nichts."),
    (in_german(""), [], "Hallo! Stell mir eine Frage"),
    (in_german("🎉"), [], "Gern geschehen!"),
    (in_german("x" * 39_000), [], "Deine Nachricht hat 39.000 Zeichen und kein Wort"),
]


@pytest.mark.parametrize(("message", "earlier", "begins"), TOLD)
def test_the_answer_is_in_the_language_of_the_message_or_else_of_its_author(
    message: InboundMessage | str, earlier: Sequence[StoredTurn], begins: str
) -> None:
    assert str(answered(message, *earlier)).startswith(begins)


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        ("answered", "is answered"),
        ("limited", "stopped early"),
        ("stopped", "was stopped"),
        ("failed", "could not finish"),
        (None, "I have just begun."),
    ],
)
def test_in_a_thread_with_a_session_its_state_is_told(outcome: Outcome | None, says: str) -> None:
    work = turn_of("Look it up", outcome=outcome)
    wave = turn_of("🎉", seq=2)
    for earlier in ((work,), (work, wave)):
        answer = str(answered("", *earlier))
        assert says in answer


@pytest.mark.parametrize(
    ("text", "outcome", "answer"),
    [
        ("👍", "limited", CUT_SHORT),
        ("👍🏿 ", "answered", "I found three sources.\n\nShall I write the report?"),
        ("👍", "answered", "Tres fuentes. ¿Quieres que escriba el informe?"),
        ("continue", "answered", ""),
        ("ok", "answered", ""),
        ("How does this work?", "answered", ""),
    ],
)
def test_what_may_be_a_yes_to_what_was_offered_is_for_the_agent(
    text: str, outcome: Outcome, answer: str
) -> None:
    assert answered(text, turn_of("Look it up", outcome=outcome, answer=answer)) is None


@pytest.mark.parametrize(
    ("text", "outcome", "answer"),
    [
        ("👍", "answered", "Paris."),
        ("👍", "answered", "“Shall I go on?” is what I asked before."),
        ("👍", "failed", "Something went wrong on my side."),
        ("👍", "stopped", ""),
        ("👍👍", "limited", CUT_SHORT),
        ("ok thanks", "limited", CUT_SHORT),
    ],
)
def test_what_may_mean_anything_is_only_a_kindness(
    text: str, outcome: Outcome, answer: str
) -> None:
    assert answered(text, turn_of("Look it up", outcome=outcome, answer=answer)) == THANKS


def test_somebody_elses_thumb_up_is_no_yes() -> None:
    before = turn_of("Look it up", outcome="limited", answer=CUT_SHORT)
    message = replace(inbound("👍", number=9), asker=UserId("T1:U2"))
    assert answered(message, before) == THANKS


@pytest.mark.parametrize(
    ("text", "reason", "begins"),
    [
        ("", "empty", HELP),
        ("🎉🎉", "emoji", THANKS),
        ("x" * 39_000, "noise", "Your message has 39,000 characters and no word in it"),
        ("help", "help", HELP),
        ("annule", "stop", "Je ne travaille sur rien ici"),
        ("stop", "stop", NOTHING_RUNS),
        ("perfekt, danke!", "thanks", "Gern geschehen!"),
    ],
)
async def test_no_model_is_asked(tmp_path: Path, text: str, reason: str, begins: str) -> None:
    model, classifier, fast = ScriptedModel([]), ScriptedModel([]), ScriptedModel([])
    async with scripted_runtime(tmp_path, model=model, classifier=classifier, fast=fast) as runtime:
        events = await events_of(runtime, await begin(runtime, inbound(text)))
    assert [event.kind for event in events] == ["turn_started", "route_chosen", "turn_finished"]
    _, route, end = events
    assert isinstance(route, RouteChosen)
    assert (route.route, route.reason, route.model_calls) == ("SIMPLE", reason, 0)
    assert isinstance(end, TurnFinished)
    assert end.answer.startswith(begins)
    assert not [*model.requests, *classifier.requests, *fast.requests]


async def test_the_answer_does_not_wait_for_a_turn_that_is_running(tmp_path: Path) -> None:
    held = Held(then="Found it.")
    model = ScriptedModel([held, "And more."])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        working = await begin(runtime, inbound("continue with it", number=1))
        await held.reached.wait()
        queued = await begin(runtime, inbound("continue please", number=2))
        asked = await end_of(runtime, await begin(runtime, inbound("", number=3)))
        assert asked.answer.startswith("I have just begun.")
        assert (await runtime.turn(queued)).status == "queued"
        held.release.set()
        assert (await end_of(runtime, working)).answer == "Found it."
        assert (await end_of(runtime, queued)).answer.endswith("And more.")


async def test_noise_does_not_fill_the_history_and_is_not_saved(tmp_path: Path) -> None:
    model = ScriptedModel(["Here you are."])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        for number, text in enumerate(("x" * 39_000, "continue with it"), 1):
            await end_of(runtime, await begin(runtime, inbound(text, number=number)))
        workspace = await runtime.workspace(inbound("").session, inbound("").received_at)
    [request] = model.requests
    assert "xxxx" not in str(request.messages)
    assert "(39,000 characters without a word)" in str(request.messages)
    assert list((workspace / "downloads").iterdir()) == []
