"""The writes of one turn to Slack: each made once, over restarts too, in its thread or directly."""

import logging
import re
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial

from pydantic import BaseModel

from agent_core.ids import SessionId
from agent_core.messages import JsonObject
from bot.inbound import plain_text
from bot.presenter.board import Board
from bot.render import PostDraft
from bot.slack_api import (
    ContentRefused,
    Op,
    PlaceRefused,
    Receipt,
    SlackApi,
    SlackRefused,
    StoredOp,
)
from bot.slack_api.records import read_post
from bot.slack_api.streams import GONE
from bot.threads import ThreadRef, parse_session, parse_user

FIRST_SMALLER = ("smaller", "0")
"""The first smaller part of a post that Slack took in no form as a whole."""
READER = "slack"
"""The name under which bookmarks are kept among those of other readers."""

TWIN_S = 60.0
"""So far apart the two `ts` of one post may be."""
_MENTION = re.compile(r"<@[^<>]*>")
_NAMED = re.compile(r"@\S+|\s+")

_log = logging.getLogger(__name__)

Write = Callable[[bool], Awaitable[None]]
"""A write to Slack, given whether an earlier process may have made it already."""
PlacedWrite = Callable[[ThreadRef, Op, bool], Awaitable[None]]
"""The same, given also the thread and the op."""


class Bookmark(BaseModel):
    """How far one turn was shown: what a presenter must remember to post nothing twice."""

    waits: int = 0
    """How many of the turn's waits for a person are shown."""
    begun: set[StoredOp] = set()
    """Writes that were about to be made: they may or may not be in Slack."""
    done: set[StoredOp] = set()
    """Writes that Slack has taken."""
    files: dict[StoredOp, str] = {}
    """Upload to Slack's id of the file, known before the file is visible."""
    posts: dict[StoredOp, Receipt] = {}
    """Post to where it landed."""
    streams: dict[StoredOp, str] = {}
    """Post of the answer to the `ts` of the streamed post that is to become it."""
    direct: str = ""
    """Another thread, as a session id, where the turn's own takes no answer: see `Destination`."""
    finished: bool = False
    """Everything of the turn is in the thread."""

    def post_of(self, op: Op) -> Receipt | None:
        """An op's post, of several the last; None where there is none."""
        receipts = [receipt for part, receipt in self.posts.items() if part.is_within(op)]
        return receipts[-1] if receipts else None


SaveBookmark = Callable[[JsonObject], Awaitable[None]]
"""Returns once the bookmark is durable, and raises in a process that lost the turn: it must not
overwrite the notes of the process that has it now."""


@dataclass(slots=True)
class Journal:
    """Notes what is about to be written and what was written."""

    bookmark: Bookmark
    _save: SaveBookmark

    async def once(self, op: Op, write: Write) -> None:
        """Make a write unless it was made. One that failed is made again when asked again."""
        bookmark = self.bookmark
        if op in bookmark.done:
            return
        may_exist = op in bookmark.begun
        if not may_exist:
            bookmark.begun.add(op)
            await self.save()
        await write(may_exist)
        bookmark.done.add(op)
        await self.save()

    async def finish(self) -> None:
        """Everything of the turn is shown, for good."""
        self.bookmark.finished = True
        await self.save()

    async def save(self) -> None:
        """Make the bookmark durable."""
        await self._save(self.bookmark.model_dump(mode="json"))


