"""Who and what is in the team at the start, and the ids by which they are known."""

import hashlib
import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bot.sandbox.slack.clock import SandboxClock
from bot.sandbox.slack.records import Channel, User

DOMAIN = "sandbox"
PEOPLE = ("ann", "ben", "cleo")
_TEAM = Path(__file__).with_name("team.yml")


class Ids:
    """Mints ids with Slack's prefixes and timestamps; unique, the same in each run of a story."""

    def __init__(self, clock: SandboxClock) -> None:
        self._clock = clock
        self._count = itertools.count(1)
        self._last_us = 0

    def named(self, prefix: str, name: str) -> str:
        """A name always gives the same id, so that a test's output can be compared."""
        digest = hashlib.sha256(f"{prefix}{name}".encode()).hexdigest()
        return f"{prefix}0{digest[:9].upper()}"

    def fresh(self, prefix: str) -> str:
        return self.named(prefix, str(next(self._count)))

    def fresh_ts(self) -> str:
        """A message timestamp: the clock's microsecond, or the next one that is free."""
        self._last_us = max(int(self._clock.now() * 1_000_000), self._last_us + 1)
        return f"{self._last_us // 1_000_000}.{self._last_us % 1_000_000:06d}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxTeam:
    """`users` and `channels` are found by the names used in tests, "bot" being the app's user."""

    id: str
    app_id: str
    bot_id: str
    users: dict[str, User]
    channels: dict[str, Channel]

    @property
    def bot(self) -> User:
        return self.users["bot"]


def build_team(ids: Ids, bot_name: str, created_s: int) -> SandboxTeam:
    """The team of `team.yml`, with the app under test among its users."""
    told: dict[str, dict[str, dict[str, Any]]] = yaml.load(
        _TEAM.read_text("utf-8"), yaml.CSafeLoader
    )
    users = {name: _user(ids, name, **fields) for name, fields in told["users"].items()}
    users["bot"] = _user(ids, bot_name, real_name=bot_name, display_name="", is_bot=True)
    channels: dict[str, Channel] = {}
    for name, fields in told["channels"].items():
        members = tuple(users[member].id for member in fields.pop("members").split())
        basis: dict[str, Any] = {"kind": "channel", "purpose": f"All about {name}.", **fields}
        channels[name] = Channel(
            id=ids.named("C", name),
            name=name,
            creator=users["ann"].id,
            created_s=created_s,
            members=members,
            **basis,
        )
    return SandboxTeam(
        id=ids.named("T", DOMAIN),
        app_id=ids.named("A", bot_name),
        bot_id=ids.named("B", bot_name),
        users=users,
        channels=channels,
    )


def _user(ids: Ids, name: str, *, team: str = DOMAIN, is_bot: bool = False, **told: Any) -> User:
    fields: dict[str, Any] = {"display_name": name, **told}
    return User(
        id=ids.named("U", name),
        team_id=ids.named("T", team),
        name=name,
        is_bot=is_bot,
        bot_id=ids.named("B", name) if is_bot else None,
        app_id=ids.named("A", name) if is_bot else None,
        **fields,
    )
