"""`/metrics` and `/readyz` as Prometheus asks for them; the dashboard and alerts that read them."""

import asyncio
import json
import re
from functools import partial
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from agent_core.messages import JsonObject
from agent_core.testing.models import ScriptedModel, call, calls_reply, text_reply
from agent_core.testing.tools import FakeToolset
from agent_core.tools import OnProgress, ToolContext
from agent_core.watchdog import Lag
from bot.console.server import HealthFinding, Look, look_at_loop
from tests.bot.console.world import Browser, ConsoleWorld, browser, console_world

Labels = frozenset[tuple[str, str]]
Series = dict[tuple[str, Labels], float]

GRAFANA = Path(__file__).parents[3] / "bot" / "operator" / "grafana"
TOKEN = "fedcba9876543210fedcba9876543210"
PROXIED = {"X-Forwarded-For": "203.0.113.7"}
"""As a request of another machine looks."""
INVENTED = "ghp_1a2B3c4D5e6F7g8H9i0J"
STEPS = [
    calls_reply(call("look", {"for": INVENTED}, id="a"), call(f"mcp__{INVENTED}__gone", id="b")),
    text_reply("All is said."),
]
_METRIC = re.compile(r"\b(?:agent|process)_[a-z_]+\b")
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')


async def look(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
    return "seen"


def finds(findings: list[HealthFinding]) -> Look:
    """A health check with the newest of these findings."""

    async def newest() -> HealthFinding:
        return findings[-1]

    return newest


def series_of(text: str) -> Series:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def scrape(prometheus: Browser) -> Series:
    status, text, _ = await prometheus.get("/metrics")
    assert status == 200
    return series_of(text)


def value(series: Series, name: str, **labels: str) -> float:
    return series[name, frozenset(labels.items())]


async def work(world: ConsoleWorld) -> None:
    """One turn from a mention to its end."""
    await world.say("what is there to see?")
    [turn] = await world.runtime.sessions.turns_of(world.session)
    async with asyncio.timeout(30):
        async for _, event in world.runtime.events(turn):
            if event.kind == "turn_finished":
                return


@pytest.mark.proves("metrics.series", "metrics.labels", "metrics.dashboard")
async def test_metrics_tell_a_turn_and_the_dashboard_and_alerts_name_only_what_is_there(
    tmp_path: Path,
) -> None:
    well = HealthFinding(details={"connected": True, "last_heard_s": 0.5, "opened": 2})
    looks = {
        "socket": finds([well]),
        "database": finds([HealthFinding()]),
        "loop": partial(look_at_loop, Lag(stalls=3, newest_s=0.02, worst_s=0.4)),
        "tools": finds([HealthFinding(why="wiki cannot be reached")]),
    }
    tools = FakeToolset({"look": look})
    async with (
        console_world(tmp_path, ScriptedModel(STEPS), tools=tools, looks=looks) as world,
        browser(world.address) as prometheus,
    ):
        assert value(await scrape(prometheus), "agent_turns_running") == 0
        await work(world)
        told = await scrape(prometheus)
        session = world.session
    assert value(told, "agent_turns_routed_total", route="COMPLEX", fallback="no") == 1
    assert value(told, "agent_turns_finished_total", route="COMPLEX", outcome="answered") == 1
    assert value(told, "agent_turn_duration_seconds_count", route="COMPLEX") == 1
    assert value(told, "agent_first_sign_seconds_count") == 1
    assert value(told, "agent_tool_calls_total", server="agent", outcome="ok") == 1
    assert value(told, "agent_tool_calls_total", server="other", outcome="error") == 1
    assert value(told, "agent_model_calls_total", model="scripted") == 2
    assert value(told, "agent_model_tokens_total", model="scripted", kind="input") == 20
    assert value(told, "agent_model_tokens_total", model="routing", kind="output") == 5
    assert value(told, "agent_turns_running") == 0
    assert value(told, "agent_database_bytes") > 10_000
    assert value(told, "agent_socket_opened") == 2
    assert value(told, "agent_event_loop_lag_seconds") == 0.02
    assert value(told, "agent_part_ok", part="tools") == 0
    everything = str(told)
    for secret in (INVENTED, session, session.rpartition(":")[2]):
        assert secret not in everything, "no label is a session's, a person's or a model's word"
    known = {name for name, _ in told}
    dashboard = json.loads((GRAFANA / "dashboard.json").read_text(encoding="utf-8"))
    rules = yaml.safe_load((GRAFANA / "alerts.yaml").read_text(encoding="utf-8"))
    read = [each["expr"] for panel in dashboard["panels"] for each in panel["targets"]]
    read += [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    named = {name for expr in read for name in _METRIC.findall(_STRINGS.sub("", expr))}
    assert len(named) > 15
    assert named - known == set()


@pytest.mark.proves("metrics.guard", "metrics.ready")
async def test_metrics_are_for_this_machine_or_the_token_and_readiness_is_yes_or_no(
    tmp_path: Path,
) -> None:
    findings = [HealthFinding()]
    looks = {"socket": finds(findings), "database": finds([HealthFinding()])}
    looks["loop"] = finds([HealthFinding(why="held")])
    async with (
        console_world(tmp_path, ScriptedModel([]), looks=looks, metrics_token=TOKEN) as world,
        browser(world.address) as anybody,
    ):
        for wrong in ({}, {"Authorization": "Bearer nope"}, {"Authorization": f"Basic {TOKEN}"}):
            status, text, headers = await anybody.get("/metrics", **PROXIED, **wrong)
            assert (status, text, headers["WWW-Authenticate"]) == (401, "", "Bearer")
        assert (await anybody.get("/metrics", Host="rebound.evil.example"))[0] == 401
        asked = {"Host": "bot.cluster", "Authorization": f"Bearer {TOKEN}"}
        assert (await anybody.get("/metrics", **PROXIED, **asked))[0] == 200
        assert (await anybody.get("/metrics"))[0] == 200
        assert (await anybody.get("/readyz", **PROXIED))[:2] == (200, '{"ok": true}')
        assert (await anybody.get("/healthz", **PROXIED))[0] == 503, "the loop is held"
        findings.append(HealthFinding(why="the socket is not open"))
        assert (await anybody.get("/readyz", **PROXIED))[:2] == (503, '{"ok": false}')
