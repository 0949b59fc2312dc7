"""One trace a turn: span and event names for Logfire or any OpenTelemetry collector, metadata only.

Spans go to Logfire with a token, else to the collector of the standard `OTEL_EXPORTER_OTLP_*`
variables, else nowhere. Without `configure` everything here is a no-op.
"""

import uuid
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager

from opentelemetry import metrics, trace

ROOT_SPAN = "standalone_composio_test"
SECRET_SHAPES = ["xox[abpr]-", "xapp-", "sk-ant-", r"\bak_", r"\buak_"]

Attribute = str | int | float | bool

_tracer = trace.get_tracer("universal_agent")
_stalls = metrics.get_meter("universal_agent").create_histogram("event_loop_stall", unit="ms")


def configure(*, token: str, service_name: str = "universal-agent") -> None:
    """Set up export, once a process. Nothing is printed; nothing is sent without a destination."""
    import logfire

    logfire.configure(
        send_to_logfire="if-token-present",
        token=token or None,
        service_name=service_name,
        console=False,
        scrubbing=logfire.ScrubbingOptions(extra_patterns=SECRET_SHAPES),
        inspect_arguments=False,
    )


@contextmanager
def span(name: str, **attributes: Attribute) -> Generator[None, None, None]:
    """A span around a piece of work; spans and notes inside become its children."""
    with _open(name, attributes):
        yield


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


def trace_url(project: str, trace_id: str) -> str | None:
    """Where Logfire shows a trace; None when the project (`organisation/name`) is not known."""
    if not project:
        return None
    return f"https://logfire.pydantic.dev/{project}?q=trace_id%3D%27{trace_id}%27"
