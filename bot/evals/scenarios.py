"""Scenarios: what people write, and what the bot is to make of it.

They are data, in `scenarios/<suite>.toml`. An expectation is what its writer wants; whether it is
met is only known from a run.
"""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from jsonschema import Draft202012Validator, ValidationError
from pydantic import BaseModel, ConfigDict

from agent_core.messages import JsonObject

SUITES = ("manners", "orders", "routing", "plan", "report", "steer")
SHIPPED = Path(__file__).with_name("scenarios")


class Scenario(BaseModel):
    """Posts are written as `ann: text`; `@bot` mentions the bot."""

    model_config = ConfigDict(extra="forbid")

    thread: str = ""
    """The name of the suite's thread behind which it stands."""
    says: list[str]
    """One after another; the next when the bot has seen to the one before."""
    meanwhile: list[str] = []
    """While the bot waits for the model's first step."""
    expect: JsonObject
    """By a name of what came of it: a value, or a JSON schema."""

    def faults(self, outcome: JsonObject) -> list[str]:
        """What is not as expected, in words for whoever reads the table."""
        schemas: JsonObject = {}
        for name, wanted in self.expect.items():
            schemas[name] = wanted if isinstance(wanted, dict) else {"const": wanted}
        validator = Draft202012Validator({"properties": schemas, "required": [*schemas]})
        errors: Iterable[ValidationError] = validator.iter_errors(outcome)  # pyright: ignore[reportUnknownMemberType]
        return [f"{error.json_path}: {error.message}" for error in errors]


class Suite(BaseModel):
    """Scenarios of one kind."""

    model_config = ConfigDict(extra="forbid")

    only: list[str] = []
    """The model calls that are measured, by `kind_of`; others get no reply, and a scenario ends
    when the bot wants nothing else. Empty: the bot works until its turn has ended."""
    steps: int = 0
    """With `only`: so many steps of the agent are measured too."""
    threads: dict[str, list[str]] = {}
    """Posts of before, which the bot has not heard."""
    scenario: list[Scenario]

    def words(self, scenario: Scenario) -> list[str]:
        """All that is written, in its order."""
        return [*self.threads.get(scenario.thread, ()), *scenario.says, *scenario.meanwhile]


def read_suite(name: str, directory: Path) -> Suite:
    """The scenarios of a suite. Raises OSError or ValueError where they cannot be read."""
    text = (directory / f"{name}.toml").read_text(encoding="utf-8")
    return Suite.model_validate(tomllib.loads(text))
