"""The metrics of one process for Prometheus; loaded when somebody scrapes for the first time.

Counters are fed by the events that this process has stored, each once, from the first scrape on.
Gauges are read at each scrape, from the database and from what `/healthz` looks at. Labels come
from small known sets: no session, no person and no word of a model is ever one.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from cachetools import LRUCache
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import generate_latest

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
from agent_core.runtime import Runtime
from bot.console.server import Look, take_looks

MAX_MODELS = 20
"""Further models are counted as one: their names are the provider's words."""
MAX_TURNS = 10_000
KINDS = {"counter": Counter, "gauge": Gauge, "histogram": Histogram}


class Metrics:
    """The series of `metrics.toml`.

    Args:
        runtime: Whose events are counted.
        looks: The health checks, by part.
    """

    def __init__(self, runtime: Runtime, looks: Mapping[str, Look]) -> None:
        self._runtime = runtime
        self._looks = looks
        self._begun: LRUCache[TurnId, datetime] = LRUCache(MAX_TURNS)
        """When turns began that have waited for nobody so far."""
        self._routes: LRUCache[TurnId, str] = LRUCache(MAX_TURNS)
        self._models: set[str] = set()
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._series: dict[str, Any] = {}
        self._gauges: dict[str, tuple[str, str, float]] = {}
        declared = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
        for name, options in tomllib.loads(declared).items():
            kind = KINDS[options.pop("kind")]
            if "read" in options:
                self._gauges[name] = options.pop("read")
            self._series[name] = kind(name, registry=self._registry, **options)

    async def text(self) -> bytes:
        """All metrics in the text format of Prometheus."""
        readings: dict[str, Mapping[str, Any]] = {"load": await self._runtime.overview.load()}
        for part, finding in (await take_looks(self._looks)).items():
            self._series["agent_part_ok"].labels(part).set(not finding.why)
            readings[part] = finding.details
        for name, (part, detail, factor) in self._gauges.items():
            value = readings.get(part, {}).get(detail) or 0
            self._series[name].set(value * factor)
        return generate_latest(self._registry)

    def note_sign(self, waited_s: float) -> None:
        """A post got its first sign after so long."""
        self._series["agent_first_sign_seconds"].observe(max(waited_s, 0.0))

    def note(self, event: AnyEvent) -> None:
        """Count an event that was stored."""
        match event:
            case TurnStarted():
                self._begun[event.turn] = event.at
            case RouteChosen():
                self._routes[event.turn] = event.route
                fallback = "yes" if event.fallback else "no"
                self._count("agent_turns_routed", event.route, fallback)
                self._note_usage("routing", event.usage, event.model_calls)
            case PlanMade():
                self._note_usage("planning", event.usage, 1)
            case StepFinished():
                self._note_usage(self._model_label(event.model), event.usage, 1)
            case ToolCallFinished():
                outcome = "error" if event.is_error else "ok"
                self._count("agent_tool_calls", self._server_label(event.tool), outcome)
            case QuestionAsked() | ApprovalRequested() | AuthRequired():
                self._begun.pop(event.turn, None)
            case TurnFinished():
                self._note_end(event)
            case _:
                pass

    def _note_end(self, event: TurnFinished) -> None:
        route = self._routes.pop(event.turn, "none")
        self._count("agent_turns_finished", route, event.outcome)
        begun = self._begun.pop(event.turn, None)
        if begun and route != "none":
            took_s = (event.at - begun).total_seconds()
            self._series["agent_turn_duration_seconds"].labels(route).observe(took_s)

    def _note_usage(self, model: str, usage: Usage, calls: int) -> None:
        if not calls:
            return
        self._count("agent_model_calls", model, by=calls)
        self._count("agent_model_cost_usd", model, by=usage.cost_usd)
        self._count("agent_model_unpriced_calls", model, by=usage.unpriced_calls)
        for name, amount in asdict(usage).items():
            if name.endswith("_tokens"):
                kind = name.removesuffix("_tokens")
                self._count("agent_model_tokens", model, kind, by=amount)

    def _count(self, name: str, *labels: str, by: float = 1) -> None:
        self._series[name].labels(*labels).inc(by)

    def _model_label(self, model: str) -> str:
        if len(self._models) < MAX_MODELS:
            self._models.add(model)
        return model if model in self._models else "other"

    def _server_label(self, tool: str) -> str:
        """The configured server; a model may call tools of servers that it made up."""
        if not tool.startswith("mcp__"):
            return "agent"
        return self._runtime.server_name(tool) or "other"
