"""What the tests of a busy thread share: messages of two people, and waiting for turns to end."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent_core.events import AnyEvent, TurnFinished
from agent_core.ids import TurnId, UserId
from agent_core.messages import InboundMessage, JsonObject, Message, Text, ToolResult
from agent_core.models import ModelRequest
from agent_core.runtime import Runtime
from agent_core.sessions import TurnState
from agent_core.tools import OnProgress, ToolContext
from tests.runtimes import inbound, scripted_runtime

TIMEOUT_S = 20
ANN, BEN = UserId("T1:U1"), UserId("T1:U2")


def from_ben(text: str, *, number: int) -> InboundMessage:
    """Another person's message in the same thread."""
    return replace(inbound(text, number=number), asker=BEN, author_name="Ben")


async def begin(runtime: Runtime, message: InboundMessage) -> TurnId:
    turn = await runtime.handle(message)
    assert turn is not None
    return turn


async def waiting(runtime: Runtime, message: InboundMessage) -> TurnId:
    """The turn of a message, once it waits for a person."""
    turn = await begin(runtime, message)
    await until(runtime, turn, "waiting")
    return turn


@asynccontextmanager
async def at_work(
    reached: asyncio.Event, root: Path, **options: Any
) -> AsyncGenerator[tuple[Runtime, TurnId]]:
    """A runtime with a turn that is at work, as far as `reached` tells."""
    async with scripted_runtime(root, **options) as runtime:
        turn = await begin(runtime, inbound("continue"))
        async with asyncio.timeout(TIMEOUT_S):
            await reached.wait()
        yield runtime, turn


async def look(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
    """A tool that sees."""
    return "seen"


async def events_of(runtime: Runtime, turn: TurnId) -> list[AnyEvent]:
    """A turn's events, once it has ended."""
    async with asyncio.timeout(TIMEOUT_S):
        return [event async for _, event in runtime.events(turn)]


async def end_of(runtime: Runtime, turn: TurnId) -> TurnFinished:
    last = (await events_of(runtime, turn))[-1]
    assert isinstance(last, TurnFinished)
    return last


async def answer(runtime: Runtime, message: InboundMessage) -> str:
    """What a message is answered."""
    return (await end_of(runtime, await begin(runtime, message))).answer


async def seen(runtime: Runtime, turn: TurnId, kind: str, *, nth: int = 1) -> AnyEvent:
    """The turn's first event of a kind, or its nth, as soon as it is there."""
    async with asyncio.timeout(TIMEOUT_S):
        async for _, event in runtime.events(turn):
            nth -= event.kind == kind
            if nth == 0:
                return event
    raise AssertionError(f"no {kind}")


async def until(runtime: Runtime, turn: TurnId, status: TurnState, *, generation: int = 1) -> None:
    """Until the turn has a status in a generation; a bounded wait."""
    for _ in range(2_000):
        stored = await runtime.turn(turn)
        if (stored.status, stored.generation) == (status, generation):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{turn} is not {status}")


def told(request: ModelRequest) -> str:
    """All that a model was given, as text."""
    return "\n".join(
        part.text
        for message in request.messages
        for part in message.parts
        if isinstance(part, Text | ToolResult)
    )


def words(message: Message) -> str:
    """What was said, without when."""
    sent, _, said = message.text.rpartition("</sent>\n\n")
    return said if sent else message.text
