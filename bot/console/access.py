"""Who may see and act in the live view: signed passes, and authorisation by the thread.

A pass is a link for one person and session, or a cookie in exchange. A link works once and for
`LINK_LIFE`; a cookie holds the sessions that its person has opened. Members who may read a thread
see its session, writers may act, guests read the thread alone: Slack decides, and its answers are
cached. While live views are open, memberships are renewed every few seconds, people less often: who
was removed from a channel is out at once.
"""

import logging
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Iterable,
)
from dataclasses import dataclass, replace
from math import inf
from typing import Generic, Literal, TypeVar

from cachetools import LRUCache

from agent_core.background import Locks
from agent_core.errors import SessionError
from agent_core.ids import SessionId, UserId
from bot.console.passes import HOME
from bot.inbound import Sender
from bot.ingress import Rules, authorise
from bot.slack_api import (
    Conversation,
    MonotonicClock,
    Person,
    SlackApi,
    SlackError,
)
from bot.threads import parse_session, parse_user

HOLDS_S = 60.0
"""How long an answer about a channel may be relied upon."""
PERSON_HOLDS_S = 900.0
FRESH_S = 3.0
"""A younger answer is not renewed while somebody watches."""
PERSON_FRESH_S = 60.0
LOOKS_AT_ONCE = 2
"""Renewals of channels, and of people, at a time: Slack allows some 100 a minute."""
MEMBERS_A_PAGE = 500
MAX_KEPT = 5_000

Level = Literal["none", "see", "act"]
"""`see`: may read. `act`: may do what a member of the thread may do."""

V = TypeVar("V")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Membership:
    about: Conversation
    members: frozenset[str]


class _SlackCache(Generic[V]):
    """Cache of Slack's answers by id; concurrent questions about one id are asked once."""

    def __init__(
        self,
        ask: Callable[[str], Awaitable[V | None]],
        clock: MonotonicClock,
        holds_s: float,
    ) -> None:
        self._ask = ask
        self._clock = clock
        self._holds_s = holds_s
        self._answers: LRUCache[str, tuple[float, V | None]] = LRUCache(MAX_KEPT)
        """By id, when Slack was asked, and its answer."""
        self._locks = Locks[str]()

    def age_s(self, key: str) -> float:
        asked_s, _ = self._answers.get(key, (-inf, None))
        return self._clock.seconds() - asked_s

    def holds(self, key: str) -> bool:
        """Whether there is an answer that is not too old."""
        return self.age_s(key) <= self._holds_s

    def known(self, key: str) -> V | None:
        """The answer while it holds; None also where Slack knows nothing by this id."""
        _, value = self._answers.get(key, (-inf, None))
        return value if self.holds(key) else None

    async def get(self, key: str, max_age_s: float = HOLDS_S) -> V | None:
        """Raises SlackError where Slack could not be asked."""
        async with self._locks.of(key):
            if self.age_s(key) > max_age_s:
                asked_s = self._clock.seconds()
                self._answers[key] = (asked_s, await self._ask(key))
            return self.known(key)

    async def renew(self, keys: Iterable[str], fresh_s: Callable[[str], float]) -> None:
        """Renew answers that are not fresh any more: a few at a time, the oldest first."""
        due = [key for key in keys if self.age_s(key) >= fresh_s(key)]
        due.sort(key=self.age_s)
        for key in due[-LOOKS_AT_ONCE:]:
            try:
                await self.get(key, 0.0)
            except SlackError as error:
                logger.warning("who may see a live view could not be asked again: %s", error)


class ThreadAccess:
    """The level of each person in each session."""

    def __init__(self, api: SlackApi, rules: Rules) -> None:
        self._api = api
        self._rules = rules
        self._people = _SlackCache[Person](api.person, api.clock, PERSON_HOLDS_S)
        self._channels = _SlackCache[_Membership](self._ask_channel, api.clock, HOLDS_S)

    async def level(self, user: UserId, session: SessionId, *, max_age_s: float = HOLDS_S) -> Level:
        """The person's level; `none` also for a session that is not of this team.

        Raises SlackError if Slack gave no answer.
        """
        visitor = _visitor(user, session)
        if visitor is None:
            return "none"
        await self._people.get(visitor.user, max_age_s)
        if visitor.channel:
            await self._channels.get(visitor.channel, max_age_s)
        return self.level_now(user, session) or "none"

    async def person(self, user: UserId) -> Person | None:
        """Raises SlackError where Slack could not be asked."""
        _, slack_user = parse_user(user)
        return await self._people.get(slack_user)

    async def renew(self, watching: Collection[tuple[UserId, SessionId]]) -> None:
        """Renew some of the answers that the levels of these viewers depend on."""
        channels = set[str]()
        people = set[str]()
        for user, session in watching:
            if visitor := _visitor(user, session):
                people.add(visitor.user)
                if visitor.channel:
                    channels.add(visitor.channel)
        await self._channels.renew(channels, self._stays_fresh_s)
        await self._people.renew(people, lambda _: PERSON_FRESH_S)

    def level_now(self, user: UserId, session: SessionId) -> Level | None:
        """The level by the cached answers; None if they are too old."""
        visitor = _visitor(user, session)
        if visitor is None:
            return "none"
        if not self._people.holds(visitor.user):
            return None
        person = self._people.known(visitor.user)
        if not visitor.channel:
            rules = replace(self._rules, channels=None)
            verdict = authorise(visitor, rules, person)
            return "act" if isinstance(verdict, Person) else "none"
        if not self._channels.holds(visitor.channel):
            return None
        channel = self._channels.known(visitor.channel)
        if channel is None or person is None:
            return "none"
        return self._level_in(channel, visitor, person)

    def _level_in(self, channel: _Membership, visitor: Sender, person: Person) -> Level:
        verdict = authorise(visitor, self._rules, person)
        if verdict in _NOBODY:
            return "none"
        if visitor.user not in channel.members:
            # Everybody of the team may read a public channel; strangers may not.
            is_of_team = person.team == self._rules.identity.team and not person.is_stranger
            return "see" if channel.about.kind == "channel" and is_of_team else "none"
        if isinstance(verdict, Person) and not channel.about.is_archived:
            return "act"
        return "see"

    def _stays_fresh_s(self, channel: str) -> float:
        """A big channel's members take many calls, so they are renewed less often."""
        known = self._channels.known(channel)
        if known is None:
            return FRESH_S
        pages = max(1.0, len(known.members) / MEMBERS_A_PAGE)
        return min(pages * FRESH_S, HOLDS_S)

    async def _ask_channel(self, channel: str) -> _Membership | None:
        about = await self._api.channels.about(channel)
        if about is None:
            return None
        members = await self._api.channels.members(channel)
        return _Membership(about, members)


_NOBODY = (
    "foreign_app", "foreign_team", "bot", "unknown_user", "deactivated", "guest", "stranger",
)  # fmt: skip
"""Refused for these reasons, a person may not even read: the live view shows more of the work than
the thread does, and guests, of this organisation and of others, were invited to the thread
alone."""


def _visitor(user: UserId, session: SessionId) -> Sender | None:
    """The person as the author of a post in the thread; for HOME without a channel.

    None if person and session belong to different teams, or an id is invalid.
    """
    try:
        team, slack_user = parse_user(user)
        if session == HOME:
            return Sender(team=team, app_id="", channel="", user=slack_user)
        thread = parse_session(session)
    except SessionError:
        return None
    if team != thread.team:
        return None
    return Sender(team=team, app_id="", channel=thread.channel, user=slack_user)
