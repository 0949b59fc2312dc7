"""The seam to language models: a stream of deltas, then one whole reply."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal, Protocol

from agent_core.errors import ModelUnavailable
from agent_core.events import Usage
from agent_core.messages import JsonObject, Message

Effort = Literal["low", "medium", "high"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model is told of it."""

    name: str
    description: str
    input_schema: JsonObject
    server: str = ""
    """The tool server; empty for the agent's own tools. Not told to the model, as the rest."""
    slug: str = ""
    """The server's own name of the tool; empty for the agent's own tools."""
    reads: bool = False
    """The tool's name says that it reads and changes nothing."""
    is_repeatable: bool = False
    """Doing a call a second time changes nothing."""
    size_chars: int = field(init=False, repr=False, compare=False)
    """Of the JSON that tells the model of it; counted once, as a schema may be long."""

    def __post_init__(self) -> None:
        text = json.dumps(self.for_model(), ensure_ascii=False)
        object.__setattr__(self, "size_chars", len(text))

    def for_model(self) -> JsonObject:
        """The tool as the model gets it."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.input_schema,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture as models take it."""

    media_type: str
    data: str = field(repr=False)
    """In base64."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    system: str
    messages: tuple[Message, ...]
    """Repaired, non-empty, beginning and ending with a user message."""
    tools: tuple[ToolSpec, ...] = ()
    may_call_tools: bool = True
    """False keeps the tools in sight (the history has calls to them) but forbids new calls."""
    must_call: str = ""
    """The one tool that the reply has to call: forced where a model takes that, and told in the
    prompt; empty where the model is free."""
    max_tokens: int = 16_000
    pictures: Mapping[str, Picture] = field(default_factory=dict[str, Picture])
    """Of the messages' files, by path; a file whose picture is not here is told by its text."""
    effort: Effort | None = None
    """Sent only to models that are known to take it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A whole reply. Its tool calls are whole: a reply that was cut never becomes a Reply."""

    message: Message
    stop_reason: str
    usage: Usage
    model: str
    thinking: str = ""
    """Readable thinking, for the trace; empty when the provider keeps it to itself."""


class Model(Protocol):
    """A language model.

    `stream` yields any number of Delta and then exactly one Reply, last. Closing the generator
    aborts the call.

    Raises:
        ModelUnavailable: may pass (overload, rate limit, connection, a stream cut short).
        ModelRejected: will not pass (key, spend limit, malformed request, RequestTooLarge).
        ReplyTruncated: the output limit was hit inside a tool call.
    """

    @property
    def name(self) -> str: ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[Delta | Reply, None]: ...


async def whole_reply(model: Model, request: ModelRequest) -> Reply:
    """A model's reply at once. Raises ModelError as the stream does."""
    async with aclosing(model.stream(request)) as stream:
        async for item in stream:
            if isinstance(item, Reply):
                return item
    raise ModelUnavailable("The model ended its stream without a reply.")
