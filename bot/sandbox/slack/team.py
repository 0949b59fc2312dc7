"""The team at the start: users, channels, their ids, and the app under test as it is installed."""

import hashlib
import itertools
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from bot.sandbox.slack.clock import SandboxClock
from bot.sandbox.slack.records import Channel, ChannelKind, User
from bot.sandbox.slack.wire import JsonObject

DOMAIN = "sandbox"
PEOPLE = ("ann", "ben", "cleo")
DEFAULT_SCOPES = (
    "app_mentions:read", "assistant:write", "channels:history", "channels:read", "chat:write",
    "commands", "files:read", "files:write", "groups:history", "groups:read", "im:history",
    "im:read", "im:write", "mpim:history", "mpim:read", "reactions:read", "reactions:write",
    "users:read",
)  # fmt: skip
DEFAULT_EVENTS = (
    "agent_session_stopped", "app_home_opened", "app_mention", "message.channels",
    "message.groups", "message.im", "message.mpim", "reaction_added",
)  # fmt: skip
PLURALS: Mapping[ChannelKind, str] = {
    "channel": "channels",
    "group": "groups",
    "im": "im",
    "mpim": "mpim",
}
"""How scopes and message events name the kinds of channels."""
_EVENT_SCOPES: Mapping[str, str] = {
    "app_mention": "app_mentions:read",
    "agent_session_stopped": "chat:write",
    "reaction_added": "reactions:read",
    **{f"message.{plural}": f"{plural}:history" for plural in PLURALS.values()},
}
"""The scope that Slack demands for an event; an event without an entry needs none."""
_TEAM = Path(__file__).with_name("team.yml")


def named_id(prefix: str, name: str) -> str:
    """The same id for the same name, so that a test's output can be compared."""
    digest = hashlib.sha256(f"{prefix}{name}".encode()).hexdigest()
    return f"{prefix}0{digest[:9].upper()}"


TEAM_ID = named_id("T", DOMAIN)


class Ids:
    """Mints ids with Slack's prefixes and timestamps; unique, the same in each run of a story."""

    def __init__(self, clock: SandboxClock) -> None:
        self._clock = clock
        self._count = itertools.count(1)
        self._last_us = 0

    def fresh(self, prefix: str) -> str:
        return named_id(prefix, str(next(self._count)))

    def fresh_ts(self) -> str:
        """A message timestamp: the clock's microsecond, or the next free one."""
        now_us = int(self._clock.now() * 1_000_000)
        self._last_us = max(now_us, self._last_us + 1)
        seconds, microseconds = divmod(self._last_us, 1_000_000)
        return f"{seconds}.{microseconds:06d}"

    def mark_blocks(self, blocks: Sequence[JsonObject]) -> list[JsonObject]:
        """Blocks as Slack keeps them: those without an id get one."""
        return [{"block_id": self.fresh("b").lower(), **block} for block in blocks]


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """The bot of the team, with fresh tokens, and what its manifest grants."""

    name: str = "universal-agent"
    scopes: Sequence[str] = DEFAULT_SCOPES
    bot_events: Sequence[str] = DEFAULT_EVENTS
    commands: Sequence[JsonObject] = ()
    shortcuts: Sequence[JsonObject] = ()
    bot_token: str = field(default_factory=lambda: f"xoxb-sandbox-{secrets.token_hex(12)}")
    app_token: str = field(default_factory=lambda: f"xapp-1-{secrets.token_hex(12)}")

    @property
    def user(self) -> User:
        """The app's own user."""
        return _user(self.name, real_name=self.name, display_name="", is_bot=True)

    def is_subscribed(self, event: str) -> bool:
        """Whether Slack would send this event: it is subscribed and its scope is granted."""
        scope = _EVENT_SCOPES.get(event)
        is_granted = scope is None or scope in self.scopes
        return is_granted and event in self.bot_events


def read_team(app_user: User) -> tuple[dict[str, User], dict[str, Channel]]:
    """Users and channels of `team.yml` by the names used in tests, "bot" being the app's user."""
    tables: dict[str, dict[str, dict[str, Any]]]
    tables = yaml.load(_TEAM.read_text("utf-8"), yaml.CSafeLoader)
    users = {name: _user(name, **fields) for name, fields in tables["users"].items()}
    users["bot"] = app_user
    channels: dict[str, Channel] = {}
    for name, fields in tables["channels"].items():
        members = [users[member].id for member in fields.pop("members").split()]
        channels[name] = Channel(
            id=named_id("C", name),
            name=name,
            members=tuple(members),
            purpose=f"All about {name}.",
            **fields,
        )
    return users, channels


def _user(name: str, *, team: str = DOMAIN, is_bot: bool = False, **fields: Any) -> User:
    fields.setdefault("display_name", name)
    if is_bot:
        fields["bot_id"] = named_id("B", name)
        fields["app_id"] = named_id("A", name)
    return User(
        id=named_id("U", name),
        team_id=named_id("T", team),
        name=name,
        is_bot=is_bot,
        **fields,
    )
