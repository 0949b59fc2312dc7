"""A person who is asked for approvals in the sandbox, and presses as the command line says."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from bot.sandbox.driving import Driver, NoButtonError
from bot.sandbox.model import ReplyText, ToolUse
from bot.sandbox.watch import Watch
from tests.e2e.world import World, mail

pytestmark = pytest.mark.asyncio(loop_scope="module")

BOUND_S = 60.0


@pytest_asyncio.fixture(loop_scope="module")
async def driver(world: World) -> AsyncGenerator[Driver]:
    """Ann, in a thread of her own, before a model that mails two people."""
    world.outside.composio.connect(f"{world.slack.team_id}:{world.slack.people['ann']}", "gmail")
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


async def _fine() -> None:
    """The bot lives and listens."""
