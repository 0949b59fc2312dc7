"""A person who asks, presses and waits, as the command line says."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text

from agent_core.ids import TurnId, turn_of
from agent_core.messages import JsonObject
from bot.inbound import plain_text
from bot.sandbox import SandboxError
from bot.sandbox.child import BotLives
from bot.sandbox.composio import AppExecution
from bot.sandbox.moments import SharedClock
from bot.sandbox.slack import File, Post, SlackStandIn
from bot.sandbox.slack.feed import Change
from bot.sandbox.slack.text import texts_in
from bot.sandbox.slack.wire import as_array, as_object
from bot.sandbox.watch import Watch, WatchedTurn
from bot.sandbox.world import ASKER, SandboxOptions, World

_CHANNEL = "general"
_BUTTON_TIMEOUT_S = 60.0
_CONSENTS = frozenset({"connect", "approve", "reject", "skip"})
"""Buttons that are only there while a turn waits for them."""
_CONNECT = "connect"
"""A name that stands for all that connecting takes."""
_REJECT = "reject"
_FORM_TIMEOUT_S = 5.0


def post_json(post: Post) -> JsonObject:
    """A post of the thread, and who alone saw it."""
    return {
        "ts": post.ts,
        "thread_ts": post.root_ts,
        "user": post.user,
        "only_for": post.ephemeral_to,
        "text": post.text,
        "blocks_text": "\n".join(texts_in(post.blocks)),
    }


def effect_json(effect: AppExecution) -> JsonObject:
    """What the Composio stand-in was made to change, and with whose account."""
    return {
        "for": effect.user_id,
        "tool": effect.slug,
        "account": effect.identity,
        "account_of": effect.account_user_id,
        "arguments": dict(effect.arguments),
        "at": effect.at.isoformat(),
    }


def save_files(files: list[File], directory: Path) -> dict[str, JsonObject]:
    """Write them below their own names, by Slack's id; of two with one name both are kept."""
    saved: dict[str, JsonObject] = {}
    for file in files:
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / (Path(file.name).name or file.id)
        if str(path) in {told["path"] for told in saved.values()}:
            path = path.with_stem(f"{path.stem} ({file.id})")
        path.write_bytes(file.content)
        told = {"bytes": len(file.content), "mimetype": file.mimetype}
        saved[file.id] = {"name": file.name, "path": str(path), **told}
    return saved


class NoButtonError(SandboxError):
    """A press was not possible or came to nothing; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostButton:
    """A button of a post; the same one has the same place in a later version of its post."""

    channel: str
    ts: str
    block_id: str
    action_id: str
    label: str
    url: str
    """Where it leads, if it leads anywhere."""
    only_for: str | None
    """Whom alone its post is shown to."""

    def is_called(self, name: str) -> bool:
        """Whether its action id ends with the name, or its label is the name."""
        wanted = name.strip().casefold()
        return self.action_id.casefold().endswith(wanted) or self.label.casefold() == wanted

    def __str__(self) -> str:
        return f"{self.label!r} ({self.action_id})"


def find_buttons(slack: SlackStandIn, user: str) -> list[PostButton]:
    """The buttons of the bot's posts that a person sees, those of the newest post first."""
    person = slack.user_id(user)
    seen = [
        post
        for channel in slack.state.channels.values()
        if person in channel.members
        for post in slack.posts(channel.id)
        if post.user == slack.bot_user_id and post.ephemeral_to in (None, person)
    ]
    return [
        PostButton(
            channel=post.channel,
            ts=post.ts,
            block_id=str(block.get("block_id")),
            action_id=str(element["action_id"]),
            label=str((as_object(element.get("text")) or {}).get("text") or ""),
            url=str(element.get("url") or ""),
            only_for=post.ephemeral_to,
        )
        for post in sorted(seen, key=lambda post: post.ts, reverse=True)
        for block in post.blocks
        for element in _buttons_in(block)
    ]


def find_own_links(slack: SlackStandIn, user: str) -> list[str]:
    """The addresses behind the buttons of the newest post that this person alone sees."""
    linked = [each for each in find_buttons(slack, user) if each.url and each.only_for]
    return [each.url for each in linked if each.ts == linked[0].ts]


async def press(slack: SlackStandIn, user: str, button: PostButton) -> None:
    """A person presses a button.

    Raises NoButtonError where the bot did not acknowledge it, so the person sees a warning sign.
    """
    delivery = await slack.click(
        user, button.channel, button.ts, button.action_id, block_id=button.block_id
    )
    if delivery.acked_at_s is None:
        raise NoButtonError(f"The bot did not acknowledge that {button} was pressed.")


def _buttons_in(value: object) -> Iterator[JsonObject]:
    fields = as_object(value)
    if fields is not None and fields.get("type") == "button" and fields.get("action_id"):
        yield fields
        return
    for item in fields.values() if fields is not None else as_array(value) or ():
        yield from _buttons_in(item)


