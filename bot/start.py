"""`bot start`: checks the settings, runs the bot until it is told to stop."""

import asyncio
import logging
import signal

import typer
from pydantic import ValidationError

from agent_core import tracing
from agent_core.errors import AgentError
from agent_core.settings import CoreSettings
from bot.app import running_bot
from bot.settings import BotSettings
from bot.slack_api import OPEN_SOCKET, SlackAuthRefused, SlackError, SlackUnavailable

logger = logging.getLogger(__name__)

_HOW_TO_GET = {
    "SLACK_BOT_TOKEN": "create the app from manifest.yml at https://api.slack.com/apps, "
    "install it, and copy the “Bot User OAuth Token” (xoxb-…) from “OAuth & Permissions”",
    "SLACK_APP_TOKEN": "“Basic Information” of the same app, “App-Level Tokens”: generate one "
    "with the scope connections:write (xapp-…)",
    "ANTHROPIC_API_KEY": "https://platform.claude.com/settings/keys (or set ANTHROPIC_AUTH_TOKEN "
    "for a gateway, or ZAI_API_KEY for Z.AI)",
}


def missing_settings(settings: BotSettings, core: CoreSettings) -> list[str]:
    """The names of settings without which the bot cannot start."""
    present = {
        "SLACK_BOT_TOKEN": settings.slack_bot_token.get_secret_value(),
        "SLACK_APP_TOKEN": settings.slack_app_token.get_secret_value(),
        "ANTHROPIC_API_KEY": core.anthropic_api_key.get_secret_value() or core.bearer,
    }
    return [name for name, value in present.items() if not value]


def run_bot() -> int:
    """Run until SIGINT or SIGTERM. Returns the exit code."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    try:
        settings, core = BotSettings(), CoreSettings()
    except ValidationError as error:
        return _refuse(_explain(error))
    if missing := missing_settings(settings, core):
        lines = [f"  {name}: {_HOW_TO_GET[name]}" for name in missing]
        return _refuse(
            "The bot needs these settings (environment variables, or a file .env):",
            *lines,
            "To try it without any of them, run: bot sandbox",
        )
    tracing.configure(token=core.logfire_token.get_secret_value())
    try:
        asyncio.run(_serve(settings, core))
    except SlackUnavailable as error:
        address = settings.slack_api_url
        return _refuse(f"The bot cannot start: Slack does not answer at {address} ({error})")
    except SlackAuthRefused as error:
        name = "SLACK_APP_TOKEN" if error.method == OPEN_SOCKET else "SLACK_BOT_TOKEN"
        return _refuse(f"The bot cannot start: Slack refuses {name} ({error}): {_HOW_TO_GET[name]}")
    except (AgentError, SlackError) as error:
        return _refuse(f"The bot cannot start: {error}")
    return 0


async def _serve(settings: BotSettings, core: CoreSettings) -> None:
    """Listen until a signal comes; it ends a start that hangs, too."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    listening = asyncio.create_task(_listen(settings, core))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({listening, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not listening.done():
        logger.info("stopping; unfinished work goes on at the next start")
        listening.cancel()
        await asyncio.wait({listening})
    if not listening.cancelled():
        listening.result()


async def _listen(settings: BotSettings, core: CoreSettings) -> None:
    async with running_bot(settings, core):
        if not core.composio_api_key.get_secret_value():
            logger.warning("COMPOSIO_API_KEY is not set: there are no search and app tools")
        await asyncio.Event().wait()


def _explain(error: ValidationError) -> str:
    faults = [f"{'.'.join(map(str, f['loc'])).upper()}: {f['msg']}" for f in error.errors()]
    return "These settings are not right: " + "; ".join(faults)


def _refuse(*lines: str) -> int:
    for line in lines:
        typer.echo(line, err=True)
    return 2
