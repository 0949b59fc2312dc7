"""How every benchmark shows what it measured: a table with goals, or one JSON object."""

import argparse
import asyncio
import json
import logging
import os
import sys
import tempfile
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

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


def resident_mb(pid: int | str = "self") -> float:
    """The memory that a process holds now, in megabytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1_000_000


async def come_to_rest(
    count: Callable[[], int], wanted: int, *, patience_s: float, late_s: float
) -> None:
    """Wait until all have come, or none has for `patience_s`; then `late_s` more."""
    loop, seen = asyncio.get_running_loop(), -1
    since_s = loop.time()
    while seen < wanted and loop.time() - since_s < patience_s:
        if (there := count()) > seen:
            seen, since_s = there, loop.time()
        await asyncio.sleep(0.1)
    await asyncio.sleep(late_s)


def run(
    about: str | None, measure: Callable[..., Coroutine[Any, Any, Sequence[Result]]], **counts: int
) -> None:
    """A benchmark's command line: `--json`, `--keep DIR`, and how often, where that is open.

    `measure` is given a directory, which goes with it unless it is kept, and the counts by name.
    """
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path, help="work in this directory and leave it there")
    for name, value in counts.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    arguments = parser.parse_args()
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as directory:
        root: Path = arguments.keep or Path(directory)
        root.mkdir(parents=True, exist_ok=True)
        given = {name: getattr(arguments, name) for name in counts}
        show(asyncio.run(measure(root, **given)), as_json=arguments.json)
