"""Documents, lost workspaces and withdrawn messages: what the answer says of them."""

import asyncio
import shutil
from pathlib import Path

import pytest

from agent_core.errors import ModelRejected
from agent_core.events import AnyEvent, RouteChosen, TurnFinished, TurnStarted
from agent_core.messages import InboundMessage
from agent_core.runtime import Runtime
from agent_core.testing.models import Held, ScriptedModel
from agent_core.testing.runtimes import inbound, scripted_runtime

TIMEOUT_S = 20
DOCUMENT = "The bridge was opened in 1931 and has carried trains since. " * 650
QUESTION = f"{DOCUMENT}\n\nWhen was the bridge opened?"
GONE = "The files of this thread were gone; I started a new workspace."


async def turn_events(runtime: Runtime, message: InboundMessage) -> list[AnyEvent]:
    async with asyncio.timeout(TIMEOUT_S):
        turn = await runtime.handle(message)
        assert turn is not None
        return [event async for _, event in runtime.events(turn)]


async def answer(runtime: Runtime, message: InboundMessage) -> str:
    last = (await turn_events(runtime, message))[-1]
    assert isinstance(last, TurnFinished)
    return last.answer


async def workspace(runtime: Runtime) -> Path:
    return await runtime.workspace(inbound("").session, inbound("").received_at)


async def test_a_document_reaches_the_model_whole_and_is_saved_and_named(tmp_path: Path) -> None:
    model, classifier = ScriptedModel(["In 1931."]), ScriptedModel([])
    async with scripted_runtime(tmp_path, model=model, classifier=classifier) as runtime:
        events = await turn_events(runtime, inbound(QUESTION))
        saved = await workspace(runtime) / "downloads" / "message_1.txt"
    last = events[-1]
    assert isinstance(last, TurnFinished)
    notice, _, said = last.answer.partition("\n\n")
    assert notice == (
        f"Your message has {len(QUESTION):,} characters; I took in all of it and saved it as "
        "`downloads/message_1.txt`."
    )
    assert said == "In 1931."
    assert saved.read_text(encoding="utf-8") == QUESTION
    [request] = model.requests
    told = request.messages[-1].text
    assert told.endswith(QUESTION)
    assert "it is saved as downloads/message_1.txt" in told
    [route] = [event for event in events if isinstance(event, RouteChosen)]
    assert (route.route, route.reason) == ("COMPLEX", "long_text")
    assert not classifier.requests


@pytest.mark.parametrize(
    ("question", "notice"),
    [
        ("Wann wurde die Brücke eröffnet und von wem?", "Deine Nachricht hat 15.0"),
        (
            "Quand le pont est ouvert et pour qui ?",
            "Votre message compte 15\N{NARROW NO-BREAK SPACE}0",
        ),
        ("¿Cuándo y por qué se abrió el puente?", "Tu mensaje tiene 15.0"),
    ],
)
async def test_the_length_is_named_in_the_askers_language(
    tmp_path: Path, question: str, notice: str
) -> None:
    async with scripted_runtime(tmp_path, model=ScriptedModel(["1931."])) as runtime:
        said = await answer(runtime, inbound(f"{'1931 1932 ' * 1_500}\n{question}"))
    assert said.startswith(notice)


async def test_a_notice_is_in_the_language_that_the_asker_used_before(tmp_path: Path) -> None:
    model = ScriptedModel(["Eins.", "Zwei."])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        await answer(runtime, inbound("Was ist die Hauptstadt von Frankreich?", number=1))
        shutil.rmtree(await workspace(runtime))
        said = await answer(runtime, inbound("continue", number=2))
    assert said.startswith("Die Dateien dieses Threads waren weg")


async def test_a_message_of_ordinary_length_is_not_measured(tmp_path: Path) -> None:
    async with scripted_runtime(tmp_path, model=ScriptedModel(["Fine."])) as runtime:
        assert await answer(runtime, inbound("continue " + "word " * 2_000)) == "Fine."
        assert list((await workspace(runtime) / "downloads").iterdir()) == []


async def test_a_document_is_named_in_a_failure_too(tmp_path: Path) -> None:
    model = ScriptedModel([ModelRejected("no key")])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        said = await answer(runtime, inbound(QUESTION))
    assert said.startswith("Your message has ")
    assert "refused the request" in said


