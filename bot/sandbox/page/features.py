"""What the app offers beside messages, in the shapes in which its manifest declares it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NotRequired, TypedDict

from bot.sandbox.slack.wire import JsonObject


class Command(TypedDict):
    """A slash command: an entry of the manifest's `features.slash_commands`."""

    command: str
    description: NotRequired[str]
    usage_hint: NotRequired[str]


class Shortcut(TypedDict):
    """A shortcut: an entry of the manifest's `features.shortcuts`."""

    name: str
    type: Literal["global", "message"]
    callback_id: str
    description: NotRequired[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """The declared commands and shortcuts; Slack lets nobody use others."""

    commands: Sequence[Command] = ()
    shortcuts: Sequence[Shortcut] = ()

    def has_command(self, command: str) -> bool:
        return any(known["command"] == command for known in self.commands)

    def has_shortcut(self, kind: Literal["global", "message"], callback_id: str) -> bool:
        return any(
            known["type"] == kind and known["callback_id"] == callback_id
            for known in self.shortcuts
        )

    def show(self) -> JsonObject:
        """Both lists, every field in place."""
        return {
            "commands": _filled(self.commands, ("command", "description", "usage_hint")),
            "shortcuts": _filled(self.shortcuts, ("name", "type", "callback_id", "description")),
        }


def _filled(
    entries: Iterable[Command] | Iterable[Shortcut], fields: Sequence[str]
) -> list[JsonObject]:
    return [{field: entry.get(field, "") for field in fields} for entry in entries]
