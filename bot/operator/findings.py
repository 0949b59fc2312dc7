"""`bot check`: tries each thing that the bot depends on once, and says what to do about it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

State = Literal["fine", "warning", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """How one thing was found to be."""

    state: State
    text: str
    """For the operator: what it is, or what is wrong and what to do, mostly in one line."""
    quote: str = ""
    """What a service said in its own words. Only this is cut."""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing to try."""

    title: str
    look: Callable[[], Awaitable[Finding]]
    needs: tuple[str, ...] = ()
    """Settings that it uses: it is not tried while one of them is wrong."""


fine = partial(Finding, "fine")
"""Nothing to do."""
warning = partial(Finding, "warning")
"""The bot works, with less than it could have."""
wrong = partial(Finding, "wrong")
"""The bot does not work as it should."""


def as_sentence(error: Exception) -> str:
    """What an error says, with a full stop, so that another sentence may follow."""
    return f"{str(error).rstrip('. ')}."
