"""Export of traces: Logfire with a token, OTLP by the standard variables, lines of JSON in a file.

All of them get scrubbed spans. Loaded only where there is somewhere to send spans to.
"""

from pathlib import Path
from typing import Any

import httpx2
import logfire
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

from agent_core import tracing
from agent_core.errors import SettingsError
from agent_core.masking import PREFIXES, masked

_SECRET_SHAPES = [
    *("xox[a-z]-", "xapp-", "sk-ant-", r"\bu?ak_"),
    *(rf"\b{prefix}(?=[\w.-]{{12}})" for prefix in PREFIXES),
]


class TurnIds(RandomIdGenerator):
    """Trace ids that follow from the turn, so that a turn has one trace over restarts."""

    def generate_trace_id(self) -> int:
        turn = tracing.turn_at_work.get()
        return int(tracing.trace_id_of(turn), 16) if turn else super().generate_trace_id()


def configure(*, token: str, with_content: bool = False, file: Path | None = None) -> None:
    """Set up export, once a process. Nothing is printed; nothing is sent without a destination.

    `file` gets each span as a line of JSON, whatever else is sent; it is the owner's to read alone.

    Raises SettingsError where the file cannot be written.
    """
    tracing.CONTENT["is_wanted"] = with_content
    _trace_requests()
    logfire.configure(
        send_to_logfire="if-token-present",
        token=token or None,
        service_name="universal-agent",
        console=False,
        scrubbing=logfire.ScrubbingOptions(
            # A session's id says which thread; its name alone looks like a secret.
            callback=lambda it: it.value if it.path == ("attributes", "session") else None,
            extra_patterns=_SECRET_SHAPES,
        ),
        inspect_arguments=False,
        additional_span_processors=[BatchSpanProcessor(_lines_in(file))] if file else None,
        advanced=logfire.AdvancedOptions(id_generator=TurnIds()),
    )


def _lines_in(file: Path) -> ConsoleSpanExporter:
    try:
        file.touch(mode=0o600)
        lines = file.open("a", encoding="utf-8")
    except OSError as error:
        reason = f"TRACE_FILE is {file}, which cannot be written: {error.strerror}."
        raise SettingsError(reason) from error
    return ConsoleSpanExporter(out=lines, formatter=_line)


def _line(span: ReadableSpan) -> str:
    return f"{masked(span.to_json(indent=None))}\n"


def _trace_requests() -> None:
    """A span for each HTTP request of a turn: to whom, and its status.

    What `logfire.instrument_httpx` does, but for addresses, which may hold keys and people's ids.
    """
    send = httpx2.AsyncClient.send

    async def traced(
        self: httpx2.AsyncClient, request: httpx2.Request, **options: Any
    ) -> httpx2.Response:
        if not trace.get_current_span().get_span_context().is_valid:
            return await send(self, request, **options)
        attributes: dict[str, tracing.Attribute] = {
            "http.request.method": request.method,
            "server.address": request.url.host,
        }
        with tracing.open_span("httpx.request", attributes) as opened:
            response = await send(self, request, **options)
            opened.set_attribute("http.response.status_code", response.status_code)
            return response

    httpx2.AsyncClient.send = traced
