"""`bot sandbox`: the real bot among stand-ins, driven by `--ask` or used through its page."""

import asyncio
import json
import os
import signal
from collections import deque
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import typer

from bot.sandbox.child import BotDiedError, BotLives, bot_lives
from bot.sandbox.display import Display, show_starting
from bot.sandbox.driving import ASKER, Driver
from bot.sandbox.kills import Deaths, fault_point_of
from bot.sandbox.manifest import NoManifestError
from bot.sandbox.model import Pace
from bot.sandbox.moments import Moment, SharedClock
from bot.sandbox.outcome import Outcome
from bot.sandbox.page import NoPortError, Page
from bot.sandbox.presses import NoButtonError
from bot.sandbox.settings import SandboxSettings
from bot.sandbox.timelapse import NothingDueError, Timelapse
from bot.sandbox.watch import NoTurnError, Watch
from bot.sandbox.web import NoPagesError
from bot.sandbox.world import World, open_world

START_TIMEOUT_S = 90.0
LEAD_IN_S = 45.0
"""How long before its moment the sandbox's time begins: the bot starts meanwhile."""
SETTLE_S = 1.0
"""Nothing is longer on its way to the stand-in after the bot was killed."""
ROOT = Path("AGENT_RUN_WORKSPACES")
PAGE_PORT = 8899
UNHURRIED = Pace(first_token_s=0.4, tokens_per_s=150.0)
"""The pace for those who watch: progress is seen growing, and a report takes some seconds."""
INTERRUPTED = 130
"""The exit code of what a signal ended before it was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxOptions:
    """What the command line asked for."""

    asks: tuple[str, ...]
    out: Path | None
    web: Path | None
    as_json: bool
    first_token_s: float | None = None
    """How long the stand-in model thinks; None: a little for the page, not at all with asks."""
    tokens_per_s: float | None = None
    """How fast it writes; 0: as fast as it can; None: unhurried for the page alone."""
    port: int | None = None
    """Where to serve the page; None: at the usual port, and not at all when there are asks."""
    kill_at: tuple[str, ...] = ()
    """Kinds of events: the bot is killed when the first comes, then at the second, and so on."""
    clicks: tuple[str, ...] = ()
    """Names of buttons that the asker presses, one after another: each as soon as the bot waits for
    an approval or a connection, and those that are left after the asks."""
    moment: Moment | None = None
    """What time it is at the first ask; None for the machine's own time."""
    until_posts: int = 0
    """How many posts of the bot outside of threads to wait for, while time is put forward."""

    @property
    def page_port(self) -> int | None:
        """The port to try first; None when no page is wanted."""
        if self.port is None and self.asks:
            return None
        return PAGE_PORT if self.port is None else self.port

    @property
    def pace(self) -> Pace:
        """The stand-in model's: as given, else unhurried where a person watches the page."""
        usual = Pace() if self.asks else UNHURRIED
        first_token_s, tokens_per_s = self.first_token_s, self.tokens_per_s
        return Pace(
            first_token_s=usual.first_token_s if first_token_s is None else first_token_s,
            tokens_per_s=usual.tokens_per_s if tokens_per_s is None else tokens_per_s or None,
        )


def run_sandbox(options: SandboxOptions) -> int:
    """Run it and return the exit code."""
    try:
        return asyncio.run(_run(options))
    except (
        NoManifestError,
        NoPagesError,
        NoPortError,
        NoTurnError,
        NoButtonError,
        NothingDueError,
        BotDiedError,
        TimeoutError,
    ) as error:
        typer.echo(f"The sandbox stopped: {error or type(error).__name__}", err=True)
        return 1
    except asyncio.CancelledError:
        return INTERRUPTED


async def _run(options: SandboxOptions) -> int:
    _end_on_signals()
    directory = _new_directory()
    clock = _clock(options, directory)
    async with AsyncExitStack() as stack:
        world = await stack.enter_async_context(
            open_world(
                SandboxSettings(),
                workspaces_root=directory,
                web=options.web,
                pace=options.pace,
                clock=clock,
            )
        )
        if options.moment is not None:
            world.slack.live_in(ASKER, options.moment.zone)
        page = None if options.page_port is None else _page(world, options.page_port)
        deaths = Deaths(world)
        bot = await stack.enter_async_context(
            bot_lives(
                {**world.environment, **_clock_setting(clock), "SLACK_SETTLE_S": str(SETTLE_S)},
                directory,
                fault_points=[fault_point_of(kind) for kind in options.kill_at],
                on_restart=deaths.note,
            )
        )
        with show_starting():
            await _until_connected(world, bot)
        if clock is not None and options.moment is not None:
            clock.jump_to(options.moment.at_s)
        if page is not None:
            _announce(await stack.enter_async_context(page), world, directory, options)
        code = 0
        if options.asks:
            code = await _ask(world, bot, options, directory, clock, deaths)
        if page is not None:
            await _until_stopped(bot)
    return code


