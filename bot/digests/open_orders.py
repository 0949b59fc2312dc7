"""What waits for a person's next words in a thread: an order's question, or a proposal."""

from dataclasses import dataclass
from datetime import UTC
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from agent_core.messages import InboundMessage
from agent_core.runtime import Marks

MAX_TEXTS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenOrder:
    """What one person ordered in one thread and has not settled; empty where nothing waits."""

    texts: tuple[str, ...] = ()
    """An order with something missing, and the answers to the questions about it."""
    proposal: str = ""
    """The id of what was proposed, and the `ts` of the post with its buttons."""
    post: str = ""
    consent: Literal["", "yes", "no"] = ""
    """What was said to the proposal, where that is not carried out yet."""
    retired: str = ""
    """The proposal before, and its post, where they are not taken back yet."""
    retired_post: str = ""


NOTHING = OpenOrder()
_STORED = TypeAdapter(OpenOrder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """An open order as a message finds it."""

    order: OpenOrder
    message: Literal["new", "begun", "settled", "late"]
    """`begun` and `settled` by this very message before; `late` where a newer one was."""


class OpenOrders:
    """Kept as marks, which only move on: each begins with its message's time and a step."""

    def __init__(self, marks: Marks) -> None:
        self._marks = marks

    async def find(self, message: InboundMessage) -> Standing:
        """What waits for the message's author in its thread."""
        name = _name(message)
        stored = (await self._marks.load(name)).get(name, "")
        at, _, rest = stored.partition(" ")
        step, _, told = rest.partition(" ")
        try:
            order = _STORED.validate_json(told)
        except ValidationError:
            return Standing(order=NOTHING, message="new")
        stamp = _stamp(message)
        if at == stamp:
            return Standing(order=order, message="begun" if step == "0" else "settled")
        return Standing(order=order, message="late" if at > stamp else "new")

    async def begin(self, message: InboundMessage, order: OpenOrder) -> None:
        """Note what the message wants, before it is carried out."""
        await self._save(message, 0, order)

    async def settle(self, message: InboundMessage, order: OpenOrder = NOTHING) -> None:
        """The message is done with; `order` waits from now on."""
        await self._save(message, 1, order)

    async def _save(self, message: InboundMessage, step: int, order: OpenOrder) -> None:
        told = _STORED.dump_json(order, exclude_defaults=True).decode()
        await self._marks.save({_name(message): f"{_stamp(message)} {step} {told}"})


def _stamp(message: InboundMessage) -> str:
    return message.received_at.astimezone(UTC).strftime("%Y%m%dT%H%M%S.%f")


def _name(message: InboundMessage) -> str:
    return f"digest question {message.session} {message.asker}"
