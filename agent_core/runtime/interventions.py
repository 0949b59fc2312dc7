"""Interventions: what people do to single runs of a turn, from wherever they watch it."""

import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

from agent_core.errors import InterventionRefused, SessionError
from agent_core.events import Intervened, InterventionKind, slot_of
from agent_core.ids import ROOT_RUN, AgentId, SessionId, TurnId, UserId, run_of, turn_of
from agent_core.messages import InboundMessage
from agent_core.runtime.dispatch import Dispatch
from agent_core.runtime.opening import thread_language
from agent_core.runtime.parts import TurnParts
from agent_core.runtime.run import first_starts
from agent_core.sessions import ENDINGS, Stop, StoredTurn, pending_retries
from agent_core.words import CORE


class Interventions:
    """Takes them in any process; the one that holds the session carries them out."""

    def __init__(
        self,
        parts: TurnParts,
        dispatch: Dispatch,
        handle: Callable[[InboundMessage], Awaitable[TurnId | None]],
    ) -> None:
        self._parts = parts
        self._dispatch = dispatch
        self._handle = handle
        """Begins a turn, or adds to the one at work."""

    async def intervene(
        self,
        session: SessionId,
        agent: AgentId,
        kind: InterventionKind,
        text: str,
        by: UserId,
        by_name: str,
        *,
        key: str = "",
    ) -> None:
        """Step in at one run of a session; what comes of it is told by events.

        What is said to a root run is a message of its thread, and may begin a turn. The same is a
        finished turn's branch that is to be done again. `text` is the comment, the new task or the
        result, else empty or a reason; tools act for `by` once the run has taken it in. `key` is as
        in InboundMessage, where the surface gave the gesture one.

        Raises:
            InterventionRefused: there is no such run in the session, it has ended, a comment or
                task is empty, or it is being done again already. The message is for the person.
        """
        turn_id, run = run_of(agent)
        key = key or f"{session}:{secrets.token_hex(8)}"
        async with self._dispatch.lock(session):
            turn = await self._turn(session, turn_id)
            event = Intervened(
                session=session,
                turn=turn.id,
                run=run,
                step=0,
                attempt=1,
                n=slot_of(key),
                at=self._parts.clock(),
                key=key,
                what=kind,
                text=text,
                by=by,
                by_name=by_name,
            )
            await self._check(event, turn)
            is_message = run == ROOT_RUN and kind in ("comment", "content")
            if not is_message:
                await self._parts.log.append(event)
                await self._parts.log.flush()
        if is_message:
            words = CORE.of(thread_language(turn))
            say = text if kind == "comment" else words("intervention-task", text=text)
            await self._say(event, turn, say)
        elif run == ROOT_RUN or turn.status == "finished" or self._parts.leases.holds(session):
            await self.carry_out(event)

    async def _check(self, event: Intervened, turn: StoredTurn) -> None:
        """Return if the intervention may be announced, or said as a message of the thread."""
        run, kind = event.run, event.what
        events = await self._parts.log.of_turn(turn.id, "run_started", "run_finished")
        runs = {each.run for each in events}
        ended = {each.run for each in events if each.kind == "run_finished"}
        if run != ROOT_RUN and run not in runs:
            raise InterventionRefused("There is no such part of the work.")
        has_words = kind in ("comment", "content")
        if has_words and not event.text.strip():
            raise InterventionRefused("It is empty.")
        if has_words and run == ROOT_RUN:
            return
        is_over = turn.status == "finished"
        is_ending = turn.stop is not None and not is_over and run != ROOT_RUN
        # A root run that is waited with goes on, and ends with its turn.
        has_ended = is_over or (run != ROOT_RUN and run in ended)
        if is_ending or (kind != "retry" and has_ended):
            raise InterventionRefused("This part of the work has ended already.")
        await self._check_is_new(event)

    async def _check_is_new(self, event: Intervened) -> None:
        """Return if the same is not being done already."""
        if event.what == "stop":
            ending = await self._parts.inbox.ending(event.turn, event.run)
            if ending is not None and ending.n != event.n:
                raise InterventionRefused("This part of the work is being ended already.")
        if event.what != "retry":
            return
        for retry in pending_retries(await self._parts.inbox.rows(event.turn), event.run):
            if retry.n != event.n and not await self._is_answered(retry):
                raise InterventionRefused("This is being done again already.")

    async def _is_answered(self, retry: Intervened) -> bool:
        """Whether the turn that a retry began has ended."""
        with suppress(InterventionRefused):
            turn = await self._turn(retry.session, turn_of(retry.key))
            return turn.status == "finished"
        return False

    async def carry_out(self, event: Intervened) -> None:
        """End the turn or a branch, or have the thread told what nobody is left to take in.

        Safe to do again. In a turn at work it is for the process that holds the session.
        """
        turn = await self._turn(event.session, event.turn)
        is_over = turn.status == "finished"
        if event.run == ROOT_RUN:
            await self._dispatch.withdraw(turn, Stop(by=event.by_name, why="asked"))
            if event.what == "retry":
                await self._say(
                    event,
                    turn,
                    turn.inbound.text,
                    again=True,
                )
        elif is_over:
            await self._say_late(event, turn)
        elif event.what in ENDINGS:
            self._parts.at_work.stop(event.turn, event.run)
        if is_over or event.run == ROOT_RUN or event.what in ("stop", "done"):
            await self._parts.inbox.hand_on(event.turn, str(event.n))

    async def _say_late(self, event: Intervened, turn: StoredTurn) -> None:
        """Have the thread told what no run of the turn took in."""
        rows = await self._parts.inbox.rows(
            turn.id,
            "comment",
            "content",
            "retry",
        )
        own = [row for row in rows if row.intervention.run == event.run]
        if not any(row.item == str(event.n) and row.seq is None for row in own):
            return
        task = (await first_starts(self._parts.log, turn.id))[event.run].task
        for row in own:
            if row.kind == "content":
                task = row.intervention.text
        words = CORE.of(thread_language(turn))
        text = words(f"intervention-{event.what}", task=task, text=event.text)
        await self._say(event, turn, text)

    async def _say(
        self, event: Intervened, turn: StoredTurn, text: str, *, again: bool = False
    ) -> None:
        """A message of the thread; `again` with all that came with the turn's own."""
        asked = turn.inbound
        message = InboundMessage(
            session=event.session,
            key=event.key,
            asker=event.by,
            author_name=event.by_name,
            text=text,
            received_at=event.at,
            places=asked.places,
            author_locale=asked.author_locale if asked.asker == event.by else "",
            author_zone=asked.author_zone if asked.asker == event.by else "",
        )
        if again:
            message = replace(
                message,
                attachments=asked.attachments,
                background=asked.background,
                background_authors=asked.background_authors,
            )
        await self._handle(message)

    async def _turn(self, session: SessionId, turn_id: TurnId) -> StoredTurn:
        try:
            turn = await self._parts.store.turn(turn_id)
        except SessionError:
            turn = None
        if turn is None or turn.session != session:
            raise InterventionRefused("There is no such work in this thread.")
        return turn