@dataclass(slots=True)
class Destination:
    """The thread of one turn's posts or, where that takes none, the asker's direct conversation.

    Slack may deliver one post under two `ts`, and the first one begins the turn. If no post has
    that `ts`, the turn is shown in the thread of its twin. The other thread is chosen once, when
    it is first needed; from then on all posts go there.
    """

    api: SlackApi
    thread: ThreadRef
    journal: Journal
    board: Board
    offers_live_view: Callable[[], bool] = lambda: False
    _is_missing: bool = False
    """Slack said that the thread is not there."""

    @property
    def current(self) -> ThreadRef:
        """The thread that takes the turn's posts now."""
        direct = self.journal.bookmark.direct
        return parse_session(SessionId(direct)) if direct else self.thread

    async def post(self, op: Op, draft: PostDraft) -> None:
        """Make a post once, as with `once`."""
        await self.once(op, partial(self._post, draft))

    async def settle(self, op: Op, ended_as: str, draft: PostDraft) -> None:
        """Say in a post how it ended, once. Where none stands, or it is gone, nothing is said."""
        if stands := self.journal.bookmark.post_of(op):
            await self.journal.once(op.part(ended_as), partial(self._edit, stands, draft))

    async def once(self, op: Op, write: PlacedWrite) -> None:
        """Make a write once, where it is taken.

        Raises SlackError where Slack gave no answer, or refuses it in both places.
        """
        bookmark = self.journal.bookmark
        if not bookmark.direct or op in bookmark.done:
            try:
                await self.journal.once(op, partial(write, self.thread, op))
            except PlaceRefused as refused:
                _log.warning("the thread takes no posts, another one is used: %s", refused)
                self._is_missing = refused.code == "thread_not_found"
            else:
                return
        if not bookmark.direct:
            notice = op.part("notice")
            await self.journal.once(notice, partial(self._begin, notice))
        direct = op.directly()
        await self.journal.once(direct, partial(write, self.current, direct))

    async def _begin(self, op: Op, may_exist: bool) -> None:
        bookmark = self.journal.bookmark
        team, user = parse_user(self.board.asker)
        twin = await self._find_twin(user) if self._is_missing else None
        if twin is not None:
            bookmark.direct = twin.session
            return
        text = self.board.words("progress-not-in-thread")
        thread = await self.api.post_direct(
            team,
            user,
            f"_{text}_",
            op=op,
            since=self.thread.root_ts,
            may_exist=may_exist,
        )
        bookmark.direct = thread.session

    async def _find_twin(self, user: str) -> ThreadRef | None:
        """The thread of the asker's post with the same words, as near as Slack's twins are."""
        asked = _bare(self.board.text)
        if not asked:
            return None
        around_s = float(self.thread.root_ts)
        history = self.api.channels.history(
            self.thread.channel,
            oldest=f"{around_s - TWIN_S:.6f}",
            latest=f"{around_s + TWIN_S:.6f}",
        )
        async with aclosing(history) as pages:
            async for page in pages:
                for post in map(read_post, page):
                    text = plain_text(_MENTION.sub("", post.text))
                    if post.user == user and _bare(text) == asked:
                        return replace(self.thread, root_ts=post.ts)
        return None

    async def _edit(self, stands: Receipt, draft: PostDraft, _may_exist: bool) -> None:
        update = partial(self.api.update, stands.channel, stands.ts, draft.text)
        try:
            try:
                await update(blocks=draft.blocks)
            except ContentRefused:
                await update()
        except SlackRefused as refused:
            _log.warning("an end is not shown: %s", refused)

    async def _post(
        self,
        draft: PostDraft,
        thread: ThreadRef,
        op: Op,
        may_exist: bool,
    ) -> None:
        """What was streamed becomes the post or the first part of it."""
        bookmark = self.journal.bookmark
        ts = bookmark.streams.get(op.without(*FIRST_SMALLER), "")
        if ts and await self._replace(thread, ts, draft, op):
            receipt = Receipt(thread.channel, ts)
        else:
            receipt = await self.api.post(
                thread,
                draft.text,
                blocks=draft.blocks,
                op=op,
                may_exist=may_exist,
            )
        bookmark.posts[op.in_thread()] = receipt

    async def _replace(
        self,
        thread: ThreadRef,
        ts: str,
        draft: PostDraft,
        op: Op,
    ) -> bool:
        """Put the draft into a post that stands there; False where that is gone."""
        try:
            await self.api.update(
                thread.channel,
                ts,
                draft.text,
                blocks=draft.blocks,
                op=op,
            )
        except SlackRefused as refused:
            if refused.code not in GONE:
                raise
            return False
        return True


def _bare(text: str) -> str:
    """Without blanks and without whom it names."""
    return _NAMED.sub("", text)
