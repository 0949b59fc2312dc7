"""Digests of a bot that stops and comes back, or is set up differently: each test has its own."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from agent_core.events import TextDelta
from agent_core.ids import TurnId
from agent_core.schedules.schedule import Schedule
from bot.sandbox.model import ReplyText, ToolUse
from tests.e2e.digests import (
    HYDROGEN,
    NINE_ON_FRIDAY,
    NINE_ON_MONDAY,
    ORDER,
    Office,
    buttons,
    digest_answer,
    office_in,
    office_on,
    reading,
    town_on,
)
from tests.e2e.world import FIRST_WORDS, TURN_S

GRID = "Grids grew by half"
SALT = "Salt lasts longer"
LONG_S = 300.0
HOUR = timedelta(hours=1)


@pytest.mark.proves("digest.question")
async def test_a_question_and_a_proposal_of_before_a_restart_are_answered_after_it(
    tmp_path: Path,
) -> None:
    async with town_on(tmp_path) as town:
        async with office_in(town) as office:
            proposal = await office.say(ORDER)
            read = reading("order", task="hydrogen", rrule="FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR")
            question = await office.say(HYDROGEN, read)
        async with office_in(town) as office:
            nine = reading("change", rrule=f"{read.input['rrule']};BYHOUR=9;BYMINUTE=0")
            later = await office.reply("at 9", question, nine)
            assert later.text.startswith("*hydrogen*\nEvery weekday at 09:00")
            for post in (proposal, later):
                await office.press(post, "confirm")
                await office.decided(post)
            assert [each.status for each in await office.schedules()] == ["active", "active"]


@pytest.mark.parametrize(
    ("setting", "full"),
    [
        ("DIGESTS_PER_PERSON", "You have 1 digests."),
        ("DIGESTS_PER_CHANNEL", "has 1 digests."),
        ("DIGESTS_PER_TEAM", "This workspace has 1 digests."),
    ],
)
@pytest.mark.proves("digest.limits")
async def test_how_many_may_be_kept_is_a_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, full: str
) -> None:
    monkeypatch.setenv(setting, "1")
    async with office_on(tmp_path) as office:
        early = await office.say(ORDER)
        schedule = await office.order()
        refused = await office.say(ORDER)
        assert full in refused.text
        await office.press(early, "confirm")
        assert full in await office.told_alone("ann", early)
        await office.say(f"delete digest {schedule.number}")
        assert buttons(await office.say(ORDER))


async def test_a_run_that_reaches_a_bound_posts_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAX_STEPS", "1")
    async with office_on(tmp_path) as office:
        schedule = await office.order()
        office.world.model.play(ToolUse(name="mcp__local_toolkit__list_local_files", input={}))
        office.world.model.play(ReplyText(text="Found so far: grids grew by half."))
        await office.go_to_slot(schedule)
        [root] = office.roots()
        assert "• Found so far: grids grew by half." in root.text


@pytest.mark.proves("digest.restart")
async def test_a_bot_restarted_between_two_slots_goes_on_with_what_was_told(tmp_path: Path) -> None:
    async with town_on(tmp_path) as town:
        async with office_in(town) as office:
            await office.order()
            office.world.model.play(digest_answer(GRID))
            await office.go_to(NINE_ON_FRIDAY)
        async with office_in(town) as office:
            office.world.model.play(digest_answer(GRID, SALT))
            await office.go_to(NINE_ON_MONDAY)
            [first, second] = office.roots()
            assert "1 of 2" in second.text
            office.world.play_simple()
            reply = await office.world.slack.say("ann", "energy", "Why?", thread_ts=first.ts)
            await office.world.answered(reply, channel="energy")


@pytest.mark.proves("digest.restart")
async def test_a_bot_stopped_in_the_middle_of_a_run_posts_once(tmp_path: Path) -> None:
    async with town_on(tmp_path) as town:
        async with office_in(town) as office:
            schedule = await office.order()
            town.outside.model.stall(LONG_S, after_events=FIRST_WORDS, kinds={"scripted"})
            town.outside.model.play(ReplyText(text="Here it is."), digest_answer(GRID), times=2)
            async with asyncio.TaskGroup() as group:
                group.create_task(until_the_answer_begins(office, schedule))
                town.clock.jump_to(NINE_ON_FRIDAY.timestamp())
            assert [slot.state for slot in await office.slots(schedule)] == ["begun"]
        async with office_in(town) as office:
            await office.rest()
            [root] = office.roots()
            assert root.text.splitlines()[1].startswith("• Grids ")
            await office.go_to(NINE_ON_FRIDAY + HOUR)
            assert office.roots() == [root]
            assert [slot.state for slot in await office.slots(schedule)] == ["posted"]


async def test_a_bot_stopped_between_the_post_and_its_thread_completes_the_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLACK_SETTLE_S", "0.5")
    async with town_on(tmp_path) as town:
        async with office_in(town) as office:
            await office.order()
            town.outside.model.play(digest_answer(GRID, details="The rest of it."))
            town.clock.jump_to(NINE_ON_FRIDAY.timestamp())
            await office.world.slack.wait_for(lambda _: office.roots(), timeout_s=20.0)
        async with office_in(town) as office:
            await office.rest()
            [root] = office.roots()
            thread = [post.text for post in office.world.slack.thread("energy", root.ts)]
            assert thread == [root.text, "The rest of it."]


async def until_the_answer_begins(office: Office, schedule: Schedule) -> None:
    """Stay until the model has said the first words of Friday's run; it must not have begun."""
    turn = TurnId(f"turn:slot:{schedule.id}:{NINE_ON_FRIDAY:%Y%m%dT%H%M%SZ}")
    async with asyncio.timeout(TURN_S):
        async for _, event in office.world.runtime.events(turn):
            if isinstance(event, TextDelta):
                return
