"""The metrics of one process for Prometheus; loaded when somebody scrapes for the first time.

Counters are fed by the events that this process has stored, each once, from the first scrape on.
Gauges are read at each scrape, from the database and from what `/healthz` looks at. Labels come
from small known sets: no session, no person and no word of a model is ever one.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cachetools import LRUCache
from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector

from agent_core.events import (
    AnyEvent,
    ApprovalRequested,
    AuthRequired,
    PlanMade,
    QuestionAsked,
    RouteChosen,
    StepFinished,
    ToolCallFinished,
    TurnFinished,
    TurnStarted,
    Usage,
)
from agent_core.ids import TurnId
from agent_core.runtime import Load, Runtime
from bot.console.server import HealthFinding, Look, take_looks

TURN_BUCKETS_S = (0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 3_600)
SIGN_BUCKETS_S = (0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 30)
MAX_MODELS = 20
"""Further models are counted as one: their names are the provider's words."""
ROUTING = "routing"
"""The label of the classifier's calls with the fast answers beside them, which are one event."""
PLANNING = "planning"
SECOND_MS = 1_000
OTHER = "other"
OWN_TOOLS = "agent"
"""The label of tools that belong to no server, such as `Task`."""


@dataclass(slots=True)
class _TurnAtWork:
    """What the end of a turn has to know of its begin."""

    started_at: datetime
    route: str = "none"
    has_waited: bool = False
    """For a person: its duration says nothing of the bot."""


class Metrics:
    """Counters and gauges of this process.

    Args:
        runtime: Whose events are counted.
        looks: The health checks, by part.
    """

    def __init__(self, runtime: Runtime, looks: Mapping[str, Look]) -> None:
        self._runtime = runtime
        self._looks = looks
        self._at_work: LRUCache[TurnId, _TurnAtWork] = LRUCache(10_000)
        self._models: set[str] = set()
        self._registry = registry = CollectorRegistry(auto_describe=False)
        self._snapshot = Snapshot()
        registry.register(self._snapshot)
        ProcessCollector(registry=registry)

        def counter(name: str, about: str, *labels: str) -> Counter:
            return Counter(name, about, labels, registry=registry)

        self._routes = counter("agent_turns_routed", "Turns by route.", "route")
        self._fallbacks = counter(
            "agent_fast_path_fallbacks", "Fast answers given up for the complex path."
        )
        self._finished = counter("agent_turns_finished", "Turns that ended.", "route", "outcome")
        self._tools = counter("agent_tool_calls", "Tool calls that ended.", "server", "outcome")
        self._model_calls = counter("agent_model_calls", "Model calls.", "model")
        self._tokens = counter("agent_model_tokens", "Tokens of model calls.", "model", "kind")
        self._cost = counter(
            "agent_model_cost_usd", "Cost of the model calls with a known price.", "model"
        )
        self._unpriced = counter(
            "agent_model_unpriced_calls", "Model calls without a known price.", "model"
        )
        self._durations = Histogram(
            "agent_turn_duration_seconds",
            "From the start to the end of turns that waited for nobody.",
            ("route",),
            buckets=TURN_BUCKETS_S,
            registry=registry,
        )
        self._signs = Histogram(
            "agent_first_sign_seconds",
            "From a post in Slack to the first sign that it is worked on.",
            buckets=SIGN_BUCKETS_S,
            registry=registry,
        )

    async def text(self) -> bytes:
        """All metrics in the text format of Prometheus."""
        findings = await take_looks(self._looks)
        self._snapshot.families = [
            *_families_of_load(await self._runtime.overview.load()),
            *_families_of_health(findings),
        ]
        return generate_latest(self._registry)

    def note_sign(self, waited_s: float) -> None:
        """A post got its first sign after so long."""
        self._signs.observe(max(waited_s, 0.0))

    def note(self, event: AnyEvent) -> None:
        """Count an event that was stored."""
        match event:
            case TurnStarted():
                self._at_work[event.turn] = _TurnAtWork(event.at)
            case RouteChosen():
                self._note_route(event)
            case PlanMade():
                self._note_usage(PLANNING, event.usage, calls=1)
            case StepFinished():
                self._note_usage(self._model_label(event.model), event.usage, calls=1)
            case ToolCallFinished():
                self._tools.labels(self._server_label(event.tool), _outcome_of(event)).inc()
            case QuestionAsked() | ApprovalRequested() | AuthRequired():
                if begun := self._at_work.get(event.turn):
                    begun.has_waited = True
            case TurnFinished():
                self._note_end(event)
            case _:
                pass

    def _note_route(self, event: RouteChosen) -> None:
        self._routes.labels(event.route).inc()
        if event.fallback:
            self._fallbacks.inc()
        if begun := self._at_work.get(event.turn):
            begun.route = event.route
        self._note_usage(ROUTING, event.usage, calls=event.model_calls)

    def _note_end(self, event: TurnFinished) -> None:
        begun = self._at_work.pop(event.turn, None)
        route = begun.route if begun else "none"
        self._finished.labels(route, event.outcome).inc()
        if begun and route != "none" and not begun.has_waited:
            took_s = (event.at - begun.started_at).total_seconds()
            self._durations.labels(route).observe(took_s)

    def _note_usage(self, model: str, usage: Usage, *, calls: int) -> None:
        if not calls:
            return
        self._model_calls.labels(model).inc(calls)
        amounts = {
            "input": usage.input_tokens,
            "output": usage.output_tokens,
            "cache_read": usage.cache_read_tokens,
            "cache_write": usage.cache_write_tokens,
        }
        for kind, amount in amounts.items():
            self._tokens.labels(model, kind).inc(amount)
        self._cost.labels(model).inc(usage.cost_usd)
        self._unpriced.labels(model).inc(usage.unpriced_calls)

    def _model_label(self, model: str) -> str:
        if len(self._models) < MAX_MODELS:
            self._models.add(model)
        return model if model in self._models else OTHER

    def _server_label(self, tool: str) -> str:
        """The configured server; a model may call tools of servers that it made up."""
        if not tool.startswith("mcp__"):
            return OWN_TOOLS
        return self._runtime.server_name(tool) or OTHER


