"""A failure in plain words: for the person in their language, for a model in the kind's."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.errors import (
    ModelRejected,
    ModelUnavailable,
    ReplyTruncated,
    RequestTooLarge,
    SessionError,
)
from agent_core.events import TurnFinished
from agent_core.prompts.language import Language
from agent_core.runtime.standing import apology, child_failure
from agent_core.testing.models import ScriptedModel, call
from agent_core.testing.runtimes import inbound, scripted_runtime

TIMEOUT_S = 20
LANGUAGES: tuple[Language, ...] = ("en", "de", "fr", "es")
FAILURES = [
    RequestTooLarge("raw words"),
    ReplyTruncated("raw words"),
    ModelRejected("raw words"),
    ModelUnavailable("raw words"),
    SessionError("raw words"),
]


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
def test_an_apology_has_words_of_its_own_in_each_language(error: Exception) -> None:
    said = {apology(error, "abc12345", language) for language in LANGUAGES}
    assert len(said) == len(LANGUAGES)
    assert all("abc12345" in each for each in said)
    assert not [each for each in said if "raw words" in each or type(error).__name__ in each]


def test_each_kind_of_failure_is_told_apart() -> None:
    assert len({child_failure(error) for error in FAILURES}) == len(FAILURES)
    for language in LANGUAGES:
        assert len({apology(error, "abc12345", language) for error in FAILURES}) == len(FAILURES)


@pytest.mark.parametrize(
    ("text", "locale", "begins"),
    [
        ("Look into heat pumps for me please", "de-DE", "My language model refused"),
        ("Bitte suche die Preise für das Haus", "", "Mein Sprachmodell hat die Anfrage abgelehnt"),
        ("Sprint?", "fr-FR", "Mon modèle de langage a refusé"),
        ("Sprint?", "", "My language model refused"),
    ],
)
async def test_a_failure_is_told_in_the_askers_language(
    tmp_path: Path, text: str, locale: str, begins: str
) -> None:
    message = replace(inbound(text), author_locale=locale)
    model = ScriptedModel([ModelRejected("no key")])
    async with asyncio.timeout(TIMEOUT_S), scripted_runtime(tmp_path, model=model) as runtime:
        turn = await runtime.handle(message)
        assert turn is not None
        last = [event async for _, event in runtime.events(turn)][-1]
    assert isinstance(last, TurnFinished)
    assert last.answer.startswith(begins)


async def test_a_model_is_told_plainly_how_its_sub_agent_failed(tmp_path: Path) -> None:
    task = call("Task", {"prompt": "A note.", "subagent_type": "report-creation-expert"})
    model = ScriptedModel([task, ModelRejected("no key"), "It could not be written."])
    async with asyncio.timeout(TIMEOUT_S), scripted_runtime(tmp_path, model=model) as runtime:
        turn = await runtime.handle(inbound("continue with it"))
        assert turn is not None
        async for _ in runtime.events(turn):
            continue
    told = str(model.requests[-1].messages[-1])
    assert "The sub-agent could not finish: its language model refused the request" in told
    assert "ModelRejected" not in told
