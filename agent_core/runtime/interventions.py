"""Interventions: what people do to single runs of a turn, from wherever they watch it."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import replace

from agent_core.errors import InterventionRefused, SessionError
from agent_core.events import AnyEvent, Intervened, InterventionKind, RunFinished, RunStarted
from agent_core.ids import ROOT_RUN, AgentId, RunId, SessionId, TurnId, UserId, run_of
from agent_core.messages import InboundMessage
from agent_core.runtime.dispatch import Dispatch, apart
from agent_core.runtime.parts import TurnParts
from agent_core.runtime.ready_answers import thread_language
from agent_core.runtime.runs import turn_at
from agent_core.sessions import Stop, StoredTurn
from agent_core.sessions.interventions import ENDINGS, Intervention
from agent_core.words import CORE

FIRST_SLOT = 100_000
"""Of an intervention's event within step 0 of its run."""


class Interventions:
    """Takes them in any process; the one that holds the session carries them out.

    Args:
        parts: What turns are made of.
        dispatch: Ends turns and branches.
        handle: Begins a turn, or adds to the one at work.
    """

    def __init__(
        self,
        parts: TurnParts,
        dispatch: Dispatch,
        handle: Callable[[InboundMessage], Awaitable[TurnId | None]],
    ) -> None:
        self._parts = parts
        self._dispatch = dispatch
        self._handle = handle
        self._ended: set[str] = set()
        """For which of them this process has ended the branch."""

    async def look(self) -> None:
        """Carry out what other processes were told, and what came too late for its run."""
        parts = self._parts
        for wish in await parts.interventions.news(parts.leases.process, but=self._ended):
            await apart(wish.session, self.carry_out(wish))

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
        """Step in at one run; what comes of it is told by events.

        What is said to a root run is a message of its thread, and may begin a turn. The same is a
        finished turn's branch that is to be done again.

        Args:
            session: The session that the caller may act in.
            agent: Which run.
            kind: What is to happen.
            text: The comment, the new task, or the result of what is done; else empty or a reason.
            by: Who steps in. Tools act for them once the run has taken their words in.
            by_name: Their name, for people and the model.
            key: The gesture's identity where the surface gave it one, as in InboundMessage.

        Raises:
            InterventionRefused: there is no such run in the session, it has ended, or a comment or
                task is empty. The message is for the person.
        """
        turn_id, run = run_of(agent)
        turn = await self._turn(session, turn_id)
        events = await self._parts.log.of_turn(turn_id)
        if run != ROOT_RUN and not _started(events, run):
            raise InterventionRefused("There is no such part of the work.")
        if kind in ("comment", "content") and not text.strip():
            raise InterventionRefused("It is empty.")
        is_message = run == ROOT_RUN and kind in ("comment", "content")
        if not is_message and kind != "retry" and _is_over(turn, events, run):
            raise InterventionRefused("This part of the work has ended already.")
        wish = Intervention(
            id=key or f"{session}:{secrets.token_hex(8)}",
            session=session,
            turn=turn_id,
            run=run,
            taker=_taker_of(events, run, kind),
            kind=kind,
            text=text,
            by=by,
            by_name=by_name,
            at=self._parts.clock(),
        )
        if is_message:
            words = CORE.of(thread_language(turn, ()))
            say = text if kind == "comment" else words("intervention-task", text=text)
            await self._say(wish, turn, say)
            return
        wish = await self._parts.interventions.add(wish)
        await self._announce(wish, turn)
        is_ours = self._parts.leases.holds(session)
        if kind in ENDINGS and (is_ours or run == ROOT_RUN or turn.status == "finished"):
            await self.carry_out(wish)

    async def carry_out(self, wish: Intervention) -> None:
        """End a branch, begin it again, or find who else takes in what came too late for a run.

        Safe to do again. In a turn at work it is for the process that holds the session.
        """
        parts, turn = self._parts, await self._turn(wish.session, wish.turn)
        if wish.run == ROOT_RUN:
            await self._dispatch.withdraw(turn, Stop(by=wish.by_name, why="asked"))
            if wish.kind == "retry":
                await self._say(wish, turn, turn.inbound.text, again=True)
        elif wish.kind in ENDINGS:
            self._dispatch.stop_branch(wish.turn, wish.run)
            self._ended.add(wish.id)
        if wish.run != ROOT_RUN and wish.taker:
            events = await parts.log.of_turn(wish.turn)
            if turn.status != "finished":
                await parts.interventions.hand_on(wish.turn, wish.taker, _taker(events, wish.taker))
                return
            changed = await parts.interventions.new_task(wish.turn, wish.run)
            task = changed.text if changed else _started(events, wish.run)[0].task
            text = CORE.say(
                thread_language(turn, ()), f"intervention-{wish.kind}", task=task, text=wish.text
            )
            await self._say(wish, turn, text)
        await parts.interventions.note(wish, "carried out")

    async def _say(
        self, wish: Intervention, turn: StoredTurn, text: str, *, again: bool = False
    ) -> None:
        """A message of the thread; `again` with all that came with the turn's own."""
        asked = turn.inbound
        said = InboundMessage(
            session=wish.session,
            key=wish.id,
            asker=wish.by,
            author_name=wish.by_name,
            text=text,
            received_at=wish.at,
            places=asked.places,
            author_locale=asked.author_locale if asked.asker == wish.by else "",
            author_zone=asked.author_zone if asked.asker == wish.by else "",
        )
        if again:
            said = replace(said, attachments=asked.attachments, background=asked.background)
        await self._handle(said)

    async def _announce(self, wish: Intervention, turn: StoredTurn) -> None:
        at = turn_at(self._parts, turn, "turn_started")
        at |= {"run": wish.run, "n": FIRST_SLOT + wish.number, "at": wish.at}
        told = Intervened(
            **at,
            number=wish.number,
            what=wish.kind,
            text=wish.text,
            by=wish.by,
            by_name=wish.by_name,
        )
        await self._parts.log.append(told)
        await self._parts.log.flush()

    async def _turn(self, session: SessionId, turn_id: TurnId) -> StoredTurn:
        try:
            turn = await self._parts.store.turn(turn_id)
        except SessionError:
            turn = None
        if turn is None or turn.session != session:
            raise InterventionRefused("There is no such work in this thread.")
        return turn


def _started(events: list[AnyEvent], run: RunId) -> list[RunStarted]:
    return [event for event in events if isinstance(event, RunStarted) and event.run == run]


def _taker_of(events: list[AnyEvent], run: RunId, kind: InterventionKind) -> RunId:
    """Which run is to take an intervention in; the one above begins a branch again."""
    if run == ROOT_RUN or kind in ("stop", "done"):
        return RunId("")
    return run if kind != "retry" else _taker(events, _started(events, run)[0].parent or ROOT_RUN)


def _taker(events: list[AnyEvent], run: RunId) -> RunId:
    """The run, or where it has ended the nearest one above it that is at work."""
    while run != ROOT_RUN and any(isinstance(e, RunFinished) and e.run == run for e in events):
        run = next((each.parent for each in _started(events, run) if each.parent), ROOT_RUN)
    return run


def _is_over(turn: StoredTurn, events: list[AnyEvent], run: RunId) -> bool:
    """Whether a run has ended; a root run that is waited with goes on."""
    if turn.status == "finished":
        return True
    ends = [e for e in events if isinstance(e, RunStarted | RunFinished) and e.run == run]
    return run != ROOT_RUN and isinstance(ends[-1], RunFinished)
