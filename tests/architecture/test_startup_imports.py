"""`bot --help` answers at once: it loads nothing that only a running bot needs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "aiohttp", "anthropic", "dbos", "logfire", "mcp", "pydantic_monty", "slack_bolt", "sqlalchemy",
}  # fmt: skip
_IMPORTED = re.compile(r"^import time:\s+\d+ \|\s+\d+ \|\s*(\S+)$", re.MULTILINE)

pytestmark = pytest.mark.process("what a start loads is a matter of a process")


def packages_of(cwd: Path, *arguments: str) -> tuple[str, set[str]]:
    """What `python -m bot` prints, and the top-level packages that it loads for it."""
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "bot", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=60,
        check=True,
    )
    modules = _IMPORTED.findall(ended.stderr)
    return ended.stdout, {module.partition(".")[0] for module in modules}


@pytest.mark.parametrize("command", [(), ("start",), ("check",), ("sandbox",)])
def test_help_loads_no_heavy_library(tmp_path: Path, command: tuple[str, ...]) -> None:
    printed, packages = packages_of(tmp_path, *command, "--help")
    assert "Usage" in printed
    assert {"bot", "typer"} <= packages
    assert packages & HEAVY == set()
