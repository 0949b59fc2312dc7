"""A person who asks, presses and waits, as the command line says."""

import json
import re
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text

from agent_core.ids import TurnId, turn_of
from agent_core.messages import JsonObject
from bot.inbound import plain_text
from bot.render import all_live, as_text
from bot.sandbox import SandboxError
from bot.sandbox.child import BotLives
from bot.sandbox.composio import AppExecution, ComposioStandIn
from bot.sandbox.moments import SharedClock
from bot.sandbox.slack import File, Post, SlackStandIn
from bot.sandbox.slack.blocks import elements_in
from bot.sandbox.slack.state import TeamChange
from bot.sandbox.slack.wire import texts_in
from bot.sandbox.watch import Watch, WatchedTurn
from bot.sandbox.world import ASKER, SandboxOptions, World

_CHANNEL = "general"
_BUTTON_TIMEOUT_S = 60.0
_CONSENTS = frozenset({"connect", "approve", "reject", "skip"})
"""Buttons that are only there while a turn waits for them."""
_CONNECT = "connect"
"""A name for everything that connecting takes."""
_REJECT = "reject"
_FORM_TIMEOUT_S = 5.0

_MARK = re.compile(r"<[^<>|]*\|(\[\d+\])>")
"""A mark of a source, which the line below an answer names with its address."""


def post_json(post: Post) -> JsonObject:
    """A post of the thread, with the only person who sees it, if it is ephemeral."""
    return {
        "ts": post.ts,
        "thread_ts": post.root_ts,
        "user": post.user,
        "only_for": post.ephemeral_to,
        "text": post.text,
        "blocks_text": "\n".join(texts_in(post.blocks)),
    }


def effect_json(effect: AppExecution) -> JsonObject:
    """A change made through the Composio stand-in, and the account that it used."""
    return {
        "for": effect.user_id,
        "tool": effect.slug,
        "account": effect.identity,
        "account_of": effect.account_user_id,
        "arguments": dict(effect.arguments),
        "at": effect.at.isoformat(),
    }


def save_files(files: Sequence[File], directory: Path) -> dict[str, JsonObject]:
    """Write the files below their own names; returns their entries by Slack's id.

    Of two files with one name both are kept.
    """
    saved: dict[str, JsonObject] = {}
    for file in files:
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / (Path(file.name).name or file.id)
        if str(path) in {entry["path"] for entry in saved.values()}:
            path = path.with_stem(f"{path.stem} ({file.id})")
        path.write_bytes(file.content)
        saved[file.id] = {
            "name": file.name,
            "path": str(path),
            "bytes": len(file.content),
            "mimetype": file.mimetype,
        }
    return saved


class NoButtonError(SandboxError):
    """A press was not possible or had no effect; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostButton:
    """A button of a post; equal to the same button in a later version of its post."""

    channel: str
    ts: str
    block_id: str
    action_id: str
    label: str
    url: str
    """The address of a link button; else empty."""
    only_for: str | None
    """The only person who sees the post, if it is ephemeral."""

    def is_called(self, name: str) -> bool:
        """Whether the action id ends with the name, or the label is the name."""
        wanted = name.strip().casefold()
        return self.action_id.casefold().endswith(wanted) or self.label.casefold() == wanted

    def __str__(self) -> str:
        return f"{self.label!r} ({self.action_id})"


def find_buttons(slack: SlackStandIn, user: str) -> list[PostButton]:
    """The buttons in the bot's posts that a person sees, newest post first."""
    person = slack.user_id(user)
    posts: list[Post] = []
    for channel in slack.state.channels.values():
        if person in channel.members:
            posts += slack.posts(channel.id)
    posts.sort(key=lambda post: post.ts, reverse=True)
    visible = [post for post in posts if post.ephemeral_to in (None, person)]
    return [
        PostButton(
            channel=post.channel,
            ts=post.ts,
            block_id=block["block_id"],
            action_id=element["action_id"],
            label=element["text"]["text"],
            url=element.get("url", ""),
            only_for=post.ephemeral_to,
        )
        for post in visible
        for block in post.blocks
        for element in elements_in(block)
        if post.user == slack.bot_user_id and element["type"] == "button"
    ]


