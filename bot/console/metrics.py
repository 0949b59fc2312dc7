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

import prometheus_client
from cachetools import LRUCache

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

MAX_LABELS = 100
"""Further models and servers are counted as one."""
MAX_TURNS = 10_000


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
        self._labels: set[str] = set()
        """Models and tool servers."""
        self._registry = prometheus_client.CollectorRegistry()
        prometheus_client.ProcessCollector(registry=self._registry)
        self._series: dict[str, Any] = {}
        self._gauges: dict[str, Any] = {}
        declared = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
        for name, options in tomllib.loads(declared).items():
            kind = getattr(prometheus_client, options.pop("kind"))
            if "read" in options:
                self._gauges[name] = options.pop("read")
            self._series[name] = kind(name, registry=self._registry, **options)

    async def text(self) -> bytes:
        """All metrics in the text format of Prometheus."""
        readings: dict[str, Any] = {"load": await self._runtime.overview.load()}
        for part, finding in (await take_looks(self._looks)).items():
            self._series["agent_part_ok"].labels(part).set(not finding.why)
            readings[part] = finding.details
        for name, (part, detail, factor) in self._gauges.items():
            value = readings.get(part, {}).get(detail) or 0
            self._series[name].set(value * factor)
        return prometheus_client.generate_latest(self._registry)

    def note_sign(self, waited_s: float) -> None:
        """A post got its first sign after so long."""
        self._series["agent_first_sign_seconds"].observe(waited_s)

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
            case StepFinished() | PlanMade():
                model = getattr(event, "model", "planning")
                self._note_usage(self._known(model), event.usage, 1)
            case ToolCallFinished():
                outcome = "error" if event.is_error else "ok"
                self._count("agent_tool_calls", self._server_of(event), outcome)
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
        self._count("agent_model_calls", model, by=calls)
        self._count("agent_model_cost_usd", model, by=usage.cost_usd)
        self._count("agent_model_unpriced_calls", model, by=usage.unpriced_calls)
        for name, amount in asdict(usage).items():
            if name.endswith("_tokens"):
                kind = name.removesuffix("_tokens")
                self._count("agent_model_tokens", model, kind, by=amount)

    def _count(self, name: str, *labels: str, by: float = 1) -> None:
        self._series[name].labels(*labels).inc(by)

    def _server_of(self, event: ToolCallFinished) -> str:
        """The tool's server; a model may make names up, so a call of it must have succeeded."""
        name = event.tool if event.tool.startswith("mcp__") else "mcp__agent"
        return self._known(name.split("__")[1], is_sure=not event.is_error)

    def _known(self, label: str, *, is_sure: bool = True) -> str:
        """A label from a bounded set, which grows by what is sure."""
        if is_sure and len(self._labels) < MAX_LABELS:
            self._labels.add(label)
        return label if label in self._labels else "other"