@dataclass(slots=True)
class Driver:
    """Acts as one person in one thread."""

    _slack: SlackStandIn
    _watch: Watch
    _be_connected: Callable[[], Awaitable[None]]
    """Returns when the bot listens."""
    _follow_link: Callable[[str], None]
    """Allows what a connect link asks for; raises LookupError where it cannot."""
    _button_timeout_s: float = _BUTTON_TIMEOUT_S
    turns: dict[TurnId, WatchedTurn] = field(default_factory=dict[TurnId, WatchedTurn])
    """In the order in which they began."""
    root_ts: str = ""
    """Of its thread, once it was begun."""
    _pressed: set[PostButton] = field(default_factory=set[PostButton])
    _followed: set[str] = field(default_factory=set[str])
    _seen_to: set[str] = field(default_factory=set[str])
    _asked_ts: str = ""

    async def ask(self, text: str, clicks: deque[str], attached: Sequence[Path] = ()) -> None:
        """Mention the bot, or later reply in the thread, and wait until it has answered.

        Where it waits for an approval or a connection meanwhile, the next of `clicks` is pressed
        and taken off; of a question's options one that is called so. Without one this returns.
        Raises NoTurnError where it does not answer, NoButtonError where nothing of that name is
        there in time.
        """
        await self._be_connected()
        text = self._slack.typed(text)
        if not self.root_ts:
            text = f"{self._slack.mention} {text}"
        thread = self.root_ts or None
        files = [(file.name, file.read_bytes(), None) for file in attached]
        self._asked_ts = await self._slack.say(ASKER, _CHANNEL, text, thread_ts=thread, files=files)
        self.root_ts = self.root_ts or self._asked_ts
        place = f"{self._slack.team_id}:{self._slack.channels[_CHANNEL]}"
        waiting = [id for id, each in self.turns.items() if each.outcome == "waiting"]
        for turn_id in (turn_of(f"{place}:{self._asked_ts}"), *waiting):
            await self._follow(turn_id, clicks)

    @property
    def has_ended(self) -> bool:
        """Whether there were turns, and none of them waits for a person."""
        outcomes = [each.outcome for each in self.turns.values()]
        return bool(outcomes) and "waiting" not in outcomes

    async def click(self, name: str) -> None:
        """Press a button that was not pressed yet, as soon as it is there; then let the bot work.

        Raises NoButtonError where there is none of this name in time, or the bot does not listen.
        """
        await self._press(name)
        await self._watch.rest()

    async def _follow(self, turn_id: TurnId, clicks: deque[str]) -> None:
        """Until the turn has ended, or waits for what nobody is there to do."""
        while True:
            turn = await self._watch.ended(
                turn_id, is_answered=self._is_answered, seen_to=self._seen_to
            )
            if turn is None:
                return
            wait = turn.turn.wait
            is_question = wait is not None and wait.kind == "question"
            if not turn.asks or not clicks or (is_question and not self._fitting(clicks[0])):
                break
            await self._press(clicks.popleft())
            self._seen_to.add(turn.asks)
        self.turns[turn_id] = turn

    async def _press(self, name: str) -> None:
        """A button, and what a person does behind it: sends the form off. Or opens their link."""
        await self._be_connected()
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
        """Allow what the links ask for that the asker alone was shown."""

        def fresh() -> set[str]:
            return set(find_own_links(self._slack, ASKER)) - self._followed

        links = await self._watch.found(fresh, timeout_s=self._button_timeout_s)
        if not links:
            raise NoButtonError(f"No link came within {self._button_timeout_s:g} s.")
        for link in links:
            self._followed.add(link)
            try:
                self._follow_link(link)
            except LookupError as error:
                raise NoButtonError(f"Nobody here can agree behind the link {link}") from error

    async def _reject(self) -> None:
        """Without a reason. Where no form comes, the press alone has rejected."""
        views, person = self._slack.backend.views, self._slack.user_id(ASKER)
        modal = await self._watch.found(lambda: views.modal_of(person), timeout_s=_FORM_TIMEOUT_S)
        if modal:
            await self._slack.submit_view(ASKER, modal.id, {"reason": ""})

    def roots(self) -> list[tuple[str, Post]]:
        """The bot's posts outside of threads since the last ask, with their channels' names."""
        found = [
            (channel.name, post)
            for channel in self._slack.state.channels.values()
            if not channel.is_direct
            for post in self._slack.state.posts_of(channel.id)
            if post.user == self._slack.bot_user_id
            and not post.is_reply
            and post.ts > self._asked_ts
        ]
        return sorted(found, key=lambda root: root[1].ts)

    def _fitting(self, name: str) -> list[PostButton]:
        """The buttons so called that are there and were not pressed yet."""
        buttons = find_buttons(self._slack, ASKER)
        return [each for each in buttons if each.is_called(name) and each not in self._pressed]

    async def _button(self, name: str) -> PostButton:
        buttons = await self._watch.found(
            lambda: self._fitting(name), timeout_s=self._button_timeout_s
        )
        if not buttons:
            there = ", ".join(dict.fromkeys(map(str, find_buttons(self._slack, ASKER)))) or "none"
            late = f"No button {name} came within {self._button_timeout_s:g} s."
            raise NoButtonError(f"{late} These are there: {there}.")
        return buttons[0]

    def _is_answered(self) -> bool:
        """Whether the bot has written into the thread since the last ask."""
        return any(
            post.user == self._slack.bot_user_id and post.ts > self._asked_ts
            for post in self._slack.thread(_CHANNEL, self.root_ts)
        )


