"""The methods of the Web API: what runs each, and how the server treats it (`methods.yml`)."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bot.sandbox.slack.methods import chat, conversations
from bot.sandbox.slack.methods.call import MethodCall as MethodCall
from bot.sandbox.slack.methods.call import MethodNeeds
from bot.sandbox.slack.wire import JsonObject

_TABLES: dict[str, dict[str, dict[str, Any]]] = yaml.load(
    Path(__file__).with_name("methods.yml").read_text("utf-8"), yaml.CSafeLoader
)
_FUNCTIONS = {**vars(chat), **vars(conversations)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A sustained rate with a burst."""

    per_minute: float
    burst: int


class Method:
    """A row of the table."""

    def __init__(self, *, run: str, rate: str = "tier_3", **needs: Any) -> None:
        self.run: Callable[[MethodCall], JsonObject] = _FUNCTIONS[run]
        self.rate = rate
        self.needs = MethodNeeds(**needs)


RATES = {name: Rate(**fields) for name, fields in _TABLES["rates"].items()}
METHODS = {name: Method(**fields) for name, fields in _TABLES["methods"].items()}
