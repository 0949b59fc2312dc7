"""The end of a turn that has no work of its own: taken back, taken in by another, or an order."""

from typing import Any

from agent_core.events import Outcome, TurnFinished, TurnStarted
from agent_core.ids import ROOT_RUN
from agent_core.loop.agent import ROUTE_SLOTS, Clock
from agent_core.sessions import EventLog, SessionStore, StoredTurn


async def end_silently(
    turn: StoredTurn, outcome: Outcome, *, store: SessionStore, log: EventLog, clock: Clock
) -> None:
    """End a turn without an answer: `stopped` when it was taken back, `steered` otherwise.

    Its readers are told before the store is: after a crash in between the turn is taken up, and
    what it then announces is known already.
    """
    await announce_end(turn, outcome, log=log, clock=clock)
    await log.flush()
    await store.mark_finished(turn.id, outcome=outcome, answer="")


async def announce_end(turn: StoredTurn, outcome: Outcome, *, log: EventLog, clock: Clock) -> None:
    """Tell the turn's readers that it has ended without an answer. Safe to do again."""

    def at(slot: str) -> dict[str, Any]:
        return {
            "session": turn.session,
            "turn": turn.id,
            "run": ROOT_RUN,
            "step": 0,
            "attempt": 1,
            "n": ROUTE_SLOTS[slot],
            "at": clock(),
        }

    asked = turn.inbound
    await log.append(
        TurnStarted(**at("turn_started"), asker=asked.asker, author_name=asked.author_name, text="")
    )
    finished = TurnFinished(**at("turn_finished"), outcome=outcome, answer="", reference="")
    await log.append(finished)
