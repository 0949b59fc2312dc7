"""The running bot in this process, with everything outside of it on loopback."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic_settings import BaseSettings

from agent_core.errors import SessionError
from agent_core.events import AnyEvent
from agent_core.ids import ROOT_RUN, SessionId, TurnId
from agent_core.messages import JsonObject
from agent_core.runtime import Runtime
from agent_core.sessions import StoredTurn
from agent_core.settings import CoreSettings
from bot.app import running_bot
from bot.presenter.journal import READER
from bot.sandbox.composio import ComposioStandIn
from bot.sandbox.model import ReplyText, ToolUse
from bot.sandbox.slack import App
from bot.sandbox.slack.people import TypedFile
from bot.sandbox.slack.records import Delivery, Post
from bot.sandbox.slack.state import SandboxClock
from bot.sandbox.web import SmallWeb, WebPage
from bot.sandbox.world import read_manifest
from bot.settings import BotSettings
from bot.socket import Timing
from tests.faulty_slack import FaultySlack
from tests.runtimes import durable_tables
from tests.scripted_stand_in import ScriptedStandIn

S = TypeVar("S", bound=BaseSettings)

CHANNEL = "general"
HUGE_PAGE = WebPage(
    url="http://pages.test/leviathan",
    title="leviathan " * 200_000,
    text="A page about the leviathan",
    date=None,
    source="Leviathan",
    kind="web",
)
"""Whoever searches for the leviathan gets a result of more than 2 MB."""
SIMPLE_ANSWER = "SIMPLE"
START_S = 30.0
TURN_S = 30.0
FIRST_WORDS = 7
"""Events of a stream: its start, four of the thinking block, the text's start, its first piece."""
INNER_MESSAGES = ("message", "previous_message")
PROGRESS = ("Working on it", "Waiting for Ann", "Done in", "Worked for")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """The stand-ins, which outlive a bot."""

    slack: FaultySlack
    model: ScriptedStandIn
    composio: ComposioStandIn
    web: SmallWeb
    root: Path
    """Where the bots of this world keep their workspaces and databases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A running bot and the team it works for."""

    outside: Outside
    runtime: Runtime

    @property
    def slack(self) -> FaultySlack:
        return self.outside.slack

    @property
    def model(self) -> ScriptedStandIn:
        return self.outside.model

    async def mention(
        self,
        text: str,
        *,
        user: str = "ann",
        channel: str = CHANNEL,
        thread_ts: str | None = None,
        files: Sequence[TypedFile] = (),
    ) -> str:
        """Someone mentions the bot; the post's `ts`."""
        text = f"{self.slack.mention} {text}"
        return await self.slack.say(user, channel, text, thread_ts=thread_ts, files=files)

    async def ask(self, text: str, *, channel: str = CHANNEL) -> str:
        """Ann mentions the bot in a new thread and is answered; the thread's `ts`."""
        ts = await self.mention(text, channel=channel)
        await self.answered(ts, channel=channel)
        return ts

    async def ask_simply(self, text: str, *, channel: str = CHANNEL) -> str:
        """The same with the scripted fast answer."""
        self.play_simple()
        return await self.ask(text, channel=channel)

    def play_simple(self) -> None:
        """The next question gets `SIMPLE_ANSWER`: the classifier's verdict is the answer too."""
        self.model.play(ReplyText(text=SIMPLE_ANSWER), times=2)

    async def nothing_more_happens(self) -> None:
        """All that was said so far is delivered, and a question asked after it is answered."""
        await self.ask_simply("Which day is the meeting?", channel="news")
        await self.slack.wait_for(_is_all_acknowledged)

    async def becomes(self, ts: str, is_so: Callable[[StoredTurn], bool]) -> None:
        """Wait until a post has a turn, and the turn is so."""
        turn = self.turn_id(ts, CHANNEL)
        async with asyncio.timeout(TURN_S):
            while not await self._is(turn, is_so):  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    async def _is(self, turn: TurnId, is_so: Callable[[StoredTurn], bool]) -> bool:
        try:
            return is_so(await self.runtime.turn(turn))
        except SessionError:
            return False

    async def was_taken_up(self, ts: str) -> bool:
        """Whether a post that was acknowledged is in the ledger or has a turn."""
        waiting = await self.runtime.ledger.unsettled()
        if any(body["event"]["ts"] == ts for body in waiting):
            return True
        try:
            await self.runtime.turn(self.turn_id(ts, CHANNEL))
        except SessionError:
            return False
        return True

    async def answered(
        self, ts: str, *, channel: str = CHANNEL, timeout_s: float = TURN_S
    ) -> StoredTurn:
        """Wait until the turn that a post began has ended and is shown to its end."""
        turn = self.turn_id(ts, channel)
        async with asyncio.timeout(timeout_s):
            while not await self._is_shown(turn):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        return await self.runtime.turn(turn)

    async def _is_shown(self, turn: TurnId) -> bool:
        shown = await self.runtime.load_cursor(READER, turn)
        return bool(shown and shown.get("finished"))

    def bot_posts(self, root_ts: str, *, channel: str = CHANNEL) -> list[Post]:
        """What the bot wrote into a thread, files without words left out."""
        posts = self.slack.thread(channel, root_ts)
        return [post for post in posts if post.user == self.slack.bot_user_id and post.words]

    def answers(self, root_ts: str, *, channel: str = CHANNEL) -> list[str]:
        """The bot's posts in a thread that are not progress."""
        posts = self.bot_posts(root_ts, channel=channel)
        return [post.words for post in posts if not post.words.startswith(PROGRESS)]

    def progress(self, root_ts: str) -> list[str]:
        """The progress posts of a thread, as they read now."""
        posts = self.bot_posts(root_ts)
        return [post.words for post in posts if post.words.startswith(PROGRESS)]

    def told_in_private(self, user: str) -> list[str]:
        """What the bot wrote for one person's eyes."""
        person = self.slack.user_id(user)
        return [post.text for post in self.slack.posts(CHANNEL) if post.ephemeral_to == person]

    async def events(self, ts: str, *, channel: str = CHANNEL) -> list[AnyEvent]:
        """The events of the turn that a post began, to its end."""
        async with asyncio.timeout(TURN_S):
            return [event async for _, event in self.runtime.events(self.turn_id(ts, channel))]

    async def workspace(self, root_ts: str, *, channel: str = CHANNEL) -> Path:
        """The directory of a thread's session."""
        session = self.session_id(root_ts, channel)
        assert await self.runtime.knows(session)
        return await self.runtime.workspace(session, datetime.now(UTC))

    async def until(
        self, ts: str, kind: type[AnyEvent], *, channel: str = CHANNEL, is_child: bool = False
    ) -> None:
        """Wait for the first event of a kind in the turn that a post began, or in its sub-agents.

        What is live only has to be waited for before it comes.
        """
        async with asyncio.timeout(TURN_S):
            async for _, event in self.runtime.events(self.turn_id(ts, channel)):
                if isinstance(event, kind) and (event.run != ROOT_RUN or not is_child):
                    return

    def requests_with(self, text: str) -> list[JsonObject]:
        """The bodies of the model calls so far that hold a text, oldest first.

        Those that only ask for a message's route, whom it is for, or for a plan are left out.
        """
        asides = {"classify", "escape", "judge", "plan"}
        calls = [call for call in self.model.calls if call.kind not in asides]
        bodies = [call.body for call in calls if call.body]
        return [body for body in bodies if text in json.dumps(body, ensure_ascii=False)]

    def turn_id(self, ts: str, channel: str = CHANNEL) -> TurnId:
        return TurnId(f"turn:{self.slack.team_id}:{self.slack.channel_id(channel)}:{ts}")

    def session_id(self, root_ts: str, channel: str = CHANNEL) -> SessionId:
        return SessionId(f"{self.slack.team_id}:{self.slack.channel_id(channel)}:{root_ts}")


