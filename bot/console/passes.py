"""What opens the live view: a link for one person and session, and the cookie it is exchanged for.

All are signed with HMAC-SHA-256 under keys of their own, made from one secret. A link works once
and for `LINK_LIFE`; a cookie holds the sessions that its person has opened.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from agent_core.ids import SessionId, UserId

LINK_LIFE = timedelta(minutes=10)
COOKIE_LIFE = timedelta(hours=12)
MAX_SESSIONS = 16
"""In one cookie; the oldest give way."""

HOME = SessionId("")
"""In the place of a session: the page that begins one."""

_MAX_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class Link:
    """What a link is good for."""

    user: UserId
    session: SessionId
    once: str
    """Unique: whoever has seen it does not take it again."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who sends a cookie, and what they have opened."""

    user: UserId
    sessions: tuple[SessionId, ...]


class _Signed(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class _Link(_Signed):
    user: UserId
    session: SessionId
    once: str
    until: float


class _Cookie(_Signed):
    user: UserId
    sessions: dict[SessionId, float]
    """Until when each may be seen, in seconds since 1970."""


Claim = TypeVar("Claim", bound=_Signed)


class Passes:
    """Makes and reads them. `clock` tells the moment; what is not genuine reads as None."""

    def __init__(self, secret: bytes, clock: Callable[[], datetime]) -> None:
        self._secret = secret
        self._clock = clock
        self.cookie_name = f"live_{self._mac('name', b'').hex()[:8]}"
        """Bots of one host share its cookies, whatever their ports; those of one secret are one."""

    def link(self, user: UserId, session: SessionId) -> str:
        """A token for the address `/enter?token=…`."""
        until = self._clock() + LINK_LIFE
        once = secrets.token_urlsafe(16)
        claim = _Link(user=user, session=session, once=once, until=until.timestamp())
        return self._sign("link", claim)

    def read_link(self, token: str) -> Link | None:
        """What a token is good for; None where it is over, too. It may have been used."""
        claim = self._read("link", token, _Link)
        if claim is None or claim.until <= self._now_s:
            return None
        return Link(user=claim.user, session=claim.session, once=claim.once)

    def cookie(self, link: Link, before: str) -> str:
        """The cookie for whoever came by a link, with what theirs of before is good for."""
        claim = self._read("cookie", before, _Cookie)
        known = self._current(claim) if claim is not None and claim.user == link.user else {}
        known.pop(link.session, None)
        known[link.session] = (self._clock() + COOKIE_LIFE).timestamp()
        newest = dict(list(known.items())[-MAX_SESSIONS:])
        return self._sign("cookie", _Cookie(user=link.user, sessions=newest))

    def read_cookie(self, value: str) -> Visitor | None:
        claim = self._read("cookie", value, _Cookie)
        sessions = self._current(claim) if claim is not None else {}
        if claim is None or not sessions:
            return None
        return Visitor(user=claim.user, sessions=tuple(sessions))

    def csrf(self, user: UserId, session: SessionId) -> str:
        """What a page must send with each write, and no other site can know."""
        return self._mac("csrf", f"{user} {session}".encode()).hex()

    def is_csrf(self, given: str, user: UserId, session: SessionId) -> bool:
        return hmac.compare_digest(given.encode(), self.csrf(user, session).encode())

    @property
    def _now_s(self) -> float:
        return self._clock().timestamp()

    def _current(self, claim: _Cookie) -> dict[SessionId, float]:
        return {one: until for one, until in claim.sessions.items() if until > self._now_s}

    def _sign(self, kind: str, claim: _Signed) -> str:
        body = claim.model_dump_json().encode()
        return f"{_encoded(body)}.{_encoded(self._mac(kind, body))}"

    def _read(self, kind: str, text: str, shape: type[Claim]) -> Claim | None:
        body, _, mac = text.partition(".")
        if len(text) > _MAX_CHARS or not text.isascii():
            return None
        try:
            said = _decoded(body)
            if not hmac.compare_digest(self._mac(kind, said), _decoded(mac)):
                return None
            return shape.model_validate_json(said)
        except (ValueError, ValidationError):
            return None

    def _mac(self, kind: str, body: bytes) -> bytes:
        return hmac.digest(self._secret, kind.encode() + b"\0" + body, hashlib.sha256)


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
