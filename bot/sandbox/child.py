"""The real bot as a child process, as an operator would run it, also again after each crash."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from bot.sandbox.settings import child_environment

STOP_PATIENCE_S = 20.0
LOG_TAIL_CHARS = 3_000


class BotDiedError(Exception):
    """The bot's process ended before it should; the message holds the end of its log."""


class BotProcess:
    """A running `bot start`."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log

    @property
    def pid(self) -> int:
        """The system's number for the process; it stays known when the process has ended."""
        return self._process.pid

    @property
    def was_killed(self) -> bool:
        """Whether the process ended by kill -9."""
        return self._process.returncode == -signal.SIGKILL

    def check(self) -> None:
        """Raise BotDiedError if the process has ended."""
        if self._process.returncode is not None:
            tail = self._log.read_text(encoding="utf-8", errors="replace")[-LOG_TAIL_CHARS:]
            raise BotDiedError(f"The bot ended with code {self._process.returncode}.\n{tail}")

    def kill(self) -> None:
        """Kill -9, for the bot alone; one that has ended stays as it is."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def ended(self) -> None:
        """Return when the process has ended, however."""
        await self._process.wait()

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


async def start_bot(environment: Mapping[str, str], directory: Path) -> BotProcess:
    """Run `bot start` in `directory`; its output is added to `bot.log` there."""
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
    return BotProcess(process, log)


class BotLives:
    """One bot that is killed at each of some fault points in turn and started again.

    Args:
        environment: What it is given in place of this process's own variables.
        directory: Where it runs.
        fault_points: Where it dies, one for each life but the last.
        on_restart: Told of each death, by the fault point, before the next life.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        directory: Path,
        *,
        fault_points: Sequence[str],
        on_restart: Callable[[str], None],
    ) -> None:
        self._environment = environment
        self._directory = directory
        self._ahead = list(fault_points)
        self._on_restart = on_restart
        self._process: BotProcess | None = None

    @property
    def ahead(self) -> tuple[str, ...]:
        """The fault points that it has not died at, next one first."""
        return tuple(self._ahead)

    async def start(self) -> None:
        """Begin a life that ends at the next fault point."""
        armed = self._ahead[0] if self._ahead else ""
        environment = {**self._environment, "FAULT_AT": armed}
        self._process = await start_bot(environment, self._directory)

    async def check(self) -> None:
        """Start the bot again if it has died as ordered.

        Raises:
            BotDiedError: it ended in another way.
        """
        if self._process is None:
            return
        if not (self._process.was_killed and self._ahead):
            self._process.check()
            return
        await self.stop()
        self._on_restart(self._ahead.pop(0))
        await self.start()

    async def stop(self) -> None:
        """End it; safe to call twice."""
        if self._process is not None:
            await self._process.stop()


@asynccontextmanager
async def bot_lives(
    environment: Mapping[str, str],
    directory: Path,
    *,
    fault_points: Sequence[str] = (),
    on_restart: Callable[[str], None] = lambda _: None,
) -> AsyncGenerator[BotLives, None]:
    """A bot in its first life; leaving the context ends it."""
    bot = BotLives(environment, directory, fault_points=fault_points, on_restart=on_restart)
    try:
        await bot.start()
        yield bot
    finally:
        await bot.stop()
