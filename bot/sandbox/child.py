"""The real bot as a child process, as an operator would run it."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from bot.sandbox.settings import child_environment

STOP_PATIENCE_S = 15.0
LOG_TAIL_CHARS = 3_000


class BotDiedError(Exception):
    """The bot's process ended before it should; the message holds the end of its log."""


class BotProcess:
    """A running `bot start`."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log

    def check(self) -> None:
        """Raise BotDiedError if the process has ended."""
        if self._process.returncode is not None:
            tail = self._log.read_text(encoding="utf-8", errors="replace")[-LOG_TAIL_CHARS:]
            raise BotDiedError(f"The bot ended with code {self._process.returncode}.\n{tail}")

    async def stop(self) -> None:
        """Ask it to end, then end its whole process group."""
        if self._process.returncode is None:
            self._process.terminate()
            with suppress(TimeoutError):
                async with asyncio.timeout(STOP_PATIENCE_S):
                    await self._process.wait()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()


@asynccontextmanager
async def bot_process(
    environment: Mapping[str, str], directory: Path
) -> AsyncGenerator[BotProcess, None]:
    """Run `bot start` in `directory`; its output goes to `bot.log` there."""
    log = directory / "bot.log"
    with log.open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            "start",
            env=child_environment(environment),
            cwd=directory,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    bot = BotProcess(process, log)
    try:
        yield bot
    finally:
        await bot.stop()
