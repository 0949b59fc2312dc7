"""The end of a turn without work of its own: taken back, taken in by another, an order, broken."""

from collections.abc import Sequence
from typing import Any

from agent_core.errors import SessionError
from agent_core.events import Outcome, TurnFinished, TurnStarted
from agent_core.ids import ROOT_RUN
from agent_core.loop.agent import ROUTE_SLOTS, Clock
from agent_core.runtime.ready_answers import thread_language
from agent_core.runtime.standing import apology
from agent_core.sessions import EventLog, StoredTurn


async def end_silently(
    ended: Sequence[StoredTurn], outcome: Outcome, *, log: EventLog, clock: Clock
) -> None:
    """End turns without an answer: `stopped` when they were taken back, `steered` otherwise.

    Their readers are told when this returns. Safe to do again.
    """
    for turn in ended:
        await _announce_end(turn, outcome, log=log, clock=clock)
    if ended:
        await log.flush()


async def give_up(turn: StoredTurn, *, log: EventLog, clock: Clock) -> None:
    """End a turn that cannot be worked on, with an apology."""
    reference = turn.inbound.key.rpartition(":")[2]
    said = apology(SessionError(), reference, thread_language(turn, ()))
    await _announce_end(turn, "failed", log=log, clock=clock, answer=said, reference=reference)
    await log.flush()


async def _announce_end(
    turn: StoredTurn,
    outcome: Outcome,
    *,
    log: EventLog,
    clock: Clock,
    answer: str = "",
    reference: str = "",
) -> None:
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
    finished = TurnFinished(
        **at("turn_finished"), outcome=outcome, answer=answer, reference=reference
    )
    await log.append(finished)
