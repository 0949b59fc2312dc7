"""How every benchmark shows what it measured: a table with goals, or one JSON object."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    name: str
    value: float
    unit: str
    goal: float | None = None
    """None where there is nothing to reach."""
    at_least: bool = False
    """Whether the goal is a floor; otherwise it is a ceiling."""

    @property
    def ok(self) -> bool | None:
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal


def show(results: Sequence[Result], *, as_json: bool) -> None:
    """Print the results; the process still exits with 0, whatever they are."""
    rows = [
        {key: value for key, value in asdict(result).items() if key != "at_least"}
        | {"ok": result.ok}
        for result in results
    ]
    if as_json:
        sys.stdout.write(json.dumps({"results": rows}) + "\n")
        return
    table = Table("name", "value", "unit", "goal", "ok")
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row.values()))
    Console().print(table)
