"""Steering a turn that is at work: messages taken into it, stop signals, ends without an answer.

What people write meanwhile is taken in by the turn's root run, in order, each message once.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from agent_core.errors import SessionError
from agent_core.events import MessageTaken, Outcome, TurnFinished, TurnStarted
from agent_core.ids import ROOT_RUN, TurnId, UserId
from agent_core.loop.agent import ROUTE_SLOTS, Clock, Taken
from agent_core.messages import Message, ToolResult
from agent_core.prompts import prompt
from agent_core.runtime.ready_answers import opening_text, thread_language
from agent_core.runtime.standing import apology
from agent_core.sessions import EventLog, Inbox, Question, SessionStore, StoredTurn

T = TypeVar("T")
POSTS_AND_FILES = "the thread's posts and files"
MAX_NAME_CHARS = 60
NOBODY_ANSWERED = "Nobody answered in time."


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


class Steering:
    """The inbox of a session as a turn's runs use it."""

    def __init__(self, inbox: Inbox, store: SessionStore, log: EventLog, clock: Clock) -> None:
        self._inbox = inbox
        self._store = store
        self._log = log
        self._clock = clock

    async def take(self, turn: StoredTurn, place: str) -> tuple[Taken, ...]:
        """Messages for the model's next call; they and what they are part of are on disk."""
        turns = await self._inbox.take(turn, place)
        if any(each.inbound.background or each.inbound.attachments for each in turns):
            await self._store.taint(turn.session, POSTS_AND_FILES)
        await self._end(turns)
        return tuple(map(_taken, turns))

    async def end_taken(self, turn: StoredTurn) -> None:
        """The turn ends: the readers of all that it took are told, if a stop came between."""
        await self._end(await self._inbox.taken_by(turn.id))

    async def _end(self, turns: Sequence[StoredTurn]) -> None:
        await end_silently(turns, "steered", log=self._log, clock=self._clock)

    async def has_messages(self, turn: StoredTurn) -> bool:
        """Whether something waits to be taken in."""
        return await self._inbox.has_messages(turn)

    async def acting_for(self, turn: StoredTurn) -> UserId:
        """Whose message the turn took in last; its own where it took none in."""
        events = await self._log.of_turn(turn.id)
        taken = [event.author for event in events if isinstance(event, MessageTaken)]
        return taken[-1] if taken else turn.inbound.asker

    async def find_unheard(self, turn: StoredTurn) -> None:
        """What an earlier generation took without leaving a trace of it is taken once more."""
        events = await self._log.of_turn(turn.id)
        heard: set[TurnId] = {event.taken for event in events if isinstance(event, MessageTaken)}
        await self._inbox.forget_places(turn.id, but=heard)


def one_line(name: str) -> str:
    """A name that people chose themselves, so that it cannot pose as more than a name."""
    return " ".join(name.split())[:MAX_NAME_CHARS] or "Someone"


def answer_of(question: Question, taken: Sequence[Taken]) -> Message:
    """The answers to a question as the result of the call that asked it."""
    lines = [f"{each.author_name} answered: {_chosen(each.said, question)}" for each in taken]
    text = "\n\n".join(lines) or NOBODY_ANSWERED
    return Message(role="user", parts=(ToolResult(call_id=question.call_id, text=text),))


def _taken(turn: StoredTurn) -> Taken:
    name = one_line(turn.inbound.author_name)
    said = opening_text(turn)
    return Taken(
        turn=turn.id,
        author=turn.inbound.asker,
        author_name=name,
        words=turn.inbound.text or ", ".join(file.name for file in turn.inbound.attachments),
        said=said,
        text=prompt("steer", author=name, message=said),
    )


def _chosen(said: str, question: Question) -> str:
    """A number stands for the option that it has in the list."""
    number = said.strip(" .)#")
    if not number.isdecimal() or not 1 <= int(number) <= len(question.options):
        return said
    return f"{said} ({question.options[int(number) - 1]})"
