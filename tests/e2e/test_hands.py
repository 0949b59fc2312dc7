"""Work in people's own apps: connecting, approving, and one mail at the end."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from agent_core.messages import JsonObject
from bot.sandbox.driving import (
    Driver,
    NoButtonError,
    PostButton,
    find_buttons,
    find_own_links,
    press,
)
from bot.sandbox.model import ReplyText, ToolUse
from bot.sandbox.slack import Post
from bot.sandbox.watch import Watch
from tests.e2e.world import CHANNEL, World, batch, mail
from tests.faulty_slack import FaultySlack

pytestmark = pytest.mark.asyncio(loop_scope="module")

BOUND_S = 60.0
TOOLKIT = "mcp__local_toolkit__"
TOPICS = "downloads/topics.csv"
REPORT = "Research battery storage and email me the report"


def person(world: World, name: str) -> str:
    """The user id that Composio knows somebody by."""
    return f"{world.slack.team_id}:{world.slack.user_id(name)}"


async def button(world: World, user: str, name: str, root_ts: str) -> PostButton:
    """A person's button in a thread, as soon as it is there."""

    def found(slack: FaultySlack) -> list[PostButton]:
        in_thread = {post.ts for post in slack.thread(CHANNEL, root_ts)}
        called = (each for each in find_buttons(slack, user) if each.is_called(name))
        return [each for each in called if each.only_for or each.ts in in_thread]

    return (await world.slack.wait_for(found, timeout_s=30))[0]


def visible(world: World, root_ts: str) -> list[Post]:
    """What everybody sees of a thread."""
    return [post for post in world.slack.thread(CHANNEL, root_ts) if not post.ephemeral_to]


def attachment(world: World, told: JsonObject) -> bytes:
    """What is attached to a mail, by the mail's own entry."""
    file = world.outside.composio.storage.find(told["attachmentId"])
    assert file is not None
    return file.data or b""


@pytest.mark.proves("hands.mail", "connect.link_private")
async def test_a_report_is_mailed_from_the_askers_account_after_connecting_and_approving(
    world: World,
) -> None:
    ann = person(world, "ann")
    ts = await world.mention(REPORT)
    await button(world, "ann", "skip", ts)  # the bot waits for the account
    [link] = await world.slack.wait_for(lambda slack: find_own_links(slack, "ann"), timeout_s=20)
    assert "/link/" not in str(visible(world, ts))
    assert "/link/" not in str(world.told_in_private("ben"))
    world.outside.composio.follow_link(link)
    approve = await button(world, "ann", "approve", ts)
    assert world.outside.composio.effects == []
    [shown] = [file for post in visible(world, ts) for file in post.files]
    await press(world.slack, "ann", approve)
    await world.answered(ts, timeout_s=90)
    (effect,) = world.outside.composio.effects
    assert (effect.user_id, effect.account_user_id) == (ann, ann)
    (mail,) = world.outside.composio.apps.mails(ann)[-1:]
    (attached,) = mail["attachmentList"]
    assert attached["filename"].endswith(".html")
    assert b"<html" in attachment(world, attached).lower()
    assert shown.content == attachment(world, attached)  # it could be looked at before
    assert link not in str(world.model.calls)
    workspace = await world.workspace(ts)
    leaks = [p for p in workspace.rglob("*") if p.is_file() and link.encode() in p.read_bytes()]
    assert leaks == []


@pytest.mark.proves("hands.wrong_person")
async def test_another_person_can_neither_connect_nor_approve_for_the_asker(world: World) -> None:
    world.outside.composio.connect(person(world, "ann"), "gmail")
    before = len(world.outside.composio.effects)
    ts = await world.mention("email bob@example.com that lunch is at 12")
    approve = await button(world, "ann", "approve", ts)
    await press(world.slack, "ben", approve)
    await world.slack.wait_for(lambda _: bool(world.told_in_private("ben")), timeout_s=20)
    assert len(world.outside.composio.effects) == before
    await press(world.slack, "ann", approve)
    await world.answered(ts, timeout_s=60)
    (effect,) = world.outside.composio.effects[before:]
    assert effect.account_user_id == person(world, "ann")
    assert effect.arguments["recipient_email"] == "bob@example.com"


