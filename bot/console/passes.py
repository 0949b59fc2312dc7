"""What opens the live view: a link for one person and session, and the cookie it is exchanged for.

All are signed with HMAC-SHA-256 under keys of their own, made from one secret. A link works once
and for `LINK_LIFE`; a cookie holds the sessions that its person has opened.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
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

_VERSION = "v1"
"""Before each: encoded JSON alone, or a parameter named `token`, would be masked in posts."""
_MAX_CHARS = 4_000


class _Signed(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    user: UserId


class Link(_Signed):
    """What a link is good for."""

    session: SessionId
    once: str
    """Unique: whoever has seen it does not take it again."""
    until: float
    """In seconds since 1970."""


class Cookie(_Signed):
    """What a person has opened, each session with the moment until which it may be seen."""

    sessions: dict[SessionId, float]


Claim = TypeVar("Claim", bound=_Signed)


class Passes:
    """Makes and reads them. `clock` tells the moment; what is not genuine reads as None."""

    def __init__(self, secret: bytes, clock: Callable[[], datetime]) -> None:
        self._secret = secret
        self._clock = clock
        self.cookie_name = f"live_{self._mac('name', b'').hex()[:8]}"
        """Bots of one host share its cookies, whatever their ports; those of one secret are one."""

    def link(self, user: UserId, session: SessionId) -> str:
        """What comes behind `/enter?pass=`."""
        until, once = self._clock() + LINK_LIFE, secrets.token_urlsafe(16)
        claim = Link(user=user, session=session, once=once, until=until.timestamp())
        return self._sign("link", claim)

    def read_link(self, text: str) -> Link | None:
        """What it is good for; None where its time is over, too. It may have been used."""
        claim = self._read("link", text, Link)
        return claim if claim is not None and claim.until > self._clock().timestamp() else None

    def cookie(self, link: Link, before: str) -> str:
        """The cookie for whoever came by a link, with what theirs of before is good for."""
        claim = self.read_cookie(before)
        known = claim.sessions if claim is not None and claim.user == link.user else {}
        known.pop(link.session, None)
        known[link.session] = (self._clock() + COOKIE_LIFE).timestamp()
        newest = dict(list(known.items())[-MAX_SESSIONS:])
        return self._sign("cookie", Cookie(user=link.user, sessions=newest))

    def read_cookie(self, text: str) -> Cookie | None:
        """With the sessions that may still be seen; None where there is none."""
        claim, now_s = self._read("cookie", text, Cookie), self._clock().timestamp()
        known = (
            {one: until for one, until in claim.sessions.items() if until > now_s} if claim else {}
        )
        return claim.model_copy(update={"sessions": known}) if claim and known else None

    def csrf(self, user: UserId, session: SessionId) -> str:
        """What a page must send with each write, and no other site can know."""
        return self._mac("csrf", f"{user} {session}".encode()).hex()

    def is_csrf(self, given: str, user: UserId, session: SessionId) -> bool:
        return hmac.compare_digest(given.encode(), self.csrf(user, session).encode())

    def _sign(self, kind: str, claim: _Signed) -> str:
        body = claim.model_dump_json().encode()
        return f"{_VERSION}{_encoded(body)}.{_encoded(self._mac(kind, body))}"

    def _read(self, kind: str, text: str, shape: type[Claim]) -> Claim | None:
        body, _, mac = text.removeprefix(_VERSION).partition(".")
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
