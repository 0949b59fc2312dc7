"""A turn is shown in its thread to its end and once, however often the bot is started again."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from agent_core.events import TurnFinished
from agent_core.ids import SessionId, TurnId
from agent_core.runtime import LeaseLost, Runtime
from agent_core.testing.models import Held, ScriptedModel
from bot.presenter import READER
from tests.bot.desk import open_desk
from tests.bot.front_world import Place, Process, presenting_of, process

TIMEOUT_S = 20


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with open_desk(Place, root=tmp_path) as place:
        yield place


async def begin(bot: Process, place: Place, *, ts: str = "") -> TurnId:
    """A turn of a process that shows its turns."""
    await shows(bot)
    turn_id = await bot.front.handle(place.message("continue", ts=ts))
    assert turn_id is not None
    return turn_id


async def shows(bot: Process) -> None:
    """From here on the process shows its turns, and first what an earlier one left."""
    await bot.runtime.show_with(READER, bot.presenting.attach)


LINE = "assistant.threads.setStatus"


async def presenter_ended(turn_id: TurnId) -> None:
    name = f"present {turn_id}"
    presenters = [task for task in asyncio.all_tasks() if task.get_name() == name]
    if presenters:
        await asyncio.wait(presenters, timeout=TIMEOUT_S)


async def shown(bot: Process, turn_id: TurnId) -> None:
    """Wait until the turn's presenter has ended: everything of the turn is in the thread."""
    await presenter_ended(turn_id)
    state = await bot.runtime.load_cursor(READER, turn_id)
    assert state is not None
    assert state["finished"]


async def ended(bot: Process, turn_id: TurnId) -> None:
    """Wait until the core has ended the turn, shown or not."""
    async with asyncio.timeout(TIMEOUT_S):
        async for _, event in bot.runtime.events(turn_id):
            assert not isinstance(event, TurnFinished) or event.outcome == "answered"


async def at_work(bot: Process, place: Place, held: Held) -> TurnId:
    """A turn whose status line is in the thread and whose answer is held back."""
    turn_id = await begin(bot, place)
    await held.reached.wait()
    await place.slack.wait_for(lambda _: place.calls(LINE))
    return turn_id


def answers(place: Place, text: str) -> int:
    return sum(text in each for each in place.texts())


async def test_a_session_tells_that_it_is_looked_at_and_is_named_after_its_first_message(
    place: Place,
) -> None:
    await place.api.set_status(place.thread, "processing")
    async with process(place, ScriptedModel(["One.", "Two."])) as bot:
        await shows(bot)
        first = await bot.front.handle(place.message("compare the  battery makers"))
        key, sessions = (place.thread.channel, place.thread.root_ts), place.slack.state.sessions
        await place.slack.wait_for(lambda _: sessions[key].title == "compare the battery makers")
        assert first is not None
        await shown(bot, first)
        second = await bot.front.handle(place.message("and prices", ts="2.000001"))
        assert second is not None
        await shown(bot, second)
    assert sessions[key].title == "compare the battery makers"
    lines = (call.args["status"] for call in place.slack.calls if call.method == LINE)
    assert next(lines) == "is looking at it"


async def test_a_turn_that_ended_unseen_is_shown_after_a_restart_and_once(place: Place) -> None:
    held = Held(then="All is new.")
    async with process(place, ScriptedModel([held])) as bot:
        turn_id = await at_work(bot, place, held)
        await bot.presenting.close()
        await bot.presenting.close()  # twice is safe
        held.release.set()
        await ended(bot, turn_id)
    assert answers(place, "All is new.") == 0
    async with process(place) as bot:
        await shows(bot)
        await shown(bot, turn_id)
    assert answers(place, "All is new.") == 1
    before = [(call.method, call.args) for call in place.slack.calls]
    async with process(place) as bot:
        await shows(bot)
        bot.presenting.attach(await bot.runtime.turn(turn_id), is_resumed=True)
        await presenter_ended(turn_id)
    assert [(call.method, call.args) for call in place.slack.calls] == before


@pytest.mark.parametrize("away_s", [0, 3_600])
async def test_slack_being_away_for_a_while_does_not_lose_the_answer(
    place: Place, away_s: int
) -> None:
    held = Held(then="All is new.")
    async with process(place, ScriptedModel([held])) as bot:
        turn_id = await at_work(bot, place, held)
        place.slack.fail("chat.postMessage", status=503, times=10_000 if away_s else 3)
        over_s = place.api.clock.seconds() + away_s
        held.release.set()
        if away_s:
            await place.slack.wait_for(
                lambda _: place.api.clock.seconds() > over_s, timeout_s=TIMEOUT_S
            )
            place.slack.heal()
        await shown(bot, turn_id)
    assert answers(place, "All is new.") == 1


async def test_an_answer_that_slack_will_never_take_counts_as_shown(place: Place) -> None:
    held = Held(then="All is new.")
    async with process(place, ScriptedModel([held])) as bot:
        turn_id = await at_work(bot, place, held)
        place.slack.fail("chat.postMessage", error="team_access_not_granted", times=1_000)
        held.release.set()
        await shown(bot, turn_id)


async def test_an_answer_that_a_token_may_not_post_waits_for_the_next_start(place: Place) -> None:
    held = Held(then="All is new.")
    async with process(place, ScriptedModel([held])) as bot:
        turn_id = await at_work(bot, place, held)
        place.slack.fail("chat.postMessage", error="token_revoked", times=1_000)
        held.release.set()
        await presenter_ended(turn_id)
    place.slack.heal()
    async with process(place) as bot:
        await shows(bot)
        await shown(bot, turn_id)
    assert answers(place, "All is new.") == 1


async def test_an_unexpected_failure_does_not_end_the_presenter(place: Place) -> None:
    failures = 7

    def failing(work: Callable[..., Any]) -> Callable[..., Any]:
        async def fails_at_first(*args: Any, **named: Any) -> Any:
            nonlocal failures
            if failures:
                failures -= 1
                raise OSError("the disk is full")
            return await work(*args, **named)

        return fails_at_first

    async with process(place, ScriptedModel(["All is new."])) as bot:
        view = View(bot.runtime)
        view.load_cursor = failing(view.load_cursor)
        view.save_cursor = failing(view.save_cursor)
        presenting = presenting_of(view, place.api)
        turn_id = await bot.runtime.handle(place.message("continue"))
        assert turn_id is not None
        presenting.attach(await bot.runtime.turn(turn_id))
        await shown(bot, turn_id)
        assert failures == 0
        await presenting.close()
    assert answers(place, "All is new.") == 1


class View(Runtime):
    """A runtime as one process sees it, whose sessions another process may take."""

    def __init__(self, runtime: Runtime) -> None:
        vars(self).update(vars(runtime))
        self.is_lost = False

    async def check(self, session: SessionId) -> None:
        if self.is_lost:
            raise LeaseLost(session)
