"""The embedded world: all stand-ins on loopback, and the settings that lead the bot to them."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import yaml

from bot.manifest import manifest_text
from bot.sandbox import SandboxError
from bot.sandbox.composio import ComposioStandIn
from bot.sandbox.model import ModelStandIn, ReplyPace
from bot.sandbox.settings import SandboxSettings
from bot.sandbox.slack import SandboxClock, SlackStandIn
from bot.sandbox.slack.wire import JsonObject
from bot.sandbox.web import SmallWeb

ASKER = "ann"
"""The person who asks at the command line."""
PAGE_PORT = 8899
UNHURRIED = ReplyPace(first_token_s=0.4, tokens_per_s=150.0)
"""The pace for those who watch: progress is seen growing, and a report takes some seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxOptions:
    """The options of the command line."""

    asks: tuple[str, ...]
    out: Path | None
    web: Path | None
    as_json: bool
    first_token_s: float | None = None
    tokens_per_s: float | None = None
    """The stand-in model's pace; None: unhurried for the page, at once with asks."""
    port: int | None = None
    """Where to serve the page; None: at the usual port, and not at all when there are asks."""
    kill_at: tuple[str, ...] = ()
    """Events: the bot is killed at the first, then at the second, and so on."""
    clicks: tuple[str, ...] = ()
    """Names of buttons that the asker presses, one after another: each as soon as the bot waits for
    an approval or a connection, and those that are left after the asks."""
    moment: datetime | None = None
    """What time it is at the first ask, in the asker's zone; None for the machine's own time."""
    attached: tuple[Path, ...] = ()
    """Files that the asker attaches to the first ask."""
    until_posts: int = 0
    """How many posts of the bot outside of threads to wait for, while time is put forward."""

    def local_time(self, at_s: float) -> str:
        """A moment of the sandbox's clock, in the asker's zone."""
        zone = self.moment.tzinfo if self.moment else UTC
        return datetime.fromtimestamp(at_s, zone).isoformat(timespec="seconds")

    @property
    def page_port(self) -> int | None:
        """The port to try first; None when no page is wanted."""
        if self.port is None and self.asks:
            return None
        return PAGE_PORT if self.port is None else self.port

    @property
    def pace(self) -> ReplyPace:
        """The stand-in model's pace: as given, else unhurried where a person watches the page."""
        pace = ReplyPace() if self.asks else UNHURRIED
        if self.first_token_s is not None:
            pace = replace(pace, first_token_s=self.first_token_s)
        if self.tokens_per_s is not None:
            pace = replace(pace, tokens_per_s=self.tokens_per_s)
        return pace


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The services around the bot. A real service with a key replaces its stand-in."""

    slack: SlackStandIn
    web: SmallWeb
    model: ModelStandIn | None
    composio: ComposioStandIn | None
    environment: dict[str, str]
    """The bot's settings in this world, as environment variables."""


def read_manifest() -> JsonObject:
    """The manifest of the Slack app. Raises SandboxError where it is missing."""
    try:
        return yaml.load(manifest_text(), Loader=yaml.CSafeLoader)
    except FileNotFoundError as error:
        raise SandboxError(str(error)) from error


@asynccontextmanager
async def open_world(
    settings: SandboxSettings,
    *,
    workspaces_root: Path,
    web: Path | None,
    pace: ReplyPace,
    clock: SandboxClock | None = None,
) -> AsyncGenerator[World]:
    """Start the stand-ins on the time of `clock`; leaving the context stops them.

    Raises:
        NoPagesError: the folder `web` has no pages.
        SandboxError: there is no manifest to install the app from.
    """
    time = clock or SandboxClock()

    def now() -> datetime:
        return datetime.fromtimestamp(time.now(), UTC)

    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(
            SlackStandIn.installed_from(read_manifest(), clock=time)
        )

        def name(user_id: str) -> str | None:
            """The name of a `team:user` of this world."""
            user = slack.state.users.get(user_id.rpartition(":")[2])
            return user.name if user else None

        small_web = SmallWeb.builtin(clock=now) if web is None else SmallWeb.folder(web)
        pages = await stack.enter_async_context(small_web)
        environment = {
            "CONSOLE_PORT": "0",
            "WORKSPACES_ROOT": str(workspaces_root),
            **slack.environment,
            **pages.environment,
            **settings.model_keys,
            **settings.composio_keys,
        }
        model = None
        composio = None
        if not settings.model_keys:
            model = await stack.enter_async_context(ModelStandIn(pages=pages.ready, pace=pace))
            environment |= model.environment
        if not settings.composio_keys:
            standin = ComposioStandIn(pages.ready, clock=now, name=name)
            composio = await stack.enter_async_context(standin)
            environment |= composio.environment
        yield World(
            slack=slack,
            web=pages,
            model=model,
            composio=composio,
            environment=environment,
        )
