"""What opens the live view: a link for one person and session, and the cookie it is exchanged for.

Both are JSON web tokens, which the audience tells apart. A link works once and for `LINK_LIFE`; a
cookie holds the sessions that its person has opened.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

import jwt

from agent_core.ids import SessionId, UserId

LINK_LIFE = timedelta(minutes=10)
COOKIE_LIFE = timedelta(hours=12)
MAX_SESSIONS = 16
"""In one cookie; the oldest give way."""

HOME = SessionId("")
"""In the place of a session: the page that begins one."""

_PREFIX = "v1"
"""Before each: encoded JSON alone, or a parameter named `token`, would be masked in posts."""

Kind = Literal["link", "cookie"]


@dataclass(frozen=True, slots=True)
class Pass:
    """What a person may open, each session with the moment until which, in seconds since 1970."""

    user: UserId
    sessions: Mapping[SessionId, float]
    once: str
    """Of a link, unique: whoever has seen it does not take it again."""


class Passes:
    """Makes and reads them. `clock` tells the moment."""

    def __init__(self, secret: bytes, clock: Callable[[], datetime]) -> None:
        self._secret = secret
        self._clock = clock
        self.cookie_name = f"live_{self._mac('name')[:8]}"
        """Bots of one host share its cookies, whatever their ports; those of one secret are one."""

    def link(self, user: UserId, session: SessionId) -> str:
        """What comes behind `/enter?pass=`."""
        until_s = (self._clock() + LINK_LIFE).timestamp()
        return self._sign("link", Pass(user, {session: until_s}, secrets.token_urlsafe(16)))

    def cookie(self, link: Pass, before: str) -> str:
        """The cookie for whoever came by a link, with what theirs of before is good for."""
        claim, until_s = self.read("cookie", before), (self._clock() + COOKIE_LIFE).timestamp()
        known = dict(claim.sessions) if claim and claim.user == link.user else {}
        for session in link.sessions:
            known.pop(session, None)
            known[session] = until_s
        newest = dict([*known.items()][-MAX_SESSIONS:])
        return self._sign("cookie", Pass(link.user, newest, ""))

    def read(self, kind: Kind, text: str) -> Pass | None:
        """What it is still good for; None for nothing. A link may have been used."""
        try:
            claim = jwt.decode(text.removeprefix(_PREFIX), self._key, ["HS256"], audience=kind)
        except (jwt.InvalidTokenError, ValueError):
            return None
        now_s = self._clock().timestamp()
        known = {one: until for one, until in claim["sessions"].items() if until > now_s}
        return Pass(claim["sub"], known, claim["jti"]) if known else None

    def csrf(self, user: UserId, session: SessionId) -> str:
        """What a page must send with each write, and no other site can know."""
        return self._mac(f"csrf {user} {session}")

    def _sign(self, kind: Kind, claim: Pass) -> str:
        about = {"aud": kind, "sub": claim.user, "jti": claim.once, "sessions": claim.sessions}
        return _PREFIX + jwt.encode(about, self._key, "HS256")

    @property
    def _key(self) -> bytes:
        return self._mac("key").encode()

    def _mac(self, what: str) -> str:
        return hmac.digest(self._secret, what.encode(), hashlib.sha256).hex()
