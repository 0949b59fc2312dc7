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

HOLDS_S, PERSON_HOLDS_S = 60.0, 900.0
"""So long what Slack said of a channel, and of a person, may be relied upon."""
FRESH_S, PERSON_FRESH_S = 3.0, 60.0
"""An answer that is not older need not be asked for again while somebody watches."""
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


class _SlackCache(Generic[V]):
    """What Slack said, by the id that it was asked about. Many who ask at once ask once."""

    def __init__(
        self, ask: Callable[[str], Awaitable[V | None]], clock: MonotonicClock, holds_s: float
    ) -> None:
        self._ask = ask
        self._clock = clock
        self._holds_s = holds_s
        self._said: LRUCache[str, tuple[float, V | None]] = LRUCache(MAX_KEPT)
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def age_s(self, key: str) -> float:
        said = self._said.get(key)
        return float("inf") if said is None else self._clock.seconds() - said[0]

    def holds(self, key: str) -> bool:
        """Whether something was said, and not too long ago."""
        return self.age_s(key) <= self._holds_s

    def known(self, key: str) -> V | None:
        """None for what there is not, too."""
        return self._said[key][1] if self.holds(key) else None

    async def get(self, key: str, max_age_s: float = HOLDS_S) -> V | None:
        """Raises SlackError where Slack could not be asked."""
        async with self._asking.setdefault(key, asyncio.Lock()):
            if self.age_s(key) > max_age_s:
                asked_s = self._clock.seconds()
                self._said[key] = (asked_s, await self._ask(key))
            return self.known(key)

    async def renew(self, keys: Iterable[str], fresh_s: Callable[[str], float]) -> None:
        """Ask about those again that are not fresh any more, a few at a time, the oldest first."""
        due = [key for key in keys if self.age_s(key) >= fresh_s(key)]
        for key in sorted(due, key=self.age_s)[-LOOKS_AT_ONCE:]:
            try:
                await self.get(key, 0.0)
            except SlackError as error:
                logger.warning("who may see a live view could not be asked again: %s", error)


class ThreadAccess:
    """Decides for each person and session. Its answers are read by whoever shows live views."""

    def __init__(self, api: SlackApi, rules: Rules) -> None:
        self._api = api
        self._rules = rules
        self._people: _SlackCache[Person] = _SlackCache(api.person, api.clock, PERSON_HOLDS_S)
        self._places: _SlackCache[_Membership] = _SlackCache(self._ask_place, api.clock, HOLDS_S)

    async def level(self, user: UserId, session: SessionId, *, max_age_s: float = HOLDS_S) -> Level:
        """What the person may do; `none` also for what is no session of this team.

        Raises:
            SlackError: Slack could not be asked.
        """
        if found := _read(user, session):
            thread, slack_user = found
            await self._people.get(slack_user, max_age_s)
            if thread is not None:
                await self._places.get(thread.channel, max_age_s)
        return self.level_now(user, session) or "none"

    async def person(self, user: UserId) -> Person | None:
        """Raises SlackError where Slack could not be asked."""
        return await self._people.get(parse_user(user)[1])

    async def renew(self, watching: Collection[tuple[UserId, SessionId]]) -> None:
        """Ask some of what those who watch depend on again."""
        known = [found for pair in watching if (found := _read(*pair))]
        channels = {thread.channel for thread, _ in known if thread is not None}
        await self._places.renew(channels, self._stays_fresh_s)
        await self._people.renew({user for _, user in known}, lambda _: PERSON_FRESH_S)

    def level_now(self, user: UserId, session: SessionId) -> Level | None:
        """The same as `level`, of what is known; None where that is too old to tell."""
        found = _read(user, session)
        if found is None:
            return "none"
        thread, slack_user = found
        if not (
            self._people.holds(slack_user) and (not thread or self._places.holds(thread.channel))
        ):
            return None
        rules, person = self._rules, self._people.known(slack_user)
        if thread is None:  # the person's own conversation with the bot
            facts = Sender(team=rules.identity.team, app_id="", channel="", user=slack_user)
            own = authorise(facts, replace(rules, channels=None), person)
            return "act" if isinstance(own, Person) else "none"
        facts = Sender(team=thread.team, app_id="", channel=thread.channel, user=slack_user)
        ruled, place = authorise(facts, rules, person), self._places.known(thread.channel)
        if place is None or person is None or ruled in _NOBODY:
            return "none"
        if slack_user not in place.members:
            # Everybody of the team may read a public channel; guests and strangers may not.
            is_own = person.team == rules.identity.team and not person.is_stranger
            is_own = is_own and not person.is_guest
            return "see" if place.about.kind == "channel" and is_own else "none"
        return "act" if isinstance(ruled, Person) and not place.about.is_archived else "see"

    def _stays_fresh_s(self, channel: str) -> float:
        """The members of a big channel take many calls, so those are asked for less often."""
        place = self._places.known(channel)
        pages = len(place.members) / MEMBERS_A_PAGE if place else 1
        return min(max(FRESH_S, pages * FRESH_S), HOLDS_S)

    async def _ask_place(self, channel: str) -> _Membership | None:
        about = await self._api.channels.about(channel)
        return about and _Membership(about, await self._api.channels.members(channel))


_NOBODY = ("foreign_app", "foreign_team", "bot", "unknown_user", "deactivated", "stranger")
"""Whom authorisation refuses for these is not let in to read, either: it tells more of the work
than the thread does, and people of other organisations are there for the thread."""


def _read(user: UserId, session: SessionId) -> tuple[ThreadRef | None, str] | None:
    """The thread (None for HOME), and the person's id in Slack; None where these do not fit."""
    try:
        team, slack_user = parse_user(user)
        thread = None if session == HOME else parse_session(session)
    except SessionError:
        return None
    return (thread, slack_user) if thread is None or team == thread.team else None
