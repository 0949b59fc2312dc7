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

    @property
    def name(self) -> str:
        """The title as scripts read it."""
        return self.title.lower().replace(" ", "_")


def fine(text: str) -> Verdict:
    """Nothing to do."""
    return Verdict(state="fine", text=text)


def warning(text: str) -> Verdict:
    """The bot works, with less than it could have."""
    return Verdict(state="warning", text=text)


def wrong(text: str) -> Verdict:
    """The bot does not work as it should."""
    return Verdict(state="wrong", text=text)
