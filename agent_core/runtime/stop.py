"""Stop signals: they cancel the runs of a turn at work in this process, or one branch of them."""

import asyncio
from collections import defaultdict
from collections.abc import Coroutine
from typing import Any, TypeVar

from agent_core.ids import ROOT_RUN, RunId, TurnId, is_in_branch
from agent_core.sessions import StoredTurn

T = TypeVar("T")


class Stopped(Exception):
    """The work was ended because a person wanted it so."""


class StopSignals:
    """Tells the runs of turns at work in this process to stop: all of a turn, or one branch."""

    def __init__(self) -> None:
        self._given: defaultdict[TurnId, set[RunId]] = defaultdict(set)
        """Branches that are to stop."""
        self._at_work: defaultdict[TurnId, dict[asyncio.Task[Any], RunId]] = defaultdict(dict)

    def give(self, turn: TurnId, branch: RunId = ROOT_RUN) -> None:
        """The branch is to stop: what of it is at work, and what begins later."""
        self._given[turn].add(branch)
        tasks = self._at_work.get(turn, {})
        for working, run in tasks.items():
            if is_in_branch(run, branch) and not working.cancelling():
                working.cancel()

    def forget(self, turn: TurnId) -> None:
        """The turn has ended."""
        self._given.pop(turn, None)

    async def unless_given(
        self,
        turn: StoredTurn,
        run: RunId,
        work: Coroutine[Any, Any, T],
    ) -> T:
        """Do `work` of a run, and cancel it when the run is to stop.

        Raises:
            Stopped: it was cancelled, and has ended.
        """
        working = asyncio.create_task(work)
        tasks = self._at_work[turn.id]
        tasks[working] = run
        if turn.stop is not None:
            self.give(turn.id)
        try:
            if self._is_given(turn.id, run) and not working.cancelling():
                working.cancel()
            await asyncio.wait({working})
            broke_off = working.cancelled() or working.exception() is not None
            if broke_off and self._is_given(turn.id, run):
                raise Stopped
            return working.result()
        finally:
            working.cancel()
            await asyncio.wait({working})
            del tasks[working]
            if not tasks:
                self._at_work.pop(turn.id, None)

    def _is_given(self, turn: TurnId, run: RunId) -> bool:
        branches = self._given.get(turn, ())
        return any(is_in_branch(run, branch) for branch in branches)
