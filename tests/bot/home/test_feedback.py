"""Feedback below an answer: the last word of each counts, and they are thanked."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from agent_core.ids import TurnId
from bot.clicks import FeedbackClick
from bot.presenter.answer import feedback_block
from bot.slack_api import Op
from bot.threads import ThreadRef
from bot.words import BOT
from tests.bot.home.world import Around, around

THANKS = BOT.say("en", "feedback-thanks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An answer of the bot with the row below it."""

    root: Path
    around: Around
    thread: ThreadRef
    turn: TurnId
    ts: str

    async def press(self, user: str, verdict: Literal["up", "down"]) -> None:
        slack, click = self.around.world.slack, FeedbackClick(turn=self.turn, verdict=verdict)
        await slack.click(user, "general", self.ts, click.kind, click.encoded())
        await self.around.world.handled()

    def given(self) -> list[tuple[str, str]]:
        query = "SELECT name, value FROM preferences WHERE scope LIKE 'feedback:%'"
        with closing(sqlite3.connect(self.root / "state.sqlite")) as stored:
            return stored.execute(query).fetchall()


@pytest.fixture
async def answered(tmp_path: Path) -> AsyncIterator[Answered]:
    async with around(tmp_path) as place:
        thread = await place.thread()
        turn = await place.ended(await place.ask(thread, "ann", "the capital of France, please"))
        row = feedback_block(turn, BOT.of("en"))
        post = await place.world.api.post(thread, "Paris.", op=Op("o"), blocks=[row])
        yield Answered(root=tmp_path, around=place, thread=thread, turn=turn, ts=post.ts)


async def test_each_persons_last_word_counts_and_the_thanks_are_theirs_alone(
    answered: Answered,
) -> None:
    place = answered.around
    await answered.press("ann", "up")
    await answered.press("ben", "up")
    await answered.press("ann", "down")
    ann, ben = place.person("ann"), place.person("ben")
    assert sorted(answered.given()) == sorted([(ann, "down"), (ben, "up")])
    assert place.world.told("ann") == [THANKS, THANKS]
    assert place.world.told("ben") == [THANKS]
