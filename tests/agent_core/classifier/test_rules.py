"""Rules decide without a model call, and only ever for the full agent."""

from dataclasses import replace

import pytest

from agent_core.classifier import rule_for
from agent_core.classifier.rules import continues
from agent_core.messages import Attachment
from agent_core.testing.runtimes import inbound

FILE = Attachment(name="a.log", path="downloads/a.log", mimetype="text/plain", size_bytes=3)


@pytest.mark.proves("router.assent_is_complex")
@pytest.mark.parametrize(
    "text",
    [
        "continue",
        "Continue.",
        "  proceed!",
        "yes",
        "YES, do it",
        "ok",
        "Okay",
        "sure, go on",
        "👍 yes please",
        "go ahead",
        "carry on",
        "ja",
        "mach weiter",
        "oui",
        "d'accord",
        "sí",
        "vale",
        "continúa",
    ],
)
def test_assent_in_several_languages_continues(text: str) -> None:
    assert continues(text)


@pytest.mark.parametrize(
    "text",
    [
        "continue: add a section on retries, with the figures of both vendors and their dates",
        "proceed with the second of the three plans that you laid out this morning, please",
        "weiter mit dem zweiten Abschnitt, aber bitte ohne die Tabellen vom letzten Mal",
    ],
)
def test_a_word_that_can_only_continue_does_so_at_any_length(text: str) -> None:
    assert continues(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "yesterday's weather",
        "okapi habitat",
        "japanese capital?",
        "surely not",
        "What does continue do in Python?",
        "Is it yes or no?",
        "yes is a word whose history I would like to know more about, please",
        "ok so what is the difference between a thread and a process?",
    ],
)
def test_a_new_question_does_not_continue(text: str) -> None:
    assert not continues(text)


def test_a_plain_question_is_left_to_the_model() -> None:
    assert rule_for(inbound("Capital of France?"), has_unfinished_work=False) is None


def test_a_scheduled_message_is_named_so() -> None:
    message = replace(inbound("Capital of France?"), scheduled=True)
    assert rule_for(message, has_unfinished_work=False) == "scheduled"


def test_an_attached_file_is_named() -> None:
    message = replace(inbound("what is this?"), attachments=(FILE,))
    assert rule_for(message, has_unfinished_work=False) == "attachment"


def test_assent_is_named() -> None:
    assert rule_for(inbound("yes"), has_unfinished_work=False) == "continue"


def test_any_reply_after_unfinished_work_is_named() -> None:
    assert rule_for(inbound("and in Spain?"), has_unfinished_work=True) == "unfinished_work"


def test_the_first_rule_that_holds_gives_the_name() -> None:
    message = replace(inbound("yes"), attachments=(FILE,), scheduled=True)
    assert rule_for(message, has_unfinished_work=True) == "scheduled"
    assert rule_for(replace(message, scheduled=False), has_unfinished_work=True) == "attachment"
    assert rule_for(inbound("yes"), has_unfinished_work=True) == "continue"


def test_a_document_is_named() -> None:
    text = "What is this? " + "word " * 3_000
    assert rule_for(inbound(text), has_unfinished_work=False) == "long_text"
    assert rule_for(inbound(text), has_unfinished_work=True) == "long_text"


def test_a_thumb_up_continues() -> None:
    assert rule_for(inbound(":+1:"), has_unfinished_work=False) == "continue"
