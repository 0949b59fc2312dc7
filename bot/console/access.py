"""Who may see and act in the live view: signed passes, and authorisation by the thread.

A pass is a link for one person and session, or a cookie in exchange. A link works once and for
`LINK_LIFE`; a cookie holds the sessions that its person has opened. Members who may read a thread
see its session, writers may act, guests read the thread alone: Slack decides, and its answers are
cached. While live views are open, memberships are renewed every few seconds, people less often: who
was removed from a channel is out at once.
"""

import hashlib
import logging
import secrets
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Iterable,
)
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import inf
from typing import Generic, Literal, TypeVar

from cachetools import LRUCache
from itsdangerous import BadSignature, Signer
from pydantic import BaseModel

from agent_core.background import Locks
from agent_core.errors import SessionError
from agent_core.ids import SessionId, UserId
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

LINK_LIFE = timedelta(minutes=10)
COOKIE_LIFE = timedelta(hours=12)
MAX_SESSIONS = 16
"""In one cookie; the oldest give way."""

HOME = SessionId("")
"""Stands for no session: the page that begins one."""

PassKind = Literal["link", "cookie"]

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


class Pass(BaseModel):
    """The sessions that a person may open, each until a moment, in seconds since 1970."""

    user: UserId
    sessions: dict[SessionId, float]
    once: str = ""
    """An id: a link's second use is refused, and so is a cookie whose person has logged out."""

    @property
    def left_key(self) -> str:
        """The key under which the ledger knows that the cookie's person has logged out."""
        return f"live-left:{self.once}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """An authorised request: a person, the session, and the cookie that opens it until a moment."""

    user: UserId
    session: SessionId
    until_s: float
    cookie: Pass


class Passes:
    """Signs and reads passes."""

    def __init__(self, secret: bytes, clock: Callable[[], datetime]) -> None:
        self._secret = secret
        self._clock = clock
        name = hashlib.sha256(b"name\0" + secret).hexdigest()
        self.cookie_name = f"live_{name[:8]}"
        """Bots of one host share its cookies, whatever their ports; those of one secret are one."""

    def link(self, user: UserId, session: SessionId) -> str:
        """The pass of a new link, for `/enter?pass=`."""
        until_s = (self._clock() + LINK_LIFE).timestamp()
        claim = Pass(
            user=user,
            sessions={session: until_s},
            once=secrets.token_urlsafe(16),
        )
        return self._sign("link", claim)

    def cookie(self, link: Pass, earlier: Pass | None) -> str:
        """The cookie in exchange for a link; with the sessions, and the id, of the earlier one."""
        until_s = (self._clock() + COOKIE_LIFE).timestamp()
        sessions: dict[SessionId, float] = {}
        once = secrets.token_urlsafe(16)
        if earlier and earlier.user == link.user:
            sessions |= earlier.sessions
            once = earlier.once
        for session in link.sessions:
            sessions.pop(session, None)
            sessions[session] = until_s
        while len(sessions) > MAX_SESSIONS:
            oldest = next(iter(sessions))
            del sessions[oldest]
        return self._sign("cookie", Pass(user=link.user, sessions=sessions, once=once))

    def read(self, kind: PassKind, text: str) -> Pass | None:
        """A pass with its sessions that are not over, or None. A link may be used already."""
        try:
            signed = text.encode(errors="replace")
            body = self._signer(kind).unsign(signed)
        except BadSignature:
            return None
        claim_json = bytes.fromhex(body.decode())
        claim = Pass.model_validate_json(claim_json)
        for session, until_s in list(claim.sessions.items()):
            if self.is_over(until_s):
                del claim.sessions[session]
        return claim if claim.sessions else None

    def is_over(self, until_s: float) -> bool:
        return until_s <= self._clock().timestamp()

    def _sign(self, kind: PassKind, claim: Pass) -> str:
        # In hex: JSON in base64, or a parameter named `token`, would be masked in posts.
        body = claim.model_dump_json().encode().hex()
        signed = self._signer(kind).sign(body)
        return signed.decode()

    def _signer(self, kind: PassKind) -> Signer:
        return Signer(self._secret, salt=kind, digest_method=hashlib.sha256)


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
