"""What the audit says of a call agrees with what its result says, entry by entry."""

import json
from typing import Any

import pytest

from agent_core.consent.gate import outcome_of
from agent_core.consent.policy import read_policy
from agent_core.messages import JsonObject
from agent_core.sessions import AuditOutcome
from agent_core.tools import ToolOutput
from tests.agent_core.consent.calls import batch, entry

READING, SENDING = entry("GMAIL_FETCH_EMAILS"), entry("GMAIL_SEND_EMAIL")
DONE: JsonObject = {"error": None, "response": {"successful": True, "data": {}}}
SAYS_NO = {"error": None, "response": {"successful": False, "error": "no such person"}}
MISSING = {"error": "No active connected account found", "response": None}


def outcome(entries: list[Any], output: ToolOutput) -> AuditOutcome:
    return outcome_of(read_policy().judge(batch(*entries), is_tainted=True), output)


def result(*entries: Any, successful: bool) -> ToolOutput:
    return ToolOutput(text=json.dumps({"data": {"results": entries}, "successful": successful}))


@pytest.mark.parametrize("no", [SAYS_NO, MISSING])
@pytest.mark.parametrize("successful", [True, False])
def test_an_entry_that_failed_has_failed_whatever_is_said_of_the_whole(
    no: Any, successful: bool
) -> None:
    assert outcome([SENDING], result(no, successful=successful)) == "failed"
    assert outcome([READING, SENDING], result(DONE, no, successful=successful)) == "failed"


def test_an_effect_that_was_done_is_not_hidden_by_another_that_failed() -> None:
    assert outcome([SENDING, SENDING], result(DONE, MISSING, successful=False)) == "done"
    assert outcome([READING, SENDING], result(MISSING, DONE, successful=False)) == "done"


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (ToolOutput(text="Sent."), "done"),
        (ToolOutput(text="No.", is_error=True), "failed"),
        (ToolOutput(text='{"successful": false, "data": {}}'), "failed"),
        (ToolOutput(text='{"successful": true, "data": {"results": []}}'), "done"),
        (ToolOutput(text="Late.", is_error=True, may_have_happened=True), "unknown"),
    ],
)
def test_without_a_word_on_each_entry_that_on_the_whole_counts(
    output: ToolOutput, expected: str
) -> None:
    assert outcome([SENDING], output) == expected
