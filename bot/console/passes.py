"""What opens the live view: a link for one person and session, and the cookie it is exchanged for.

Both are signed with HMAC-SHA-256. A link works once and for `LINK_LIFE`; a cookie holds the
sessions that its person has opened.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Literal

from pydantic import BaseModel

from agent_core.ids import SessionId, UserId

LINK_LIFE = timedelta(minutes=10)
COOKIE_LIFE = timedelta(hours=12)
MAX_SESSIONS = 16
"""In one cookie; the oldest give way."""

HOME = SessionId("")
"""In the place of a session: the page that begins one."""

PassKind = Literal["link", "cookie"]


class Pass(BaseModel):
    """What a person may open, each session with the moment until which, in seconds since 1970."""

    user: UserId
    sessions: dict[SessionId, float]
    once: str = ""
    """Of a link, unique: whoever has seen it does not take it again."""


class Passes:
    """Makes and reads them. `clock` tells the moment."""

    def __init__(self, secret: bytes, clock: Callable[[], datetime]) -> None:
        self._secret = secret
        self._clock = clock
        self.cookie_name = f"live_{self._mac('name', '')[:8]}"
        """Bots of one host share its cookies, whatever their ports; those of one secret are one."""

    def link(self, user: UserId, session: SessionId) -> str:
        """What comes behind `/enter?pass=`."""
        until_s = (self._clock() + LINK_LIFE).timestamp()
        once = secrets.token_urlsafe(16)
        return self._sign("link", Pass(user=user, sessions={session: until_s}, once=once))

    def cookie(self, link: Pass, before: str) -> str:
        """The cookie for whoever came by a link, with what theirs of before is good for."""
        claim, until_s = self.read("cookie", before), (self._clock() + COOKIE_LIFE).timestamp()
        known = claim.sessions if claim and claim.user == link.user else {}
        for session in link.sessions:
            known.pop(session, None)
            known[session] = until_s
        newest = dict([*known.items()][-MAX_SESSIONS:])
        return self._sign("cookie", Pass(user=link.user, sessions=newest))

    def read(self, kind: PassKind, text: str) -> Pass | None:
        """What it is still good for; None for nothing. A link may have been used."""
        body, _, mac = text.partition(".")
        if not hmac.compare_digest(mac.encode(errors="replace"), self._mac(kind, body).encode()):
            return None
        claim = Pass.model_validate_json(bytes.fromhex(body))
        known = {one: until for one, until in claim.sessions.items() if not self.is_over(until)}
        return claim.model_copy(update={"sessions": known}) if known else None

    def is_over(self, until_s: float) -> bool:
        return until_s <= self._clock().timestamp()

    def _sign(self, kind: PassKind, claim: Pass) -> str:
        # In hex: JSON in base64, or a parameter named `token`, would be masked in posts.
        body = claim.model_dump_json().encode().hex()
        return f"{body}.{self._mac(kind, body)}"

    def _mac(self, kind: str, text: str) -> str:
        said = f"{kind}\0{text}".encode(errors="replace")
        return hmac.digest(self._secret, said, hashlib.sha256).hex()
