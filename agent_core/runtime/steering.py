"""What people write while a turn is at work: taken in by its root run, in order, each once."""

from collections.abc import Sequence

from agent_core.events import MessageTaken
from agent_core.ids import TurnId, UserId
from agent_core.loop.agent import Clock, Taken
from agent_core.messages import Message, ToolResult
from agent_core.prompts import prompt
from agent_core.runtime.agents import one_line
from agent_core.runtime.opening import opening_text
from agent_core.runtime.silent_ends import end_silently
from agent_core.sessions import EventLog, Inbox, Question, SessionStore, StoredTurn

POSTS_AND_FILES = "the thread's posts and files"
NOBODY_ANSWERED = "Nobody answered in time."


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
