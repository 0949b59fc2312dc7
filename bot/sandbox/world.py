"""The embedded world: all stand-ins on loopback, and the settings that lead the bot to them."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from agent_core.messages import JsonObject
from bot.sandbox.composio import ComposioStandIn
from bot.sandbox.manifest import read_manifest
from bot.sandbox.model import ModelStandIn, Pace
from bot.sandbox.settings import SandboxSettings
from bot.sandbox.slack import Clock, SlackStandIn, SystemClock
from bot.sandbox.web import SmallWeb

MODEL_KEY = "sandbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What is outside the bot. A real service that has a key takes the place of its stand-in."""

    slack: SlackStandIn
    manifest: JsonObject
    """Of the app that is installed in Slack."""
    web: SmallWeb
    model: ModelStandIn | None
    composio: ComposioStandIn | None
    environment: dict[str, str]
    """The bot's settings in this world, as environment variables."""


@asynccontextmanager
async def open_world(
    settings: SandboxSettings,
    *,
    workspaces_root: Path,
    web: Path | None,
    pace: Pace,
    clock: Clock | None = None,
) -> AsyncGenerator[World, None]:
    """Start the stand-ins, in which it is as late as `clock` says; leaving the context stops them.

    Raises:
        NoPagesError: the folder `web` has no pages.
        NoManifestError: there is no manifest to install the app from.
    """
    async with AsyncExitStack() as stack:
        manifest = read_manifest()
        clock = clock or SystemClock()
        now = partial(_moment, clock)
        slack = await stack.enter_async_context(SlackStandIn.installed_from(manifest, clock=clock))
        pages = await stack.enter_async_context(
            SmallWeb.builtin(clock=now) if web is None else SmallWeb.folder(web)
        )
        model = composio = None
        if not settings.model_keys:
            model = await stack.enter_async_context(ModelStandIn(pages=pages.ready, pace=pace))
        if not settings.composio_keys:
            composio = await stack.enter_async_context(
                ComposioStandIn(pages.ready, clock=now, name=partial(_name_person, slack))
            )
        environment = {
            "SLACK_BOT_TOKEN": slack.bot_token,
            "SLACK_APP_TOKEN": slack.app_token,
            "SLACK_API_URL": slack.api_url,
            "CONSOLE_PORT": "0",
            "WORKSPACES_ROOT": str(workspaces_root),
            "CRAWL_ALLOW": pages.crawl_allow,
            "CRAWL_CONNECT": pages.crawl_connect,
            **_model_settings(settings, model),
            **_composio_settings(settings, composio),
        }
        yield World(
            slack=slack,
            manifest=manifest,
            web=pages,
            model=model,
            composio=composio,
            environment=environment,
        )


def _moment(clock: Clock) -> datetime:
    return datetime.fromtimestamp(clock.now(), UTC)


def _name_person(slack: SlackStandIn, user_id: str) -> str | None:
    """The name of a `team:user` of this world."""
    user = user_id.rpartition(":")[2]
    return next((name for name, known in slack.users.items() if known == user), None)


def _model_settings(settings: SandboxSettings, model: ModelStandIn | None) -> dict[str, str]:
    if model is None:
        return settings.model_keys
    return {
        "ANTHROPIC_API_KEY": MODEL_KEY,
        "ANTHROPIC_AUTH_TOKEN": "",
        "ZAI_API_KEY": "",
        "ANTHROPIC_BASE_URL": model.base_url,
    }


def _composio_settings(
    settings: SandboxSettings, composio: ComposioStandIn | None
) -> dict[str, str]:
    if composio is None:
        return settings.composio_keys
    return {"COMPOSIO_API_KEY": composio.api_key, "COMPOSIO_BASE_URL": composio.base_url}
