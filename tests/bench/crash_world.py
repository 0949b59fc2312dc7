"""Everything outside of the bot for the crash harness: stand-ins, people who ask, its lives.

The bot is a process that dies and comes back; from Slack's side it is told when an ask is answered.
"""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bot.sandbox.child import BotProcess, start_bot
from bot.sandbox.composio import ComposioStandIn
from bot.sandbox.driving import NoButtonError, find_buttons, find_own_links, press
from bot.sandbox.slack.records import Post
from bot.sandbox.slack.state import SandboxClock
from bot.sandbox.web import SmallWeb
from tests.bench.crash_model import RehearsedModel
from tests.faulty_slack import FaultySlack

THINKING_S = 0.1
PATIENCE_S = 10.0
START_S = 60.0
SETTLE_S = 1.5
"""Longer than any request of the harness is on its way to its Slack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """The stand-ins, which outlive every bot."""

    slack: FaultySlack
    model: RehearsedModel
    composio: ComposioStandIn
    web: SmallWeb
    root: Path

    def user_id(self, person: str) -> str:
        """By which Composio knows a person."""
        return f"{self.slack.team_id}:{self.slack.user_id(person)}"

    @property
    def environment(self) -> dict[str, str]:
        """What a bot is given to live in this world."""
        return {
            **self.slack.environment,
            **self.model.environment,
            **self.web.environment,
            **self.composio.environment,
            "SLACK_SETTLE_S": str(SETTLE_S),
            "WORKSPACES_ROOT": str(self.root),
            "CONSOLE_PORT": "0",
            "CRAWL_BROWSER": "off",
            "POLICY_FILE": str(_write_policy(self.root)),
        }


def _write_policy(root: Path) -> Path:
    """Errands are done without asking anybody: the harness looks at crashes, not at consent."""
    path = root / "policy.yaml"
    path.write_text(POLICY, encoding="utf-8")
    return path


POLICY = """
rules:
  - rule: errands of the harness
    tools: [ERRANDS_CREATE_ENTRY]
    verdict: allow
    even_when_tainted: true
