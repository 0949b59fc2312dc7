"""`--kill-at`: the events that the bot can be killed at."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import get_args

from agent_core.events import AnyEvent
from agent_core.fault_points import EVENT_POINT


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
