"""`bot sandbox`: the real bot among stand-ins, driven by `--ask` or used through its page."""

import asyncio
import os
import signal
import socket
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryFile
from typing import Any

import typer
from rich.console import Console

from agent_core.ids import UserId
from agent_core.settings import CoreSettings
from bot.console.passes import HOME, Passes
from bot.sandbox import SandboxError
from bot.sandbox.child import BotLives
from bot.sandbox.loopback import LOOPBACK
from bot.sandbox.moments import SharedClock
from bot.sandbox.page import SandboxPage
from bot.sandbox.settings import SandboxSettings
from bot.sandbox.web import NoPagesError
from bot.sandbox.world import ASKER, SandboxOptions, World, open_world

_LEAD_IN_S = 45.0
"""The clock starts so long before its moment, for the bot's start."""
_SETTLE_S = 1.0
"""No request of a killed bot is longer on its way to the stand-in."""
_ROOT = Path("AGENT_RUN_WORKSPACES")
_INTERRUPTED = 130
"""The exit code of a run that a signal ended."""


def run_sandbox(options: SandboxOptions) -> int:
    """Run it and return the exit code."""
    try:
        return asyncio.run(_run(options))
    except (SandboxError, NoPagesError, TimeoutError) as error:
        typer.echo(f"The sandbox stopped: {error or type(error).__name__}", err=True)
        return 1
    except asyncio.CancelledError:
        return _INTERRUPTED


async def _run(options: SandboxOptions) -> int:
    """The bot starts as soon as the stand-ins run; the page does not wait for the bot."""
    _end_on_signals()
    directory = _new_directory()
    if options.out is not None:
        _make_writable(options.out)
    settings = SandboxSettings()
    clock = _clock(options, directory)
    async with AsyncExitStack() as stack:
        world = await stack.enter_async_context(
            open_world(
                settings,
                workspaces_root=directory,
                web=options.web,
                pace=options.pace,
                clock=clock,
            )
        )
        if options.moment is not None:
            world.slack.live_in(ASKER, str(options.moment.tzinfo))
        page = await _open_page(stack, world, options)
        environment = {**world.environment, "SLACK_SETTLE_S": str(_SETTLE_S)}
        if clock is not None:
            environment["CLOCK_FILE"] = str(clock.file)
        if page is not None:
            port = str(_free_port())
            environment |= {"CONSOLE_PORT": port, "CONSOLE_URL": f"http://{LOOPBACK}:{port}"}
            environment["CONSOLE_SECRET"] = token_hex(32)
        deliveries = world.slack.backend.sockets.may_begin
        deliveries.clear()  # events wait until the bot listens
        bot = await stack.enter_async_context(
            BotLives(
                world,
                environment,
                directory,
                list(options.kill_at),
            )
        )
        if page is not None:
            _announce(page, world, environment, directory, options)
        await _check_services(settings, options)
        if options.asks:
            # Its imports take a second, in which the bot starts beside it.
            await asyncio.to_thread(import_module, "bot.sandbox.driving")
        with Console(stderr=True).status("The bot is starting …"):
            await bot.connected()
        deliveries.set()
        if clock is not None and options.moment is not None:
            clock.jump_to(options.moment.timestamp())
        code = 0
        if options.asks:
            from bot.sandbox.driving import drive

            code = await drive(world, bot, options, directory, clock)
        if page is not None:
            typer.echo("The bot is connected.", err=options.as_json)
            await _until_stopped(bot)
    return code


async def _until_stopped(bot: BotLives) -> None:
    """Stay up until a signal comes."""
    with suppress(asyncio.CancelledError):
        while True:
            await bot.check()
            await asyncio.sleep(1.0)


def _end_on_signals() -> None:
    """Let Ctrl-C and SIGTERM cancel this task once: the bot must not stay behind."""
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()

    def end() -> None:
        if task is not None and not task.cancelling():
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)


def _new_directory() -> Path:
    """This run's own directory: workspaces, blacklist, database and log."""
    stamp = datetime.now(UTC).strftime("%Y%m%d_%H%M%S")
    directory = (_ROOT / f"sandbox_{stamp}_{os.getpid()}").resolve()
    _make_writable(directory)
    return directory


