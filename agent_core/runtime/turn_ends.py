"""Ends of turns that have no answer of their own: absorbed, taken back, or given up."""

from collections.abc import Sequence

from agent_core.errors import SessionError
from agent_core.events import (
    EventHeader,
    Outcome,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import ROOT_RUN
from agent_core.loop.agent import ROUTE_SLOTS
from agent_core.messages import user_message
from agent_core.runtime.failures import apology
from agent_core.runtime.parts import TurnParts
from agent_core.runtime.ready_answers import (
    opening_text,
    thread_language,
)
from agent_core.sessions import StoredTurn


async def end_absorbed(parts: TurnParts, turn: StoredTurn) -> None:
    """Emit TurnFinished for every message this turn absorbed, as a stop may have come between.

    What the root run did not take in stays said: whoever goes on later knows of it.
    """
    rows = await parts.inbox.rows(turn.id, "message")
    stored = len(await parts.store.run_messages(turn.id, ROOT_RUN)) if rows else 0
    for row in rows:
        if row.run == ROOT_RUN and (row.seq is None or row.seq >= stored):
            opening = user_message(opening_text(row.message))
            await parts.store.append_messages(
                row.message.id,
                ROOT_RUN,
                0,
                [opening],
            )
    await end_silently(parts, await parts.queue.absorbed_by(turn.id), "steered")


def turn_at(parts: TurnParts, turn: StoredTurn, slot: str) -> EventHeader:
    """The fields of a turn's own events, which are announced once, in whatever generation."""
    return EventHeader(
        session=turn.session,
        turn=turn.id,
        run=ROOT_RUN,
        step=0,
        attempt=1,
        n=ROUTE_SLOTS[slot],
        at=parts.clock(),
    )


async def end_silently(parts: TurnParts, ended: Sequence[StoredTurn], outcome: Outcome) -> None:
    """End turns without an answer: `stopped` when they were taken back, `steered` otherwise.

    Their readers are told when this returns. Safe to do again.
    """
    for turn in ended:
        await _announce_end(parts, turn, outcome)
    if ended:
        await parts.log.flush()


async def give_up(parts: TurnParts, turn: StoredTurn, why: SessionError | None = None) -> None:
    """End a turn that cannot be worked on, with an apology."""
    reference = turn.inbound.key.rpartition(":")[2]
    text = apology(why or SessionError(), reference, thread_language(turn, ()))
    await _announce_end(
        parts,
        turn,
        "failed",
        answer=text,
        reference=reference,
    )
    await parts.log.flush()


async def _announce_end(
    parts: TurnParts, turn: StoredTurn, outcome: Outcome, *, answer: str = "", reference: str = ""
) -> None:
    asked = turn.inbound
    at = turn_at(parts, turn, "turn_started")
    await parts.log.append(
        TurnStarted(
            **at,
            asker=asked.asker,
            author_name=asked.author_name,
            text="",
        )
    )
    at = turn_at(parts, turn, "turn_finished")
    await parts.log.append(
        TurnFinished(
            **at,
            outcome=outcome,
            answer=answer,
            reference=reference,
        )
    )
