"""Progress of a turn: one post with the plan card, and the thread's status line with the time.

The post is opened with the first card, edited only when the plan has changed, and becomes a
short plan of what was done. The status line is renewed from the turn's beginning on, so that nobody
looks at a thread in which nothing moves.
"""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime
from functools import partial

from agent_core.ids import TurnId, agent_id
from agent_core.messages import JsonObject
from agent_core.words import Words
from bot import clicks
from bot.clicks import BranchStop, LiveViewClick
from bot.presenter.board import Card
from bot.presenter.journal import Destination
from bot.render import (
    PostDraft,
    actions,
    foreign_line,
    limits,
    plain_line,
)
from bot.slack_api import (
    ContentRefused,
    Op,
    SlackError,
    SlackRefused,
)

HEARTBEAT_S = 4.5
"""The status line is renewed at the latest after this time."""
_NEVER_S = float("-inf")

_SHOWN = {
    "running": ("in_progress", "▸"),
    "done": ("complete", "✓"),
    "stopped": ("pending", "-"),
    "failed": ("error", "✗"),
    "unsure": ("error", "?"),
}
"""A card's state as Slack has it, and as text."""

_log = logging.getLogger(__name__)


_STANDING_STILL = ("stopped", "failed", "unsure")


class ProgressPost:
    """The plan and the status line of one turn. Where Slack refuses them, the turn goes on."""

    def __init__(
        self,
        destination: Destination,
        interval_s: float,
        offers_live_view: Callable[[], bool],
        now: Callable[[], datetime],
        is_told: bool,
    ) -> None:
        self._offers_live_view = offers_live_view
        self._now = now
        self._api = destination.api
        self._thread = destination.thread
        self._journal = destination.journal
        self._board = destination.board
        self._interval_s = interval_s
        self._keeping: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()
        self._changed = asyncio.Event()
        self._turn = TurnId("")
        self._ts = ""
        self._shown: PostDraft | None = None
        self._shown_s = _NEVER_S
        self._line_activity = ""
        """What the status line told last."""
        self._line_s = self._api.clock.seconds() if is_told else _NEVER_S
        self._has_line = True
        self._has_post = True
        self._has_cards = True
        """Slack has not refused it."""

    async def go_on(self, turn: TurnId) -> None:
        """The board has changed: keep line and post up to date from now on."""
        if self._keeping is None:
            self._keeping = asyncio.create_task(self._keep_up(), name="progress")
        if self._board.cards:
            await self._open(turn)
        self._changed.set()

    async def _open(self, turn: TurnId) -> None:
        """Post the plan, unless it is there."""
        if self._ts or not self._has_post:
            return
        self._turn = turn
        op = _op(turn)
        try:
            await self._journal.once(op, partial(self._post, op))
        except SlackError as error:
            self._has_post = not isinstance(error, SlackRefused)
            _log.warning("no progress is shown: %s", error)
            return
        receipt = (await self._journal.open()).posts.get(op)
        if receipt:
            self._ts = receipt.ts
        async with self._writing:
            if self._keeping is not None:
                self._forget_line()  # the post has taken the line away
                await self._tell_line()

    async def stop(self) -> None:
        """Cancel the writer, after a write under way has ended. Idempotent."""
        if self._keeping is not None:
            async with self._writing:
                self._keeping.cancel()
            await asyncio.wait([self._keeping])
            self._keeping = None
            self._forget_line()

    async def edit(self, *, insist: bool = False) -> bool:
        """Show the newest state; False if it must come later. `insist` waits for rate limits."""
        draft = self._draft()
        if not self._ts or not self._has_post or draft == self._shown:
            return True
        update = self._api.update if insist else self._api.try_update
        try:
            taken = await update(
                self._thread.channel,
                self._ts,
                draft.text,
                blocks=draft.blocks,
            )
        except ContentRefused as refused:
            _log.warning("progress is shown without cards: %s", refused)
            taken = not self._has_cards
            self._has_cards = False
        except SlackRefused as refused:
            _log.warning("progress is no longer shown: %s", refused)
            self._has_post = False
            return True
        except SlackError as error:
            _log.info("an edit was left out: %s", error)
            return False
        if taken is False:
            return False
        self._shown = draft
        self._shown_s = self._api.clock.seconds()
        return True

    async def close(self, turn: TurnId, *, insist: bool) -> bool:
        """Edit the post into the plan of what was done; also the post of a process that died."""
        self._turn = turn
        bookmark = await self._journal.open()
        if _op(turn) in bookmark.begun:
            await self._open(turn)
        return await self.edit(insist=insist)

    async def _post(self, op: Op, may_exist: bool) -> None:
        draft = self._draft()
        post = partial(self._api.post, self._thread, op=op)
        try:
            receipt = await post(draft.text, blocks=draft.blocks, may_exist=may_exist)
        except ContentRefused as refused:
            _log.warning("progress is shown without cards: %s", refused)
            self._has_cards = False
            draft = PostDraft(text=draft.text)
            receipt = await post(draft.text)
        self._shown = None if may_exist else draft
        self._shown_s = self._api.clock.seconds()
        bookmark = await self._journal.open()
        bookmark.posts[op] = receipt

    async def _keep_up(self) -> None:
        """Renew line and post until cancelled; a state is not written twice."""
        clock = self._api.clock
        longest_s = HEARTBEAT_S - self._interval_s
        while True:
            self._changed.clear()
            async with self._writing:
                await self._tell_line()
                is_early = clock.seconds() - self._shown_s < self._interval_s
                if is_early or not await self.edit():
                    self._changed.set()
            await clock.sleep(self._interval_s)
            due_s = self._line_s + HEARTBEAT_S - clock.seconds()
            await clock.wait(self._changed, min(max(0.1, due_s), longest_s))

    def _forget_line(self) -> None:
        """Have the status line said again at the next chance."""
        self._line_activity = ""
        self._line_s = _NEVER_S

    async def _tell_line(self) -> None:
        """Renew the status line: the activity and the time or, before any, the request."""
        activity = self._board.activity
        words = self._board.words
        now_s = self._api.clock.seconds()
        age_s = now_s - self._line_s
        if self._line_activity == activity and age_s < HEARTBEAT_S - self._interval_s:
            return
        if activity:
            time = self._board.time(self._now())
            line = words("progress-line", time=time)
            is_said = await self.say(line, f"{plain_line(activity, 100)} · {time}")
        else:
            is_said = await self.say(reading_line(words, self._board.text))
        if is_said:
            self._line_activity = activity
            self._line_s = now_s

    async def say(self, line: str, *loading: str) -> bool:
        """Set the status line, which an empty text takes away; False where Slack takes none."""
        try:
            return self._has_line and await self._api.say_status(self._thread, line, loading)
        except SlackRefused as refused:
            _log.info("there is no status line: %s", refused)
            self._has_line = False
        except SlackError as error:
            _log.info("the status line was left out: %s", error)
        return False

    def _draft(self) -> PostDraft:
        board = self._board
        cards = board.visible_cards()
        title = board.title()
        text = "\n".join([title, *map(_line, cards)])
        if not self._has_cards:
            return PostDraft(text=text)
        tasks = [_task(number, card) for number, card in enumerate(cards)]
        blocks: list[JsonObject] = [{"type": "plan", "title": title, "tasks": tasks}]
        if below := self._elements_below():
            blocks.append(actions(*below, name="below"))
        return PostDraft(text=text, blocks=tuple(blocks))

    def _elements_below(self) -> list[JsonObject]:
        """“Open live view”, where there is one, and a menu of the branches at work."""
        words = self._board.words
        elements: list[JsonObject] = []
        if self._offers_live_view():
            elements.append(clicks.button(words("live-button"), LiveViewClick()))
        branches = [
            (words("progress-stop", what=title), BranchStop(agent=agent_id(self._turn, run)))
            for run, title in self._board.branches.items()
        ]
        if branches:
            elements.append(clicks.dots_menu(branches))
        return elements


