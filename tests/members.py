"""Several processes of the real bot: one Postgres database, one directory of workspaces."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.sandbox.child import BotProcess, start_bot
from tests.faulty_slack import FaultySlack

START_S = 60.0
WORKSPACES = "workspaces"


@dataclass(slots=True, kw_only=True)
class Members:
    """The bots that run, by their process ids. Each has a directory of its own for its log."""

    slack: FaultySlack
    environment: Mapping[str, str]
    root: Path
    running: dict[int, BotProcess] = field(default_factory=dict[int, BotProcess])
    _begun: int = 0

    async def begin(self, count: int = 1) -> list[int]:
        """Start so many side by side; returns their process ids when Slack has their sockets."""
        wanted = self.slack.open_sockets + count
        begun = [await self._start() for _ in range(count)]
        async with asyncio.timeout(START_S):
            while self.slack.open_sockets < wanted:
                self.check()
                await asyncio.sleep(0.02)
        return begun

    def check(self) -> None:
        """Raise SandboxError if one has ended by itself."""
        for bot in self.running.values():
            bot.check()

    async def kill(self, pid: int) -> None:
        """Kill -9, and what it has started with it."""
        bot = self.running.pop(pid)
        bot.kill()
        await bot.ended()
        await bot.stop()

    async def stop(self, pid: int) -> None:
        """SIGTERM; returns when it has ended."""
        await self.running.pop(pid).stop()

    def other_than(self, pid: int) -> int:
        """One that runs beside this one."""
        return next(other for other in self.running if other != pid)

    async def _start(self) -> int:
        self._begun += 1
        directory = self.root / f"bot{self._begun}"
        directory.mkdir(parents=True)
        bot = await start_bot(self.environment, directory)
        self.running[bot.pid] = bot
        return bot.pid


@asynccontextmanager
async def members_on(
    postgres_url: str, slack: FaultySlack, root: Path, environment: Mapping[str, str]
) -> AsyncGenerator[Members]:
    """No bot yet; all that are begun are ended with the context.

    Args:
        postgres_url: The database that they share.
        slack: Where they listen.
        root: Their workspaces and logs are below it.
        environment: What else they are told.
    """
    workspaces = root / WORKSPACES
    workspaces.mkdir(parents=True)
    told = {"DATABASE_URL": postgres_url, "WORKSPACES_ROOT": str(workspaces), "CONSOLE_PORT": "0"}
    told = {**environment, **slack.environment, **told}
    members = Members(slack=slack, environment=told, root=root)
    try:
        yield members
    finally:
        async with asyncio.TaskGroup() as group:
            for pid in tuple(members.running):
                group.create_task(members.stop(pid))
