"""Who may see a session, and who may act in it: those who may see its thread, and write there.

Slack is asked. Of what open live views depend on, channels are asked about again every few seconds,
so that somebody who was removed from one is out at once, and people now and then.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar
from weakref import WeakValueDictionary

from cachetools import LRUCache

from agent_core.errors import SessionError
from agent_core.ids import SessionId, UserId
from bot.console.passes import HOME
from bot.ingress import Rules, Sender, authorise
from bot.slack_api import Conversation, MonotonicClock, Person, SlackApi, SlackError
from bot.threads import ThreadRef, parse_session, parse_user

HOLDS_S = 60.0
"""So long what Slack said of a channel may be relied upon."""
PERSON_HOLDS_S = 900.0
FRESH_S = 3.0
"""An answer that is not older need not be asked for again while somebody watches."""
PERSON_FRESH_S = 60.0
LOOKS_AT_ONCE = 2
"""So many channels, and people, are asked for again at a time: Slack allows some 100 a minute."""
MEMBERS_A_PAGE = 500
MAX_KEPT = 5_000

Level = Literal["none", "see", "act"]
"""`see`: may read along. `act`: may do there what can be done in the thread."""

V = TypeVar("V")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Membership:
    about: Conversation
    members: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Visitor:
    """Whose access to what is asked about."""

    thread: ThreadRef | None
    """None for HOME, the person's own conversation with the bot."""
    team: str
    user: str

    @property
    def sender(self) -> Sender:
        """The person as the author of a post there."""
        channel = self.thread.channel if self.thread else ""
        return Sender(team=self.team, app_id="", channel=channel, user=self.user)


@dataclass(frozen=True, slots=True)
class _Answer(Generic[V]):
    asked_s: float
    value: V | None


class _SlackCache(Generic[V]):
    """What Slack said, by the id that it was asked about. Many who ask at once ask once."""

    def __init__(
        self,
        ask: Callable[[str], Awaitable[V | None]],
        clock: MonotonicClock,
        holds_s: float,
    ) -> None:
        self._ask = ask
        self._clock = clock
        self._holds_s = holds_s
        self._answers: LRUCache[str, _Answer[V]] = LRUCache(MAX_KEPT)
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def age_s(self, key: str) -> float:
        answer = self._answers.get(key)
        if answer is None:
            return float("inf")
        return self._clock.seconds() - answer.asked_s

    def holds(self, key: str) -> bool:
        """Whether there is an answer that is not too old."""
        return self.age_s(key) <= self._holds_s

    def known(self, key: str) -> V | None:
        """None for what there is not, too."""
        return self._answers[key].value if self.holds(key) else None

    async def get(self, key: str, max_age_s: float = HOLDS_S) -> V | None:
        """Raises SlackError where Slack could not be asked."""
        async with self._locks.setdefault(key, asyncio.Lock()):
            if self.age_s(key) > max_age_s:
                asked_s = self._clock.seconds()
                value = await self._ask(key)
                self._answers[key] = _Answer(asked_s, value)
            return self.known(key)

    async def renew(self, keys: Iterable[str], fresh_s: Callable[[str], float]) -> None:
        """Ask about those again that are not fresh any more, a few at a time, the oldest first."""
        due = [key for key in keys if self.age_s(key) >= fresh_s(key)]
        due.sort(key=self.age_s)
        for key in due[-LOOKS_AT_ONCE:]:
            try:
                await self.get(key, 0.0)
            except SlackError as error:
                logger.warning("who may see a live view could not be asked again: %s", error)


class ThreadAccess:
    """Decides for each person and session. Its answers are read by whoever shows live views."""

    def __init__(self, api: SlackApi, rules: Rules) -> None:
        self._api = api
        self._rules = rules
        self._people = _SlackCache[Person](api.person, api.clock, PERSON_HOLDS_S)
        self._channels = _SlackCache[_Membership](self._ask_channel, api.clock, HOLDS_S)

    async def level(self, user: UserId, session: SessionId, *, max_age_s: float = HOLDS_S) -> Level:
        """What the person may do; `none` also for what is no session of this team.

        Raises:
            SlackError: Slack could not be asked.
        """
        visitor = _visitor(user, session)
        if visitor is None:
            return "none"
        await self._people.get(visitor.user, max_age_s)
        if visitor.thread is not None:
            await self._channels.get(visitor.thread.channel, max_age_s)
        return self.level_now(user, session) or "none"

    async def person(self, user: UserId) -> Person | None:
        """Raises SlackError where Slack could not be asked."""
        _, slack_user = parse_user(user)
        return await self._people.get(slack_user)

    async def renew(self, watching: Collection[tuple[UserId, SessionId]]) -> None:
        """Ask some of what those who watch depend on again."""
        visitors = [_visitor(user, session) for user, session in watching]
        known = [visitor for visitor in visitors if visitor]
        channels = {visitor.thread.channel for visitor in known if visitor.thread}
        await self._channels.renew(channels, self._stays_fresh_s)
        people = {visitor.user for visitor in known}
        await self._people.renew(people, lambda _: PERSON_FRESH_S)

    def level_now(self, user: UserId, session: SessionId) -> Level | None:
        """The same as `level`, of what is known; None where that is too old to tell."""
        visitor = _visitor(user, session)
        if visitor is None:
            return "none"
        if not self._people.holds(visitor.user):
            return None
        person = self._people.known(visitor.user)
        if visitor.thread is None:
            rules = replace(self._rules, channels=None)
            verdict = authorise(visitor.sender, rules, person)
            return "act" if isinstance(verdict, Person) else "none"
        if not self._channels.holds(visitor.thread.channel):
            return None
        channel = self._channels.known(visitor.thread.channel)
        if channel is None or person is None:
            return "none"
        return self._level_in(channel, visitor, person)

    def _level_in(self, channel: _Membership, visitor: _Visitor, person: Person) -> Level:
        verdict = authorise(visitor.sender, self._rules, person)
        if verdict in _NOBODY:
            return "none"
        if visitor.user not in channel.members:
            # Everybody of the team may read a public channel; guests and strangers may not.
            is_of_team = person.team == self._rules.identity.team
            is_outsider = person.is_stranger or person.is_guest
            is_public = channel.about.kind == "channel"
            return "see" if is_public and is_of_team and not is_outsider else "none"
        may_write = isinstance(verdict, Person) and not channel.about.is_archived
        return "act" if may_write else "see"

    def _stays_fresh_s(self, channel: str) -> float:
        """The members of a big channel take many calls, so those are asked for less often."""
        known = self._channels.known(channel)
        if known is None:
            return FRESH_S
        pages = len(known.members) / MEMBERS_A_PAGE
        return min(max(1.0, pages) * FRESH_S, HOLDS_S)

    async def _ask_channel(self, channel: str) -> _Membership | None:
        about = await self._api.channels.about(channel)
        if about is None:
            return None
        members = await self._api.channels.members(channel)
        return _Membership(about, members)


_NOBODY = ("foreign_app", "foreign_team", "bot", "unknown_user", "deactivated", "stranger")
"""Whom authorisation refuses for these is not let in to read, either: it tells more of the work
than the thread does, and people of other organisations are there for the thread."""


def _visitor(user: UserId, session: SessionId) -> _Visitor | None:
    """None where person and session do not fit together."""
    try:
        team, slack_user = parse_user(user)
        thread = None if session == HOME else parse_session(session)
    except SessionError:
        return None
    if thread is not None and team != thread.team:
        return None
    return _Visitor(thread, team, slack_user)