def _outcome_of(event: ToolCallFinished) -> str:
    if event.may_have_happened:
        return "unknown"
    return "error" if event.is_error else "ok"


class Snapshot(Collector):
    """The gauges as they were read for a scrape."""

    def __init__(self) -> None:
        self.families: list[Metric] = []

    def collect(self) -> Iterable[Metric]:
        return self.families


def _families_of_load(load: Load) -> list[Metric]:
    """What is at work, of all processes of the database."""
    turns = GaugeMetricFamily("agent_turns", "Turns that have not ended.", labels=["status"])
    for status, count in load.turns.items():
        turns.add_metric([status], count)
    return [
        turns,
        _gauge("agent_asks_waiting", "Open questions, approvals and connections.", load.asks),
        _gauge("agent_payloads_waiting", "Slack's payloads not yet handed over.", load.payloads),
        _gauge("agent_database_bytes", "Size of the database.", load.size_bytes),
    ]


def _families_of_health(findings: Mapping[str, HealthFinding]) -> list[Metric]:
    """What `/healthz` says, as numbers."""
    parts = GaugeMetricFamily("agent_part_ok", "Whether a part is well.", labels=["part"])
    for part, finding in findings.items():
        parts.add_metric([part], not finding.why)
    socket = _numbers(findings, "socket")
    loop = _numbers(findings, "loop")
    tools = _numbers(findings, "tools")
    opened = "Connections to Slack that were opened."
    stalls = "How often the event loop was held."
    lag_s = loop("lag_ms") / SECOND_MS
    worst_s = loop("worst_ms") / SECOND_MS
    return [
        parts,
        CounterMetricFamily("agent_socket_opened", opened, socket("opened")),
        CounterMetricFamily("agent_event_loop_stalls", stalls, loop("stalls")),
        _gauge("agent_socket_open", "Whether Slack's payloads come.", socket("connected")),
        _gauge("agent_socket_heard_seconds", "Since Slack's last sign.", socket("last_heard_s")),
        _gauge("agent_event_loop_lag_seconds", "Newest lag of the event loop.", lag_s),
        _gauge("agent_event_loop_worst_seconds", "Worst lag of the event loop.", worst_s),
        _gauge("agent_servers_away", "Tool servers that cannot be reached.", tools("away")),
    ]


def _numbers(findings: Mapping[str, HealthFinding], part: str) -> Callable[[str], float]:
    """Reads numbers of a part's details; of a collection it is the size, of nothing 0."""
    details = findings[part].details if part in findings else {}

    def number(name: str) -> float:
        value: Any = details.get(name) or 0
        return float(value if isinstance(value, int | float) else len(value))

    return number


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(name, about, value=value)