async def show(changes: AsyncIterator[Change], names: Mapping[str, str]) -> None:
    """Print what is posted; the newest line of an edited post is progress.

    That stands in one place on a terminal.
    """
    console = Console(highlight=False, soft_wrap=True)
    with console.status("") as status:
        async for change in changes:
            post = change.record
            if not isinstance(post, Post) or change.is_gone:
                continue
            if change.previous is not None:
                newest = plain_text(post.text, names=names).rpartition("\n")[2].strip(" _*")
                if console.is_terminal:
                    status.update(Text(newest))
                else:
                    console.print(Text(f"   … {newest}"))
                continue
            if post.words:
                words = plain_text(post.words, names=names)
                console.print(Text(f"{names.get(post.user, post.user)}: {words}"))
            for file in post.files:
                console.print(Text(f"   file: {file.name} ({len(file.content):,} bytes)", "cyan"))


async def drive(
    world: World,
    bot: BotLives,
    options: SandboxOptions,
    directory: Path,
    clock: SharedClock | None,
) -> int:
    """All asks, with clicks where the bot waits for them; the other clicks; the wait for posts.

    Tells what came of it, and returns the exit code.
    """
    zone = options.moment.tzinfo if options.moment else UTC

    def local(at_s: float) -> str:
        return datetime.fromtimestamp(at_s, zone).isoformat(timespec="seconds")

    watch = Watch(directory, bot.check)
    follow_link = world.composio.follow_link if world.composio else _refuse_link
    driver = Driver(world.slack, watch, bot.connected, follow_link)
    showing = None
    if not options.as_json:
        known = {**world.slack.users, **world.slack.channels}
        names = {its_id: name for name, its_id in known.items()}
        showing = asyncio.create_task(show(world.slack.changes(), names))
    unpressed: list[str] = []
    try:
        clicks = deque(options.clicks)
        for place, ask in enumerate(options.asks):
            await driver.ask(ask, clicks, () if place else options.attached)
        if driver.has_ended:
            unpressed = [each for each in clicks if each in _CONSENTS]
            clicks = deque(each for each in clicks if each not in _CONSENTS)
        while clicks:
            await driver.click(clicks.popleft())
        if clock is not None and options.until_posts:
            await watch.let_time_pass(
                clock, options.until_posts, count=lambda: len(driver.roots()), local=local
            )
    finally:
        if showing is not None:
            await asyncio.sleep(0)  # for the last post
            showing.cancel()
            await asyncio.wait([showing])
        await watch.bot.close()
    state, turns = world.slack.state, list(driver.turns.values())
    files = save_files(
        [file for file in world.slack.files if file.user == world.slack.bot_user_id],
        options.out or directory / "files",
    )
    workspace = turns[-1].workspace if turns else None
    done = {
        "turns": [turn.as_json() for turn in turns],
        "posts": [post_json(post) for post in world.slack.thread(_CHANNEL, driver.root_ts)],
        "root_posts": [
            {
                "channel": channel,
                "at": local(float(post.ts)),
                "ts": post.ts,
                "text": post.text,
                "replies": [
                    {
                        "text": reply.text,
                        "files": [files[f.id] for f in reply.files if f.id in files],
                    }
                    for reply in state.replies_of(post.channel, post.ts)
                ],
            }
            for channel, post in driver.roots()
        ],
        "files": list(files.values()),
        # None where the real service was used.
        "effects": [effect_json(each) for each in world.composio.effects]
        if world.composio
        else None,
        "workspace": str(workspace) if workspace else None,
        "restarts": len(bot.deaths),
        "steps_repeated": bot.steps_repeated(),
        "never_came": bot.ahead,
        "unpressed": unpressed,
    }
    if options.as_json:
        typer.echo(json.dumps(done, ensure_ascii=False, indent=2))
    else:
        _tell(done, bot.deaths)
    if turns and turns[-1].outcome == "failed":
        typer.echo(f"The last turn failed: {turns[-1].turn.answer}", err=True)
        return 1
    return 0


def _refuse_link(link: str) -> None:
    """The real service lets nobody agree but a person in a browser."""
    raise LookupError(link)


def _tell(done: JsonObject, deaths: Sequence[str]) -> None:
    """What the posts of the thread have not told."""
    if done["workspace"]:
        typer.echo(f"workspace: {done['workspace']}")
    if deaths:
        again = f"and started again; steps done again: {done['steps_repeated']}"
        typer.echo(f"killed at {', '.join(deaths)} {again}")
    if done["never_came"]:
        typer.echo(f"not killed, for they never came: {', '.join(done['never_came'])}")
