"""`bot eval`: the scenarios of some suites, played for real or from recordings, and a table."""

import asyncio
import json
import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

import typer
from rich.console import Console
from rich.table import Table

from agent_core.messages import JsonObject
from agent_core.settings import CoreSettings
from bot.evals.scenarios import SHIPPED, SUITES, Suite, read_suite
from bot.evals.trial import Trial, try_scenario
from bot.sandbox import SandboxError
from bot.sandbox.settings import SandboxSettings

NEEDS = """\
Nothing was measured: `bot eval` asks a real model, and no key is set.
Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN or ZAI_API_KEY; ANTHROPIC_BASE_URL for another server
of the same API) in the environment or in .env. Then run `bot eval`, or `bot eval --record DIR` to
keep the replies. Without a key, `bot eval --replay DIR` plays what was recorded."""

_ANTHROPIC = "https://api.anthropic.com"
_AT_ONCE = 2
_TOKENS = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)
_PRICES = Path(__file__).with_name("prices.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalOptions:
    """The options of the command line."""

    suites: Sequence[str]
    record: Path | None
    replay: Path | None
    scenarios: Path | None
    as_json: bool


def run_evals(options: EvalOptions) -> int:
    """Play the suites and return the exit code: 1 where a scenario failed or nothing could run."""
    core = CoreSettings()
    upstream = core.model_base_url or _ANTHROPIC
    update = {"composio_api_key": ""}
    if options.replay:
        upstream = ""
        update["anthropic_api_key"] = "replay"
    elif not (core.anthropic_api_key.get_secret_value() or core.bearer):
        typer.echo(NEEDS, err=True)
        return 1
    settings = SandboxSettings().model_copy(update=update)
    try:
        suites = [
            read_suite(name, options.scenarios or SHIPPED) for name in options.suites or SUITES
        ]
        trials = asyncio.run(_play(suites, upstream, settings, options))
    except (SandboxError, OSError, ValueError) as error:
        typer.echo(f"The evaluation stopped: {error}", err=True)
        return 1
    _show(trials, as_json=options.as_json)
    return int(any(trial.verdict == "failed" for trial in trials))


async def _play(
    suites: Sequence[Suite], upstream: str, settings: SandboxSettings, options: EvalOptions
) -> list[Trial]:
    """All scenarios, some at once: none can tell, as each has a world of its own."""
    seats = asyncio.Semaphore(_AT_ONCE)
    trials: list[Trial] = []

    async def play(suite: Suite, trial: Trial, number: int) -> None:
        recorded = _load(options.replay, trial)
        async with seats:
            await try_scenario(
                trial,
                suite,
                suite.scenario[number],
                upstream=upstream,
                settings=settings,
                recorded=recorded,
            )
        if options.record is not None:
            _save(options.record, trial, recorded)

    async with asyncio.TaskGroup() as group:
        for name, suite in zip(options.suites or SUITES, suites, strict=True):
            for number, scenario in enumerate(suite.scenario):
                words = suite.words(scenario)
                trial = Trial(suite=name, name=suite.name_of(scenario), words=words)
                trials.append(trial)
                group.create_task(play(suite, trial, number))
    return trials


def _load(directory: Path | None, trial: Trial) -> dict[str, JsonObject]:
    """The replies that were recorded for a scenario, by key."""
    file = (directory or Path()) / trial.suite / f"{trial.name}.json"
    if directory is None or not file.is_file():
        return {}
    return json.loads(file.read_text(encoding="utf-8"))["calls"]


def _save(directory: Path, trial: Trial, recorded: dict[str, JsonObject]) -> None:
    file = directory / trial.suite / f"{trial.name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    content = {"words": trial.words, "calls": recorded}
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")


def _cost(message: JsonObject, prices: JsonObject) -> float:
    """In US dollars; not a number where the model's price is not known."""
    names = [name for name in prices if message["model"].startswith(name)]
    if not names:
        return math.nan
    price = prices[names[0]]
    return sum(_count(message, kind) * price[kind] / 1_000_000 for kind in _TOKENS)


def _count(message: JsonObject, kind: str) -> int:
    return message["usage"].get(kind) or 0


def summary(suite: str, trials: Sequence[Trial]) -> JsonObject:
    """A suite in figures; None where nothing was measured or a price is not known."""
    prices = tomllib.loads(_PRICES.read_text(encoding="utf-8"))
    messages = [call["message"] for trial in trials for call in trial.calls]
    times = [call["seconds"] for trial in trials for call in trial.calls]
    tokens = {kind: sum(_count(each, kind) for each in messages) for kind in _TOKENS}
    output = tokens.pop(_TOKENS[-1])
    cost = sum(_cost(message, prices) for message in messages)
    cuts = quantiles(times, n=20, method="inclusive") if len(times) > 1 else [*times] * 19
    verdicts = [trial.verdict for trial in trials]
    return {
        "suite": suite,
        "passed": verdicts.count("passed"),
        "failed": verdicts.count("failed"),
        "not measured": verdicts.count("not measured"),
        "tokens in": sum(tokens.values()),
        "tokens out": output,
        "cost in $": None if math.isnan(cost) else round(cost, 4),
        "p50 s": round(cuts[9], 2) if cuts else None,
        "p95 s": round(cuts[18], 2) if cuts else None,
    }


def _show(trials: Sequence[Trial], *, as_json: bool) -> None:
    names = dict.fromkeys(trial.suite for trial in trials)
    suites = [summary(name, [each for each in trials if each.suite == name]) for name in names]
    if as_json:
        scenarios = [
            {
                "suite": trial.suite,
                "name": trial.name,
                "words": trial.words,
                "verdict": trial.verdict,
                "why": trial.faults,
            }
            for trial in trials
        ]
        typer.echo(json.dumps({"suites": suites, "scenarios": scenarios}, ensure_ascii=False))
        return
    for trial in trials:
        if trial.faults:
            why = "; ".join(trial.faults)
            typer.echo(f"{trial.verdict}: {trial.suite} {trial.name}: {trial.words[-1]}: {why}")
    table = Table(*summary("", []))
    for suite in suites:
        table.add_row(*("-" if value is None else str(value) for value in suite.values()))
    Console().print(table)