def mail(to: str) -> ToolUse:
    """The call that sends one."""
    return batch(
        "GMAIL_SEND_EMAIL", {"recipient_email": to, "subject": "Lunch", "body": "At twelve."}
    )


def batch(slug: str, *arguments: Mapping[str, object]) -> ToolUse:
    """The calls of an app's tool, once with each of these arguments."""
    entries = [{"tool_slug": slug, "arguments": each} for each in arguments]
    told = {"tools": entries, "sync_response_to_workbench": False}
    return ToolUse(name="mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL", input=told)


def _is_all_acknowledged(slack: FaultySlack) -> bool:
    """Of each event one attempt. What a bot posted while it went away finds no socket."""
    heard = {each.event_id for each in slack.deliveries if each.acked_at_s is not None}
    waiting = (each for each in slack.deliveries if each.event_id not in heard)
    return all(_is_of_bot(each, slack.bot_user_id) for each in waiting)


def _is_of_bot(delivery: Delivery, bot: str) -> bool:
    """Whether an event tells of what the bot itself has posted or changed."""
    event: JsonObject = delivery.payload.get("event") or {}
    told: list[JsonObject] = [event, *(event.get(each) or {} for each in INNER_MESSAGES)]
    return any(bot in (each.get("user"), each.get("user_id")) for each in told)


