"""What a behaviour answers with, before it becomes a message on the wire."""

from dataclasses import dataclass
from typing import Literal

from bot.sandbox.model.wire import Json

Kind = Literal["classify", "escape", "answer", "research", "delegated", "scripted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    name: str
    input: Json
    id: str = ""
    """Filled in when the reply goes out, unless a script set it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    blocks: tuple[Text | ToolUse, ...]
    kind: Kind
    stop_reason: str | None = None
    """None: `tool_use` when there is a tool call, otherwise `end_turn`."""
    thought: str = ""
    """One line on what comes next, for a model that shows its thinking."""


def say(text: str, kind: Kind) -> Reply:
    """A reply of one text."""
    return Reply(blocks=(Text(text=text),), kind=kind)


def call(*tools: ToolUse, kind: Kind, thought: str) -> Reply:
    """A reply that calls tools, all in parallel."""
    return Reply(blocks=tools, kind=kind, thought=thought)
