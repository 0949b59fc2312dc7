"""`bot sandbox` as a user runs it: a process of its own, in a directory of its own."""

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.sandbox.settings import child_environment

RUN_S = 100.0
KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ZAI_API_KEY", "COMPOSIO_API_KEY")
NO_KEYS: dict[str, str] = dict.fromkeys(KEYS, "")
"""A developer's own keys must not lead a test to a real service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    def json(self) -> dict[str, Any]:
        """The one object that `--json` prints, of a run that went well."""
        assert self.code == 0, self.err
        return json.loads(self.out)


async def run_sandbox(
    directory: Path,
    *asks: str,
    out: Path | None = None,
    web: Path | None = None,
    kill_at: str = "",
    more: Sequence[str] = (),
    browser: str = "off",
    keys: Mapping[str, str] = NO_KEYS,
) -> Ran:
    """Run `bot sandbox --json` with these asks, and `more` options, in `directory`."""
    options = [part for ask in asks for part in ("--ask", ask)]
    options += ["--out", str(out)] if out else []
    options += ["--web", str(web)] if web else []
    options += ["--kill-at", kill_at] if kill_at else []
    return await _run(directory, "sandbox", *options, *more, "--json", browser=browser, keys=keys)


async def _run(directory: Path, *arguments: str, browser: str, keys: Mapping[str, str]) -> Ran:
    async with (
        running(directory, *arguments, browser=browser, keys=keys) as process,
        asyncio.timeout(RUN_S),
    ):
        out, err = await process.communicate()
    return Ran(code=process.returncode or 0, out=out.decode(), err=err.decode())


@asynccontextmanager
async def running(
    directory: Path, *arguments: str, browser: str = "off", keys: Mapping[str, str] = NO_KEYS
) -> AsyncGenerator[Process]:
    """The command in `directory`; it is interrupted at the end, as by Ctrl-C."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        *arguments,
        cwd=directory,
        env=child_environment({**NO_KEYS, **keys, "CRAWL_BROWSER": browser}),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        await asyncio.wait_for(process.wait(), RUN_S)


def short_names(tool_calls: Sequence[str]) -> set[str]:
    """Tool names without their servers."""
    return {name.rpartition("__")[2] for name in tool_calls}
