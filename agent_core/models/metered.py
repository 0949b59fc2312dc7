"""Metered models: each call is reserved at the payer's caps before it, and settled after it.

Every model of the product is wrapped here, below the retries, so that no call passes the caps by:
fast answers, verdicts, plans, sub-agents, digests, and calls before any turn.
`agent_core/sessions/budget.py` keeps the sums.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace

from agent_core.errors import ModelError, ReplyTruncated
from agent_core.events import Usage
from agent_core.messages import Payer
from agent_core.models import CallDelta, Delta, Item, Model, ModelRequest, Reply, Silent
from agent_core.prices import Prices

BYTES_A_TOKEN = 3
"""Fewer than models need for a token of any script, so that an estimate is no lower than a bill."""
TOKENS_A_PICTURE = 1_600
MIN_TOKENS = 1_000
"""With less to write a reply comes to nothing: then a cap counts as reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """How much something or somebody may spend in a month; infinite where it has no cap."""

    kind: str
    """`turn`, `person`, `thread`, `channel` or `team`."""
    name: str
    """Its id."""
    usd: float
    scope: str
    """What the sum is kept under: the month, kind and name."""


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

    def fitting_tokens(self, left_usd: float, held_usd: float) -> int:
        """How long a reply fits: 0 where that has to be seen, less where none is worth a call.

        `left_usd` is what a cap leaves, of which calls under way hold a part, and may cost less. A
        reply is cut short only where even those leave no room for a whole one.
        """
        most_usd = self.usd(self.max_tokens)
        least_usd = self.usd(min(self.max_tokens, MIN_TOKENS))
        free_usd = left_usd - held_usd
        if self.may_overdraw or free_usd >= most_usd:
            return self.max_tokens
        if left_usd < least_usd:
            return -1
        if held_usd and (left_usd >= most_usd or free_usd < least_usd):
            return 0
        return int((free_usd - self.input_usd) / self.token_usd)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A reservation: the call may be made, with a reply of so many tokens."""

    call: str
    max_tokens: int
    caps: tuple[Cap, ...]
    tightest: Cap | None = None
    """The cap for which the reply may be no longer; None where it may be as long as wanted."""


Reserve = Callable[[Payer, CallQuote], Awaitable[Grant]]
"""Reserves what a call may cost; waits for calls under way that may cost less than reserved. Raises
CapReached where it does not fit, whatever they cost."""
Settle = Callable[[Grant, float], Awaitable[None]]
"""The call has ended and cost so much."""


@dataclass(frozen=True, slots=True)
class MeteredModel:
    """A model whose calls have a payer. A model without a known price costs nothing here."""

    model: Model
    reserve: Reserve
    settle: Settle
    prices: Prices

    @property
    def name(self) -> str:
        return self.model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Item | Silent, None]:
        """As `Model.stream`. Raises CapReached, too."""
        quote = self._quote(request)
        if quote is None or request.payer is None:
            async with aclosing(self.model.stream(request)) as items:
                async for item in items:
                    yield item
            return
        grant = await self.reserve(request.payer, quote)
        spent_usd = 0.0
        written = 0
        try:
            granted = replace(request, max_tokens=grant.max_tokens)
            async with aclosing(self.model.stream(granted)) as items:
                async for item in items:
                    match item:
                        case Reply():
                            spent_usd = item.usage.cost_usd
                        case Delta() | CallDelta():
                            # Where a call breaks off, nobody says what it has cost.
                            written += len(item.text)
                            spent_usd = quote.usd(written // BYTES_A_TOKEN)
                        case Silent():
                            pass
                    yield item
        except ReplyTruncated as error:
            spent_usd = quote.usd(grant.max_tokens)
            if grant.tightest is not None:
                raise CapReached(grant.tightest) from error
            raise
        except (asyncio.CancelledError, GeneratorExit):
            spent_usd = spent_usd or quote.input_usd
            raise
        finally:
            await self.settle(grant, spent_usd)

    def _quote(self, request: ModelRequest) -> CallQuote | None:
        """None of a model without a known price."""
        price = self.prices.of(self.name)
        if price is None:
            return None
        size = len(f"{request.system}{request.messages}".encode(errors="replace"))
        size += sum(tool.size_chars for tool in request.tools)
        tokens = size // BYTES_A_TOKEN + len(request.pictures) * TOKENS_A_PICTURE
        return CallQuote(
            input_usd=price.cost(Usage(cache_write_tokens=tokens)),
            token_usd=price.cost(Usage(output_tokens=1)),
            max_tokens=request.max_tokens,
            may_overdraw=request.may_overdraw,
        )
