"""Everything outside of the bot for the crash harness, and the bot as a process that dies there."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bot.sandbox.child import BotProcess, start_bot
from bot.sandbox.composio import ComposioStandIn
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.slack.clock import SandboxClock
from bot.sandbox.web import SmallWeb
from tests.bench.crash_model import RehearsedModel

THINKING_S = 0.1
PATIENCE_S = 10.0
START_S = 60.0
SETTLE_S = 1.5
"""Longer than any request of the harness is on its way to its Slack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """The stand-ins, which outlive every bot."""

    slack: SlackStandIn
    model: RehearsedModel
    composio: ComposioStandIn
    web: SmallWeb
    root: Path

    def user_id(self, person: str) -> str:
        """By which Composio knows a person."""
        return f"{self.slack.team_id}:{self.slack.user_id(person)}"

    @property
    def environment(self) -> dict[str, str]:
        """What a bot is given to live in this world."""
        return {
            **self.slack.environment,
            **self.model.environment,
            **self.web.environment,
            **self.composio.environment,
            "SLACK_SETTLE_S": str(SETTLE_S),
            "WORKSPACES_ROOT": str(self.root),
            "CONSOLE_PORT": "0",
            "CRAWL_BROWSER": "off",
            "POLICY_FILE": str(_write_policy(self.root)),
        }


def _write_policy(root: Path) -> Path:
    """Errands are done without asking anybody: the harness looks at crashes, not at consent."""
    path = root / "policy.yaml"
    path.write_text(POLICY, encoding="utf-8")
    return path


POLICY = """
rules:
  - rule: errands of the harness
    tools: [ERRANDS_CREATE_ENTRY]
    verdict: allow
    even_when_tainted: true
"""


class HastyClock(SandboxClock):
    """The machine's clock, by which nobody waits longer than `PATIENCE_S`.

    So Slack delivers an event again after some seconds, and not after a minute and then five.
    """

    async def sleep_until(self, at_s: float) -> None:
        await super().sleep_until(min(at_s, self.now() + PATIENCE_S))


@asynccontextmanager
async def outside_world(root: Path) -> AsyncGenerator[Outside]:
    """All stand-ins, and no bot yet."""
    async with (
        SlackStandIn(rate_limits=False, clock=HastyClock()) as slack,
        RehearsedModel(first_token_s=THINKING_S) as model,
        SmallWeb.builtin() as web,
        ComposioStandIn(web.ready) as composio,
    ):
        yield Outside(slack=slack, model=model, composio=composio, web=web, root=root)


@dataclass(slots=True, kw_only=True)
class Life:
    """One run of the bot."""

    fault_point: str
    """Where it is to die by itself; empty where the harness kills it."""
    started_at: datetime
    died_at: datetime | None = None
    died_by_itself: bool = False


@dataclass(slots=True)
class Lives:
    """The bot, one process after another in one directory; all stay known."""

    outside: Outside
    all: list[Life] = field(default_factory=list[Life])
    _bot: BotProcess | None = None

    @property
    def deaths(self) -> list[Life]:
        return [life for life in self.all if life.died_at is not None]

    async def begin(self, fault_point: str = "") -> None:
        """Start the bot; returns when it listens, or has died at its point before that."""
        environment = {**self.outside.environment, "FAULT_AT": fault_point}
        self.all.append(Life(fault_point=fault_point, started_at=datetime.now(UTC)))
        self._bot = bot = await start_bot(environment, self.outside.root)
        async with asyncio.timeout(START_S):
            while not self.outside.slack.open_sockets and not bot.was_killed:
                bot.check()
                await asyncio.sleep(0.02)

    async def dies(self, within_s: float) -> bool:
        """Whether the bot dies at its fault point in time."""
        if self._bot is None:
            return False
        try:
            async with asyncio.timeout(within_s):
                await self._bot.ended()
        except TimeoutError:
            return False
        if not self._bot.was_killed:
            self._bot.check()
        await self._note_death(died_by_itself=True)
        return True

    async def kill(self) -> None:
        """Kill -9. Raises SandboxError if the bot has ended before."""
        if self._bot is not None:
            self._bot.check()
            self._bot.kill()
            await self._bot.ended()
            await self._note_death(died_by_itself=False)

    async def stop(self) -> None:
        """Let it end in order."""
        if self._bot is not None:
            await self._bot.stop()
            self._bot = None

    async def _note_death(self, *, died_by_itself: bool) -> None:
        life = self.all[-1]
        life.died_at, life.died_by_itself = datetime.now(UTC), died_by_itself
        await self.stop()


@asynccontextmanager
async def lives_in(outside: Outside) -> AsyncGenerator[Lives]:
    """A bot that is not begun yet; it is ended with the context."""
    lives = Lives(outside)
    try:
        yield lives
    finally:
        await lives.stop()