def find_own_links(slack: SlackStandIn, user: str) -> list[str]:
    """The addresses of link buttons in the newest ephemeral post for this person."""
    links = [button for button in find_buttons(slack, user) if button.url and button.only_for]
    return [link.url for link in links if link.ts == links[0].ts]


async def press(slack: SlackStandIn, user: str, button: PostButton) -> None:
    """A person presses a button.

    Raises NoButtonError where the bot did not acknowledge it, so the person sees a warning sign.
    """
    delivery = await slack.click(
        user,
        button.channel,
        button.ts,
        button.action_id,
        block_id=button.block_id,
    )
    if delivery.acked_at_s is None:
        raise NoButtonError(f"The bot did not acknowledge that {button} was pressed.")


@dataclass(slots=True)
class Driver:
    """Acts as one person in one thread."""

    _slack: SlackStandIn
    _watch: Watch
    _be_connected: Callable[[], Awaitable[None]]
    """Returns when the bot listens."""
    _composio: ComposioStandIn | None
    _button_timeout_s: float = _BUTTON_TIMEOUT_S
    turns: dict[TurnId, WatchedTurn] = field(default_factory=dict[TurnId, WatchedTurn])
    """In the order of their beginning."""
    root_ts: str = ""
    """Of the thread, once it was begun."""
    _pressed: set[PostButton] = field(default_factory=set[PostButton])
    _followed: set[str] = field(default_factory=set[str])
    _seen_to: set[str] = field(default_factory=set[str])
    _asked_ts: str = ""
    _offered: set[PostButton] = field(default_factory=set[PostButton])
    """The buttons of before the last ask; one goes away where its card is agreed to in words."""

    async def ask(self, text: str, clicks: deque[str], attached: Sequence[Path] = ()) -> None:
        """Mention the bot, or later reply in the thread, and wait until it has answered.

        Where the bot waits for an approval or a connection meanwhile, the next of `clicks` is
        pressed and taken off; where it waits for a question's answer, an option of that name.
        Returns without one. Raises NoTurnError where the bot does not answer, NoButtonError where
        no button of that name comes in time.
        """
        await self._be_connected()
        text = self._slack.typed(text)
        if not self.root_ts:
            text = f"{self._slack.mention} {text}"
        self._offered = set(find_buttons(self._slack, ASKER))
        self._asked_ts = await self._slack.say(
            ASKER,
            _CHANNEL,
            text,
            thread_ts=self.root_ts or None,
            files=[(file.name, file.read_bytes(), None) for file in attached],
        )
        if not self.root_ts:
            self.root_ts = self._asked_ts
        waiting = [id for id, turn in self.turns.items() if turn.outcome == "waiting"]
        channel_id = self._slack.channels[_CHANNEL]
        asked = turn_of(f"{self._slack.team_id}:{channel_id}:{self._asked_ts}")
        for turn_id in (asked, *waiting):
            await self._follow(turn_id, clicks)

    @property
    def has_ended(self) -> bool:
        """Whether there were turns, and none of them waits for a person."""
        outcomes = [turn.outcome for turn in self.turns.values()]
        return bool(outcomes) and "waiting" not in outcomes

    async def click(self, name: str) -> None:
        """Press a button that was not pressed yet, as soon as it is there; then let the bot work.

        Raises NoButtonError where none of this name comes in time, or the bot does not listen.
        """
        await self._press(name)
        await self._watch.rest()

    async def _follow(self, turn_id: TurnId, clicks: deque[str]) -> None:
        """Press until the turn has ended, or waits for something that no click does."""

        def is_answered() -> bool:
            thread = self._slack.thread(_CHANNEL, self.root_ts)
            is_agreed = not self._offered.issubset(find_buttons(self._slack, ASKER))
            return is_agreed or any(map(self._is_new, thread))

        while True:
            turn = await self._watch.ended(turn_id, is_answered=is_answered, seen_to=self._seen_to)
            if turn is None:
                return
            wait = turn.turn.wait
            is_stuck = not turn.asks or not clicks
            # A question takes only its own options; the other waits take any click.
            if wait is not None and wait.kind == "question" and not is_stuck:
                is_stuck = not self._fitting(clicks[0])
            if is_stuck:
                self.turns[turn_id] = turn
                return
            await self._press(clicks.popleft())
            self._seen_to.add(turn.asks)

    async def _press(self, name: str) -> None:
        """Press a button and send off the form that it opens; or follow a connect link."""
        if name.strip().casefold() == _CONNECT:
            await self._connect()
            return
        button = await self._button(name)
        await self._be_connected()
        await press(self._slack, ASKER, button)
        self._pressed.add(button)
        if button.is_called(_REJECT):
            await self._reject()

    async def _connect(self) -> None:
        """Agree behind the links that only the asker sees."""

        def fresh() -> set[str]:
            return set(find_own_links(self._slack, ASKER)) - self._followed

        links = await self._watch.found(fresh, timeout_s=self._button_timeout_s)
        if not links:
            raise NoButtonError(f"No link came within {self._button_timeout_s:g} s.")
        for link in links:
            self._followed.add(link)
            if self._composio is None:  # only a person in a browser can agree with the real service
                raise NoButtonError(f"Nobody here can agree behind the link {link}")
            self._composio.follow_link(link)

    async def _reject(self) -> None:
        """Reject without a reason. Where no form comes, the press alone has rejected."""
        views = self._slack.backend.views
        person = self._slack.user_id(ASKER)
        modal = await self._watch.found(lambda: views.modal_of(person), timeout_s=_FORM_TIMEOUT_S)
        if modal:
            await self._slack.submit_view(ASKER, modal.id, {"reason": ""})

    def roots(self) -> list[Post]:
        """The bot's posts in channels, outside of threads, since the last ask, oldest first."""
        roots: list[Post] = []
        for channel in self._slack.state.channels.values():
            if not channel.is_direct:
                roots += self._slack.state.posts_of(channel.id)
        roots = [post for post in roots if self._is_new(post) and not post.is_reply]
        return sorted(roots, key=lambda post: post.ts)

    def _is_new(self, post: Post) -> bool:
        """Whether the bot wrote this post since the last ask."""
        return post.user == self._slack.bot_user_id and post.ts > self._asked_ts

    def _fitting(self, name: str) -> list[PostButton]:
        """The buttons of this name that were not pressed yet."""
        buttons = find_buttons(self._slack, ASKER)
        return [
            button for button in buttons if button.is_called(name) and button not in self._pressed
        ]

    async def _button(self, name: str) -> PostButton:
        buttons = await self._watch.found(
            lambda: self._fitting(name), timeout_s=self._button_timeout_s
        )
        if buttons:
            return buttons[0]
        labels = dict.fromkeys(str(button) for button in find_buttons(self._slack, ASKER))
        raise NoButtonError(
            f"No button {name} came within {self._button_timeout_s:g} s. "
            f"These are there: {', '.join(labels) or 'none'}."
        )


