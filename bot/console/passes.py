"""Signed passes to the live view: a link for one person and session, or a cookie in exchange.

A link works once and for `LINK_LIFE`; a cookie holds the sessions that its person has opened.
"""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from itsdangerous import BadSignature, Signer
from pydantic import BaseModel

from agent_core.ids import SessionId, UserId

LINK_LIFE = timedelta(minutes=10)
COOKIE_LIFE = timedelta(hours=12)
MAX_SESSIONS = 16
"""In one cookie; the oldest give way."""

HOME = SessionId("")
"""Stands for no session: the page that begins one."""

PassKind = Literal["link", "cookie"]


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
