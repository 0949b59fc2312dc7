"""Progress of a turn: one post with the plan card, and the thread's status line with the time.

The post is opened with the first card, edited only when the plan has changed, and becomes a
short plan of what was done. The status line is renewed from the turn's beginning on, so that nobody
looks at a thread in which nothing moves. Indicators that the bot is at work stand here too.
"""

import asyncio
import logging
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from cachetools import TTLCache

from agent_core.background import Locks
from agent_core.ids import agent_id
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
    SlackApi,
    SlackError,
    SlackRefused,
    WriteGuard,
)
from bot.threads import ThreadRef

HEARTBEAT_S = 4.5
"""The status line is renewed at the latest after this time."""
_NEVER_S = float("-inf")

REACTION = "eyes"
RENEWAL_S = 1_800.0
"""Slack clears a status after an hour."""
FORGOTTEN_S = 3_600.0
"""An indicator that was not renewed for this time belongs to another process."""

_SHOWN = {
    "running": ("in_progress", "▸"),
    "waiting": ("pending", "…"),
    "done": ("complete", "✓"),
    "stopped": ("pending", "-"),
    "failed": ("error", "✗"),
    "unsure": ("error", "?"),
}
"""A card's state as Slack has it, and as text."""

_STANDING_STILL = ("stopped", "failed", "unsure")

_log = logging.getLogger(__name__)


class ProgressPost:
    """The plan and the status line of one turn. Where Slack refuses them, the turn goes on."""

    def __init__(
        self,
        destination: Destination,
        interval_s: float,
        now: Callable[[], datetime],
    ) -> None:
        self._offers_live_view = destination.offers_live_view
        self._now = now
        self._api = destination.api
        self._thread = destination.thread
        self._journal = destination.journal
        self._board = destination.board
        self._interval_s = interval_s
        self._keeping: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()
        self._changed = asyncio.Event()
        self._ts = ""
        self._shown: PostDraft | None = None
        self._shown_s = _NEVER_S
        self._line_activity = ""
        """The activity in the status line."""
        self._line_s = _NEVER_S
        """When the line was set last; a line that Slack took away is set again at once."""
        self._has_line = True
        self._has_post = True
        self._has_cards = True
        """Slack has not refused it."""

    @property
    def _op(self) -> Op:
        return Op(self._board.turn.id).part("progress")

    async def go_on(self) -> None:
        """The board has changed: keep line and post up to date from now on."""
        if self._keeping is None:
            self._keeping = asyncio.create_task(self._keep_up(), name="progress")
        if self._board.cards:
            await self._open()
        self._changed.set()

    async def _open(self) -> None:
        """Post the plan, unless it is there."""
        if self._ts or not self._has_post:
            return
        try:
            await self._journal.once(self._op, self._post)
        except SlackError as error:
            self._has_post = not isinstance(error, SlackRefused)
            _log.warning("no progress is shown: %s", error)
            return
        self._ts = self._journal.bookmark.posts[self._op].ts
        async with self._writing:
            if self._keeping is not None:
                self._line_s = _NEVER_S  # the post has taken the line away
                await self._renew_line()

    async def stop(self) -> None:
        """Cancel the writer, after a write under way has ended. Idempotent."""
        if self._keeping is not None:
            async with self._writing:
                self._keeping.cancel()
            await asyncio.wait([self._keeping])
            self._keeping = None
            self._line_s = _NEVER_S

    async def edit(self, *, insist: bool = False) -> bool:
        """Show the newest state; False if it must come later. `insist` waits for rate limits."""
        if not self._ts or not self._has_post:
            return True
        draft = self._draft()
        if draft == self._shown:
            return True
        try:
            is_taken = await self._api.update(
                self._thread.channel,
                self._ts,
                draft.text,
                blocks=draft.blocks,
                insist=insist,
            )
        except ContentRefused as refused:
            _log.warning("progress is shown without cards: %s", refused)
            is_taken = not self._has_cards
            self._has_cards = False
        except SlackRefused as refused:
            _log.warning("progress is no longer shown: %s", refused)
            self._has_post = False
            return True
        except SlackError as error:
            _log.info("an edit was left out: %s", error)
            return False
        if not is_taken:
            return False
        self._shown = draft
        self._shown_s = self._api.clock.seconds()
        return True

    async def close(self, *, insist: bool) -> bool:
        """Edit the post into the plan of what was done; also the post of a process that died."""
        if self._op in self._journal.bookmark.begun:
            await self._open()
        return await self.edit(insist=insist)

    async def _post(self, may_exist: bool) -> None:
        draft = self._draft()
        post = partial(self._api.post, self._thread, op=self._op)
        try:
            receipt = await post(draft.text, blocks=draft.blocks, may_exist=may_exist)
        except ContentRefused as refused:
            _log.warning("progress is shown without cards: %s", refused)
            self._has_cards = False
            draft = PostDraft(text=draft.text)
            receipt = await post(draft.text)
        self._shown = None if may_exist else draft
        self._shown_s = self._api.clock.seconds()
        self._journal.bookmark.posts[self._op] = receipt

    async def _keep_up(self) -> None:
        """Renew line and post until cancelled; a state is not written twice."""
        clock = self._api.clock
        longest_s = HEARTBEAT_S - self._interval_s
        while True:
            self._changed.clear()
            async with self._writing:
                await self._renew_line()
                is_early = clock.seconds() - self._shown_s < self._interval_s
                if is_early or not await self.edit():
                    self._changed.set()
            await clock.sleep(self._interval_s)
            due_s = self._line_s + HEARTBEAT_S - clock.seconds()
            await clock.wait(self._changed, min(max(0.1, due_s), longest_s))

    async def _renew_line(self) -> None:
        """Renew the status line: the activity or, before any, that the request is looked at.

        The time moves from the second line on, so that nobody takes a slow model for a dead one.
        """
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
            line = words("progress-line-looking")
            if self._line_s > _NEVER_S:
                line = f"{line} · {self._board.time(self._now())}"
            is_said = await self.say(line)
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
        below: list[JsonObject] = []
        if self._offers_live_view():
            below.append(live_view_button(board.words))
        stops: list[tuple[str, BranchStop]] = []
        for run, branch in board.branches.items():
            click = BranchStop(agent=agent_id(board.turn.id, run))
            stops.append((board.words("progress-stop", what=branch), click))
        if stops:
            below.append(clicks.dots_menu(stops))
        if below:
            blocks.append(actions(*below, name="below"))
        return PostDraft(text=text, blocks=tuple(blocks))