@contextmanager
def printed(slack: SlackStandIn) -> Generator[None]:
    """Print the posts while the block runs; the newest line of an edited post is progress.

    On a terminal progress stays in one line.
    """
    console = Console(highlight=False, soft_wrap=True)
    names = {known: name for name, known in (slack.users | slack.channels).items()}

    def show(change: TeamChange) -> None:
        post = change.record
        if not isinstance(post, Post) or change.is_gone:
            return
        if change.previous is None:
            _print_post(console, post, names)
            return
        newest = plain_text(post.text, names=names).rpartition("\n")[2].strip(" _*")
        if console.is_terminal:
            status.update(Text(newest))
        else:
            console.print(Text(f"   … {newest}"))

    with console.status("") as status, slack.state.watch(show):
        yield


def _print_post(console: Console, post: Post, names: Mapping[str, str]) -> None:
    if post.words:
        author = names.get(post.user, post.user)
        lines = [line for block in post.blocks for line in _lines_of(block)]
        text = post.text or "\n".join(lines)
        wire_text = _MARK.sub(r"\1", as_text(text, all_live))
        words = plain_text(wire_text, names=names)
        console.print(Text(f"{author}: {words}"))
    for file in post.files:
        size = len(file.content)
        console.print(Text(f"   file: {file.name} ({size:,} bytes)", "cyan"))


