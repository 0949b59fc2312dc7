"""The inbox of one run, in the words that its model gets.

`agent_core/sessions/inbox.py` says which rows a run takes in, and why none is lost or doubled.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from agent_core.events import (
    Intervened,
    RunStarted,
)
from agent_core.ids import ROOT_RUN, RunId, TurnId, UserId
from agent_core.loop.agent import Arrival, SteeringMessage
from agent_core.prompts import prompt
from agent_core.runtime.attached import read_attached
from agent_core.runtime.parts import TurnParts
from agent_core.runtime.ready_answers import (
    moment_told,
    one_line,
    sent_text,
)
from agent_core.runtime.turn_ends import end_silently
from agent_core.sessions import InboxKind, InboxRow, SessionStore, StoredTurn, again_run
from agent_core.subagents.children import (
    CHILD_RESULT,
)
from agent_core.tools import ToolContext

POSTS_AND_FILES = "the thread's posts and files"


class StoredInbox:
    """The inbox of one run: rows of the table, in the words that its model gets."""

    def __init__(
        self,
        parts: TurnParts,
        turn: StoredTurn,
        context: ToolContext,
        *,
        zone_of: Callable[[UserId], Awaitable[str]],
    ) -> None:
        self._parts = parts
        self._turn = turn
        self._context = context
        self._zone_of = zone_of

    async def take(self, seq: int) -> tuple[Arrival, ...]:
        rows = await self._take(seq)
        return tuple([await self._arrival(row) for row in rows])

    async def answers(self, seq: int) -> tuple[SteeringMessage, ...]:
        rows = await self._take(seq, "message")
        return tuple([await self._message(row) for row in rows])

    async def has_messages(self) -> bool:
        return await self._parts.inbox.has_messages(self._turn)

    async def _take(self, seq: int, *kinds: InboxKind) -> list[InboxRow]:
        # A turn that goes on from its history does not pay again for what it had.
        await self._parts.log.flush()
        rows = await self._parts.inbox.take(
            self._turn,
            self._context.run,
            seq,
            kinds,
        )
        messages = [row.message for row in rows if row.kind == "message"]
        for each in messages:
            await taint(self._parts.store, each)
        await end_silently(self._parts, messages, "steered")
        return rows

    async def _arrival(self, row: InboxRow) -> Arrival:
        match row.kind:
            case "message":
                return await self._message(row)
            case "result":
                return CHILD_RESULT.validate_python(row.body)
            case _:
                return await self._intervention(row.intervention)

    async def _message(self, row: InboxRow) -> SteeringMessage:
        """A message of the thread; the root run is told which sub-agents had it before."""
        turn = row.message
        inbound = turn.inbound
        name = one_line(inbound.author_name)
        sent = sent_text(turn)
        moment = moment_told(inbound)
        text = prompt(
            "steer",
            author=name,
            message=sent,
            moment=moment,
        )
        agents = await self._agents_with(row) if row.run == ROOT_RUN else []
        if agents:
            text = f"{text} {prompt('steer_known', agents=', '.join(agents))}"
        return SteeringMessage(
            turn=turn.id,
            author=inbound.asker,
            author_name=name,
            words=inbound.text or ", ".join(file.name for file in inbound.attachments),
            said=sent,
            text=text,
            files=await read_attached(
                self._parts.agents.registry, inbound.attachments, self._context
            ),
            author_zone=inbound.author_zone,
            moment=moment,
        )

    async def _agents_with(self, row: InboxRow) -> list[str]:
        """The sub-agents that took a message in, each once."""
        rows = await self._parts.inbox.rows(row.turn, "message")
        runs = [each.run for each in rows if each.item == row.item and each.run != ROOT_RUN]
        started = await self._started() if runs else {}
        return list(dict.fromkeys(started[run].agent for run in runs))

    async def _intervention(self, event: Intervened) -> SteeringMessage:
        """An intervention, in the words for the run that was meant or for the one above it."""
        run = self._context.run
        rows = await self._parts.inbox.rows(event.turn, "content")
        tasks = [row.intervention for row in rows if row.intervention.run == event.run]
        started = (await self._started())[event.run]
        task = tasks[-1].text if tasks else started.task
        asker = tasks[-1].by if tasks else started.asker
        name = one_line(event.by_name)
        about = {"author": name, "run": event.run, "task": " ".join(task.split())}
        again = None
        if event.what == "retry":
            again = replace(
                started,
                run=again_run(run, event),
                task=task,
                asker=asker,
            )
            text = prompt("run_again", **about, new=again.run)
        elif event.run == run:
            text = prompt(f"run_{event.what}", author=name, text=event.text)
        else:
            text = prompt("run_late", **about, text=event.text)
        return SteeringMessage(
            turn=TurnId(""),
            author=UserId("") if again else event.by,
            author_name=name,
            words=event.text,
            said=event.text,
            text=text,
            author_zone=await self._zone_of(event.by),
            intervention=event.n,
            again=again,
        )

    async def _started(self) -> dict[RunId, RunStarted]:
        """How each run of the turn began first."""
        events = await self._parts.log.of_turn(self._turn.id, "run_started")
        return {event.run: event for event in reversed(events) if isinstance(event, RunStarted)}


async def taint(store: SessionStore, turn: StoredTurn) -> None:
    """Note that a message came with posts or files, which bring text from outside."""
    if turn.inbound.background or turn.inbound.attachments:
        await store.taint(turn.session, POSTS_AND_FILES)
