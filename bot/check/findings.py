"""What a check comes to: a state and a sentence."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

State = Literal["fine", "warning", "wrong"]

LIMIT_S = 15.0
"""For each check, whatever it waits for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How one thing was found to be."""

    state: State
    text: str
    """One sentence for the operator: what it is, or what is wrong and what to do."""
    more: tuple[str, ...] = ()
    """Further sentences, each on a line of its own."""
    quote: str = ""
    """What a service said in its own words. Only this is cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing to try."""

    title: str
    look: Callable[[], Awaitable[Verdict]]
    needs: tuple[str, ...] = ()
    """Settings that it uses: it is not tried while one of them is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A verdict under the title of its check."""

    title: str
    state: State
    text: str
    more: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The title as scripts read it."""
        return self.title.lower().replace(" ", "_")


def fine(text: str) -> Verdict:
    """Nothing to do."""
    return Verdict(state="fine", text=text)


def warning(text: str, quote: str = "") -> Verdict:
    """The bot works, with less than it could have."""
    return Verdict(state="warning", text=text, quote=quote)


def wrong(text: str, quote: str = "") -> Verdict:
    """The bot does not work as it should."""
    return Verdict(state="wrong", text=text, quote=quote)


def as_sentence(error: Exception) -> str:
    """What an error says, with a full stop, so that another sentence may follow."""
    return f"{str(error).rstrip('. ')}."
