"""Work in people's own apps: connecting, approving, and one mail at the end."""

import re
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from agent_core.messages import JsonObject
from bot.sandbox.model import Text, ToolUse
from bot.sandbox.presses import Button, find_buttons, press
from bot.sandbox.slack import Post, SlackStandIn
from tests.e2e.one_task import in_one_task
from tests.e2e.world import CHANNEL, World, bot_in_a_world

COMPOSIO = "mcp__composio__"
TOOLKIT = "mcp__local_toolkit__"
TOPICS = "downloads/topics.csv"
REPORT = "Research battery storage and email me the report"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def office(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[World, None]:
    """One bot for the tests of this file."""
    async with in_one_task(bot_in_a_world(tmp_path_factory.mktemp("workspaces"))) as world:
        yield world


def person(world: World, name: str) -> str:
    """The user id that Composio knows somebody by."""
    return f"{world.slack.team_id}:{world.slack.user_id(name)}"


async def button(world: World, user: str, name: str, root_ts: str) -> Button:
    """A person's button in a thread, as soon as it is there."""
    found: list[Button] = []

    def is_there(slack: SlackStandIn) -> bool:
        in_thread = {post.ts for post in slack.thread(CHANNEL, root_ts)} | {
            post.ts for post in slack.posts(CHANNEL) if post.ephemeral_to
        }
        found[:] = [
            each
            for each in find_buttons(slack, user)
            if each.is_called(name) and each.ts in in_thread
        ]
        return bool(found)

    await world.slack.wait_for(is_there, timeout_s=30)
    return found[0]


def links_for(slack: SlackStandIn, user: str) -> list[str]:
    """The connect links that a person alone was shown, oldest first."""
    shown = [post for post in slack.posts(CHANNEL) if post.ephemeral_to == slack.user_id(user)]
    return [
        url for post in shown for url in re.findall(r"http[^'\"|> ]+/link/[^'\"|> ]+", str(post))
    ]


def visible(world: World, root_ts: str) -> list[Post]:
    """What everybody sees of a thread."""
    return [post for post in world.slack.thread(CHANNEL, root_ts) if not post.ephemeral_to]


def attachment(office: World, told: JsonObject) -> bytes:
    """What is attached to a mail, by the mail's own entry."""
    file = office.outside.composio.storage.find(file_id=told["attachmentId"])
    assert file is not None
    return file.data or b""


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.proves("hands.mail", "connect.link_private")
async def test_a_report_is_mailed_from_the_askers_account_after_connecting_and_approving(
    office: World,
) -> None:
    ann = person(office, "ann")
    ts = await office.mention(REPORT)
    await button(office, "ann", "skip", ts)  # the bot waits for the account
    await office.slack.wait_for(lambda slack: bool(links_for(slack, "ann")), timeout_s=20)
    link = links_for(office.slack, "ann")[-1]
    assert "/link/" not in str(visible(office, ts))
    assert "/link/" not in str(office.told_in_private("ben"))
    office.outside.composio.follow_link(link)
    approve = await button(office, "ann", "approve", ts)
    assert office.outside.composio.effects == []
    await press(office.slack, "ann", approve)
    await office.answered(ts, timeout_s=90)
    (effect,) = office.outside.composio.effects
    assert (effect.user_id, effect.account_user_id) == (ann, ann)
    (mail,) = office.outside.composio.apps.mails(ann, "SENT")
    (attached,) = mail["attachmentList"]
    assert attached["filename"].endswith(".html")
    assert b"<html" in attachment(office, attached).lower()
    assert link not in str(office.model.calls)
    workspace = await office.workspace(ts)
    leaks = [p for p in workspace.rglob("*") if p.is_file() and link.encode() in p.read_bytes()]
    assert leaks == []


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.proves("hands.wrong_person")
async def test_another_person_can_neither_connect_nor_approve_for_the_asker(office: World) -> None:
    office.outside.composio.connect(person(office, "ann"), "gmail")
    before = len(office.outside.composio.effects)
    ts = await office.mention("email bob@example.com that lunch is at 12")
    approve = await button(office, "ann", "approve", ts)
    await press(office.slack, "ben", approve)
    await office.slack.wait_for(lambda _: bool(office.told_in_private("ben")), timeout_s=20)
    assert len(office.outside.composio.effects) == before
    await press(office.slack, "ann", approve)
    await office.answered(ts, timeout_s=60)
    (effect,) = office.outside.composio.effects[before:]
    assert effect.account_user_id == person(office, "ann")
    assert effect.arguments["recipient_email"] == "bob@example.com"


@pytest.mark.asyncio(loop_scope="module")
async def test_reading_mails_needs_no_approval(office: World) -> None:
    office.outside.composio.connect(person(office, "ann"), "gmail")
    fetch = {"tool_slug": "GMAIL_FETCH_EMAILS", "arguments": {"max_results": 5}}
    batch = {"tools": [fetch], "sync_response_to_workbench": False}
    office.model.play(ToolUse(name=f"{COMPOSIO}COMPOSIO_MULTI_EXECUTE_TOOL", input=batch))
    office.model.play(Text(text="Nothing new."))
    ts = await office.mention("continue with my newest mails")
    await office.answered(ts, timeout_s=60)
    assert "messageId" in str(office.requests_with("my newest mails")[-1]["messages"])
    names = [str(post) for post in visible(office, ts)]
    assert not any("consent.approve" in name for name in names)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.proves("app_files.thread")
async def test_the_attachment_of_a_mail_is_at_hand_in_the_session(office: World) -> None:
    ann = person(office, "ann")
    office.outside.composio.connect(ann, "gmail")
    mails = office.outside.composio.apps.mails(ann, "INBOX")
    (mail,) = (mail for mail in mails if mail["attachmentList"])
    (attached,) = mail["attachmentList"]
    wanted = {"message_id": mail["messageId"], "attachment_id": attached["attachmentId"]}
    arguments = {**wanted, "file_name": "topics.csv"}
    fetch = {"tool_slug": "GMAIL_GET_ATTACHMENT", "arguments": arguments}
    batch = {"tools": [fetch], "sync_response_to_workbench": False}
    office.model.play(ToolUse(name=f"{COMPOSIO}COMPOSIO_MULTI_EXECUTE_TOOL", input=batch))
    office.model.play(ToolUse(name=f"{TOOLKIT}read_local_file", input={"path": TOPICS}))
    office.model.play(Text(text="Grace looks after the lift."))
    ts = await office.mention("continue with the list that Grace attached")
    await office.answered(ts, timeout_s=60)
    assert (await office.workspace(ts) / TOPICS).read_bytes() == attachment(office, attached)
    said = str(office.requests_with("Grace attached")[-1]["messages"])
    assert f"/{TOPICS}]" in said
    assert "lift,Grace" in said
