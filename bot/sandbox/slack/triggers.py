"""Trigger ids: a person's gesture lets the app open one modal, within three seconds, once."""

import secrets

from bot.sandbox.slack.clock import Clock
from bot.sandbox.slack.errors import ApiError

LIFETIME_S = 3.0


class Triggers:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._issued: dict[str, tuple[str, float]] = {}
        self._used: set[str] = set()

    def issue(self, user: str) -> str:
        now_s = self._clock.now()
        trigger_id = f"{int(now_s)}.{len(self._issued) + 1}.{secrets.token_hex(16)}"
        self._issued[trigger_id] = (user, now_s + LIFETIME_S)
        return trigger_id

    def exchange(self, trigger_id: str) -> str:
        """The user whose gesture it was. Raises `ApiError` when unknown, used or late."""
        if trigger_id not in self._issued:
            raise ApiError("invalid_trigger_id")
        if trigger_id in self._used:
            raise ApiError("exchanged_trigger_id")
        user, expires_s = self._issued[trigger_id]
        if self._clock.now() > expires_s:
            raise ApiError("expired_trigger_id")
        self._used.add(trigger_id)
        return user
