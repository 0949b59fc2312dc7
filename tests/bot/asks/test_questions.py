"""Presses on a question: who was asked answers once, and everybody else is told why not, alone."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agent_core.ids import TurnId, turn_of
from agent_core.testing.models import ScriptedModel, call
from bot.asks import AskClicks
from bot.clicks import QuestionClick, Refused, decode
from bot.inbound import post_key
from bot.presenter.journal import READER
from bot.sandbox.slack import Post
from tests.bot.desk import open_desk
from tests.bot.front_world import NOW, Place, Process, process
from tests.bot.gestures import gesture_of, person_of

ASK = call("ask_user", {"question": "Which grid?", "options": ["Stop", "Poland"]}, id="q")


@dataclass(frozen=True, slots=True)
class Asking:
    """A bot that has asked Ann."""

    place: Place
    bot: Process
    answers: AskClicks
    refusals: list[str] = field(default_factory=list[str])

    async def posted(self, words: str) -> Post:
        """The bot's post with these words, once it is there."""
        slack, thread = self.place.slack, self.place.thread

        def found() -> list[Post]:
            posts = slack.thread("general", thread.root_ts)
            return [
                post
                for post in posts
                if words in json.dumps([post.text, *post.blocks], ensure_ascii=False)
            ]

        await slack.wait_for(lambda _: bool(found()))
        return found()[-1]

    async def press(self, label: str, user: str = "ann", *, post: Post | None = None) -> None:
        post = post or await self.posted(f'"{label}"')
        row = [each for block in post.blocks for each in block.get("elements", ())]
        element = next(e for e in row if e["type"] == "button" and e["text"]["text"] == label)
        slack = self.place.slack
        click = decode(element["action_id"], element["value"])
        assert isinstance(click, QuestionClick)
        gesture = gesture_of(
            slack,
            user,
            click,
            self.place.thread,
            message_ts=post.ts,
            trigger_id=slack.backend.views.trigger(slack.people[user]),
        )
        try:
            await self.answers.choose(click, gesture, person_of(slack, user))
        except Refused as refused:
            self.refusals.append(refused.text("en"))


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with open_desk(Place, root=tmp_path) as place:
        yield place


@asynccontextmanager
async def asking(place: Place, *lines: str) -> AsyncGenerator[Asking]:
    async with process(place, ScriptedModel([ASK, *lines])) as bot:
        await bot.runtime.show_with(READER, bot.presenting.attach)
        answers = AskClicks(bot.runtime.asks, place.api, lambda: NOW)
        await bot.front.handle(place.message("continue"))
        yield Asking(place, bot, answers)


async def test_one_press_answers_once_whatever_the_words_and_another_answer_is_explained(
    place: Place,
) -> None:
    async with asking(place, "Then I leave it.") as world:
        post = await world.posted('"Stop"')
        await world.press("Stop", post=post)
        await world.posted("Then I leave it.")
        ann = place.slack.people["ann"]
        ended = await world.posted(f"<@{ann}> answered: Stop")
        assert ended.ts == post.ts
        assert "button" not in json.dumps(ended.blocks)
        await world.press("Stop", post=post)
        await world.press("Poland", post=post)
        [why] = world.refusals
        assert why.startswith("Too late: this question")
        turn = await world.bot.runtime.turn(TurnId(f"turn:{place.message('').key}"))
        assert turn.answer == "Then I leave it."
        key = post_key(place.thread.team, place.thread.channel, post.ts)
        assert (await world.bot.runtime.turn(turn_of(key))).inbound.is_choice
