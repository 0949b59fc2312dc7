"""A model without a provider, which follows a script."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from agent_core.errors import ModelError, ModelRejected
from agent_core.events import Usage
from agent_core.ids import ToolCallId
from agent_core.messages import JsonObject, Message, Part, Text, ToolCall
from agent_core.models import CallDelta, Delta, Item, ModelRequest, Reply

SCRIPTED_USAGE = Usage(input_tokens=10, output_tokens=5)


def call(name: str, arguments: JsonObject | None = None, *, id: str = "call_1") -> ToolCall:
    """A tool call as a model makes it."""
    return ToolCall(id=ToolCallId(id), name=name, arguments=arguments or {})


def text_reply(text: str, *, usage: Usage = SCRIPTED_USAGE) -> Reply:
    """A reply that ends the run."""
    return _reply((Text(text=text),), "end_turn", "", usage)


def calls_reply(
    *calls: ToolCall, text: str = "", thinking: str = "", usage: Usage = SCRIPTED_USAGE
) -> Reply:
    """A reply that calls tools, all in one step; `text` comes before the calls."""
    spoken = (Text(text=text),) if text else ()
    return _reply((*spoken, *calls), "tool_use", thinking, usage)


def _reply(parts: tuple[Part, ...], stop_reason: str, thinking: str, usage: Usage) -> Reply:
    return Reply(
        message=Message(role="assistant", parts=parts),
        stop_reason=stop_reason,
        usage=usage,
        model="scripted",
        thinking=thinking,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A line that sets `reached` when the model comes to it, and waits for `release`."""

    then: "ScriptLine"
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A line of the script that speaks `text` and then fails."""

    text: str
    error: ModelError


ScriptLine = str | Reply | ToolCall | Sequence[ToolCall] | ModelError | Held | Cut
"""One answer: a text, a whole reply, one call or several, a failure, or a class from above."""

Script = Iterable[ScriptLine | Callable[[ModelRequest], ScriptLine]]
"""A function in it sees the request that it answers."""


class ScriptedModel:
    """Answers call after call with the lines of a script, and keeps what it was asked.

    A script that has run out answers ModelRejected, so a test that asks too often fails.
    """

    def __init__(self, script: Script, *, name: str = "scripted") -> None:
        self._script = iter(script)
        self.name = name
        self.requests: list[ModelRequest] = []
        self.aborted = 0
        """How many calls were closed or cancelled before their reply."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Item, None]:
        """As `Model.stream`; the text comes word by word, arguments in pieces."""
        self.requests.append(request)
        is_whole = False
        try:
            async with aclosing(self._speak(self._next_line(request))) as items:
                async for item in items:
                    is_whole = isinstance(item, Reply)
                    yield item
        except (GeneratorExit, asyncio.CancelledError):
            self.aborted += not is_whole
            raise

    def _next_line(self, request: ModelRequest) -> ScriptLine:
        try:
            line = next(self._script)
        except StopIteration:
            raise ModelRejected(f"The script of model {self.name} has run out.") from None
        return line(request) if callable(line) else line

    async def _speak(self, line: ScriptLine) -> AsyncGenerator[Item, None]:
        match line:
            case Held():
                line.reached.set()
                await line.release.wait()
                async with aclosing(self._speak(line.then)) as items:
                    async for item in items:
                        yield item
            case Cut():
                for word in _words(line.text):
                    yield Delta(text=word)
                raise line.error
            case ModelError():
                raise line
            case _:
                reply = _whole(line)
                parts = reply.message.parts
                spoken = "".join(part.text for part in parts if isinstance(part, Text))
                for word in _words(spoken):
                    yield Delta(text=word)
                for made in reply.message.tool_calls:
                    for piece in _pieces(json.dumps(made.arguments)):
                        yield CallDelta(tool=made.name, text=piece)
                yield reply


def _whole(line: str | Reply | ToolCall | Sequence[ToolCall]) -> Reply:
    match line:
        case str():
            return text_reply(line)
        case Reply():
            return line
        case ToolCall():
            return calls_reply(line)
        case _:
            return calls_reply(*line)


def _pieces(arguments: str) -> list[str]:
    return re.findall(r".{1,40}", arguments)


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\S+\s*$|\s*\S+", text)