def _lines_of(block: JsonObject) -> list[str]:
    """The texts of a block; of a table a line for each row."""
    if block["type"] != "table":
        return list(texts_in(block))
    rows: list[str] = []
    for row in block["rows"]:
        cells = ["".join(texts_in(cell)).strip() for cell in row]
        rows.append(" | ".join(cells))
    return rows


async def drive(
    world: World,
    bot: BotLives,
    options: SandboxOptions,
    directory: Path,
    clock: SharedClock | None,
) -> int:
    """Ask and press as the command line says, print the result, and return the exit code."""
    watch = Watch(directory, bot.check)
    driver = Driver(
        world.slack,
        watch,
        bot.connected,
        world.composio,
    )
    async with AsyncExitStack() as stack:
        stack.push_async_callback(watch.bot.close)
        if not options.as_json:
            stack.enter_context(printed(world.slack))
        unpressed = await _ask_and_press(driver, options)
        if clock is not None and options.until_posts:
            await watch.let_time_pass(
                clock,
                options.until_posts,
                count=lambda: len(driver.roots()),
                local=options.local_time,
            )
    result = _result(
        world,
        bot,
        options,
        directory,
        driver,
    )
    result["unpressed"] = unpressed
    if options.as_json:
        typer.echo(json.dumps(result, ensure_ascii=False, indent=2))
    else:
        _print_result(result, bot.deaths)
    turns = list(driver.turns.values())
    if turns and turns[-1].outcome == "failed":
        typer.echo(f"The last turn failed: {turns[-1].turn.answer}", err=True)
        return 1
    return 0


async def _ask_and_press(driver: Driver, options: SandboxOptions) -> list[str]:
    """All asks with their clicks, then the other clicks; returns the consents nobody asked for."""
    clicks = deque(options.clicks)
    attached = options.attached
    for ask in options.asks:
        await driver.ask(ask, clicks, attached)
        attached = ()
    unpressed: list[str] = []
    while clicks:
        name = clicks.popleft()
        if driver.has_ended and name in _CONSENTS:
            unpressed.append(name)
        else:
            await driver.click(name)
    return unpressed


def _result(
    world: World,
    bot: BotLives,
    options: SandboxOptions,
    directory: Path,
    driver: Driver,
) -> JsonObject:
    """The object that `--json` prints. `effects` is None where the real service was used."""
    slack = world.slack
    own_files = [file for file in slack.files if file.user == slack.bot_user_id]
    files = save_files(own_files, options.out or directory / "files")
    turns = list(driver.turns.values())
    workspace = turns[-1].workspace if turns else None
    effects = world.composio.effects if world.composio else None
    return {
        "turns": [turn.as_json() for turn in turns],
        "posts": [post_json(post) for post in slack.thread(_CHANNEL, driver.root_ts)],
        "root_posts": [
            {
                "channel": slack.state.channels[post.channel].name,
                "at": options.local_time(float(post.ts)),
                "ts": post.ts,
                "text": post.text,
                "replies": _replies(slack, post, files),
            }
            for post in driver.roots()
        ],
        "files": list(files.values()),
        "effects": None if effects is None else [effect_json(effect) for effect in effects],
        "workspace": str(workspace) if workspace else None,
        "restarts": len(bot.deaths),
        "steps_repeated": bot.steps_repeated(),
        "never_came": bot.ahead,
    }


def _replies(slack: SlackStandIn, root: Post, files: Mapping[str, JsonObject]) -> list[JsonObject]:
    """The replies below a post, with the entries of their saved files."""
    return [
        {
            "text": post.text,
            "files": [files[file.id] for file in post.files if file.id in files],
        }
        for post in slack.state.replies_of(root.channel, root.ts)
    ]


def _print_result(result: JsonObject, deaths: Sequence[str]) -> None:
    """Print the facts that the posts of the thread do not show."""
    if result["workspace"]:
        typer.echo(f"workspace: {result['workspace']}")
    if deaths:
        again = f"and started again; steps done again: {result['steps_repeated']}"
        typer.echo(f"killed at {', '.join(deaths)} {again}")
    if result["unpressed"]:
        typer.echo(f"not pressed, as nobody was asked for it: {', '.join(result['unpressed'])}")
    if result["never_came"]:
        typer.echo(f"not killed, for they never came: {', '.join(result['never_came'])}")