"""


class HastyClock(SandboxClock):
    """The machine's clock, by which nobody waits longer than `PATIENCE_S`.

    So Slack delivers an event again after some seconds, and not after a minute and then five.
    """

    async def sleep_until(self, at_s: float) -> None:
        await super().sleep_until(min(at_s, self.now() + PATIENCE_S))


@asynccontextmanager
async def outside_world(root: Path) -> AsyncGenerator[Outside]:
    """All stand-ins, and no bot yet."""
    async with (
        FaultySlack(rate_limits=False, clock=HastyClock()) as slack,
        RehearsedModel(first_token_s=THINKING_S) as model,
        SmallWeb.builtin() as web,
        ComposioStandIn(web.ready) as composio,
    ):
        yield Outside(slack=slack, model=model, composio=composio, web=web, root=root)


@dataclass(slots=True, kw_only=True)
class Life:
    """One run of the bot."""

    fault_point: str
    """Where it is to die by itself; empty where the harness kills it."""
    has_died: bool = False
    died_by_itself: bool = False


@dataclass(slots=True)
class Lives:
    """The bot, one process after another in one directory; all stay known."""

    outside: Outside
    all: list[Life] = field(default_factory=list[Life])
    _bot: BotProcess | None = None

    @property
    def deaths(self) -> list[Life]:
        return [life for life in self.all if life.has_died]

    async def begin(self, fault_point: str = "") -> None:
        """Start the bot; returns when it listens, or has died at its point before that."""
        environment = {**self.outside.environment, "FAULT_AT": fault_point}
        self.all.append(Life(fault_point=fault_point))
        self._bot = bot = await start_bot(environment, self.outside.root)
        async with asyncio.timeout(START_S):
            while not self.outside.slack.open_sockets and not bot.was_killed:
                bot.check()
                await asyncio.sleep(0.02)

    async def dies(self, within_s: float) -> bool:
        """Whether the bot dies at its fault point in time."""
        if self._bot is None:
            return False
        try:
            async with asyncio.timeout(within_s):
                await self._bot.ended()
        except TimeoutError:
            return False
        if not self._bot.was_killed:
            self._bot.check()
        await self._note_death(died_by_itself=True)
        return True

    async def kill(self) -> None:
        """Kill -9. Raises SandboxError if the bot has ended before."""
        if self._bot is not None:
            self._bot.check()
            self._bot.kill()
            await self._bot.ended()
            await self._note_death(died_by_itself=False)

    async def stop(self) -> None:
        """Let it end in order."""
        if self._bot is not None:
            await self._bot.stop()
            self._bot = None

    async def _note_death(self, *, died_by_itself: bool) -> None:
        life = self.all[-1]
        life.has_died = True
        life.died_by_itself = died_by_itself
        await self.stop()


@asynccontextmanager
async def lives_in(outside: Outside) -> AsyncGenerator[Lives]:
    """A bot that is not begun yet; it is ended with the context."""
    lives = Lives(outside)
    try:
        yield lives
    finally:
        await lives.stop()


Kind = Literal[
    "item", "errand", "chain", "note", "doubt", "puzzle", "edition", "careless", "letter"
]

CHANNEL = "general"
TOPIC = "keeping chat bots reliable"
ASKS: dict[Kind, str] = {
    "item": "What is {word}?",
    "errand": "continue with {word}",
    "chain": "continue along {word}",
    "note": "Please mind {word} as well",
    "doubt": "continue in spite of {word}",
    "puzzle": "Who can solve {word}?",
    "edition": "Write a comprehensive report on " + TOPIC + ", {word}",
    "letter": "continue by sending {word}",
    "careless": "Write a comprehensive report on " + TOPIC + ", {word}",
}
REPORTS: frozenset[Kind] = frozenset({"edition", "careless"})
_RATED = re.compile(r'"turn": ?"(turn:[^"]+)"')
NOTE_PATIENCE_S = 10.0
TEND_S = 0.2
LATE_S = 5.0
"""How long after all is done something may still come twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A gesture of a person."""

    kind: Kind
    word: str
    ts: str
    root_ts: str
    op_id: str
    """What the ids of its answer's posts begin with."""


