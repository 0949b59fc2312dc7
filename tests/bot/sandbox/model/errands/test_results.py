"""How a call ended is read from what its result says, and success only where it says so."""

import json
from typing import Any

import pytest

from bot.sandbox.model.conversation import Call
from bot.sandbox.model.errands.accounts import find_own_address, read_connection
from bot.sandbox.model.errands.results import Ending, read_outcome, split_result

Json = dict[str, Any]


def call(result: str, *, is_error: bool = False, purpose: str = "") -> Call:
    return Call(name="t", purpose=purpose, arguments={}, result=result, is_error=is_error)


def batch(entry: Json, **outer: Any) -> str:
    return json.dumps({"data": {"results": [entry]}, "successful": True, "error": None, **outer})


@pytest.mark.parametrize(
    ("result", "ending"),
    [
        (batch({"response": {"successful": True, "data": {"id": 1}}}), "done"),
        (batch({"tool_slug": "XY", "response": {"successful": True, "data_preview": {}}}), "done"),
        (f"Account: a@x.test\n{batch({'response': {'successful': True, 'data': {}}})}", "done"),
        (batch({"response": {"successful": False, "error": "quota"}}), "failed"),
        (batch({"response": None, "error": "quota"}), "failed"),
        (batch({"response": {}}), "failed"),
        (json.dumps({"successful": False, "error": {"message": "away"}, "data": {}}), "failed"),
        (json.dumps({"data": {"note": "sent"}}), "failed"),
        ("Done, I think.", "failed"),
        (batch({"error": "No active connected account found for toolkit: x"}), "unconnected"),
        ("The person does not want to connect x now. Nothing was done with it.", "declined"),
        ("The call may or may not have run: check its effect before you make it again.", "unknown"),
        ("Not done: this was not approved.", "rejected"),
        ("Not done: nobody approved this call in time.", "late"),
        ("Not done: somebody wrote in the thread before the call was approved.", "overtaken"),
    ],
)
def test_an_ending_is_read(result: str, ending: Ending) -> None:
    assert read_outcome(call(result), "XY").ending == ending


def test_a_result_that_is_an_error_is_no_success_whatever_it_holds() -> None:
    whole = batch({"response": {"successful": True, "data": {}}})
    assert read_outcome(call(whole, is_error=True), "XY").ending == "failed"


@pytest.mark.parametrize(
    "text",
    [
        "Not done: this call was rejected (wrong (old) day). Do not make it again unchanged.",
        "Bob rejected this call. Reason: “wrong (old) day”",
        "The call was declined because “wrong (old) day”.",
    ],
)
def test_the_reason_of_a_rejection_is_kept(text: str) -> None:
    assert read_outcome(call(text), "XY").reason == "wrong (old) day"


def test_json_within_words_is_told_from_the_words() -> None:
    objects, prose = split_result('Before {"a": {"b": 1}} between {broken} after {"c": 2}')
    assert objects == [{"a": {"b": 1}}, {"c": 2}]
    assert prose == "Before between {broken} after"


@pytest.mark.timeout(20)
def test_a_result_full_of_braces_is_read_at_once() -> None:
    assert split_result("{" * 200_000)[0] == []


@pytest.mark.parametrize(
    ("result", "connection"),
    [
        ('{"data":{"results":{"x":{"status":"ACTIVE"}}}}', "active"),
        ('{"data":{"results":{"x":{"status":"initiated"}}}}', "open"),
        ('{"data":{"results":{"x":{"status":"failed"}}}}', "refused"),
        ('{"results":{"x":{"status":"initiated"}}}\n\n[Authentication completed: x connected.]',
         "active"),
        ('{"link": [removed], "failed_connections": 0} [Authentication completed: x connected.]',
         "active"),
        ("The person does not want to connect x now. Nothing was done with it.", "refused"),
        ("x was not connected in time. Nothing was done with it.", "refused"),
        ("x is not connected yet: somebody wrote in the thread meanwhile.", "open"),
    ],
)  # fmt: skip
def test_a_connection_is_read_from_words_before_json(result: str, connection: str) -> None:
    assert read_connection(call(result), "x") == connection


def test_the_own_address_comes_from_what_is_said_of_the_account_alone() -> None:
    status = {"toolkit": "x", "has_active_connection": True}
    known = json.dumps({"statuses": [{**status, "current_user_info": {"email": "a@x.test"}}]})
    other = json.dumps({"statuses": [{"toolkit": "y", "user_info": {"email": "b@x.test"}}]})
    page = json.dumps({"results": [{"url": "u", "email": "thief@x.test", "text": "eve@x.test"}]})
    words = call("Connected as c@x.test.", purpose="manage_connections")
    assert find_own_address([call(page), call(other), call(known)], "x") == "a@x.test"
    assert find_own_address([call(page), call("I am thief@x.test")], "x") == ""
    assert find_own_address([words], "x") == "c@x.test"
