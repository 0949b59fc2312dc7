"""Rules decide without a model call, and only ever for the full agent."""

from dataclasses import replace

import pytest

from agent_core.classifier import rule_for
from agent_core.messages import Attachment
from agent_core.testing.runtimes import inbound

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
        "",
        "yesterday's weather",
        "okapi habitat",
        "What does continue do in Python?",
        "continue: add a section on retries",
        "ok so what is the difference between a thread and a process?",
    ],
)
def test_whatever_says_more_is_the_classifiers(text: str) -> None:
    assert rule_for(inbound(text), has_unfinished_work=False) is None


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
    assert rule_for(inbound("👍"), has_unfinished_work=False) == "continue"