class Traffic:
    """The asks so far, and new ones; everything is told from Slack's side."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self._answered_doubts: set[str] = set()
        self.asked: list[Asked] = []

    async def ask(self, kind: Kind, *, root_ts: str = "") -> Asked:
        """Ann mentions the bot in a new thread, or goes on in one that it is in."""
        slack = self._outside.slack
        word = f"{kind}{len(self.asked) + 1}"
        if kind == "letter":
            self._outside.composio.accounts.expire(self._outside.user_id("ann"), "gmail")
        text = ASKS[kind].format(word=word)
        text = text if root_ts else f"{slack.mention} {text}"
        ts = await slack.say("ann", CHANNEL, text, thread_ts=root_ts or None)
        turn = f"turn:{slack.team_id}:{slack.channel_id(CHANNEL)}:{ts}"
        asked = Asked(kind=kind, word=word, ts=ts, root_ts=root_ts or ts, op_id=f"{turn}:answer")
        self.asked.append(asked)
        return asked

    async def ask_all(self, kinds: Iterable[Kind]) -> None:
        """One new thread for each; a note goes into the thread of a new chain that is at work."""
        for kind in kinds:
            if kind == "note":
                chain = await self.ask("chain")
                await self._is_at_work(chain)
                await self.ask("note", root_ts=chain.root_ts)
            else:
                await self.ask(kind)

    async def follow_up(self) -> None:
        """A further question in a thread whose asks are all answered, if there is one."""
        busy = {asked.root_ts for asked in self.open()}
        free = [asked.root_ts for asked in self.asked if asked.root_ts not in busy]
        if free:
            await self.ask("item", root_ts=free[-1])

    def open(self) -> list[Asked]:
        """The asks without an answer."""
        ops = " ".join(op_of(post) for post in self._posts())
        texts = [post.words for post in self._posts() if ":answer" in op_of(post)]
        return [asked for asked in self.asked if not _is_answered(asked, ops, texts)]

    async def tend(self) -> None:
        """Do what the bot waits for, until this is cancelled."""
        while True:
            await self.see_to_it()
            await asyncio.sleep(TEND_S)

    async def see_to_it(self) -> None:
        """Say what is meant, connect and approve where the bot has asked for it."""
        await self._answer_doubts()
        if self._outside.slack.open_sockets:
            await self._connect()
            await self._press("approve")

    async def _connect(self) -> None:
        """Have the link shown once more, and agree behind it."""
        await self._press("link")
        for link in find_own_links(self._outside.slack, "ann"):
            with suppress(LookupError):
                self._outside.composio.follow_link(link)

    async def _press(self, name: str) -> None:
        """Whatever button of this name is there; a bot that dies meanwhile is asked again."""
        slack = self._outside.slack
        for button in find_buttons(slack, "ann"):
            if button.is_called(name):
                with suppress(NoButtonError, KeyError):
                    await press(slack, "ann", button)

    async def _answer_doubts(self) -> None:
        for asked in self.open():
            questions = [p for p in self._posts() if p.root_ts == asked.root_ts and "?" in p.text]
            if asked.kind != "doubt" or not questions or asked.word in self._answered_doubts:
                continue
            self._answered_doubts.add(asked.word)
            await self._outside.slack.say("ann", CHANNEL, "The blue one", thread_ts=asked.root_ts)

    async def settled(self, timeout_s: float) -> bool:
        """Wait until all is answered and every thread is at rest; False if that takes too long."""
        try:
            async with asyncio.timeout(timeout_s):
                while self.open() or self.at_work() or self.without_report() or self._is_shown():
                    await self.see_to_it()
                    await asyncio.sleep(0.1)
                await asyncio.sleep(LATE_S)
        except TimeoutError:
            return False
        return True

    def at_work(self) -> list[Post]:
        """Progress posts that still say that the bot is at work."""
        return [post for post in self._posts() if post.text.startswith("Working on it")]

    def without_report(self) -> list[str]:
        """Threads with fewer reports than were asked for in them."""
        posts = self._posts()
        wanted = Counter(asked.root_ts for asked in self.asked if asked.kind in REPORTS)
        return [ts for ts, times in wanted.items() if len(files_in(posts, ts)) < times]

    def _is_shown(self) -> bool:
        """Whether Slack still shows somewhere that the bot is at work."""
        sessions = self._outside.slack.state.sessions.values()
        return any(session.status == "processing" for session in sessions)

    def _posts(self) -> list[Post]:
        slack = self._outside.slack
        return [post for post in slack.posts(CHANNEL) if post.user == slack.bot_user_id]

    async def _is_at_work(self, asked: Asked) -> None:
        """Wait a bounded time for the first model call of an ask; the bot may have died."""
        model = self._outside.model
        try:
            async with asyncio.timeout(NOTE_PATIENCE_S):
                while True:
                    if any(asked.word in str(call.body) for call in model.calls[-20:]):
                        return
                    await asyncio.sleep(0.02)
        except TimeoutError:
            return


def files_in(posts: Iterable[Post], root_ts: str) -> list[str]:
    """The names of the files in a thread, as often as they are there."""
    return [file.name for post in posts if post.root_ts == root_ts for file in post.files]


def op_of(post: Post) -> str:
    """The op id that the bot put on a post; empty if there is none.

    Files carry none: the row in which people rate the answer names its turn.
    """
    if post.files and (rated := _RATED.search(str(post.blocks))):
        return f"{rated[1]}:answer:0"
    metadata = post.metadata or {}
    return str(metadata.get("event_payload", {}).get("op_id", ""))


def _is_answered(asked: Asked, ops: str, texts: list[str]) -> bool:
    """By a post of its own; a note also by the answer of the turn that took it in."""
    if f"{asked.op_id}:" in ops:
        return True
    return asked.kind == "note" and any(asked.word in text for text in texts)
