"""Interventions: what people do to single runs of a turn, from wherever they watch it."""

import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

from agent_core.errors import InterventionRefused, SessionError
from agent_core.events import Intervened, InterventionKind, slot_of
from agent_core.ids import ROOT_RUN, AgentId, SessionId, TurnId, UserId, run_of, turn_of
from agent_core.messages import InboundMessage
from agent_core.runtime.dispatch import Dispatch, isolated
from agent_core.runtime.parts import TurnParts
from agent_core.runtime.ready_answers import thread_language
from agent_core.runtime.runs import turn_at
from agent_core.sessions import Stop, StoredTurn
from agent_core.sessions.interventions import ENDINGS, TurnInterventions
from agent_core.sessions.log import Seen
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
        self._done: set[Seen] = set()
        """What this process has carried out."""

    async def look(self) -> None:
        """Carry out what other processes were told, and what came too late for its turn."""
        parts = self._parts
        for event in await parts.log.interventions(parts.leases.process, self._done):
            await isolated(event.session, self._carry_out(event))

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
        parts, (turn_id, run) = self._parts, run_of(agent)
        key = key or f"{session}:{secrets.token_hex(8)}"
        async with self._dispatch.lock(session):
            turn = await self._turn(session, turn_id)
            at = turn_at(parts, turn, "turn_started")
            at |= {"run": run, "n": slot_of(key)}
            event = Intervened(**at, key=key, what=kind, text=text, by=by, by_name=by_name)
            is_told = await self._tell(event, turn)
        if not is_told:
            words = CORE.of(thread_language(turn, ()))
            say = text if kind == "comment" else words("intervention-task", text=text)
            await self._say(event, turn, say)
        elif run == ROOT_RUN or turn.status == "finished" or parts.leases.holds(session):
            await self._carry_out(event)

    async def _tell(self, event: Intervened, turn: StoredTurn) -> bool:
        """Announce it, if it may be; False where it is a message of the thread."""
        log, run, kind = self._parts.log, event.run, event.what
        known = TurnInterventions(await log.of_turn(turn.id), is_stopped=turn.stop is not None)
        if run != ROOT_RUN and run not in known.started:
            raise InterventionRefused("There is no such part of the work.")
        if kind in ("comment", "content"):
            if not event.text.strip():
                raise InterventionRefused("It is empty.")
            if run == ROOT_RUN:
                return False
        is_over = turn.status == "finished"
        is_ending = turn.stop is not None and not is_over and run != ROOT_RUN
        if is_ending or (kind != "retry" and (is_over or known.has_ended(run))):
            raise InterventionRefused("This part of the work has ended already.")
        earlier = known.ending(run)
        if kind == "stop" and earlier is not None and earlier.n != event.n:
            raise InterventionRefused("This part of the work is being ended already.")
        for before in known.again(run) if kind == "retry" else ():
            if before.n != event.n and not await self._is_answered(before):
                raise InterventionRefused("This is being done again already.")
        await log.append(event)
        await log.flush()
        return True

    async def _is_answered(self, wish: Intervened) -> bool:
        """Whether the turn that a wish began has ended."""
        with suppress(InterventionRefused):
            return (await self._turn(wish.session, turn_of(wish.key))).status == "finished"
        return False

    async def _carry_out(self, event: Intervened) -> None:
        """End the turn or a branch, or have the thread told what nobody is left to take in.

        Safe to do again. In a turn at work it is for the process that holds the session.
        """
        turn = await self._turn(event.session, event.turn)
        is_over = turn.status == "finished"
        if event.run == ROOT_RUN:
            await self._dispatch.withdraw(turn, Stop(by=event.by_name, why="asked"))
            if event.what == "retry":
                await self._say(event, turn, turn.inbound.text, again=True)
        elif is_over:
            events, is_stopped = await self._parts.log.of_turn(turn.id), turn.stop is not None
            known = TurnInterventions(events, is_stopped=is_stopped)
            if any(left.n == event.n for _, left in known.left()):
                sentence, language = f"intervention-{event.what}", thread_language(turn, ())
                task, _ = known.task(event.run)
                text = CORE.say(language, sentence, task=task, text=event.text)
                await self._say(event, turn, text)
        elif event.what in ENDINGS:
            self._dispatch.stop_branch(event.turn, event.run)
        self._done.add((event.turn, event.n, is_over))

    async def _say(
        self, event: Intervened, turn: StoredTurn, text: str, *, again: bool = False
    ) -> None:
        """A message of the thread; `again` with all that came with the turn's own."""
        asked = turn.inbound
        said = InboundMessage(
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
            said = replace(said, attachments=asked.attachments, background=asked.background)
        await self._handle(said)

    async def _turn(self, session: SessionId, turn_id: TurnId) -> StoredTurn:
        try:
            turn = await self._parts.store.turn(turn_id)
        except SessionError:
            turn = None
        if turn is None or turn.session != session:
            raise InterventionRefused("There is no such work in this thread.")
        return turn
