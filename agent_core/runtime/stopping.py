"""How a person's wish to stop reaches the runs of a turn."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from agent_core.ids import TurnId

T = TypeVar("T")


class Stopped(Exception):
    """The work was ended because a person wanted it so."""


class StopSignals:
    """A signal per turn at work in this process, for its root run and its child runs alike."""

    def __init__(self) -> None:
        self._signals: dict[TurnId, asyncio.Event] = {}

    def give(self, turn: TurnId) -> None:
        """The turn is to stop."""
        self._of(turn).set()

    def forget(self, turn: TurnId) -> None:
        """The turn has ended."""
        self._signals.pop(turn, None)

    async def unless_given(self, turn: TurnId, work: Coroutine[Any, Any, T]) -> T:
        """Do `work`, and cancel it when the turn is to stop.

        Raises:
            Stopped: it was cancelled, and has ended.
        """
        signal = self._of(turn)
        if signal.is_set():
            work.close()
            raise Stopped
        working = asyncio.create_task(work)
        waiting = asyncio.create_task(signal.wait())
        try:
            await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise Stopped
            return working.result()
        finally:
            waiting.cancel()
            working.cancel()
            await asyncio.wait({working, waiting})

    def _of(self, turn: TurnId) -> asyncio.Event:
        return self._signals.setdefault(turn, asyncio.Event())
