"""Who may see a session, and who may act in it: those who may see its thread, and write there.

Slack is asked, and what it said holds for a minute at most. What open live views depend on is asked
again every few seconds, so that somebody who was removed from a channel is out at once.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Hashable
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar
from weakref import WeakValueDictionary

from cachetools import LRUCache

from agent_core.errors import SessionError
from agent_core.ids import SessionId, UserId
from bot.console.passes import HOME
from bot.ingress import Facts, Rules, authorise, screen
from bot.slack_api import Clock, Conversation, Person, SlackApi, SlackError
from bot.threads import ThreadRef, parse_session, parse_user

HOLDS_S = 60.0
"""So long an answer of Slack's may be relied upon."""
FRESH_S = 3.0
"""An answer that is not older need not be asked for again while somebody watches."""
LOOKS_AT_ONCE = 3
"""So many answers are renewed at a time, the oldest first: Slack allows some 100 a minute."""
MEMBERS_A_PAGE = 500
MAX_KEPT = 5_000

Level = Literal["none", "see", "act"]
"""`see`: may read along. `act`: may do there what can be done in the thread."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Place:
    about: Conversation | None
    members: frozenset[str]


class _Answers(Generic[K, V]):
    """What Slack said, by whom or what it was asked, and when. Many who ask at once ask once."""

    def __init__(self, ask: Callable[[K], Awaitable[V]], clock: Clock) -> None:
        self._ask = ask
        self._clock = clock
        self._said: LRUCache[K, tuple[float, V]] = LRUCache(MAX_KEPT)
        self._asking: WeakValueDictionary[K, asyncio.Lock] = WeakValueDictionary()

    def age_s(self, key: K) -> float:
        said = self._said.get(key)
        return float("inf") if said is None else self._clock.seconds() - said[0]

    def known(self, key: K) -> V:
        """KeyError where it was never asked."""
        return self._said[key][1]

    async def get(self, key: K, *, max_age_s: float) -> V:
        """Raises SlackError where Slack could not be asked."""
        async with self._asking.setdefault(key, asyncio.Lock()):
            if self.age_s(key) > max_age_s:
                asked_s = self._clock.seconds()
                self._said[key] = (asked_s, await self._ask(key))
            return self.known(key)


class Access:
    """Decides for each person and session. Its answers are read by whoever shows live views."""

    def __init__(self, api: SlackApi, rules: Rules) -> None:
        self._api = api
        self._rules = rules
        self._people: _Answers[str, Person | None] = _Answers(api.person, api.clock)
        self._places: _Answers[str, _Place] = _Answers(self._ask_place, api.clock)

    async def level(self, user: UserId, session: SessionId, *, max_age_s: float = HOLDS_S) -> Level:
        """What the person may do; `none` also for what is no session of this team.

        Raises:
            SlackError: Slack could not be asked.
        """
        found = _read(user, session)
        if found is not None:
            thread, slack_user = found
            await self._people.get(slack_user, max_age_s=max_age_s)
            if thread is not None:
                await self._places.get(thread.channel, max_age_s=max_age_s)
        return self.level_now(user, session)

    async def person(self, user: UserId) -> Person | None:
        """Raises SlackError where Slack could not be asked."""
        return await self._people.get(parse_user(user)[1], max_age_s=HOLDS_S)

    def level_now(self, user: UserId, session: SessionId) -> Level:
        """The same as `level`, of what is known; `none` where that is too old."""
        found = _read(user, session)
        if found is None:
            return "none"
        thread, slack_user = found
        age_s = self._people.age_s(slack_user)
        if thread is not None:
            age_s = max(age_s, self._places.age_s(thread.channel))
        return "none" if age_s > HOLDS_S else self._judge(thread, slack_user)

    async def renew(self, watching: Collection[tuple[UserId, SessionId]]) -> None:
        """Ask some of what those who watch depend on again: channels first, the oldest first."""
        known = [found for pair in watching if (found := _read(*pair)) is not None]
        channels = {thread.channel for thread, _ in known if thread is not None}
        users = {user for _, user in known}
        due = sorted(filter(self._is_due, channels), key=self._places.age_s, reverse=True)
        people = [user for user in users if self._people.age_s(user) >= FRESH_S]
        people.sort(key=self._people.age_s, reverse=True)
        for channel in due[:LOOKS_AT_ONCE]:
            await _try(self._places.get(channel, max_age_s=0.0))
        for user in people[: max(1, LOOKS_AT_ONCE - len(due))]:
            await _try(self._people.get(user, max_age_s=0.0))

    def _is_due(self, channel: str) -> bool:
        """The members of a big channel take many calls, so those are asked for less often."""
        age_s = self._places.age_s(channel)
        if age_s >= HOLDS_S:
            return True
        pages = len(self._places.known(channel).members) / MEMBERS_A_PAGE
        return age_s >= max(FRESH_S, pages * FRESH_S)

    def _judge(self, thread: ThreadRef | None, user: str) -> Level:
        rules, person = self._rules, self._people.known(user)
        if person is None or person.id != user or person.is_bot or person.is_deactivated:
            return "none"
        if thread is None:  # the person's own conversation with the bot
            rules = replace(rules, channels=None)
            facts = Facts(team=rules.identity.team, app_id="", channel="", user=user)
            return "act" if isinstance(authorise(facts, rules, person), Person) else "none"
        place = self._places.known(thread.channel)
        facts = Facts(team=thread.team, app_id="", channel=thread.channel, user=user)
        if place.about is None or screen(facts, rules):
            return "none"
        if user not in place.members:
            # Everybody of the team may read a public channel; guests and strangers may not.
            is_own = person.team == rules.identity.team and not person.is_stranger
            is_own = is_own and not person.is_guest
            return "see" if place.about.kind == "channel" and is_own else "none"
        may_act = isinstance(authorise(facts, rules, person), Person)
        return "act" if may_act and not place.about.is_archived else "see"

    async def _ask_place(self, channel: str) -> _Place:
        about = await self._api.channels.about(channel)
        if about is None:
            return _Place(None, frozenset())
        return _Place(about, await self._api.channels.members(channel))


def _read(user: UserId, session: SessionId) -> tuple[ThreadRef | None, str] | None:
    """The thread (None for HOME), and the person's id in Slack; None where these do not fit."""
    try:
        team, slack_user = parse_user(user)
        thread = None if session == HOME else parse_session(session)
    except SessionError:
        return None
    return (thread, slack_user) if thread is None or team == thread.team else None


async def _try(asking: Awaitable[object]) -> None:
    try:
        await asking
    except SlackError as error:
        logger.warning("who may see a live view could not be asked again: %s", error)
