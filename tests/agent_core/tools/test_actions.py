"""What a call would do is told whole, in whatever spelling it comes."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.models import ToolSpec
from agent_core.tools import Action, OpenedCall, canonical, full_name, reads, server_prefix, slug_of
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


@pytest.mark.proves("tools.names")
def test_an_ordinary_name_stays_readable() -> None:
    assert full_name("local_toolkit", "crawl_parallel") == "mcp__local_toolkit__crawl_parallel"


def test_names_that_are_cut_stay_apart() -> None:
    long = "x" * 200
    assert full_name("a", long + "1") != full_name("a", long + "2")


@given(st.text(min_size=1, max_size=20), st.text(max_size=300))
def test_every_name_is_fit_and_the_same_each_time(server: str, tool: str) -> None:
    name = full_name(server, tool)
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", name)
    assert name.startswith(server_prefix(server))
    assert name == full_name(server, tool)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("mcp__composio__GMAIL_SEND_EMAIL", "GMAIL_SEND_EMAIL"),
        ("mcp__files__send__list", "send__list"),
        ("GMAIL_SEND_EMAIL", "GMAIL_SEND_EMAIL"),
        ("ask_user", "ask_user"),
        ("my__list", "my__list"),
    ],
)
def test_no_word_is_lost_between_server_and_tool(name: str, slug: str) -> None:
    assert slug_of(name) == slug


@pytest.mark.parametrize(
    "slug", ["GMAIL_S\u0415ND", "A\u200bB", "A B", "A\n", "", "\uff21", "a" * 513]
)
def test_what_is_no_plain_name_has_no_canonical_form(slug: str) -> None:
    assert canonical(slug) == ""
    assert not reads(f"LIST_{slug}") or slug == ""


def test_case_and_the_older_prefix_make_no_difference() -> None:
    assert canonical("rube_search_tools") == canonical("COMPOSIO_SEARCH_TOOLS")


@pytest.mark.parametrize(
    "name",
    [
        *("GMAIL_FETCH_EMAILS", "readFile", "get-video", "EVENTS_LIST", "GITHUB_LIST_COMMITS"),
        *("LIST_FORKS", "INSTAGRAM_GET_POSTS", "GET_REPLIES", "JIRA_GET_TRANSITIONS"),
        *("DRIVE_LIST_SHARED_FILES", "GMAIL_LIST_LABELS", "LINEAR_GET_ISSUE", "GET_MEETING"),
        *("FIND_COMPLETED_TASKS", "GOOGLESHEETS_BATCH_GET", "GITHUB_GET_RELEASE"),
        *("GITHUB_LIST_OPEN_ISSUES", "AWS_GET_COST_AND_USAGE"),
    ],
)
def test_a_word_of_reading_reads_also_things_that_are_named_like_a_change(name: str) -> None:
    assert reads(name)


@pytest.mark.parametrize(
    "name",
    [
        *("READ_AND_DELETE", "getThenSend", "MARK_AS_READ", "NEWSLETTER", "TARGET", "CHARGE_LIST"),
        *("A", "LIST_SECRETS", "GET_ACCESS_TOKEN", "SSM_EXEC_GET", "READ_EVAL_PRINT"),
        *("SLACK_ADDS_A_USER_TO_A_LIST", "SLACK_MARKS_A_CHANNEL_AS_READ", "TRELLO_CANCELLED_LIST"),
        *("SLACK_REMOVES_A_TAB_FROM_A_VIEW", "GMAIL_MOVING_READ_MESSAGES", "CRM_NOTIFIES_LIST"),
        *("FETCH_THEN_DELETES", "GET_AND_SENDS", "TODOIST_COMPLETE_LIST_ITEM"),
        *("STRIPE_CAPTURE_VIEW", "MAILCHIMP_TAG_LIST", "NOTION_TOGGLE_VIEW", "SPOTIFY_PLAY_LIST"),
        *("CLICKUP_MAKE_LIST", "SHOPIFY_ADJUST_LIST_PRICE", "SHOPIFY_DECREMENT_INVENTORY_COUNT"),
        *("GOOGLEDRIVE_GIVE_READ_ACCESS", "GOOGLEDRIVE_OPEN_TO_VIEW"),
        *("ZOOM_ADMIT_READ_PARTICIPANTS", "ZOOM_END_AND_GET_SUMMARY", "STRIPE_REVERSE_LIST"),
        *("TWILIO_FIND_AND_RELEASE_NUMBER", "AWS_EC2_RESIZE_AND_SHOW", "PAGERDUTY_SILENCE_LIST"),
        *("CALENDLY_NO_SHOW_INVITEE", "AWS_GET_SECRET_VALUE", "VAULT_READ_KV", "SUDO_READ"),
        *("ONEPASSWORD_GET_ITEM", "LIST_API_KEYS", "getApiKey", "GET_APIKEY", "FETCH_PRIVATE_KEY"),
        *("GET_SSH_KEYS", "SHOW_ENV", "GET_ENVIRONMENT_VARIABLES", "VERCEL_LIST_ENV_VARS"),
        *("PYTHON_REPL_READ", "SSH_COMMAND_GET", "GET_SIGNED_URL", "GET_PRESIGNED_UPLOAD_URL"),
        *("VIEW_ONCE_BURN", "POP_QUEUE_GET", "GET_COOKIE", "GET_SESSION_COOKIES", "GET_JWT"),
        *("GET_BEARER", "GET_OTP", "GET_RECOVERY_CODES", "GET_SEED_PHRASE", "CURL_GET"),
        *("LIST_SERVICE_ACCOUNT_KEYS", "JAVASCRIPT_EVALUATE_GET", "BROWSER_EVALUATE_VIEW"),
        *("PAGE_CLICK_AND_READ", "ASSUME_ROLE_GET", "RETRIEVE_MASTER_KEY", "GET_AUTH_HEADER"),
        *("GET_OR_CREATE_USER", "FIND_AND_REPLACE", "SQL_EXECUTE_LIST", "RUN_QUERY_GET"),
        *("GET_PASS", "LIST_PAT", "DB_DUMP_GET", "BASH_READ", "READ_SHELL", "LIST_SCRIPT_TERMINAL"),
    ],
)
def test_a_word_of_change_or_of_secrets_wins_in_whatever_form_it_stands(name: str) -> None:
    assert not reads(name)