def _end_on_signals() -> None:
    """Let Ctrl-C and SIGTERM end this task once, in order: the bot must not stay behind."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()

    def end() -> None:
        if task is not None and not task.cancelling():
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)


def _page(world: World, port: int) -> Page:
    features = world.manifest["features"]
    return Page(
        world.slack,
        port=port,
        commands=features.get("slash_commands", ()),
    )


def _announce(page: Page, world: World, directory: Path, options: SandboxOptions) -> None:
    """Where everything is; beside `--json`, standard output is left to the object."""
    wanted = options.page_port
    is_other = bool(wanted) and f":{wanted}/" not in page.url
    lines = (
        f"Open {page.url} in a browser and write to @{world.slack.state.team.bot.name} there.",
        *([f"Port {wanted} is taken, so it is the next free one."] if is_other else []),
        f"Slack's Web API: {world.slack.api_url}",
        *([f"Mail that was sent: {world.composio.base_url}/mailbox"] if world.composio else []),
        f"Workspaces and log: {directory}",
        "Stop it with Ctrl-C.",
    )
    for line in lines:
        typer.echo(line, err=options.as_json)


async def _ask(
    world: World,
    bot: BotLives,
    options: SandboxOptions,
    directory: Path,
    clock: SharedClock | None,
    deaths: Deaths,
) -> int:
    async with Display(world.slack, quiet=options.as_json):
        outcome = await _drive(world, bot, options, directory, clock)
    outcome.restarts, outcome.steps_repeated = len(deaths.kinds), deaths.steps_repeated()
    outcome.never_came = options.kill_at[outcome.restarts :]
    outcome.effects = world.composio.effects if world.composio else None
    if options.as_json:
        typer.echo(json.dumps(outcome.as_json(), ensure_ascii=False, indent=2))
    else:
        _tell(outcome, deaths)
    if outcome.turns and (last := outcome.turns[-1]).outcome == "failed":
        typer.echo(f"The last turn failed: {last.turn.answer}", err=True)
        return 1
    return 0


def _tell(outcome: Outcome, deaths: Deaths) -> None:
    """What the posts of the thread have not told."""
    if outcome.workspace is not None:
        typer.echo(f"workspace: {outcome.workspace}")
    if deaths.kinds:
        typer.echo(
            f"killed at {', '.join(deaths.kinds)} and started again; "
            f"steps done again: {outcome.steps_repeated}"
        )
    if outcome.never_came:
        typer.echo(f"not killed, for they never came: {', '.join(outcome.never_came)}")


def _new_directory() -> Path:
    """A directory of this run's own: workspaces, blacklist, database and log."""
    stamp = datetime.now(UTC).strftime("%Y%m%d_%H%M%S")
    directory = (ROOT / f"sandbox_{stamp}_{os.getpid()}").resolve()
    directory.mkdir(parents=True)
    return directory


def _clock(options: SandboxOptions, directory: Path) -> SharedClock | None:
    """The clock that can be put forward; None where the machine's own will do."""
    if options.moment is not None:
        return SharedClock(directory / "clock", start_s=options.moment.at_s - LEAD_IN_S)
    if options.until_posts:
        return SharedClock(directory / "clock", start_s=datetime.now(UTC).timestamp())
    return None


def _clock_setting(clock: SharedClock | None) -> dict[str, str]:
    return {} if clock is None else {"CLOCK_FILE": str(clock.file)}


async def _until_connected(world: World, bot: BotLives) -> None:
    async with asyncio.timeout(START_TIMEOUT_S):
        while not world.slack.open_sockets:
            await bot.check()
            await asyncio.sleep(0.02)


async def _until_stopped(bot: BotLives) -> None:
    """Stay up until a signal comes, which is how this is meant to end."""
    with suppress(asyncio.CancelledError):
        while True:
            await bot.check()
            await asyncio.sleep(1.0)


async def _drive(
    world: World,
    bot: BotLives,
    options: SandboxOptions,
    directory: Path,
    clock: SharedClock | None,
) -> Outcome:
    """All asks, with clicks where the bot waits for them; the other clicks; the wait for posts."""
    moment = options.moment or Moment(at=datetime.now(UTC))
    watch = Watch(directory, bot.check)
    driver = Driver(world.slack, watch, be_connected=partial(_until_connected, world, bot))
    try:
        clicks = deque(options.clicks)
        for ask in options.asks:
            await driver.ask(ask, clicks)
        while clicks:
            await driver.click(clicks.popleft())
        if clock is not None and options.until_posts:
            timelapse = Timelapse(clock, watch, count=lambda: len(driver.roots()), told=moment.told)
            await timelapse.until_posts(options.until_posts)
    finally:
        await watch.close()
    return driver.close(files=options.out or directory / "files", told=moment.told)
