"""The real bot as a child process; killed at chosen events, it is started again."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Self, get_args

from agent_core.events import AnyEvent
from agent_core.fault_points import EVENT_POINT
from bot.sandbox import SandboxError
from bot.sandbox.settings import child_environment
from bot.sandbox.world import World

_START_TIMEOUT_S = 90.0
_STOP_PATIENCE_S = 20.0
_LOG_TAIL_CHARS = 3_000


KINDS = tuple(
    str(field.default)
    for event in get_args(get_args(AnyEvent)[0])
    for field in fields(event)
    if field.name == "kind"
)
"""The kinds of all events; the bot can be killed at each."""


def check_events(kinds: Iterable[str]) -> None:
    """Raise ValueError for an unknown kind of events, with all known ones."""
    for kind in kinds:
        if kind not in KINDS:
            raise ValueError(f"There is no event {kind}. There are {', '.join(KINDS)}.")


class BotProcess:
    """A running `bot start`."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log

    @property
    def pid(self) -> int:
        """The process id, also after the process has ended."""
        return self._process.pid

    @property
    def was_killed(self) -> bool:
        """Whether the process ended by kill -9."""
        return self._process.returncode == -signal.SIGKILL

    def check(self) -> None:
        """Raise SandboxError with the end of the log if the process has ended."""
        code = self._process.returncode
        if code is not None:
            log = self._log.read_text(encoding="utf-8", errors="replace")
            raise SandboxError(f"The bot ended with code {code}.\n{log[-_LOG_TAIL_CHARS:]}")

    def kill(self) -> None:
        """Kill -9 the bot alone; an ended bot stays as it is."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def ended(self) -> None:
        await self._process.wait()

    async def stop(self) -> None:
        """Ask the bot to end, then end its whole process group."""
        if self._process.returncode is None:
            self._process.terminate()
            with suppress(TimeoutError):
                async with asyncio.timeout(_STOP_PATIENCE_S):
                    await self._process.wait()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()


async def start_bot(environment: Mapping[str, str], directory: Path) -> BotProcess:
    """Run `bot start` in `directory`, with its output appended to `bot.log` there."""
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


@dataclass(slots=True)
class BotLives:
    """One bot, killed at one fault point after another and started again each time.

    An asynchronous context manager: it begins the first life and ends the last.
    """

    _world: World
    _environment: Mapping[str, str]
    """Replaces this process's own variables of the same names."""
    _directory: Path
    ahead: list[str]
    """The kinds of the events of the deaths to come, one for each life but the last."""
    deaths: list[str] = field(default_factory=list[str])
    """The events of the past deaths."""
    _process: BotProcess = field(init=False)

    async def __aenter__(self) -> Self:
        armed = f"{EVENT_POINT}{self.ahead[0]}" if self.ahead else ""
        environment = {**self._environment, "FAULT_AT": armed}
        self._process = await start_bot(environment, self._directory)
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._process.stop()

    async def check(self) -> None:
        """Start the bot again if it has died as ordered.

        Raises SandboxError where it ended in another way.
        """
        if not (self._process.was_killed and self.ahead):
            self._process.check()
            return
        await self._process.stop()
        self.deaths.append(self.ahead.pop(0))
        await self.__aenter__()

    async def connected(self) -> None:
        """Return when the bot listens, as it does again after each death."""
        async with asyncio.timeout(_START_TIMEOUT_S):
            while not self._world.slack.open_sockets:
                await self.check()
                await asyncio.sleep(0.02)

    def steps_repeated(self) -> int:
        """The number of steps done again because of the deaths.

        Counts the requests that the stand-ins of model and Composio got word for word before.
        Repetitions in the bot's own toolkit and at real services are not counted.
        """
        if not self.deaths:
            return 0
        requests: list[str] = []
        if self._world.model:
            requests += [call.digest for call in self._world.model.calls]
        if self._world.composio:
            requests += map(str, self._world.composio.calls)
        return len(requests) - len(set(requests))
