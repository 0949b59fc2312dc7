"""`bot eval`: the scenarios of some suites, played for real or from recordings, and a table."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import quantiles

import typer

from agent_core.events import Usage
from agent_core.messages import JsonObject
from agent_core.prices import read_prices
from agent_core.settings import CoreSettings
from bot.evals.scenarios import SHIPPED, SUITES, read_suite
from bot.evals.trial import Trial
from bot.sandbox.settings import SandboxSettings

NEEDS = """\
Nothing was measured: `bot eval` asks a real model, and no key is set.
Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN or ZAI_API_KEY; ANTHROPIC_BASE_URL for another server
of the same API) in the environment or in .env. Then run `bot eval`, or `bot eval --record DIR` to
keep the replies. Without a key, `bot eval --replay DIR` plays what was recorded."""

_ANTHROPIC = "https://api.anthropic.com"
_AT_ONCE = 2


def run_evals(
    names: Sequence[str],
    *,
    record: Path | None,
    replay: Path | None,
    directory: Path | None,
    as_json: bool,
) -> int:
    """Play suites and return the exit code: 1 where a scenario failed, or had no reply.

    Args:
        names: Of the suites; none means all.
        record: Where replies are kept.
        replay: Where they were kept: no server is asked.
        directory: Of other scenarios than the shipped ones.
        as_json: Print one object in place of a table.
    """
    core = CoreSettings()
    upstream = "" if replay else core.model_base_url or _ANTHROPIC
    if upstream and not (core.anthropic_api_key.get_secret_value() or core.bearer):
        typer.echo(NEEDS, err=True)
        return 1
    settings = SandboxSettings().model_copy(update={"composio_api_key": ""})
    settings.anthropic_api_key = "replay" if replay else settings.anthropic_api_key
    suites: list[dict[str, object]] = []
    trials: list[Trial] = []
    try:
        for name in names or SUITES:
            suite = read_suite(name, directory or SHIPPED)
            played = [Trial(suite=name, kind=suite, scenario=each) for each in suite.scenario]
            asyncio.run(_play(played, upstream, settings, record=record, replay=replay))
            suites.append(summary(name, played))
            trials += played
    except (OSError, ValueError) as error:
        typer.echo(f"The evaluation stopped: {error}", err=True)
        return 1
    _print(suites, trials, as_json=as_json)
    good = ("passed", "not measured") if replay else ("passed",)
    return int(any(trial.verdict not in good for trial in trials))


async def _play(
    trials: Sequence[Trial],
    upstream: str,
    settings: SandboxSettings,
    *,
    record: Path | None,
    replay: Path | None,
) -> None:
    """Some at once: none can tell, as each has a world of its own."""
    seats = asyncio.Semaphore(_AT_ONCE)

    async def play(trial: Trial) -> None:
        recorded = _load(replay, trial) if replay else {}
        async with seats:
            await trial.run(upstream, settings, recorded)
        if record and recorded is not None and trial.verdict != "not measured":
            _save(record, trial, recorded)
        why = "; ".join(trial.faults)
        line = f"{trial.verdict}: {trial.suite} {trial.name}: {trial.scenario.says[-1]}  {why}"
        typer.echo(line.rstrip(), err=True)

    async with asyncio.TaskGroup() as group:
        for trial in trials:
            group.create_task(play(trial))


def _load(directory: Path, trial: Trial) -> dict[str, JsonObject] | None:
    """The replies that were recorded for a scenario, by key; None where it was not recorded."""
    file = directory / trial.suite / f"{trial.name}.json"
    return json.loads(file.read_text(encoding="utf-8"))["calls"] if file.is_file() else None


def _save(directory: Path, trial: Trial, recorded: dict[str, JsonObject]) -> None:
    file = directory / trial.suite / f"{trial.name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    content = {"says": trial.scenario.says, "calls": recorded}
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")


def _percentiles(times: Sequence[float]) -> tuple[float | None, float | None]:
    """The 50th and the 95th; None where nothing was measured."""
    if not times:
        return None, None
    if len(times) == 1:
        return times[0], times[0]
    cuts = quantiles(times, n=20, method="inclusive")
    return round(cuts[9], 2), round(cuts[18], 2)


def _usage(message: JsonObject) -> Usage:
    counts = message["usage"]
    return Usage(
        input_tokens=counts.get("input_tokens") or 0,
        output_tokens=counts.get("output_tokens") or 0,
        cache_read_tokens=counts.get("cache_read_input_tokens") or 0,
        cache_write_tokens=counts.get("cache_creation_input_tokens") or 0,
    )


def summary(suite: str, trials: Sequence[Trial]) -> dict[str, object]:
    """A suite in figures; None where nothing was measured or a price is not known."""
    calls = [call for trial in trials for call in trial.calls]
    times = [call["seconds"] for call in calls]
    messages = [call["message"] for call in calls]
    prices = read_prices()
    usage = Usage()
    for message in messages:
        usage += prices.priced(_usage(message), message["model"])
    is_known = bool(times) and not usage.unpriced_calls
    p50_s, p95_s = _percentiles(times)
    verdicts = [trial.verdict for trial in trials]
    return {
        "suite": suite,
        "passed": verdicts.count("passed"),
        "failed": verdicts.count("failed"),
        "not_measured": verdicts.count("not measured"),
        "tokens_in": usage.total_tokens - usage.output_tokens,
        "tokens_out": usage.output_tokens,
        "cost_usd": round(usage.cost_usd, 4) if is_known else None,
        "p50_s": p50_s,
        "p95_s": p95_s,
    }


def _print(
    suites: Sequence[Mapping[str, object]], trials: Sequence[Trial], *, as_json: bool
) -> None:
    if as_json:
        scenarios = [trial.as_json() for trial in trials]
        typer.echo(json.dumps({"suites": suites, "scenarios": scenarios}, ensure_ascii=False))
        return
    rows = [[*suites[0]]]
    rows += [["-" if value is None else str(value) for value in each.values()] for each in suites]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        typer.echo(" ".join(map(str.rjust, row, widths)))
