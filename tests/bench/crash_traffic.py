"""What people ask of the bot while it dies and comes back, and when each ask counts as answered."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from bot.sandbox.driving import NoButtonError, find_buttons, find_own_links, press
from bot.sandbox.slack.records import Post
from tests.bench.crash_world import Outside

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
