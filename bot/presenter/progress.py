"""How far a turn is: one post with its plan, and the thread's status line, which tells the time.

The post is opened when there is work to show, edited only where the plan has changed, and becomes a
short plan of what was done. The line is kept up from the beginning of the turn on, so that nobody
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
from bot.presenter.board import Board, Card
from bot.presenter.journal import Destination
from bot.render import PostDraft, actions, foreign_line, limits, plain_line
from bot.slack_api import ContentRefused, Op, SlackError, SlackRefused

HEARTBEAT_S = 4.5
"""The line is said anew at the latest after so long."""

_SHOWN = {
    "running": ("in_progress", "▸"),
    "done": ("complete", "✓"),
    "stopped": ("pending", "-"),
    "failed": ("error", "✗"),
    "unsure": ("error", "?"),
}
"""A card's state as Slack has it, and as text."""

_log = logging.getLogger(__name__)


class ProgressPost:
    """Progress is a courtesy: where Slack refuses it, the turn goes on without."""

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
        self._api, self._thread = destination.api, destination.thread
        self._journal, self._board = destination.journal, destination.board
        self._interval_s = interval_s
        self._keeping: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()
        self._changed = asyncio.Event()
        self._turn = TurnId("")
        self._ts = ""
        self._shown: PostDraft | None = None
        self._shown_s = float("-inf")
        self._said = ("", self._api.clock.seconds() if is_told else float("-inf"))
        """What the line told, and when."""
        self._has_line = self._has_post = self._has_cards = True
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
        self._turn, op = turn, _op(turn)
        try:
            await self._journal.once(op, partial(self._post, op))
        except SlackError as error:
            self._has_post = not isinstance(error, SlackRefused)
            _log.warning("no progress is shown: %s", error)
        else:
            receipt = (await self._journal.open()).posts.get(op)
            self._ts = receipt.ts if receipt else ""
            async with self._writing:
                if self._keeping is not None:
                    self._said = ("", float("-inf"))  # the post has taken the line away
                    await self._tell_line()

    async def stop(self) -> None:
        """Nothing is written or on its way any more when this returns. Safe to call twice."""
        if self._keeping is not None:
            async with self._writing:
                self._keeping.cancel()
            await asyncio.wait([self._keeping])
            self._keeping, self._said = None, ("", float("-inf"))

    async def edit(self, *, insist: bool = False) -> bool:
        """Show the newest state, pauses waited out on `insist`; False where it is to come later."""
        draft = self._draft()
        if not self._ts or not self._has_post or draft == self._shown:
            return True
        update = self._api.update if insist else self._api.try_update
        try:
            taken = await update(self._thread.channel, self._ts, draft.text, blocks=draft.blocks)
        except ContentRefused as refused:
            _log.warning("progress is shown without cards: %s", refused)
            taken, self._has_cards = not self._has_cards, False
        except SlackRefused as refused:
            _log.warning("progress is no longer shown: %s", refused)
            self._has_post = False
            return True
        except SlackError as error:
            _log.info("an edit was left out: %s", error)
            return False
        if taken is not False:
            self._shown, self._shown_s = draft, self._api.clock.seconds()
        return taken is not False

    async def close(self, turn: TurnId, *, insist: bool) -> bool:
        """Make it the plan of what was done, as `edit`; also that of a process that died."""
        self._turn = turn
        if _op(turn) in (await self._journal.open()).begun:
            await self._open(turn)
        return await self.edit(insist=insist)

    async def hush(self) -> None:
        """No post takes the line away. Call `stop` first."""
        await self._say("")

    async def _post(self, op: Op, may_exist: bool) -> None:
        draft, post = self._draft(), partial(self._api.post, self._thread, op=op)
        try:
            receipt = await post(draft.text, blocks=draft.blocks, may_exist=may_exist)
        except ContentRefused as refused:
            _log.warning("progress is shown without cards: %s", refused)
            self._has_cards, draft = False, PostDraft(text=draft.text)
            receipt = await post(draft.text)
        self._shown, self._shown_s = None if may_exist else draft, self._api.clock.seconds()
        (await self._journal.open()).posts[op] = receipt

    async def _keep_up(self) -> None:
        """The newest state, and none twice, until it is stopped."""
        clock = self._api.clock
        while True:
            self._changed.clear()
            async with self._writing:
                await self._tell_line()
                is_early = clock.seconds() - self._shown_s < self._interval_s
                if is_early or not await self.edit():
                    self._changed.set()
            await clock.sleep(self._interval_s)
            due_s = self._said[1] + HEARTBEAT_S - clock.seconds()
            await clock.wait(self._changed, min(max(0.1, due_s), HEARTBEAT_S - self._interval_s))

    async def _tell_line(self) -> None:
        """What is done now and for how long; first of all, what they asked for."""
        doing, (said, at_s), words = self._board.activity, self._said, self._board.words
        time, now_s = self._board.time(self._now()), self._api.clock.seconds()
        if said == doing and now_s - at_s < HEARTBEAT_S - self._interval_s:
            return
        line = words("progress-line", time=time) if doing else reading_line(words, self._board.text)
        if await self._say(line, *([f"{plain_line(doing, 100)} · {time}"] if doing else [])):
            self._said = (doing, now_s)

    async def _say(self, line: str, *loading: str) -> bool:
        try:
            return self._has_line and await self._api.say_status(self._thread, line, loading)
        except SlackRefused as refused:
            _log.info("there is no status line: %s", refused)
            self._has_line = False
        except SlackError as error:
            _log.info("the status line was left out: %s", error)
        return False

    def _draft(self) -> PostDraft:
        board, shown = self._board, self._board.visible_cards()
        text = "\n".join([board.title(), *map(_line, shown)])
        if not self._has_cards:
            return PostDraft(text=text)
        tasks = [_task(number, card) for number, card in enumerate(shown)]
        plan = {"type": "plan", "title": board.title(), "tasks": tasks}
        below = self._below(board)
        return PostDraft(
            text=text, blocks=(plan, actions(*below, name="below")) if below else (plan,)
        )

    def _below(self, board: Board) -> list[JsonObject]:
        """“Open live view”, where there is one, and a menu of the branches at work."""
        below: list[JsonObject] = []
        if self._offers_live_view():
            below.append(clicks.button(board.words("live-button"), LiveViewClick()))
        branches = [
            (board.words("progress-stop", what=title), BranchStop(agent=agent_id(self._turn, run)))
            for run, title in board.branches.items()
        ]
        if branches:
            below.append(clicks.dots_menu(branches))
        return below


