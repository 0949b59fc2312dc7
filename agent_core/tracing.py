"""One trace a turn: span and event names for Logfire or any OpenTelemetry collector, metadata only.

Beside the product's own names stand those of the GenAI conventions v0.1.0: `invoke_agent` around a
run, `chat` around a model call, `execute_tool` as an attribute of `tool_call`. What people and
models wrote is in spans only where the operator wants it. `trace_export.py` says where spans go;
without it everything here is a no-op.
"""

import hashlib
import json
import time
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

from opentelemetry import trace

from agent_core.masking import masked

ROOT_SPAN = "standalone_composio_test"
WARNING = {"logfire.level_num": 13}
"""An attribute of notes that Logfire shows as warnings."""

Attribute = str | int | float | bool | tuple[str, ...]

_MAX_CONTENT_CHARS = 2_000
_tracer = trace.get_tracer("universal_agent")


CONTENT = {"is_wanted": False}
"""Whether spans hold words of people and models."""
turn_at_work: ContextVar[str] = ContextVar("turn_at_work", default="")
"""Its trace is that of a span without a parent; empty outside of any turn."""


def trace_id_of(turn: str) -> str:
    """A turn's trace id, 32 hex digits: the same in every process that works on the turn."""
    return hashlib.sha256(turn.encode()).hexdigest()[:32]


def span(name: str, **attributes: Attribute) -> AbstractContextManager[object]:
    """A span around a piece of work; spans and notes inside become its children."""
    return open_span(name, attributes)


@contextmanager
def turn_trace(turn: str, **attributes: Attribute) -> Generator[str, None, None]:
    """The root span of a turn; yields its trace id.

    A turn that goes on after a restart or a wait has one more root span in the same trace.
    """
    with _at_work_on(turn), open_span(ROOT_SPAN, {"turn": turn, **attributes}):
        yield trace_id_of(turn)


@contextmanager
def agent_span(agent: str, turn: str) -> Generator[None, None, None]:
    """`invoke_agent` around a run; a sub-agent that goes on by itself joins its turn's trace."""
    attributes: dict[str, Attribute] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": agent,
    }
    with _at_work_on(turn), open_span(f"invoke_agent {agent}", attributes):
        yield


@contextmanager
def _at_work_on(turn: str) -> Generator[None, None, None]:
    token = turn_at_work.set(turn)
    try:
        yield
    finally:
        turn_at_work.reset(token)


class ChatSpan:
    """`chat`, the span of a model call. Not the current one: a stream's reader has its own."""

    def __init__(self, model: str) -> None:
        self._span = _tracer.start_span(f"chat {model}", kind=trace.SpanKind.CLIENT)
        self._begun_s = time.monotonic()
        self.note(operation_name="chat", provider_name="anthropic", request_model=model)

    def note_chunk(self) -> None:
        """A piece of the reply has come; the first one's time is kept."""
        if self._begun_s:
            waited_s = time.monotonic() - self._begun_s
            self._span.set_attribute("gen_ai.response.time_to_first_chunk", waited_s)
            self._begun_s = 0.0

    def note(self, **attributes: Attribute) -> None:
        """Attributes by their names in the conventions; the first `_` stands for a dot."""
        for name, value in attributes.items():
            self._span.set_attribute(f"gen_ai.{name.replace('_', '.', 1)}", value)

    def end(self) -> None:
        self._span.end()


def tool_span(tool: str, call: str, run: str, **attributes: str) -> AbstractContextManager[object]:
    """The span of a tool call, in the product's names and in the conventions'."""
    names = {
        "tool_name": tool,
        "tool_id": call,
        "run": run,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": call,
    }
    return open_span("tool_call", names | attributes)


def open_span(name: str, attributes: Mapping[str, Attribute]) -> AbstractContextManager[trace.Span]:
    """An exception's words may quote a request: they go to the log, not into the trace."""
    return _tracer.start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    )


def note(name: str, **attributes: Attribute) -> None:
    """Something happened, at this moment, inside the current span."""
    _tracer.start_span(name, attributes=attributes).end()


def content(**words: object) -> dict[str, str]:
    """Attributes with words of people or models, masked and cut; none unless they are wanted."""
    if not CONTENT["is_wanted"]:
        return {}
    written = {
        name: value if isinstance(value, str) else json.dumps(value, default=str)
        for name, value in words.items()
    }
    return {name: masked(text)[:_MAX_CONTENT_CHARS] for name, text in written.items()}


def trace_url(project: str, trace_id: str) -> str | None:
    """Where Logfire shows a trace; None when the project (`organisation/name`) is not known."""
    if not project:
        return None
    return f"https://logfire.pydantic.dev/{project}?q=trace_id%3D%27{trace_id}%27"
