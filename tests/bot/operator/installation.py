"""An installation whose outside is stand-ins, and its checks one by one."""

import socket
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from agent_core.settings import CoreSettings
from bot.operator import Finding
from bot.operator.check import all_checks, run_checks
from bot.operator.services import AGENT_VIEW
from bot.sandbox.composio import ComposioStandIn
from bot.sandbox.model import ReplyText
from bot.sandbox.slack import App
from bot.settings import BotSettings, Configuration
from bot.slack_api.calls import TABLE
from tests.e2e.world import settings_of
from tests.faulty_slack import FaultySlack
from tests.scripted_stand_in import ScriptedStandIn

KEY = "sk-ant-hush-hush-hush"
LIMIT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    slack: FaultySlack
    model: ScriptedStandIn
    composio: ComposioStandIn
    root: Path

    def bot(self, **changed: object) -> BotSettings:
        return settings_of(BotSettings, self.slack.environment, **changed)

    def core(self) -> CoreSettings:
        return settings_of(CoreSettings, self.environment())

    def environment(self) -> dict[str, str]:
        """The same for a process."""
        root = {"WORKSPACES_ROOT": str(self.root), "ANTHROPIC_API_KEY": KEY}
        services = self.model.environment | self.composio.environment
        return self.slack.environment | services | root


@asynccontextmanager
async def installed(
    root: Path, *, scopes: Sequence[str] = (*TABLE.scopes, AGENT_VIEW)
) -> AsyncGenerator[Installation]:
    async with (
        FaultySlack(App(scopes=scopes)) as slack,
        ScriptedStandIn() as model,
        ComposioStandIn() as composio,
    ):
        model.play(ReplyText(text="OK"), times=20)
        yield Installation(slack=slack, model=model, composio=composio, root=root)


@contextmanager
def nobody() -> Generator[str]:
    """An address that refuses connections; its port is held, so that nobody else can take it."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


async def checked(
    title: str, *, bot: BotSettings | None = None, core: CoreSettings | None = None
) -> Finding:
    """What one check finds."""
    configuration = Configuration(bot=bot or BotSettings(), core=core or CoreSettings(), faults={})
    [check] = [each for each in all_checks(configuration) if each.title == title]
    [finding] = await run_checks(
        [check], faulty=(), secrets=configuration.secrets, report=lambda _: None, limit_s=LIMIT_S
    )
    return finding
