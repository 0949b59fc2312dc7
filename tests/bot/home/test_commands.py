"""The slash command is answered to its author alone, in the acknowledgement.

Feedback below an answer: the last word of each counts, they are thanked, and may say more."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from agent_core.ids import TurnId, UserId
from agent_core.runtime import Account
from agent_core.testing.accounts import FakeAccounts
from bot.clicks import FeedbackClick
from bot.presenter.answer import feedback_block
from bot.slack_api import Op
from bot.threads import ThreadRef
from bot.words import BOT
from tests.bot.home.world import Around, around

SAY = BOT.of("en")


async def test_help_names_what_there_is_and_so_does_what_is_not_known(place: Around) -> None:
    told = await place.command("ann", "help")
    assert told == SAY("home-help", command="/agent")
    assert await place.command("ann", "frobnicate") == told
    assert await place.command("ann", "") == told


async def test_the_answer_is_seen_by_nobody_else_and_nothing_is_posted(place: Around) -> None:
    await place.command("ann", "usage")
    [post] = place.world.slack.state.ephemerals.values()
    assert post.ephemeral_to == place.world.slack.people["ann"]
    assert place.calls("chat.postMessage") == 0
    assert len(place.world.ledger.settled) == 1


async def test_status_tells_of_ones_own_work_and_stop_ends_it_in_the_channel(
    place: Around,
) -> None:
    thread = await place.thread()
    turn = await place.ask_and_wait(thread, "ann", "which report do you mean?")
    assert thread.root_ts.replace(".", "") in await place.command("ann", "status")
    assert await place.command("ben", "status") == SAY("home-nothing-running")
    assert await place.command("ben", "stop") == SAY("home-nothing-here")
    elsewhere = await place.command("ann", "stop", "energy")
    assert elsewhere.startswith(SAY("home-nothing-here"))
    assert "which report" in elsewhere
    assert await place.command("ann", "stop") == SAY("home-stopped")
    await place.ended(turn)
    assert (await place.runtime.turn(turn)).outcome == "stopped"


async def test_connections_usage_and_schedules_are_ones_own(
    place: Around, accounts: FakeAccounts
) -> None:
    accounts.connect(place.person("ann"), "gmail")
    await place.ended(await place.ask(await place.thread(), "ann", "compare the makers"))
    assert "*Gmail*" in await place.command("ann", "connections")
    assert SAY("home-no-accounts") in await place.command("ben", "connections")
    assert (await place.command("ann", "usage")).startswith("This month: 1 request")
    assert (await place.command("ben", "usage")).startswith("This month: 0 requests")
    assert SAY("digest-none") in await place.command("ben", "schedules")


async def test_a_command_that_a_dead_process_left_is_answered_to_its_author_in_the_channel(
    place: Around,
) -> None:
    told = await place.command("ann", "usage")
    [body] = place.world.ledger.bodies
    await place.world.actions.replay(body | {"trigger_id": "of.a.dead.one"})
    await place.world.handled()
    assert place.world.told("ann") == [told]


async def test_the_command_works_where_the_bot_is_not_and_where_nobody_writes_any_more(
    place: Around,
) -> None:
    for channel in ("random", "hidden", "archived"):
        assert (await place.command("ann", "usage", channel)).startswith("This month: 0 requests")


async def test_what_takes_too_long_is_answered_when_it_is_there(tmp_path: Path) -> None:
    async with around(tmp_path, answer_within_s=0.0) as slow:
        assert await slow.command("ann", "help") == ""
        assert slow.world.told("ann") == [SAY("home-help", command="/agent")]


class BrokenAccounts(FakeAccounts):
    """Fails as nobody expects it."""

    async def of(self, user: UserId) -> list[Account]:
        raise RuntimeError(user)


async def test_a_command_that_comes_to_nothing_says_so(tmp_path: Path) -> None:
    async with around(tmp_path, accounts=BrokenAccounts()) as place:
        assert await place.command("ann", "connections") == SAY("ingress-in-vain")
        assert await place.command("ann", "status") == SAY("home-nothing-running")  # asks for less


THANKS = BOT.say("en", "feedback-thanks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An answer of the bot with the row below it."""

    around: Around
    thread: ThreadRef
    turn: TurnId
    ts: str

    async def press(self, user: str, verdict: Literal["up", "down"]) -> None:
        slack, click = self.around.world.slack, FeedbackClick(turn=self.turn, verdict=verdict)
        await slack.click(user, "general", self.ts, click.kind, click.encoded())
        await self.around.world.handled()

    async def given(self) -> list[tuple[str, str, str]]:
        stored = await self.around.runtime.feedback.of(self.turn)
        return [(each.person, each.verdict, each.comment) for each in stored]


@pytest.fixture
async def answered(tmp_path: Path) -> AsyncIterator[Answered]:
    async with around(tmp_path) as place:
        thread = await place.thread()
        turn = await place.ended(await place.ask(thread, "ann", "the capital of France, please"))
        row = feedback_block(turn, BOT.of("en"))
        post = await place.world.api.post(thread, "Paris.", op=Op("o"), blocks=[row])
        yield Answered(around=place, thread=thread, turn=turn, ts=post.ts)


async def test_each_persons_last_word_counts_and_the_thanks_are_theirs_alone(
    answered: Answered,
) -> None:
    place = answered.around
    for user in ("ann", "ben", "ann"):
        await answered.press(user, "up")
    ann, ben = place.person("ann"), place.person("ben")
    assert sorted(await answered.given()) == sorted([(ann, "up", ""), (ben, "up", "")])
    assert place.world.told("ann") == [THANKS, THANKS]
    assert place.world.told("ben") == [THANKS]


async def test_who_is_not_content_may_say_why_and_is_thanked_then(answered: Answered) -> None:
    place = answered.around
    await answered.press("ann", "down")
    assert place.world.told("ann") == []
    [form] = place.world.slack.state.views
    await place.world.slack.submit_view("ann", form, {"comment": " too short "})
    await place.world.handled()
    assert await answered.given() == [(place.person("ann"), "down", "too short")]
    assert place.world.told("ann") == [THANKS]


async def test_where_no_form_can_be_opened_the_press_alone_counts(answered: Answered) -> None:
    answered.around.world.slack.fail("views.open", error="view_too_large")
    await answered.press("ann", "down")
    assert await answered.given() == [(answered.around.person("ann"), "down", "")]
    assert answered.around.world.told("ann") == [THANKS]
