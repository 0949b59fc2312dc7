"""People's gestures in the shapes in which Slack delivers one twice, and what came of them.

`retry`: a new envelope with a retry number; of every third gesture the first delivery was lost on
its way, so the retry is the only one. `envelope`: the same envelope again. `mention`: `app_mention`
and `message` of one post. `twin`: two messages with different `ts` and one `client_msg_id`.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import create_engine, select

from agent_core.messages import JsonObject
from agent_core.sessions.schema import ledger, turns
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.slack.messages import mention_event, message_event, wrap_event
from bot.sandbox.slack.records import Post
from tests.postgres import driven

Shape = Literal["retry", "envelope", "mention", "twin"]

SHAPES: tuple[Shape, ...] = ("retry", "envelope", "mention", "twin")
PEOPLE = ("ann", "ben", "cleo")
CHANNELS = ("general", "energy", "news", "private")
WORDS = "help"
"""It is answered by every part of the bot but the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """One delivery of a gesture."""

    gesture: int
    payload: JsonObject
    envelope: str
    attempt: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gesture:
    shape: Shape
    posts: tuple[Post, ...]
    """One, or the two posts that Slack makes of a twin."""
    copies: tuple[Copy, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What came of the gestures, by their numbers."""

    answers: Counter[int]
    """Posts with an answer."""
    turns: Counter[int]
    """Turns in the database."""
    by_process: Counter[str]
    """Payloads in the ledger, by the process that has recorded them."""


class Typist:
    """Makes gestures: the posts stand in Slack, and are not delivered yet."""

    def __init__(self, slack: SlackStandIn) -> None:
        self._slack = slack

    def make(self, number: int) -> Gesture:
        """The gesture of this number; its shape goes round."""
        shape = SHAPES[number % len(SHAPES)]
        person = PEOPLE[number % len(PEOPLE)]
        if shape == "mention":
            place = self._slack.channel_id(CHANNELS[number // len(SHAPES) % len(CHANNELS)])
        else:
            place = self._slack.dm_id(person)
        ids = self._slack.state.ids
        text = f"{self._slack.mention} {WORDS}" if shape == "mention" else WORDS
        said_once = ids.fresh("u")
        posts = tuple(
            Post(
                channel=place,
                ts=ids.fresh_ts(),
                user=self._slack.user_id(person),
                text=text,
                client_msg_id=said_once,
            )
            for _ in range(2 if shape == "twin" else 1)
        )
        for post in posts:
            self._slack.state.keep(post)
        return Gesture(shape=shape, posts=posts, copies=self._copies(number, shape, posts))

    def _copies(self, number: int, shape: Shape, posts: Sequence[Post]) -> tuple[Copy, ...]:
        first = self._copy(number, self._message(posts[0]))
        match shape:
            case "retry":
                retry = Copy(
                    gesture=number, payload=first.payload, envelope=self._envelope(), attempt=1
                )
                return (first, retry) if number % 3 else (retry,)
            case "envelope":
                return (first, first)
            case "mention":
                return (first, self._copy(number, self._mention(posts[0])))
            case "twin":
                return (first, self._copy(number, self._message(posts[1])))

    def _copy(self, number: int, payload: JsonObject) -> Copy:
        return Copy(gesture=number, payload=payload, envelope=self._envelope())

    def _envelope(self) -> str:
        return self._slack.state.ids.fresh("u")

    def _message(self, post: Post) -> JsonObject:
        state = self._slack.state
        channel = state.channels[post.channel]
        return wrap_event(state, message_event(state, post, channel))

    def _mention(self, post: Post) -> JsonObject:
        state = self._slack.state
        return wrap_event(state, mention_event(state, post))


def shuffled(gestures: Iterable[Gesture], seed: int) -> list[Copy]:
    """All copies in a random order: half of the gestures' at the same time, half far apart."""
    chance = random.Random(seed)  # noqa: S311 - the same order each time, nothing secret
    placed: list[tuple[float, Copy]] = []
    for gesture in gestures:
        together = chance.random()
        are_together = chance.random() < 0.5
        placed += [
            (together if are_together else chance.random(), copy)
            for copy in chance.sample(gesture.copies, k=len(gesture.copies))
        ]
    return [copy for _, copy in sorted(placed, key=lambda each: each[0])]


def find(slack: SlackStandIn, database_url: str, gestures: Sequence[Gesture]) -> Found:
    """Count the answers in Slack, and the turns in the database."""
    number_of = {
        (post.channel, post.ts): number
        for number, gesture in enumerate(gestures)
        for post in gesture.posts
    }
    answers = (
        number_of[post.channel, post.root_ts]
        for posts in slack.state.posts.values()
        for post in posts.values()
        if post.user == slack.bot_user_id and (post.channel, post.root_ts) in number_of
    )
    engine = create_engine(driven(database_url))
    try:
        with engine.connect() as connection:
            keys = [str(row.id).split(":") for row in connection.execute(select(turns.c.id))]
            processes = [row.process for row in connection.execute(select(ledger.c.process))]
    finally:
        engine.dispose()
    return Found(
        answers=Counter(answers),
        turns=Counter(number_of[channel, ts] for *_, channel, ts in keys),
        by_process=Counter(filter(None, processes)),
    )
