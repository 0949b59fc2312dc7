"""The team at the start: users, channels, and their ids."""

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
        """The same id for the same name, so that a test's output can be compared."""
        digest = hashlib.sha256(f"{prefix}{name}".encode()).hexdigest()
        return f"{prefix}0{digest[:9].upper()}"

    def fresh(self, prefix: str) -> str:
        return self.named(prefix, str(next(self._count)))

    def fresh_ts(self) -> str:
        """A message timestamp: the clock's microsecond, or the next free one."""
        now_us = int(self._clock.now() * 1_000_000)
        self._last_us = max(now_us, self._last_us + 1)
        seconds, microseconds = divmod(self._last_us, 1_000_000)
        return f"{seconds}.{microseconds:06d}"


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


def build_team(ids: Ids, bot_name: str) -> SandboxTeam:
    """The team of `team.yml`, with the app under test among its users."""
    tables: dict[str, dict[str, dict[str, Any]]]
    tables = yaml.load(_TEAM.read_text("utf-8"), yaml.CSafeLoader)
    users: dict[str, User] = {}
    for name, fields in tables["users"].items():
        users[name] = _user(ids, name, **fields)
    users["bot"] = _user(
        ids,
        bot_name,
        real_name=bot_name,
        display_name="",
        is_bot=True,
    )
    channels: dict[str, Channel] = {}
    for name, fields in tables["channels"].items():
        members = [users[member].id for member in fields["members"].split()]
        channels[name] = Channel(
            id=ids.named("C", name),
            name=name,
            kind=fields.get("kind", "channel"),
            members=tuple(members),
            purpose=f"All about {name}.",
            is_archived=fields.get("is_archived", False),
        )
    return SandboxTeam(
        id=ids.named("T", DOMAIN),
        app_id=ids.named("A", bot_name),
        bot_id=ids.named("B", bot_name),
        users=users,
        channels=channels,
    )


def _user(
    ids: Ids,
    name: str,
    *,
    team: str = DOMAIN,
    is_bot: bool = False,
    **fields: Any,
) -> User:
    fields.setdefault("display_name", name)
    if is_bot:
        fields["bot_id"] = ids.named("B", name)
        fields["app_id"] = ids.named("A", name)
    return User(
        id=ids.named("U", name),
        team_id=ids.named("T", team),
        name=name,
        is_bot=is_bot,
        **fields,
    )
