"""What the stand-in remembers of each request, for tests and for the sandbox's summary."""

from dataclasses import dataclass
from datetime import datetime

from bot.sandbox.model.wire import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    model: str
    tools: tuple[str, ...]
    """Names of the tools that the request offered."""
    kind: str
    """Which behaviour answered, or `rejected` for a request that broke a rule."""
    stop_reason: str | None
    """None where the reply did not end properly."""
    usage: Json
    at: datetime
    status: int = 200
    error: str = ""
    digest: str = ""
    """The same for two requests with the same bytes, and for no others."""
    called: tuple[str, ...] = ()
    """Names of the tools that the reply called."""
    body: Json | None = None
    """The whole request, only where the stand-in was told to keep bodies."""
