"""What the app has offered for its external menus: Slack keeps the words that a person chose."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from bot.sandbox.slack.records import Delivery
from bot.sandbox.slack.wire import JsonArray, JsonObject, as_array, as_object


def offered_options(delivery: Delivery | None) -> JsonArray:
    """What the app offers for an external menu: options, or groups of them."""
    answer = (delivery.answer if delivery else None) or {}
    return as_array(answer.get("options") or answer.get("option_groups")) or []


@dataclass(slots=True)
class Suggestions:
    """The options offered so far, by the menu's action id and the option's value."""

    _by_menu: dict[str, dict[object, JsonObject]] = field(
        default_factory=dict[str, dict[object, JsonObject]]
    )

    def keep(self, action_id: str, delivery: Delivery) -> None:
        """Remember what was offered; a later option takes the place of one of the same value."""
        known = self._by_menu.setdefault(action_id, {})
        for entry in offered_options(delivery):
            fields = as_object(entry) or {}
            for item in as_array(fields.get("options")) or (fields,):
                option = as_object(item) or {}
                if isinstance(value := option.get("value"), str):
                    known[value] = option

    def fill(self, blocks: Iterable[JsonObject]) -> list[JsonObject]:
        """The blocks, in which each external menu has the options that were offered for it."""
        return [self._filled(block) for block in blocks]

    def _filled(self, value: Any) -> Any:
        if (items := as_array(value)) is not None:
            return [self._filled(item) for item in items]
        if (fields := as_object(value)) is None:
            return value
        fields = {name: self._filled(field) for name, field in fields.items()}
        known = self._by_menu.get(str(fields.get("action_id")))
        if known is None or "external" not in str(fields.get("type")):
            return fields
        return {**fields, "options": list(known.values())}
