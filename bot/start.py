"""`bot start`: checks the settings, runs the bot until it is told to stop."""

import asyncio
import gc
import logging
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress

import typer

from agent_core.clock import WallClock
from agent_core.errors import AgentError, SettingsError
from agent_core.fault_points import arm
from agent_core.log_repeats import RepeatFilter
from agent_core.masking import MaskingFormatter, know, masked
from agent_core.operator import examine_database, examine_root
from agent_core.runtime import sole_process, unpriced_models
from agent_core.settings import (
    ClockSettings,
    CoreSettings,
    FaultSettings,
    named_variables,
    names_a_trace_collector,
    shared_accounts,
)
from bot.app import running_bot
from bot.settings import HOW_TO_GET, BotSettings, Configuration, read_configuration
from bot.slack_api import OPEN_SOCKET, SlackAuthRefused, SlackError, SlackUnavailable

logger = logging.getLogger(__name__)

DATABASE_PATIENCE_S = 60.0
"""How long a backup may keep the database locked while the bot starts."""

STOP_LIMIT_S = 18.0
"""A bot that was told to stop ends after this long, whatever still hangs: nothing is lost by it."""


def run_bot() -> int:
    """Run until SIGINT or SIGTERM. Returns the exit code: 2 when it could not start."""
    handler = logging.StreamHandler()
    handler.setFormatter(MaskingFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    handler.addFilter(RepeatFilter())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    try:
        configuration = read_configuration()
        know(configuration.secrets)
        arm(FaultSettings().fault_at)
    except SettingsError as error:
        return _refuse(str(error))
    if "DEFAULT_USER_ID" in named_variables():
        logger.warning("DEFAULT_USER_ID is ignored: each person acts with an account of their own")
    if lines := _what_is_not_right(configuration):
        return _refuse(*lines)
    settings, core = configuration.bot, configuration.core
    last_resort = threading.Timer(STOP_LIMIT_S, _end_now)
    last_resort.daemon = True
    try:
        _export_traces(core)
        asyncio.run(_serve(settings, core, on_stop=last_resort.start))
    except SlackUnavailable as error:
        address = settings.slack_api_url
        return _refuse(f"The bot cannot start: Slack does not answer at {address} ({error})")
    except SlackAuthRefused as error:
        name = "SLACK_APP_TOKEN" if error.method == OPEN_SOCKET else "SLACK_BOT_TOKEN"
        return _refuse(f"The bot cannot start: Slack refuses {name} ({error}): {HOW_TO_GET[name]}")
    except (AgentError, SlackError) as error:
        return _refuse(f"The bot cannot start: {error}")
    finally:
        last_resort.cancel()
    return 0


def _export_traces(core: CoreSettings) -> None:
    """Export traces where there is somewhere to send them. Raises SettingsError."""
    token = core.logfire_token.get_secret_value()
    if token or core.trace_file or names_a_trace_collector():
        from agent_core import trace_export

        trace_export.configure(
            token=token,
            with_content=core.trace_content,
            file=core.trace_file,
        )


def _what_is_not_right(configuration: Configuration) -> list[str]:
    """Everything that keeps the bot from starting, a line each; empty when nothing does."""
    lines: list[str] = []
    if configuration.faults:
        lines = ["These settings are not right:"]
        lines += [f"  {sentence}" for sentence in configuration.faults.values()]
    lines += [
        f"{name} is set: one account for everybody. Each person acts with an account of their own "
        "here; remove it."
        for name in shared_accounts()
    ]
    if configuration.missing:
        lines += ["The bot needs these settings (environment variables, or a file .env):"]
        lines += [f"  {name}: {how}" for name, how in configuration.missing.items()]
        lines += ["To try it without any of them, run: bot sandbox"]
    return lines


async def _serve(settings: BotSettings, core: CoreSettings, *, on_stop: Callable[[], None]) -> None:
    """Listen until a signal comes; it ends a start that hangs, too."""
    listening = asyncio.create_task(_listen(settings, core))

    def stop() -> None:
        if not listening.cancelling():
            logger.info("stopping; unfinished work goes on at the next start")
            on_stop()
            listening.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    with suppress(asyncio.CancelledError):
        await listening


async def _listen(settings: BotSettings, core: CoreSettings) -> None:
    await asyncio.to_thread(examine_root, core.workspaces_root, make=True)
    async with sole_process(core.state_url):
        await examine_database(core, patience_s=DATABASE_PATIENCE_S)
        shift_file = ClockSettings().shift_file
        if shift_file is not None:
            logger.warning("CLOCK_FILE is set: the time is what %s makes of it", shift_file)
        async with running_bot(settings, core, clock=WallClock(shift_file).now) as runtime:
            # What is loaded by now stays: a look of the garbage collector at all of it takes long.
            gc.collect()
            gc.freeze()
            runtime.warm_up()
            for model in unpriced_models(core):
                logger.warning("the price of %s is not known: no cap counts its calls", model)
            if not core.composio_api_key.get_secret_value():
                logger.warning("COMPOSIO_API_KEY is not set: there are no app tools")
            await asyncio.Event().wait()


def _end_now() -> None:
    """End without another look at what hangs; also where a thread or the loop itself does."""
    logger.error("stopping took longer than %g s and is cut off", STOP_LIMIT_S)
    logging.shutdown()
    os._exit(0)


def _refuse(*lines: str) -> int:
    for line in lines:
        typer.echo(masked(line), err=True)
    return 2
