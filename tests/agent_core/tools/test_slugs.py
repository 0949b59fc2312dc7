"""What the words in a tool's name say, and which calls may therefore be made again."""

import pytest

from agent_core.ids import ToolCallId
from agent_core.messages import ToolCall
from agent_core.models import ToolSpec
from agent_core.tools.effects import is_repeatable
from agent_core.tools.slugs import canonical, reads, slug_of

BATCH = "mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL"


def repeatable(name: str, *slugs: object) -> bool:
    call = ToolCall(
        id=ToolCallId("1"), name=name, arguments={"tools": [{"tool_slug": s} for s in slugs]}
    )
    spec = ToolSpec(name=name, description="", input_schema={})
    return is_repeatable(call, [spec])


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


@pytest.mark.parametrize("name", ["GMAIL_FETCH_EMAILS", "readFile", "get-video", "EVENTS_LIST"])
def test_a_word_of_reading_reads(name: str) -> None:
    assert reads(name)


@pytest.mark.parametrize(
    "name",
    ["READ_AND_DELETE", "getThenSend", "MARK_AS_READ", "NEWSLETTER", "TARGET", "CHARGE_LIST", "A"],
)
def test_a_word_of_change_wins_and_an_unknown_one_reads_nothing(name: str) -> None:
    assert not reads(name)


@pytest.mark.parametrize(
    "name",
    [
        "SLACK_ADDS_A_USER_TO_A_LIST",
        "SLACK_MARKS_A_CHANNEL_AS_READ",
        "SLACK_REMOVES_A_TAB_FROM_A_VIEW",
        "TRELLO_CANCELLED_LIST",
        "GMAIL_MOVING_READ_MESSAGES",
        "CRM_NOTIFIES_LIST",
        "FETCH_THEN_DELETES",
        "GET_AND_SENDS",
        "TODOIST_COMPLETE_LIST_ITEM",
        "STRIPE_CAPTURE_VIEW",
        "MAILCHIMP_TAG_LIST",
        "NOTION_TOGGLE_VIEW",
        "SPOTIFY_PLAY_LIST",
        "CLICKUP_MAKE_LIST",
        "SHOPIFY_ADJUST_LIST_PRICE",
        "SHOPIFY_DECREMENT_INVENTORY_COUNT",
        "GOOGLEDRIVE_GIVE_READ_ACCESS",
        "GOOGLEDRIVE_OPEN_TO_VIEW",
        "ZOOM_ADMIT_READ_PARTICIPANTS",
        "ZOOM_END_AND_GET_SUMMARY",
        "STRIPE_REVERSE_LIST",
        "TWILIO_FIND_AND_RELEASE_NUMBER",
        "AWS_EC2_RESIZE_AND_SHOW",
        "PAGERDUTY_SILENCE_LIST",
        "CALENDLY_NO_SHOW_INVITEE",
    ],
)
def test_a_word_of_change_wins_in_whatever_form_it_stands(name: str) -> None:
    assert not reads(name)


@pytest.mark.parametrize(
    "name",
    [
        "GITHUB_LIST_COMMITS",
        "LIST_FORKS",
        "INSTAGRAM_GET_POSTS",
        "GET_REPLIES",
        "JIRA_GET_TRANSITIONS",
        "DRIVE_LIST_SHARED_FILES",
        "GMAIL_LIST_LABELS",
        "LINEAR_GET_ISSUE",
        "FIND_COMPLETED_TASKS",
        "GET_MEETING",
        "GOOGLESHEETS_BATCH_GET",
        "GITHUB_GET_RELEASE",
        "GITHUB_LIST_OPEN_ISSUES",
        "AWS_GET_COST_AND_USAGE",
    ],
)
def test_a_thing_that_is_named_like_a_change_is_read(name: str) -> None:
    assert reads(name)


def test_a_batch_may_be_made_again_when_all_of_it_reads() -> None:
    assert repeatable(BATCH, "GMAIL_FETCH_EMAILS", "GMAIL_GET_PROFILE")
    assert not repeatable(BATCH, "GMAIL_FETCH_EMAILS", "GMAIL_SEND_EMAIL")
    assert not repeatable(BATCH, "GMAIL_FETCH_EMAILS", 7)
    assert not repeatable(BATCH)


def test_looking_for_tools_may_be_done_again_and_a_servers_own_tools_may_not() -> None:
    assert repeatable("mcp__composio__COMPOSIO_SEARCH_TOOLS")
    assert not repeatable("mcp__files__read_file")
    assert not repeatable("mcp__composio__COMPOSIO_MANAGE_CONNECTIONS")