def reading_line(words: Words, text: str) -> str:
    """The line of a turn that has yet to begin with anything."""
    return words("progress-line-reading", what=plain_line(text, limits.PROGRESS_WORD_CHARS))


def _line(card: Card) -> str:
    told = f"{card.title} ({card.details})" if card.details else card.title
    return f"{_SHOWN[card.state][1]} {foreign_line(told, limits.SECTION_CHARS)}"


def _task(number: int, card: Card) -> JsonObject:
    """A card's block. Slack folds details away, so how it failed or was ended is in its title.

    What was read is linked: its address was opened already.
    """
    is_told = card.details and card.state in ("stopped", "failed", "unsure")
    title = f"{card.title} · {card.details}" if is_told else card.title
    task: JsonObject = {"type": "task_card", "task_id": f"task{number}", "title": title}
    task["status"] = _SHOWN[card.state][0]
    if card.details and not is_told:
        said = {"type": "text", "text": card.details}
        section = {"type": "rich_text_section", "elements": [said]}
        task["details"] = {"type": "rich_text", "elements": [section]}
    sources = [
        {"type": "url", "url": url, "text": plain_line(title or url, limits.LABEL_CHARS)}
        for url, title in card.sources.items()
        if len(url) <= limits.SOURCE_URL_CHARS
    ]
    if sources:
        task["sources"] = sources[: limits.CARD_SOURCES]
    return task


def _op(turn: TurnId) -> Op:
    return Op(turn).part("progress")
