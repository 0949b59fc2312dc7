"""Metered models: each call is reserved at the payer's caps before it, and settled after it.

Every model of the product is wrapped here, below the retries, so that no call passes the caps by:
fast answers, verdicts, plans, sub-agents, digests, and calls before any turn.
`agent_core/sessions/spending.py` keeps the sums.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from agent_core.errors import ModelError, ReplyTruncated
from agent_core.messages import JsonObject, Opaque, Part, Payer, ToolCall
from agent_core.models import CallDelta, Delta, Item, Model, ModelRequest, Reply, Silent
from agent_core.prices import Price, Prices, read_prices

CapKind = Literal["turn", "person", "channel", "team"]

BYTES_A_TOKEN = 3
"""Fewer than models need for a token of any script, so that an estimate is no lower than a bill."""
TOKENS_A_PICTURE = 1_600
MIN_TOKENS = 1_000
"""With less to write a reply comes to nothing: then a cap counts as reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """How much somebody or something may spend; all but a turn in a month."""

    kind: CapKind
    name: str
    """The id of the turn, person, channel or team."""
    usd: float

    @property
    def scope(self) -> str:
        """What the sums are kept under."""
        return f"{self.kind}:{self.name}"


class CapReached(ModelError):
    """A call was not made, since it might have cost more than a cap leaves."""

    def __init__(self, cap: Cap) -> None:
        super().__init__(f"the cap of {cap.scope} is reached", kind="cap")
        self.cap = cap


@dataclass(frozen=True, slots=True, kw_only=True)
class CallQuote:
    """What a call may cost at most."""

    input_usd: float
    token_usd: float
    """For each token of the reply."""
    max_tokens: int
    may_overdraw: bool = False

    def usd(self, tokens: int) -> float:
        """With a reply of so many tokens."""
        return self.input_usd + tokens * self.token_usd

    @property
    def most_usd(self) -> float:
        return self.usd(self.max_tokens)

    @property
    def least_usd(self) -> float:
        """With the shortest reply that is worth a call."""
        return self.usd(min(self.max_tokens, MIN_TOKENS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A reservation: the call may be made, with a reply of so many tokens."""

    id: str
    max_tokens: int
    tightest: Cap | None = None
    """The cap for which the reply may be no longer; None where it may be as long as wanted."""


class Purse(Protocol):
    """Where calls are reserved and settled."""

    async def reserve(self, payer: Payer, quote: CallQuote) -> Grant:
        """Reserve what a call may cost; waits for calls under way that may cost less than reserved.

        Raises:
            CapReached: it does not fit, whatever they cost.
        """
        ...

    async def settle(self, payer: Payer, grant: Grant, usd: float) -> None:
        """The call has ended and cost so much."""
        ...


@dataclass(frozen=True, slots=True)
class MeteredModel:
    """A model whose calls have a payer. A model without a known price costs nothing here."""

    model: Model
    purse: Purse
    prices: Prices = field(default_factory=read_prices)

    @property
    def name(self) -> str:
        return self.model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Item | Silent, None]:
        """As `Model.stream`. Raises CapReached, too."""
        price = self.prices.of(self.name)
        payer = request.payer
        if price is None or payer is None:
            async with aclosing(self.model.stream(request)) as items:
                async for item in items:
                    yield item
            return
        call = _MeteredCall(request, price)
        grant = await self.purse.reserve(payer, call.quote)
        request = replace(request, max_tokens=grant.max_tokens)
        try:
            async with aclosing(self.model.stream(request)) as items:
                async for item in items:
                    call.take(item)
                    yield item
        except ReplyTruncated as error:
            call.spent_usd = call.quote.usd(grant.max_tokens)
            if grant.tightest is not None:
                raise CapReached(grant.tightest) from error
            raise
        except (asyncio.CancelledError, GeneratorExit):
            call.is_sent = True
            raise
        finally:
            spent_usd = call.estimate_usd if call.spent_usd is None else call.spent_usd
            await self.purse.settle(payer, grant, spent_usd)


class _MeteredCall:
    """One call: its quote, and what it came to."""

    def __init__(self, request: ModelRequest, price: Price) -> None:
        self.quote = CallQuote(
            input_usd=estimated_tokens(request) * price.most_input,
            token_usd=price.most_output,
            max_tokens=request.max_tokens,
            may_overdraw=request.may_overdraw,
        )
        self.spent_usd: float | None = None
        """As the provider's counts have it; None where the call had no whole reply."""
        self.is_sent = False
        """The provider had begun with the call, or may have."""
        self._written = 0

    def take(self, item: Item | Silent) -> None:
        """An item of the stream."""
        match item:
            case Reply():
                self.spent_usd = item.usage.cost_usd
            case Delta() | CallDelta():
                self.is_sent = True
                self._written += len(item.text.encode())
            case Silent():
                pass

    @property
    def estimate_usd(self) -> float:
        """Of a call that was broken off, whose counts nobody has said."""
        return self.quote.usd(self._written // BYTES_A_TOKEN) if self.is_sent else 0.0


def estimated_tokens(request: ModelRequest) -> int:
    """What a request counts as input, at most."""
    size = len(request.system.encode()) + sum(tool.size_chars for tool in request.tools)
    for message in request.messages:
        size += sum(_size_bytes(part) for part in message.parts)
    return size // BYTES_A_TOKEN + len(request.pictures) * TOKENS_A_PICTURE


def _size_bytes(part: Part) -> int:
    match part:
        case ToolCall():
            return len(part.name) + _json_bytes(part.arguments)
        case Opaque():
            return _json_bytes(part.block)
        case _:
            return len(part.text.encode("utf-8", "replace"))


def _json_bytes(value: JsonObject) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