async def _searchable(web: SmallWeb, found: Sequence[WebPage]) -> Sequence[WebPage]:
    return (*await web.ready(), *found)


def settings_of(kind: type[S], environment: Mapping[str, str], **fields: object) -> S:
    """Settings as an environment has them, but for some fields."""
    told = {name.lower(): value for name, value in environment.items()}
    return kind.model_validate(told | fields)


@asynccontextmanager
async def outside_world(
    root: Path, *, slack_clock: SandboxClock | None = None, found: Sequence[WebPage] = (HUGE_PAGE,)
) -> AsyncGenerator[Outside, None]:
    """All stand-ins, and no bot yet. Pages `found` are known to search and served by nobody."""
    if not (turns := root / "turns.sqlite").exists():
        root.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240 (nothing runs yet)
        turns.write_bytes(durable_tables())
    features = read_manifest()["features"]
    app = App(commands=features["slash_commands"], shortcuts=features["shortcuts"])
    async with (
        FaultySlack(app, clock=slack_clock, rate_limits=False) as slack,
        ScriptedStandIn() as model,
        SmallWeb.builtin() as web,
        ComposioStandIn(partial(_searchable, web, found)) as composio,
    ):
        yield Outside(slack=slack, model=model, composio=composio, web=web, root=root)


@asynccontextmanager
async def bot_in(
    outside: Outside,
    *,
    composio_url: str | None = None,
    socket_timing: Timing | None = None,
    chromium: str = "off",
) -> AsyncGenerator[World, None]:
    """A bot that listens; several after each other in one world are restarts."""
    slack = outside.slack
    anybody = dict.fromkeys(("allowed_teams", "allowed_channels", "allowed_users"))
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        host, port = tried.getsockname()
    console = {"console_port": port, "console_url": f"http://{host}:{port}"}
    settings = settings_of(BotSettings, slack.environment, **console, **anybody)
    composio = outside.composio.environment
    core = settings_of(
        CoreSettings,
        outside.model.environment | composio | outside.web.environment,
        composio_base_url=composio_url or outside.composio.base_url,
        logfire_token="",
        database_url="",
        workspaces_root=outside.root,
        crawl_browser=chromium,
    )
    async with running_bot(
        settings,
        core,
        socket_timing=socket_timing,
        clock=lambda: datetime.fromtimestamp(slack.backend.state.clock.now(), UTC),
    ) as runtime:
        await slack.connected(timeout_s=START_S)
        yield World(outside=outside, runtime=runtime)


@asynccontextmanager
async def bot_in_a_world(
    root: Path, *, found: Sequence[WebPage] = (HUGE_PAGE,), **how: Any
) -> AsyncGenerator[World, None]:
    """A running bot among fresh stand-ins; `how` is told to `bot_in`."""
    async with outside_world(root, found=found) as outside, bot_in(outside, **how) as world:
        yield world
