"""`bot eval` where nothing can be played, and the scenarios that it comes with."""

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from agent_core.messages import JsonObject
from bot.cli import app
from bot.evals.scenarios import SHIPPED, SUITES, read_suite
from bot.evals.trial import Trial
from tests.e2e.command_line import NO_KEYS

AT_LEAST = {"manners": 100, "orders": 250, "routing": 60, "plan": 30, "report": 20, "steer": 10}


@pytest.mark.proves("evals.no_key")
def test_without_a_key_it_says_what_it_needs() -> None:
    result = CliRunner().invoke(app, ["eval"], env=NO_KEYS)
    assert result.exit_code == 1
    assert "Nothing was measured" in result.stderr
    assert "ANTHROPIC_API_KEY" in result.stderr
    assert "bot eval --replay DIR" in result.stderr


@pytest.mark.proves("evals.not_measured")
def test_what_is_not_recorded_is_not_measured(tmp_path: Path) -> None:
    options = ["eval", "--suite", "manners", "--replay", str(tmp_path)]
    result = CliRunner().invoke(app, options, env={**NO_KEYS, "COLUMNS": "200"})
    assert result.exit_code == 0
    lines = result.stderr.splitlines()
    scenarios = read_suite("manners", SHIPPED).scenario
    assert sum(line.startswith("not measured: manners") for line in lines) == len(scenarios)


def test_an_unknown_suite_ends_it_with_a_sentence() -> None:
    result = CliRunner().invoke(app, ["eval", "--suite", "manner", "--replay", "."], env=NO_KEYS)
    assert result.exit_code == 1
    assert "manner.toml" in result.stderr


@pytest.mark.parametrize("name", SUITES)
def test_each_shipped_scenario_stands_once_and_can_be_met(name: str) -> None:
    suite = read_suite(name, SHIPPED)
    names = {Trial(suite=name, kind=suite, scenario=each).name for each in suite.scenario}
    assert len(names) == len(suite.scenario) >= AT_LEAST[name]
    for scenario in suite.scenario:
        assert not scenario.thread or scenario.thread in suite.threads
        schemas: list[JsonObject] = [
            each for each in scenario.expect.values() if isinstance(each, dict)
        ]
        for schema in schemas:
            Draft202012Validator.check_schema(schema)
        assert scenario.faults({}), "an expectation that nothing can fail expects nothing"