def live_view_button(words: Words) -> JsonObject:
    """“Open live view”, below whatever waits or is under way."""
    return clicks.button(words("live-button"), LiveViewClick())


def _line(card: Card) -> str:
    details = card.waits_for or card.details
    text = f"{card.title} ({details})" if details else card.title
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
    if card.waits_for:
        task["title"] = f"{card.title} · {card.waits_for}"
    elif card.details and card.state in _STANDING_STILL:
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


@dataclass(slots=True)
class _ThreadIndicators:
    posts: dict[str, bool] = field(default_factory=dict[str, bool])
    """Posts at work by `ts`, and whether each may have a reaction."""
    status_s: float | None = None
    """When the status of the thread was set last; None while it has none."""


class Indicators:
    """One indicator for each post at work, from the first `show` until `take_back`.

    The first post of a thread has the thread's status as its indicator; a post that waits behind
    it, or is in a thread where Slack shows no status, gets a reaction.

    `on_sign` is called once for each post that is shown to be at work.
    """

    def __init__(
        self, api: SlackApi, *, on_sign: Callable[[str], None] = lambda _post_ts: None
    ) -> None:
        self._api = api
        self._on_sign = on_sign
        self._threads: TTLCache[ThreadRef, _ThreadIndicators] = TTLCache(
            10_000, FORGOTTEN_S, timer=api.clock.seconds
        )
        self._locks = Locks[ThreadRef]()

    def guarded(self, guard: WriteGuard) -> "Indicators":
        """A view of these indicators that awaits `guard` before each write."""
        view = copy(self)
        view._api = self._api.guarded(guard)
        return view

    async def show(self, thread: ThreadRef, post_ts: str, *, may_be_left: bool = False) -> None:
        """Show that a post is at work; idempotent.

        With `may_be_left` another process may have shown the indicator of a post that is new here.
        """
        async with self._locks.of(thread):
            shown = self._threads.get(thread) or _ThreadIndicators()
            self._threads[thread] = shown
            if post_ts in shown.posts:
                now_s = self._api.clock.seconds()
                if shown.status_s is not None and now_s - shown.status_s >= RENEWAL_S:
                    shown.status_s = now_s
                    await self._api.set_status(thread, "processing")
                return
            shown.posts[post_ts] = may_be_left
            if shown.status_s is not None:
                has_own = not may_be_left
            else:
                has_own = not await self._api.set_status(thread, "processing")
                if not has_own:
                    shown.status_s = self._api.clock.seconds()
            if has_own:
                shown.posts[post_ts] = True
                await self._react(thread, post_ts, add=True)
            if post_ts and not may_be_left:
                self._on_sign(post_ts)

    async def take_back(
        self, thread: ThreadRef, post_ts: str, *, is_taken_in: bool = False
    ) -> None:
        """Remove the indicator of a post that is done; the status stays for other posts at work.

        The reaction of a post that was absorbed into another turn stays: it says that it was seen.
        """
        async with self._locks.of(thread):
            shown = self._threads.get(thread) or _ThreadIndicators()
            is_known = post_ts in shown.posts
            has_reaction = shown.posts.get(post_ts, False)
            self.forget(thread, post_ts)
            if has_reaction and not is_taken_in:
                await self._react(thread, post_ts, add=False)
            if thread not in self._threads and (is_known or not is_taken_in):
                await self._api.set_status(thread, "active", insist=True)

    def forget(self, thread: ThreadRef, post_ts: str) -> None:
        """Leave a post and its indicator to another process."""
        if shown := self._threads.get(thread):
            shown.posts.pop(post_ts, None)
            if not shown.posts:
                del self._threads[thread]

    async def _react(self, thread: ThreadRef, post_ts: str, *, add: bool) -> None:
        if not post_ts:
            return
        try:
            await self._api.react(
                thread.channel,
                post_ts,
                REACTION,
                add=add,
            )
        except SlackError as error:
            _log.info("no reaction: %s", error)