@pytest.mark.proves("app_files.thread")
async def test_the_attachment_of_a_mail_is_at_hand_in_the_session(world: World) -> None:
    ann = person(world, "ann")
    world.outside.composio.connect(ann, "gmail")
    mails = world.outside.composio.apps.mails(ann)
    inbox = [mail for mail in mails if mail["labelIds"] == ["INBOX"]]
    (mail,) = (mail for mail in inbox if mail["attachmentList"])
    (attached,) = mail["attachmentList"]
    wanted = {"message_id": mail["messageId"], "attachment_id": attached["attachmentId"]}
    world.model.play(batch("GMAIL_GET_ATTACHMENT", {**wanted, "file_name": "topics.csv"}))
    world.model.play(ToolUse(name=f"{TOOLKIT}read_local_file", input={"path": TOPICS}))
    world.model.play(ReplyText(text="Grace looks after the lift."))
    ts = await world.mention("continue with the list that Grace attached")
    await world.answered(ts, timeout_s=60)
    assert (await world.workspace(ts) / TOPICS).read_bytes() == attachment(world, attached)
    said = str(world.requests_with("Grace attached")[-1]["messages"])
    assert f"/{TOPICS}]" in said
    assert "lift,Grace" in said


@pytest_asyncio.fixture(loop_scope="module")
async def driver(world: World) -> AsyncGenerator[Driver]:
    """Ann, in a thread of her own, before a model that mails two people."""
    world.outside.composio.connect(person(world, "ann"), "gmail")
    for to in ("bob@example.com", "eve@example.com"):
        world.model.play(mail(to))
    watch = Watch(world.outside.root, _fine)
    yield Driver(world.slack, watch, _fine, world.outside.composio, 2.0)
    await watch.bot.close()


async def ask(driver: Driver, *clicks: str) -> deque[str]:
    """What is left of the clicks."""
    left = deque(clicks)
    async with asyncio.timeout(BOUND_S):
        await driver.ask("continue with the mails", left)
    return left


async def test_each_click_answers_the_next_wait_of_the_ask(world: World, driver: Driver) -> None:
    before = len(world.outside.composio.effects)
    options = {"question": "Which town?", "options": ["Linz", "Graz"]}
    world.model.play(ToolUse(name="ask_user", input=options))
    world.model.play(ReplyText(text="Graz it is."))
    assert list(await ask(driver, "approve", "reject", "graz", "linz")) == ["linz"]
    [turn] = [turn.as_json() for turn in driver.turns.values()]
    assert (turn["outcome"], turn["answer"]) == ("answered", "Graz it is.")
    assert [(wait["kind"], wait.get("ended")) for wait in turn["waits"]] == [
        ("approval", "approved"),
        ("approval", "rejected"),
        ("question", None),
    ]
    [sent] = world.outside.composio.effects[before:]
    assert sent.arguments["recipient_email"] == "bob@example.com"


async def test_an_ask_that_waits_returns_and_says_so_and_wants_a_name_that_is_on_a_button(
    world: World, driver: Driver
) -> None:
    before = len(world.outside.composio.effects)
    await ask(driver)
    [told] = [turn.as_json() for turn in driver.turns.values()]
    assert (told["outcome"], told["waits"][0]["ended"]) == ("waiting", None)
    with pytest.raises(NoButtonError, match=r"'Approve' \(consent\.approve\)"):
        await driver.click("agree")
    assert world.outside.composio.effects[before:] == []


async def test_an_ask_ends_once_its_words_have_agreed_to_what_was_proposed(world: World) -> None:
    watch = Watch(world.outside.root, _fine)
    driver = Driver(world.slack, watch, _fine, world.outside.composio)
    async with asyncio.timeout(BOUND_S):
        await driver.ask("every weekday at 9 post a digest on battery storage", deque())
        await driver.ask("yes", deque())
    await watch.bot.close()
    assert "Scheduled as" in str(visible(world, driver.root_ts)[1].blocks)


async def _fine() -> None:
    """The bot lives and listens."""
