"""The end of a turn that never began: its message was taken back."""

from typing import Any

from agent_core.events import TurnFinished, TurnStarted
from agent_core.ids import ROOT_RUN
from agent_core.loop.agent import ROUTE_SLOTS, Clock
from agent_core.sessions import EventLog, SessionStore, StoredTurn


async def end_unbegun(
    turn: StoredTurn, *, store: SessionStore, log: EventLog, clock: Clock
) -> None:
    """Announce the turn as stopped, without an answer; its text reaches neither model nor history.

    Its readers are told before the store is: after a crash in between the turn is taken up, and
    what it then announces is known already.
    """

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
    finished = TurnFinished(**at("turn_finished"), outcome="stopped", answer="", reference="")
    await log.append(finished)
    await log.flush()
    await store.mark_finished(turn.id, outcome="stopped", answer="")
