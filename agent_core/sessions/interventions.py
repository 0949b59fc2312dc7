"""Interventions of people in single runs, read from the events of their turn."""

from collections.abc import Sequence

from agent_core.events import (
    AnyEvent,
    Intervened,
    InterventionKind,
    MessageTaken,
    RunFinished,
    RunStarted,
    TurnFinished,
)
from agent_core.ids import ROOT_RUN, RunId, TurnId, UserId, is_in_branch

ENDINGS: tuple[InterventionKind, ...] = ("stop", "done", "retry")
"""Kinds that end the run at which they are meant, and all below it."""


class TurnInterventions:
    """Those of one turn, oldest first, and what has come of them.

    What a later stop took back, the end of a turn that was stopped too, is not wanted any more;
    nor is a retry where the same was asked for already.
    """

    def __init__(self, events: Sequence[AnyEvent], *, is_stopped: bool = False) -> None:
        self.started = {e.run: e for e in reversed(events) if isinstance(e, RunStarted)}
        """How each run began first."""
        self.heard = [event for event in events if isinstance(event, MessageTaken)]
        """What runs have taken in, messages of the thread too."""
        self._all = [event for event in events if isinstance(event, Intervened)]
        self._ended: set[RunId] = set()
        self._wanted: list[Intervened] = []
        heard, is_over = {event.intervention for event in self.heard}, False
        for event in events:
            match event:
                case RunFinished():
                    self._ended.add(event.run)
                case TurnFinished():
                    is_over = True
                    self._wanted = [
                        e
                        for e in self._wanted
                        if e.run == ROOT_RUN or not (is_stopped or e.n in heard)
                    ]
                case Intervened(what="stop" | "done", run=branch):
                    self._wanted = [e for e in self._wanted if not is_in_branch(e.run, branch)]
                case Intervened(what="retry", run=run) if self.again(run) and not is_over:
                    pass
                case Intervened():
                    self._wanted.append(event)
                case _:
                    pass

    def again(self, run: RunId) -> list[Intervened]:
        """Retries of a run that have yet to end; of what began another turn, that tells."""
        over = {each.rpartition(".again-")[2] for each in self._ended}
        return [
            e for e in self._wanted if e.run == run and e.what == "retry" and str(e.n) not in over
        ]

    def has_taken(self, run: RunId, message: TurnId, place: str = "") -> bool:
        """Whether the run, or the root run for it, took a message in at another place than this."""
        by = [(e.run, e.place) for e in self.heard if e.taken == message]
        return any(each[0] in (run, ROOT_RUN) and each != (run, place) for each in by)

    def has_ended(self, run: RunId) -> bool:
        """A root run that is waited with goes on, and ends with its turn."""
        return run != ROOT_RUN and run in self._ended

    def ending(self, run: RunId) -> Intervened | None:
        """The first one by which a run is to end: its own, or one of a branch that it is in."""
        return next((e for e in self._all if e.what in ENDINGS and is_in_branch(run, e.run)), None)

    def task(self, run: RunId) -> tuple[str, UserId | None]:
        """What a run is to do, and for whom; None stands for whoever its parent acts for."""
        for event in reversed(self._all):
            if event.run == run and event.what == "content":
                return event.text, event.by
        return self.started[run].task, self.started[run].asker

    def left(self, place: tuple[RunId, str] | None = None) -> list[tuple[RunId, Intervened]]:
        """What is to be taken in, and by which run.

        Asked again for the same place of a run, what was taken in there comes again.
        """
        here = {e.intervention for e in self.heard if (e.run, e.place) == place}
        taken = {e.intervention for e in self.heard if (e.run, e.place) != place}
        left = [e for e in self._all if e.n not in taken and (e.n in here or e in self._wanted)]
        return [(run, e) for e in left if (run := self._taker(e))]

    def _taker(self, event: Intervened) -> RunId | None:
        """The one above begins a branch again, and takes in what came too late for a run."""
        if event.run == ROOT_RUN or event.what in ("stop", "done"):
            return None
        run = event.run if event.what != "retry" else self._above(event.run)
        while self.has_ended(run):
            run = self._above(run)
        return run

    def _above(self, run: RunId) -> RunId:
        return self.started[run].parent or ROOT_RUN
