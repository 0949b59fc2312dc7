"""The interactive elements of posts and views: the one that was meant, and its value. Pure."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager

from bot.sandbox.page.bodies import Value
from bot.sandbox.page.person import Refused
from bot.sandbox.slack import View
from bot.sandbox.slack.actions import collect_state, find_element
from bot.sandbox.slack.wire import JsonObject

NOT_FILLED = "Please fill in this field."


def blocks_of_view(view: View) -> list[JsonObject]:
    """The blocks of a modal or an App Home."""
    return list(view.body["blocks"])


def find(
    blocks: Iterable[JsonObject], action_id: str, block_id: str | None
) -> tuple[str, JsonObject]:
    """The block id and the element. An action id may stand in several blocks. Raises Refused."""
    try:
        return find_element(blocks, action_id, block_id)
    except KeyError:
        raise Refused("That button or field is gone.") from None


@contextmanager
def offered() -> Generator[None]:
    """Turn the choice of something that is not offered into Refused."""
    try:
        yield
    except KeyError:
        raise Refused("That choice is not offered.") from None


def entered_values(view: View, values: Mapping[str, Value]) -> dict[str, object]:
    """What was entered into a modal by action id; an emptied field counts as empty."""
    return {
        action_id: entered(values[action_id])
        for _, _, element in _inputs(view)
        if (action_id := str(element.get("action_id"))) in values
    }


def check_choices(view: View, values: Mapping[str, object]) -> None:
    """See that every choice is one of those offered. Raises Refused."""
    with offered():
        collect_state(blocks_of_view(view), values)


def missing_values(view: View, values: Mapping[str, object]) -> dict[str, str]:
    """A sentence for each block that must be filled and is not, by block id."""
    return {
        block_id: NOT_FILLED
        for block_id, is_optional, element in _inputs(view)
        if not is_optional
        and values.get(str(element.get("action_id")), element.get("initial_value")) in (None, [])
    }


def _inputs(view: View) -> list[tuple[str, bool, JsonObject]]:
    return [
        (str(block["block_id"]), bool(block.get("optional")), block["element"])
        for block in blocks_of_view(view)
        if block["type"] == "input"
    ]


def entered(value: Value) -> object:
    """The value as Slack keeps it: nothing for an empty text."""
    return None if value == "" else value
