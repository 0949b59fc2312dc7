"""Small talk is answered at once and without a model, each kind in its own way."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.events import AnyEvent, Outcome, RouteChosen, TurnFinished
from agent_core.ids import SessionId, TurnId, UserId
from agent_core.messages import Attachment, InboundMessage
from agent_core.runtime import Runtime
from agent_core.runtime.ready_answers import (
    answer_small_talk,
    kind_of,
    needs_no_model,
    small_talk_of,
)
from agent_core.sessions import StoredTurn
from agent_core.testing.models import Held, ScriptedModel
from agent_core.testing.runtimes import inbound, scripted_runtime

TIMEOUT_S = 20
CUT_SHORT = "Half of it is done. (The answer was cut off here. Reply “continue” and I go on.)"
HELP = "Here I am."
NOTHING_RUNS = (
    "Nothing is running in this thread. If I am at work in another one, please reply there."
)
THANKS = "You are welcome! If there is more I can do, a few words are enough."


@pytest.mark.parametrize(
    "text", ["", "   ", "\n\t", "\u200b\ufeff", "\u2060", "?", "...", "-", "¿?!"]
)
def test_a_message_of_nothing_is_empty(text: str) -> None:
    assert small_talk_of(inbound(text)) == "empty"


@pytest.mark.parametrize(
    "text",
    [
        "🎉🎉",
        "👍🏽",
        "👩‍👩‍👧‍👦",
        "🇩🇪 🇫🇷",
        "🏴󠁧󠁢󠁷󠁬󠁳󠁿",
        "❤️",
        "1️⃣",
        "🎉" * 5_000,
    ],
)
def test_a_message_of_nothing_but_emoji_is_told(text: str) -> None:
    assert small_talk_of(inbound(text)) == "emoji"


@pytest.mark.parametrize("text", ["x" * 39_000, "あ" * 20, "x " * 20, "-=" * 500, "." * 20])
def test_a_long_message_without_a_word_is_noise(text: str) -> None:
    assert small_talk_of(inbound(text)) == "noise"


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "hmm 🎉",
        "7",
        "12:30:45",
        "你好",
        "नमस्ते",
        "xxxxxxxxxx",
        "x" * 39_000 + " What is this?",
        "1 + 1",
        "@ben 🎉",
        "½",
    ],
)
def test_a_message_with_a_word_or_a_number_is_left_to_the_agent(text: str) -> None:
    assert small_talk_of(inbound(text)) is None


def test_a_message_with_files_is_left_to_the_agent_whatever_it_says() -> None:
    file = Attachment(name="a.log", path="downloads/a.log", mimetype="text/plain", size_bytes=3)
    assert small_talk_of(replace(inbound(""), attachments=(file,))) is None
    assert small_talk_of(replace(inbound(""), scheduled=True)) is None


def test_a_thumb_up_waits_for_the_turn_that_it_may_be_a_yes_to() -> None:
    assert kind_of(inbound("")) == "at_once"
    assert kind_of(inbound("🎉")) == "at_once"
    assert kind_of(inbound("👍")) == "work"
    assert kind_of(inbound("hello")) == "work"
    assert kind_of(inbound("stop!")) == "stop"


def turn_of(
    message: InboundMessage, *, seq: int = 1, outcome: Outcome | None = None, answer: str = ""
) -> StoredTurn:
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


def answered(message: InboundMessage, earlier: Sequence[StoredTurn] = ()) -> str | None:
    turn = turn_of(message, seq=9)
    if not needs_no_model(turn, earlier):
        return None
    routed = answer_small_talk(turn, earlier, [], message.received_at)
    return routed.answer.text if routed.answer else None


@pytest.mark.parametrize(
    ("asked", "begins"),
    [
        ("What is the capital of France?", "The last request in this thread is answered."),
        ("Was ist die Hauptstadt von Frankreich?", "Die letzte Anfrage in diesem Thread"),
        ("Quelle est la capitale de la France ?", "La dernière demande de ce fil"),
        ("¿Cuál es la capital de Francia y por qué?", "La última petición de este hilo"),
    ],
)
def test_the_answer_is_in_the_language_that_the_asker_used_before(asked: str, begins: str) -> None:
    before = turn_of(inbound(asked), outcome="answered", answer="Paris.")
    assert str(answered(inbound("", number=2), [before])).startswith(begins)


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("", "Hier bin ich."),
        ("🎉", "Gern! Wenn ich noch etwas tun kann"),
        ("x" * 39_000, "Deine Nachricht hat 39.000 Zeichen und kein Wort"),
    ],
)
def test_where_nothing_was_said_before_the_language_is_that_of_the_askers_locale(
    text: str, begins: str
) -> None:
    assert str(answered(replace(inbound(text), author_locale="de-DE"))).startswith(begins)


def test_what_the_asker_said_before_comes_before_the_locale() -> None:
    before = turn_of(inbound("What is the capital of France?"), outcome="answered")
    message = replace(inbound("", number=2), author_locale="de-DE")
    assert str(answered(message, [before])).startswith("The last request in this thread")


def test_in_a_thread_of_people_the_language_is_theirs() -> None:
    posts = "Ben (09:00): Wann ist die Abnahme mit dem Kunden und wer ist dabei?"
    message = replace(inbound(""), background=posts)
    assert str(answered(message)).startswith("Hier bin ich.")


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        ("answered", "is answered"),
        ("limited", "stopped at a limit"),
        ("stopped", "was stopped"),
        ("failed", "could not be finished"),
        (None, "I have just begun."),
    ],
)
def test_in_a_thread_with_a_session_its_state_is_told(outcome: Outcome | None, says: str) -> None:
    before = turn_of(inbound("Look it up"), outcome=outcome)
    answer = answered(inbound("", number=2), [before])
    assert answer is not None
    assert says in answer
    assert "A word is enough" in answer


def test_the_state_is_that_of_the_last_work_and_not_of_a_wave_of_the_hand() -> None:
    work = turn_of(inbound("Look it up"), outcome="limited")
    wave = turn_of(inbound("🎉", number=2), seq=2, outcome="answered")
    assert "stopped at a limit" in str(answered(inbound("", number=3), [work, wave]))


@pytest.mark.parametrize(
    ("outcome", "answer"),
    [
        ("limited", CUT_SHORT),
        ("answered", "I found three sources.\n\nShall I write the report?"),
        ("answered", "Drei Quellen. Soll ich den Bericht schreiben?"),
        ("answered", "Trois sources. Puis-je rédiger le rapport ?"),
        ("answered", "Tres fuentes. ¿Quieres que escriba el informe?"),
    ],
)
@pytest.mark.parametrize("thumb", ["👍", "👍🏿 "])
def test_a_thumb_up_is_a_yes_to_the_one_thing_that_was_offered(
    outcome: Outcome, answer: str, thumb: str
) -> None:
    before = turn_of(inbound("Look it up"), outcome=outcome, answer=answer)
    assert answered(inbound(thumb, number=2), [before]) is None


@pytest.mark.parametrize(
    ("outcome", "answer"),
    [
        ("answered", "Paris."),
        ("answered", "“Shall I go on?” is what I asked before."),
        ("failed", "Something went wrong on my side."),
        ("stopped", ""),
    ],
)
def test_a_thumb_up_that_may_mean_anything_is_only_a_kindness(
    outcome: Outcome, answer: str
) -> None:
    before = turn_of(inbound("Look it up"), outcome=outcome, answer=answer)
    assert answered(inbound("👍", number=2), [before]) == THANKS


def test_somebody_elses_thumb_up_is_no_yes() -> None:
    before = turn_of(inbound("Look it up"), outcome="limited", answer=CUT_SHORT)
    message = replace(inbound("👍", number=2), asker=UserId("T1:U2"))
    assert answered(message, [before]) == THANKS


def test_two_thumbs_up_are_no_yes() -> None:
    before = turn_of(inbound("Look it up"), outcome="limited", answer=CUT_SHORT)
    assert answered(inbound("👍👍", number=2), [before]) == THANKS


@pytest.mark.parametrize("text", ["continue", "ok", "yes, go on", "How does this work?"])
def test_after_earlier_work_it_means_that_work(text: str) -> None:
    before = turn_of(inbound("Look it up"), outcome="answered")
    assert answered(inbound(text, number=2), [before]) is None


def test_what_followed_work_is_work_that_can_be_gone_on_with() -> None:
    work = turn_of(inbound("Look it up"), outcome="answered")
    more = turn_of(inbound("continue", number=2), seq=2, outcome="limited")
    assert "stopped at a limit" in str(answered(inbound("", number=3), [work, more]))


def test_thanks_after_work_are_only_a_kindness() -> None:
    before = turn_of(inbound("Look it up"), outcome="limited", answer=CUT_SHORT)
    assert answered(inbound("ok thanks", number=2), [before]) == THANKS


def test_a_word_of_several_languages_is_met_in_that_of_the_thread() -> None:
    before = turn_of(inbound("Was ist die Hauptstadt von Frankreich?"), outcome="answered")
    said = answered(inbound("stop", number=2), [before])
    assert str(said).startswith("In diesem Thread läuft gerade nichts.")


def test_in_a_thread_of_others_the_language_is_theirs_and_not_that_of_the_askers_locale() -> None:
    before = turn_of(inbound("What is the best way to compare these quarters?"), outcome="answered")
    message = replace(inbound("", number=2), asker=UserId("T1:U2"), author_locale="de-DE")
    assert str(answered(message, [before])).startswith("The last request in this thread")


def test_help_and_thanks_wait_for_nothing_and_stop_waits_for_its_place() -> None:
    assert kind_of(inbound("help")) == "at_once"
    assert kind_of(inbound("thanks")) == "at_once"
    assert kind_of(inbound("how far are you?")) == "at_once"
    assert kind_of(inbound("stop")) == "stop"
    assert kind_of(inbound("continue")) == "work"


async def turn_events(runtime: Runtime, message: InboundMessage) -> list[AnyEvent]:
    async with asyncio.timeout(TIMEOUT_S):
        turn = await runtime.handle(message)
        assert turn is not None
        return [event async for _, event in runtime.events(turn)]


def ending(events: list[AnyEvent]) -> TurnFinished:
    last = events[-1]
    assert isinstance(last, TurnFinished)
    return last


@pytest.mark.parametrize(
    ("text", "reason", "begins"),
    [
        ("", "empty", HELP),
        ("🎉🎉", "emoji", THANKS),
        ("x" * 39_000, "noise", "Your message has 39,000 characters and no word in it"),
        ("help", "help", HELP),
        ("Was kannst du?", "help", "Hier bin ich."),
        ("stop", "stop", NOTHING_RUNS),
        ("annule", "stop", "Rien n'est en cours"),
        ("perfekt, danke!", "thanks", "Gern!"),
        ("thanks", "thanks", THANKS),
    ],
)
async def test_no_model_is_asked(tmp_path: Path, text: str, reason: str, begins: str) -> None:
    model, classifier, fast = ScriptedModel([]), ScriptedModel([]), ScriptedModel([])
    async with scripted_runtime(tmp_path, model=model, classifier=classifier, fast=fast) as runtime:
        events = await turn_events(runtime, inbound(text))
    assert [event.kind for event in events] == ["turn_started", "route_chosen", "turn_finished"]
    [route] = [event for event in events if isinstance(event, RouteChosen)]
    assert (route.route, route.reason, route.model_calls) == ("SIMPLE", reason, 0)
    assert ending(events).outcome == "answered"
    assert ending(events).answer.startswith(begins)
    assert not [*model.requests, *classifier.requests, *fast.requests]


async def test_the_answer_does_not_wait_for_a_turn_that_is_running(tmp_path: Path) -> None:
    held = Held(then="Found it.")
    async with AsyncExitStack() as stack:
        runtime = await stack.enter_async_context(
            scripted_runtime(tmp_path, model=ScriptedModel([held, "And more."]))
        )
        working = await runtime.handle(inbound("continue with it", number=1))
        assert working is not None
        await held.reached.wait()
        queued = await runtime.handle(inbound("continue please", number=2))
        assert queued is not None
        asked = ending(await turn_events(runtime, inbound("", number=3)))
        assert asked.answer.startswith("I have just begun.")
        assert (await runtime.turn(queued)).status == "queued"
        held.release.set()
        async with asyncio.timeout(TIMEOUT_S):
            last = [
                [event async for _, event in runtime.events(turn)][-1] for turn in (working, queued)
            ]
        workspace = await runtime.workspace(inbound("").session, inbound("").received_at)
    assert [end.answer for end in last if isinstance(end, TurnFinished)] == [
        "Found it.",
        "And more.",
    ]
    log = (workspace / "run.log").read_text(encoding="utf-8")
    assert all(end.answer in log for end in last if isinstance(end, TurnFinished))


async def test_a_thumb_up_after_cut_work_goes_on_with_it(tmp_path: Path) -> None:
    model = ScriptedModel(["I found three sources. Shall I write the report?", "Written."])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        await turn_events(runtime, inbound("continue with it", number=1))
        events = await turn_events(runtime, inbound("👍", number=2))
    [route] = [event for event in events if isinstance(event, RouteChosen)]
    assert (route.route, route.reason) == ("COMPLEX", "continue")
    assert ending(events).answer == "Written."


async def test_noise_does_not_fill_the_history_and_is_not_saved(tmp_path: Path) -> None:
    model = ScriptedModel(["Here you are."])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        await turn_events(runtime, inbound("x" * 39_000, number=1))
        await turn_events(runtime, inbound("continue with it", number=2))
        workspace = await runtime.workspace(inbound("").session, inbound("").received_at)
    [request] = model.requests
    assert "xxxx" not in str(request.messages)
    assert "(39,000 characters without a word)" in str(request.messages)
    assert list((workspace / "downloads").iterdir()) == []
