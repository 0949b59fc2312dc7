"""Who and what is in the team at the start, and the ids by which they are known."""

import hashlib
import itertools
from dataclasses import dataclass
from typing import Any

from bot.sandbox.slack.clock import Clock
from bot.sandbox.slack.records import Channel, User

DOMAIN = "sandbox"
PEOPLE = ("ann", "ben", "cleo")
_EVERYONE = (*PEOPLE, "bot")


class Ids:
    """Mints ids with Slack's prefixes and timestamps; unique, the same in each run of a story."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._count = itertools.count(1)
        self._last_us = 0

    def named(self, prefix: str, name: str) -> str:
        """A name always gives the same id, so that a test's output can be compared."""
        digest = hashlib.sha256(f"{prefix}{name}".encode()).hexdigest()
        return f"{prefix}0{digest[:9].upper()}"

    def fresh(self, prefix: str) -> str:
        return self.named(prefix, str(next(self._count)))

    def fresh_uuid(self) -> str:
        digest = hashlib.sha256(f"uuid{next(self._count)}".encode()).hexdigest()
        return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-a{digest[17:20]}-{digest[20:32]}"

    def fresh_ts(self) -> str:
        """A message timestamp: the clock's microsecond, or the next one that is free."""
        self._last_us = max(int(self._clock.now() * 1_000_000), self._last_us + 1)
        return f"{self._last_us // 1_000_000}.{self._last_us % 1_000_000:06d}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """`users` and `channels` are found by the names used in tests, "bot" being the app's user."""

    id: str
    app_id: str
    bot_id: str
    users: dict[str, User]
    channels: dict[str, Channel]

    @property
    def bot(self) -> User:
        return self.users["bot"]


def build_team(ids: Ids, bot_name: str, created_s: int) -> Team:
    """Three people, a guest, a stranger from another team, another bot, a user without a name."""
    team_id, foreign_id = ids.named("T", DOMAIN), ids.named("T", "elsewhere")
    app_id, bot_id = ids.named("A", bot_name), ids.named("B", bot_name)

    def user(name: str, real_name: str, **fields: Any) -> User:
        basis: dict[str, Any] = {"team_id": team_id, "display_name": name, **fields}
        return User(id=ids.named("U", name), name=name, real_name=real_name, **basis)

    users = {
        "ann": user(
            "ann", "Ann Arbor", email="ann@sandbox.test", is_admin=True, tz="Europe/Amsterdam",
        ),
        "ben": user("ben", "Ben Nevis", email="ben@sandbox.test", tz="Europe/London"),
        "cleo": user("cleo", "Cleo Lind", email="cleo@sandbox.test", locale="de-DE"),
        "guest": user("guest", "Gina Guest", email="gina@sandbox.test", is_restricted=True),
        "stranger": user("stranger", "Sam Stranger", team_id=foreign_id),
        "nameless": user("nameless", "", display_name=""),
        "robot": user(
            "robot", "Other Robot", is_bot=True, bot_id=ids.named("B", "robot"),
            app_id=ids.named("A", "robot"),
        ),
        "bot": user(
            bot_name, bot_name, display_name="", is_bot=True, bot_id=bot_id, app_id=app_id,
        ),
    }  # fmt: skip
    channels = _channels(ids, users, created_s)
    return Team(id=team_id, app_id=app_id, bot_id=bot_id, users=users, channels=channels)


def _channels(ids: Ids, users: dict[str, User], created_s: int) -> dict[str, Channel]:
    def channel(name: str, *members: str, **fields: Any) -> Channel:
        basis: dict[str, Any] = {"kind": "channel", "purpose": f"All about {name}.", **fields}
        return Channel(
            id=ids.named("C", name),
            name=name,
            creator=users["ann"].id,
            created_s=created_s,
            members=tuple(users[member].id for member in members),
            **basis,
        )

    return {
        "general": channel("general", *_EVERYONE, "guest", "robot", "nameless"),
        "energy": channel("energy", *_EVERYONE, "guest", "robot"),
        "news": channel("news", *_EVERYONE, "robot"),
        "random": channel("random", *PEOPLE),
        "private": channel("private", *_EVERYONE, kind="group"),
        "hidden": channel("hidden", *PEOPLE, kind="group"),
        "shared": channel("shared", *_EVERYONE, "stranger", is_ext_shared=True),
        "announcements": channel("announcements", *_EVERYONE, is_read_only=True),
        "archived": channel("archived", *_EVERYONE, is_archived=True),
    }