async def test_a_document_that_cannot_be_saved_is_answered_all_the_same(tmp_path: Path) -> None:
    async with scripted_runtime(tmp_path, model=ScriptedModel(["Hello.", "In 1931."])) as runtime:
        await answer(runtime, inbound("continue with it", number=1))
        downloads = await workspace(runtime) / "downloads"
        downloads.rmdir()
        downloads.write_text("in the way", encoding="utf-8")
        said = await answer(runtime, inbound(QUESTION, number=2))
    assert (
        said == f"Your message has {len(QUESTION):,} characters; I took in all of it.\n\nIn 1931."
    )


async def test_a_lost_workspace_is_replaced_and_told_once(tmp_path: Path) -> None:
    model = ScriptedModel(["One.", "Two.", "Three."])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        assert await answer(runtime, inbound("continue with one", number=1)) == "One."
        shutil.rmtree(await workspace(runtime))
        assert await answer(runtime, inbound("continue with two", number=2)) == f"{GONE}\n\nTwo."
        assert await answer(runtime, inbound("continue with three", number=3)) == "Three."
        new = await workspace(runtime)
    assert (new / "trace.json").exists()
    assert [path for place in (tmp_path, new) for path in place.glob(".*")] == []
    assert "continue with one" in str(model.requests[-1].messages)


async def test_a_lost_workspace_is_told_after_a_restart_too(tmp_path: Path) -> None:
    async with scripted_runtime(tmp_path, model=ScriptedModel(["One."])) as runtime:
        await answer(runtime, inbound("continue with one", number=1))
        shutil.rmtree(await workspace(runtime))
        assert (await workspace(runtime)).is_dir()
    async with scripted_runtime(tmp_path, model=ScriptedModel(["Two."])) as runtime:
        assert await answer(runtime, inbound("continue", number=2)) == f"{GONE}\n\nTwo."


async def test_a_new_thread_is_told_nothing_of_its_workspace(tmp_path: Path) -> None:
    async with scripted_runtime(tmp_path, model=ScriptedModel(["One."])) as runtime:
        await workspace(runtime)
        assert await answer(runtime, inbound("continue with it")) == "One."


async def test_a_message_that_is_withdrawn_before_its_turn_begins_is_not_answered(
    tmp_path: Path,
) -> None:
    held = Held(then="One.")
    model = ScriptedModel([held, "Three."])
    async with scripted_runtime(tmp_path, model=model) as runtime, asyncio.TaskGroup() as group:
        first = group.create_task(answer(runtime, inbound("continue with one", number=1)))
        await held.reached.wait()
        second = await runtime.handle(inbound("continue with the secret", number=2))
        third = group.create_task(answer(runtime, inbound("continue with three", number=3)))
        assert second is not None
        assert await runtime.withdraw(inbound("", number=2).key)
        async with asyncio.timeout(TIMEOUT_S):
            events = [event async for _, event in runtime.events(second)]
        held.release.set()
    assert [type(event) for event in events] == [TurnStarted, TurnFinished]
    last = events[-1]
    assert isinstance(last, TurnFinished)
    assert (last.outcome, last.answer) == ("stopped", "")
    assert "secret" not in str(events)
    assert (first.result(), third.result()) == ("One.", "Three.")
    assert "secret" not in str(model.requests)


async def test_withdrawing_what_nobody_knows_changes_nothing(tmp_path: Path) -> None:
    async with scripted_runtime(tmp_path, model=ScriptedModel([])) as runtime:
        assert not await runtime.withdraw("T1:C1:1.000001")


async def test_a_workspace_that_is_lost_in_mid_turn_does_not_cost_the_answer(
    tmp_path: Path,
) -> None:
    held = Held(then="One.")
    async with (
        scripted_runtime(tmp_path, model=ScriptedModel([held])) as runtime,
        asyncio.TaskGroup() as group,
    ):
        first = group.create_task(answer(runtime, inbound("continue with it", number=1)))
        await held.reached.wait()
        shutil.rmtree(await workspace(runtime))
        held.release.set()
    assert first.result() == "One."
