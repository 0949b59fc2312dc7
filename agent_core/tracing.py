"""One trace a turn: span and event names for Logfire or any OpenTelemetry collector, metadata only.

What people and models wrote is in them only where the operator wants it. Spans go to Logfire with a
token, else to the collector of the standard `OTEL_EXPORTER_OTLP_*` variables, else nowhere. Without
`configure` everything here is a no-op.
"""

import json
import uuid
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from opentelemetry import metrics, trace

from agent_core.masking import PREFIXES, masked

ROOT_SPAN = "standalone_composio_test"
SECRET_SHAPES = [
    *("xox[a-z]-", "xapp-", "sk-ant-", r"\bu?ak_"),
    *(rf"\b{prefix}(?=[\w.-]{{12}})" for prefix in PREFIXES),
]

WARNING = {"logfire.level_num": 13}
"""An attribute of notes that Logfire shows as warnings."""

Attribute = str | int | float | bool

_MAX_CONTENT_CHARS = 2_000
_tracer = trace.get_tracer("universal_agent")
_stalls = metrics.get_meter("universal_agent").create_histogram("event_loop_stall", unit="ms")


_content = {"is_wanted": False}


def configure(*, token: str, with_content: bool = False) -> None:
    """Set up export, once a process. Nothing is printed; nothing is sent without a destination."""
    import logfire

    _content["is_wanted"] = with_content
    _trace_requests()

    logfire.configure(
        send_to_logfire="if-token-present",
        token=token or None,
        service_name="universal-agent",
        console=False,
        scrubbing=logfire.ScrubbingOptions(
            # A session's id says which thread; its name alone looks like a secret.
            callback=lambda it: it.value if it.path == ("attributes", "session") else None,
            extra_patterns=SECRET_SHAPES,
        ),
        inspect_arguments=False,
    )


def span(name: str, **attributes: Attribute) -> AbstractContextManager[object]:
    """A span around a piece of work; spans and notes inside become its children."""
    return _open(name, attributes)


@contextmanager
def turn_trace(**attributes: Attribute) -> Generator[str, None, None]:
    """The root span of a turn; yields its trace id, 32 hex digits."""
    with _open(ROOT_SPAN, attributes) as root:
        trace_id = root.get_span_context().trace_id
        yield format(trace_id, "032x") if trace_id else uuid.uuid4().hex


def _open(name: str, attributes: Mapping[str, Attribute]) -> AbstractContextManager[trace.Span]:
    """An exception's words may quote a request: they go to the log, not into the trace."""
    return _tracer.start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    )


def note(name: str, **attributes: Attribute) -> None:
    """Something happened, at this moment, inside the current span."""
    _tracer.start_span(name, attributes=attributes).end()


def stalled(seconds: float) -> None:
    """The event loop was held for so long."""
    _stalls.record(seconds * 1_000)


def content(**words: object) -> dict[str, str]:
    """Attributes with words of people or models, masked and cut; none unless they are wanted."""
    if not _content["is_wanted"]:
        return {}
    written = {
        name: value if isinstance(value, str) else json.dumps(value, default=str)
        for name, value in words.items()
    }
    return {name: masked(text)[:_MAX_CONTENT_CHARS] for name, text in written.items()}


def _trace_requests() -> None:
    """A span for each HTTP request of a turn: to whom, and its status.

    What `logfire.instrument_httpx` does, but for addresses, which may hold keys and people's ids.
    """
    import httpx2

    send = httpx2.AsyncClient.send

    async def traced(
        self: httpx2.AsyncClient, request: httpx2.Request, **options: Any
    ) -> httpx2.Response:
        if not trace.get_current_span().get_span_context().is_valid:
            return await send(self, request, **options)
        attributes: dict[str, Attribute] = {
            "http.request.method": request.method,
            "server.address": request.url.host,
        }
        with _open("httpx.request", attributes) as opened:
            response = await send(self, request, **options)
            opened.set_attribute("http.response.status_code", response.status_code)
            return response

    httpx2.AsyncClient.send = traced


def trace_url(project: str, trace_id: str) -> str | None:
    """Where Logfire shows a trace; None when the project (`organisation/name`) is not known."""
    if not project:
        return None
    return f"https://logfire.pydantic.dev/{project}?q=trace_id%3D%27{trace_id}%27"
