"""What a call would do is told whole, in whatever spelling it comes."""

import json
from typing import Any

import pytest

from agent_core.models import ToolSpec
from agent_core.tools import Action, OpenedCall
from tests.agent_core.consent.calls import BATCH, batch, call, entry

SENDING = entry("GMAIL_SEND_EMAIL", to="a@x.test")


def test_a_call_to_one_tool_is_one_action() -> None:
    assert [action.tool for action in call("Task").actions] == ["Task"]
    made = call("mcp__composio__GMAIL_SEND_EMAIL", recipient_email="ada@x.test")
    assert made.actions == (
        Action(tool="GMAIL_SEND_EMAIL", arguments={"recipient_email": "ada@x.test"}),
    )


@pytest.mark.parametrize(
    "made",
    [
        *(
            batch({name: "GMAIL_SEND_EMAIL", "arguments": {"to": "a@x.test"}})
            for name in ("slug", "tool", "tool_name", "name")
        ),
        call(BATCH, tools=json.dumps([SENDING | {"arguments": '{"to": "a@x.test"}'}])),
        call("mcp__rube__RUBE_MULTI_EXECUTE_TOOL", tools=[SENDING]),
        call("mcp__composio__composio_multi_execute_tool", tools=[SENDING]),
    ],
)
def test_an_entry_is_read_in_other_spellings(made: OpenedCall) -> None:
    assert made.actions == (Action(tool="GMAIL_SEND_EMAIL", arguments={"to": "a@x.test"}),)


def test_each_entry_of_a_batch_is_an_action_with_its_account() -> None:
    sending = {**entry("GMAIL_SEND_EMAIL", to="a@x.test"), "account": "work"}
    assert batch(entry("GMAIL_FETCH_EMAILS"), sending).actions == (
        Action(tool="GMAIL_FETCH_EMAILS", arguments={}, reads=True),
        Action(tool="GMAIL_SEND_EMAIL", arguments={"to": "a@x.test"}, account="work"),
    )


def test_a_batch_in_a_batch_is_opened_and_hands_its_account_down() -> None:
    inner = entry("COMPOSIO_MULTI_EXECUTE_TOOL", tools=[entry("GMAIL_SEND_EMAIL")])
    [reading, sending] = batch(entry("GMAIL_FETCH_EMAILS"), inner | {"account": "work"}).actions
    assert (reading.tool, sending.tool, sending.account) == (
        "GMAIL_FETCH_EMAILS",
        "GMAIL_SEND_EMAIL",
        "work",
    )


def test_batches_nested_beyond_reason_cannot_be_read() -> None:
    nested = entry("GMAIL_SEND_EMAIL")
    for _ in range(5):
        nested = entry("COMPOSIO_MULTI_EXECUTE_TOOL", tools=[nested])
    assert [action.tool for action in batch(nested).actions] == [""]


@pytest.mark.parametrize(
    "odd",
    [
        "GMAIL_SEND_EMAIL",
        None,
        {},
        {"tool_slug": 7},
        {"tool_slug": ""},
        {"tool_slug": "GMAIL_FETCH_EMAILS", "slug": "GMAIL_SEND_EMAIL"},
        {"tool_slug": "GMAIL_SEND_EMAIL", "arguments": "not json"},
        {"tool_slug": "GMAIL_SEND_EMAIL", "arguments": ["a"]},
        {"tool_slug": "GMAIL_SEND_EMAIL", "arguments": '{"to": "a", "to": "b"}'},
        {"tool_slug": "GMAIL_SEND_EMAIL", "account": {"id": "ca_1"}},
        {"tool_slug": "GMAIL_S\u0415ND_EMAIL"},  # a Cyrillic letter
        {"tool_slug": "GMAIL_FETCH\u200b_EMAILS"},  # a sign without width
        {"tool_slug": "GMAIL_FETCH_EMAILS\n"},
    ],
)
def test_an_entry_that_cannot_be_read_has_no_tool_and_hides_no_other(odd: object) -> None:
    [first, second] = batch(odd, entry("GMAIL_SEND_EMAIL")).actions
    assert first.tool == ""
    assert second.tool == "GMAIL_SEND_EMAIL"


@pytest.mark.parametrize("tools", [None, [], {}, "GMAIL_SEND_EMAIL", 5])
def test_a_batch_without_entries_is_one_action_that_cannot_be_read(tools: Any) -> None:
    made = call("mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL", tools=tools, actions=["x"])
    assert [action.tool for action in made.actions] == [""]


def test_what_else_stands_in_an_entry_is_not_left_out() -> None:
    more = {**entry("GMAIL_SEND_EMAIL", to="a@x.test"), "override": {"bcc": "evil@x.test"}}
    [action] = batch(more).actions
    assert action.arguments == {"arguments": {"to": "a@x.test"}, "override": {"bcc": "evil@x.test"}}


@pytest.mark.parametrize("hidden", [[entry("GMAIL_SEND_EMAIL")], json.dumps([entry("X")]), {}])
def test_a_batch_with_further_entries_under_another_name_cannot_be_read(hidden: object) -> None:
    named = batch(entry("GMAIL_FETCH_EMAILS"))
    made = call(named.name, **named.call.arguments, calls=hidden)
    assert [action.tool for action in made.actions] == [""]


def test_what_is_known_to_stand_beside_the_entries_hides_nothing() -> None:
    named = batch(entry("GMAIL_FETCH_EMAILS"))
    beside = {"memory": {"gmail": ["x"]}, "session": {"id": "a"}, "thought": "[1]", "new_flag": 3}
    made = call(named.name, **{**named.call.arguments, **beside})
    assert [action.tool for action in made.actions] == ["GMAIL_FETCH_EMAILS"]


@pytest.mark.parametrize("depth", [100, 100_000])
def test_json_in_a_string_that_is_nested_beyond_reason_cannot_be_read(depth: int) -> None:
    nested = '{"tool_slug": "GMAIL_SEND_EMAIL", "arguments": {"to": %s}}'
    made = call("mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL", tools=f"[{nested}]" % ("[" * depth))
    closed = call(made.name, tools=f"[{nested}]" % ("[" * depth + "]" * depth))
    assert [action.tool for each in (made, closed) for action in each.actions] == ["", ""]


@pytest.mark.parametrize(
    ("name", "slugs", "expected"),
    [
        (BATCH, ["GMAIL_FETCH_EMAILS", "GMAIL_GET_PROFILE"], True),
        (BATCH, ["GMAIL_FETCH_EMAILS", "GMAIL_SEND_EMAIL"], False),
        (BATCH, ["GMAIL_FETCH_EMAILS", 7], False),
        (BATCH, [], False),
        ("mcp__composio__COMPOSIO_SEARCH_WEB", [], True),
        ("mcp__files__read_file", [], True),
        ("mcp__files__mark_as_read", [], False),
        ("mcp__composio__COMPOSIO_MANAGE_CONNECTIONS", [], False),
        ("mcp__composio__COMPOSIO_REMOTE_WORKBENCH", [], False),
    ],
)
def test_what_only_reads_may_be_made_again(name: str, slugs: list[object], expected: bool) -> None:
    made = call(name, tools=[{"tool_slug": slug} for slug in slugs])
    spec = ToolSpec(name=name, description="", input_schema={})
    assert made.is_repeatable(spec) is expected
