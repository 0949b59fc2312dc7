"""`--kill-at`: which events the bot is killed at, and what its deaths have cost."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import get_args

from agent_core.events import AnyEvent
from agent_core.fault_points import EVENT_POINT
from bot.sandbox.composio import ComposioStandIn
from bot.sandbox.model import ModelStandIn
from bot.sandbox.world import World


class UnknownEventError(ValueError):
    """There is no such event; the message names all that there are."""


def _kinds() -> Mapping[str, str]:
    """The kind of each event by the name of its class."""
    union, *_ = get_args(AnyEvent)
    return {
        event.__name__: str(field.default)
        for event in get_args(union)
        for field in fields(event)
        if field.name == "kind"
    }


KINDS = _kinds()


def read_events(texts: Iterable[str]) -> tuple[str, ...]:
    """The kinds of the events named, in their order: `ToolCallStarted,turn_finished`.

    Raises:
        UnknownEventError: there is no event of a name.
    """
    names = [name.strip() for text in texts for name in text.split(",")]
    return tuple(_kind(name) for name in names if name)


def fault_point_of(kind: str) -> str:
    """Where the bot dies when an event of this kind was told to its readers."""
    return f"{EVENT_POINT}{kind}"


def _kind(name: str) -> str:
    for class_name, kind in KINDS.items():
        if _plain(name) in {_plain(class_name), _plain(kind)}:
            return kind
    raise UnknownEventError(f"There is no event {name}. There are {', '.join(KINDS.values())}.")


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


class Deaths:
    """What the bot was killed at, and the work that was done again for it.

    Done again is a model request that the stand-in had word for word before, and a call that
    reached the Composio stand-in with the tool and arguments of one before the last death. What the
    bot's own toolkit did again is not seen, nor what a real service got.
    """

    def __init__(self, world: World) -> None:
        self._model: ModelStandIn | None = world.model
        self._composio: ComposioStandIn | None = world.composio
        self._calls_before: list[int] = []
        self.kinds: list[str] = []
        """The events that came, in the order of the deaths."""

    def note(self, fault_point: str) -> None:
        """The bot has died there."""
        self.kinds.append(fault_point.removeprefix(EVENT_POINT))
        if self._composio is not None:
            self._calls_before.append(len(self._composio.calls))

    def steps_repeated(self) -> int:
        """How many steps were done again so far."""
        return self._model_calls() + self._tool_calls()

    def _model_calls(self) -> int:
        if self._model is None:
            return 0
        asked = Counter(call.digest for call in self._model.calls if call.kind != "rejected")
        return sum(times - 1 for times in asked.values())

    def _tool_calls(self) -> int:
        if self._composio is None:
            return 0
        calls = [(call.tool, _written(call.arguments)) for call in self._composio.calls]
        begins = [0, *self._calls_before]
        again = 0
        for begin, end in zip(begins, [*self._calls_before, len(calls)], strict=True):
            again += sum(call in calls[:begin] for call in calls[begin:end])
        return again


def _written(arguments: Mapping[str, object]) -> str:
    return json.dumps(dict(arguments), sort_keys=True, ensure_ascii=False)
