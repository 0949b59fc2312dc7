"""What readers of a turn's events see of the fast answer while it is written."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agent_core.errors import ModelUnavailable
from agent_core.events import AnyEvent, StepRetried, TextDelta, TurnFinished
from agent_core.models import Delta, ModelRequest, Reply
from agent_core.testing.models import ScriptedModel, text_reply
from agent_core.testing.runtimes import inbound, scripted_runtime

TIMEOUT_S = 20


@dataclass(slots=True)
class BreaksOffOnce:
    """Says half a sentence, breaks off once that was heard, and says the whole when asked again."""

    heard: asyncio.Event = field(default_factory=asyncio.Event)
    calls: int = 0
    name: str = "breaks-off-once"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta | Reply, None]:
        self.calls += 1
        if self.calls == 1:
            yield Delta(text="Half a ")
            await self.heard.wait()
            raise ModelUnavailable("the stream was cut")
        yield Delta(text="The whole.")
        yield text_reply("The whole.")


@pytest.mark.proves("fast_path.streams")
async def test_words_of_a_fast_answer_that_broke_off_are_void(tmp_path: Path) -> None:
    fast = BreaksOffOnce()
    events: list[AnyEvent] = []
    async with (
        asyncio.timeout(TIMEOUT_S),
        scripted_runtime(
            tmp_path, model=ScriptedModel([]), classifier=ScriptedModel(["SIMPLE"]), fast=fast
        ) as runtime,
    ):
        turn = await runtime.handle(inbound("Capital of France?"))
        assert turn is not None
        async for _, event in runtime.events(turn):
            events.append(event)
            if isinstance(event, TextDelta):
                fast.heard.set()
    last = events[-1]
    assert isinstance(last, TurnFinished)
    assert last.answer == "The whole."
    assert valid_words(events) == "The whole."


def valid_words(events: list[AnyEvent]) -> str:
    """The text that a live reader shows in the end: a new attempt voids the words before it."""
    words, attempt = "", 1
    for event in events:
        if isinstance(event, StepRetried) or (
            isinstance(event, TextDelta) and event.attempt > attempt
        ):
            words, attempt = "", event.attempt
        if isinstance(event, TextDelta):
            words += event.text
    return words
