"""A person who is asked for approvals in the sandbox, and presses as the command line says."""

import asyncio
from collections import deque
from pathlib import Path

import pytest

from agent_core.testing.models import ScriptedModel, call, calls_reply, text_reply
from bot.sandbox.presses import NoButtonError
from tests.bot.sandbox.asking_bot import AskingStage, asking_stage

BOUND_S = 60.0
TWO_MAILS = (
    calls_reply(call("mcp__post__SEND", {"to": "bob@example.com"}, id="one")),
    calls_reply(call("mcp__post__SEND", {"to": "eve@example.com"}, id="two")),
    text_reply("That is all."),
)


async def ask(stage: AskingStage, *clicks: str) -> deque[str]:
    """What is left of the clicks."""
    left = deque(clicks)
    async with asyncio.timeout(BOUND_S):
        await stage.driver.ask("mail Bob and Eve", left)
    return left


async def test_each_click_answers_the_next_wait_of_the_ask(tmp_path: Path) -> None:
    async with asking_stage(tmp_path, ScriptedModel([*TWO_MAILS])) as stage:
        left = await ask(stage, "approve", "reject", "unused")
        [turn] = stage.driver.outcome.turns
    assert stage.sent == [{"to": "bob@example.com"}]
    assert list(left) == ["unused"]
    told = turn.as_json()
    assert (told["outcome"], told["answer"]) == ("answered", "That is all.")
    assert [(wait["kind"], wait["ended"]) for wait in told["waits"]] == [
        ("approval", "approved"),
        ("approval", "rejected"),
    ]


async def test_an_ask_that_waits_for_nobodys_click_returns_and_says_so(tmp_path: Path) -> None:
    async with asking_stage(tmp_path, ScriptedModel([*TWO_MAILS])) as stage:
        await ask(stage)
        [turn] = stage.driver.outcome.turns
        posts = stage.slack.thread("general", stage.driver.root_ts)
    assert stage.sent == []
    assert turn.as_json()["outcome"] == "waiting"
    assert [wait["ended"] for wait in turn.as_json()["waits"]] == [None]
    assert any("asked for this" in post.text for post in posts)


async def test_a_name_that_is_on_no_button_is_told_while_the_ask_waits(tmp_path: Path) -> None:
    async with asking_stage(tmp_path, ScriptedModel([*TWO_MAILS]), button_timeout_s=0.5) as stage:
        with pytest.raises(NoButtonError, match=r"'Approve' \(consent\.approve\)"):
            await ask(stage, "agree")
    assert stage.sent == []


async def test_what_another_person_presses_is_not_done(tmp_path: Path) -> None:
    async with asking_stage(tmp_path, ScriptedModel([*TWO_MAILS])) as stage:
        await ask(stage)
        slack = stage.slack
        posts = slack.thread("general", stage.driver.root_ts)
        [asked] = [post for post in posts if "asked for this" in post.text]
        await slack.click("ben", "general", asked.ts, "consent.approve")
        ben = slack.people["ben"]
        whispered = await slack.wait_for(
            lambda one: [
                post
                for post in one.thread("general", stage.driver.root_ts)
                if post.ephemeral_to == ben
            ]
        )
    assert stage.sent == []
    assert whispered[0].text.startswith("Only the person who asked for this")
