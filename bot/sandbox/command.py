"""`bot sandbox`: the real bot among stand-ins, driven by `--ask` or used through its page."""

import asyncio
import json
import os
import signal
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import typer

from agent_core.ids import TurnId
from agent_core.messages import JsonObject
from bot.sandbox.child import BotDiedError, BotLives, bot_lives
from bot.sandbox.display import Display, show_starting
from bot.sandbox.kills import Deaths, fault_point_of
from bot.sandbox.manifest import NoManifestError
from bot.sandbox.model import Pace
from bot.sandbox.page import NoPortError, Page
from bot.sandbox.settings import SandboxSettings
from bot.sandbox.slack.records import Post
from bot.sandbox.watch import NoTurnError, Watch, WatchedTurn
from bot.sandbox.web import NoPagesError
from bot.sandbox.world import World, open_world

ASKER = "ann"
CHANNEL = "general"
START_TIMEOUT_S = 90.0
TURN_TIMEOUT_S = 1800.0
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


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What a driven sandbox came to."""

    turns: list[WatchedTurn] = field(default_factory=list[WatchedTurn])
    posts: list[Post] = field(default_factory=list[Post])
    files: list[JsonObject] = field(default_factory=list[JsonObject])
    workspace: Path | None = None
    restarts: int = 0
    steps_repeated: int = 0
    never_came: tuple[str, ...] = ()
    """Events that the bot was to be killed at and that did not come."""

    def as_json(self) -> JsonObject:
        return {
            "turns": [turn.as_json() for turn in self.turns],
            "posts": [
                {
                    "ts": post.ts,
                    "thread_ts": post.root_ts,
                    "user": post.user,
                    "text": post.text,
                }
                for post in self.posts
            ],
            "files": self.files,
            "workspace": str(self.workspace) if self.workspace else None,
            "restarts": self.restarts,
            "steps_repeated": self.steps_repeated,
            "never_came": list(self.never_came),
        }


def run_sandbox(options: SandboxOptions) -> int:
    """Run it and return the exit code."""
    try:
        return asyncio.run(_run(options))
    except (
        NoManifestError,
        NoPagesError,
        NoPortError,
        NoTurnError,
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
    async with AsyncExitStack() as stack:
        world = await stack.enter_async_context(
            open_world(
                SandboxSettings(), workspaces_root=directory, web=options.web, pace=options.pace
            )
        )
        page = None if options.page_port is None else _page(world, options.page_port)
        deaths = Deaths(world)
        bot = await stack.enter_async_context(
            bot_lives(
                {**world.environment, "SLACK_SETTLE_S": str(SETTLE_S)},
                directory,
                fault_points=[fault_point_of(kind) for kind in options.kill_at],
                on_restart=deaths.note,
            )
        )
        with show_starting():
            await _until_connected(world, bot)
        if page is not None:
            _announce(await stack.enter_async_context(page), world, directory, options)
        code = await _ask(world, bot, options, directory, deaths) if options.asks else 0
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
        shortcuts=features.get("shortcuts", ()),
    )


def _announce(page: Page, world: World, directory: Path, options: SandboxOptions) -> None:
    """Where everything is; beside `--json`, standard output is left to the object."""
    wanted = options.page_port
    is_other = bool(wanted) and f":{wanted}/" not in page.url
    lines = (
        f"Open {page.url} in a browser and write to @{world.slack.state.team.bot.name} there.",
        *([f"Port {wanted} is taken, so it is the next free one."] if is_other else []),
        f"Slack's Web API: {world.slack.api_url}",
        f"Workspaces and log: {directory}",
        "Stop it with Ctrl-C.",
    )
    for line in lines:
        typer.echo(line, err=options.as_json)


async def _ask(
    world: World, bot: BotLives, options: SandboxOptions, directory: Path, deaths: Deaths
) -> int:
    async with Display(world.slack, quiet=options.as_json):
        outcome = await _drive(world, bot, options, directory)
    outcome.restarts, outcome.steps_repeated = len(deaths.kinds), deaths.steps_repeated()
    outcome.never_came = options.kill_at[outcome.restarts :]
    if options.as_json:
        typer.echo(json.dumps(outcome.as_json(), ensure_ascii=False, indent=2))
    else:
        _tell(outcome, deaths)
    last = outcome.turns[-1]
    if last.outcome == "failed":
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


async def _drive(world: World, bot: BotLives, options: SandboxOptions, directory: Path) -> Outcome:
    outcome = Outcome()
    watch = Watch(directory)
    root_ts: str | None = None
    try:
        for ask in options.asks:
            await _until_connected(world, bot)
            ts = await _say(world, ask, root_ts)
            root_ts = root_ts or ts
            channel = world.slack.channels[CHANNEL]
            turn_id = TurnId(f"turn:{world.slack.team_id}:{channel}:{ts}")
            turn = await watch.ended(turn_id, timeout_s=TURN_TIMEOUT_S, check=bot.check)
            outcome.turns.append(turn)
            outcome.workspace = await watch.workspace(turn.turn)
    finally:
        await watch.close()
    outcome.posts = world.slack.thread(CHANNEL, root_ts or "")
    outcome.files = _save_files(world, options.out or directory / "files")
    return outcome


async def _say(world: World, ask: str, root_ts: str | None) -> str:
    """The first ask mentions the bot; further ones are replies in the thread."""
    text = world.slack.typed(ask)
    if root_ts is None:
        text = f"{world.slack.mention} {text}"
    return await world.slack.say(ASKER, CHANNEL, text, thread_ts=root_ts)


def _save_files(world: World, directory: Path) -> list[JsonObject]:
    saved: list[JsonObject] = []
    for file in world.slack.files:
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / (Path(file.name).name or file.id)
        path.write_bytes(file.content)
        saved.append(
            {
                "name": file.name,
                "path": str(path),
                "bytes": len(file.content),
                "mimetype": file.mimetype,
            }
        )
    return saved