def _make_writable(directory: Path) -> None:
    """Make the directory where it is missing, and try it. Raises SandboxError."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise SandboxError(
            f"{directory} cannot be written ({error.strerror}); choose another directory."
        ) from error


async def _open_page(
    stack: AsyncExitStack, world: World, options: SandboxOptions
) -> SandboxPage | None:
    """The page at the port that was asked for, else at the usual one or any that is free.

    None where no page is wanted. Raises SandboxError for a given port that cannot be had.
    """
    port = options.page_port
    if port is None:
        return None
    try:
        return await stack.enter_async_context(SandboxPage(world.slack, port=port))
    except OSError as error:
        if options.port is not None:
            raise SandboxError(
                f"port {port} is taken or not allowed; choose another one with --port, "
                "or 0 for any that is free."
            ) from error
        typer.echo(f"Port {port} is taken, so the page is at another one.", err=True)
        return await stack.enter_async_context(SandboxPage(world.slack))


async def _check_services(settings: SandboxSettings, options: SandboxOptions) -> None:
    """Try the real services that are used in place of a stand-in, as `bot check` does.

    The page shows what the bot makes of a service that does not answer. Asks would only wait for
    it: for them, raises SandboxError with what to do.
    """
    keys = {**settings.model_keys, **settings.composio_keys}
    if not any(keys.values()):
        return
    from bot.operator.check import run_checks
    from bot.operator.services import service_checks

    given: dict[str, Any] = {name.lower(): value for name, value in keys.items()}
    checks = [check for check in service_checks(CoreSettings(**given)) if keys.keys() & check.needs]
    secrets = [value for name, value in keys.items() if name.endswith(("_KEY", "_TOKEN"))]
    with Console(stderr=True).status("Trying the services that have a key …"):
        findings = await run_checks(checks, faulty=(), secrets=secrets, report=lambda _: None)
    faults = [f"{each.title}: {each.text}" for each in findings if each.state == "wrong"]
    if faults and options.asks:
        raise SandboxError("\n".join(faults))
    for fault in faults:
        typer.echo(fault, err=True)


def _clock(options: SandboxOptions, directory: Path) -> SharedClock | None:
    """The clock that can jump forward; None where the machine's own will do."""
    if options.moment is not None:
        return SharedClock(directory / "clock", start_s=options.moment.timestamp() - _LEAD_IN_S)
    if options.until_posts:
        return SharedClock(directory / "clock", start_s=datetime.now(UTC).timestamp())
    return None


def _free_port() -> int:
    with socket.socket() as tried:
        tried.bind((LOOPBACK, 0))
        return int(tried.getsockname()[1])


def _live_view(world: World, environment: Mapping[str, str]) -> str:
    """The asker's link to the live view, as the bot would give it."""
    now = world.slack.state.clock.now
    passes = Passes(
        environment["CONSOLE_SECRET"].encode(), lambda: datetime.fromtimestamp(now(), UTC)
    )
    token = passes.link(UserId(f"{world.slack.team_id}:{world.slack.user_id(ASKER)}"), HOME)
    return f"{environment['CONSOLE_URL']}/enter?pass={token}"


def _announce(
    page: SandboxPage,
    world: World,
    environment: Mapping[str, str],
    directory: Path,
    options: SandboxOptions,
) -> None:
    """Print all addresses; with `--json` standard output is left to the object."""
    lines = [
        f"Open {page.url} in a browser and write to @{world.slack.state.bot.name} there.",
        f"Live view, as {ASKER} (once, within 10 minutes): {_live_view(world, environment)}",
        f"Slack's Web API: {world.slack.api_url}",
    ]
    if world.composio:
        lines.append(f"Mail that was sent: {world.composio.base_url}/mailbox")
    lines.append(f"Workspaces and log: {directory}")
    lines.append("Stop it with Ctrl-C.")
    for line in lines:
        typer.echo(line, err=options.as_json)