def reading_line(words: Words, text: str) -> str:
    """The status line of a turn that has no activity yet."""
    return words("progress-line-reading", what=plain_line(text, limits.PROGRESS_WORD_CHARS))


def _line(card: Card) -> str:
    text = f"{card.title} ({card.details})" if card.details else card.title
    _, sign = _SHOWN[card.state]
    return f"{sign} {foreign_line(text, limits.SECTION_CHARS)}"


def _task(number: int, card: Card) -> JsonObject:
    """A card's block. Slack folds details away, so how it failed or was ended is in its title.

    What was read is linked: its address was opened already.
    """
    status, _ = _SHOWN[card.state]
    task: JsonObject = {
        "type": "task_card",
        "task_id": f"task{number}",
        "title": card.title,
        "status": status,
    }
    if card.details and card.state in _STANDING_STILL:
        task["title"] = f"{card.title} · {card.details}"
    elif card.details:
        text = {"type": "text", "text": card.details}
        section = {"type": "rich_text_section", "elements": [text]}
        task["details"] = {"type": "rich_text", "elements": [section]}
    sources: list[JsonObject] = []
    for url, title in card.sources.items():
        if len(url) <= limits.SOURCE_URL_CHARS:
            text = plain_line(title or url, limits.LABEL_CHARS)
            sources.append({"type": "url", "url": url, "text": text})
    if sources:
        task["sources"] = sources[: limits.CARD_SOURCES]
    return task


def _op(turn: TurnId) -> Op:
    return Op(turn).part("progress")
