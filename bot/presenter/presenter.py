"""The presenter of one turn in its thread: indicator, progress, Asks, answer and files."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from agent_core.clock import machine_time
from agent_core.events import (
    AnyEvent,
    ApprovalRequested,
    AuthRequired,
    QuestionAsked,
    RouteChosen,
    TurnFinished,
)
from agent_core.masking import masked_post
from agent_core.snapshot import Wait
from bot.presenter.answer import (
    WHOLE_ANSWER_NAME,
    answer_text,
    feedback_block,
    follow_up_rows,
    live_links,
    thread_drafts,
)
from bot.presenter.asks import AskPosts
from bot.presenter.board import Board
from bot.presenter.connection import ConnectLink
from bot.presenter.files import ThreadFiles, handed_out
from bot.presenter.indicator import Indicators
from bot.presenter.journal import Destination, Journal, PresenterState
from bot.presenter.progress import ProgressPost
from bot.presenter.stream import AnswerStream
from bot.slack_api import (
    ContentRefused,
    Op,
    SlackApi,
    Upload,
)
from bot.threads import ThreadRef


class TurnPresenter(ABC):
    """Shows one turn. After a restart it gets the turn's events again, from the first one on."""

    def __init__(self, state: PresenterState) -> None:
        self._journal = Journal(state)
        self._board = Board()

    async def is_finished(self) -> bool:
        """Whether everything of the turn is in Slack."""
        return (await self._journal.open()).finished

    @abstractmethod
    async def show(self, event: AnyEvent) -> None:
        """Show the next event; for TurnFinished it returns once everything is in Slack.

        Raises SlackError if Slack did not take it now; show the same event again later.
        """

    @abstractmethod
    async def give_up(self) -> None:
        """Count the turn as shown for good: Slack will never take the rest of it."""

    @abstractmethod
    async def close(self) -> None:
        """Stop, and leave the posts as they are to the presenter that shows the turn next."""


class ThreadPresenter(TurnPresenter):
    """Shows one turn's events in its thread, in the order in which `show` gets them.

    `asked_ts` is the asker's post, for a reaction where Slack cannot show a status;
    `edit_interval_s` the least time between two edits of the progress post. `now` is the clock of
    the events. With `is_plain` the answer is shown as it is; with `is_told` the line is said.
    """

    def __init__(
        self,
        api: SlackApi,
        thread: ThreadRef,
        state: PresenterState,
        workspace: Path,
        *,
        asked_ts: str,
        indicators: Indicators,
        connect_link: ConnectLink,
        edit_interval_s: float = 2.0,
        is_plain: bool = False,
        is_told: bool = False,
        offers_live_view: Callable[[], bool] = lambda: False,
        now: Callable[[], datetime] = machine_time,
    ) -> None:
        super().__init__(state)
        self._indicators = indicators
        self._is_plain = is_plain
        self._asked = (thread, asked_ts)
        self._destination = Destination(api, thread, self._journal, self._board)
        self._progress = ProgressPost(
            self._destination, edit_interval_s, offers_live_view, now, is_told
        )
        self._files = ThreadFiles(self._destination, workspace)
        self._stream = AnswerStream(
            self._destination, workspace, asked_ts=asked_ts, is_off=is_plain
        )
        self._asks = AskPosts(self._destination, self._files, connect_link)
        self._is_by_model = True
        """Small talk is answered without one."""
        self._waits = 0
        """How many times the turn has begun to wait for a person."""

    async def show(self, event: AnyEvent) -> None:
        """As `TurnPresenter.show`; an Ask is in the thread once this returns."""
        if await self.is_finished():
            return
        was_waiting = bool(self._board.turn.waits)
        self._board.fold(event)
        self._waits += bool(self._board.turn.waits) and not was_waiting
        if isinstance(event, RouteChosen):
            self._is_by_model = event.route == "COMPLEX" or event.model_calls > 0
        await self._asks.hear(event)
        await self._stream.hear(event)
        match event:
            case TurnFinished():
                await self._finish(event)
            case QuestionAsked() | ApprovalRequested() | AuthRequired():
                await self._ask(event)
            case _:
                if not self._board.turn.waits:
                    await self._go_on(event)

    async def give_up(self) -> None:
        await self._progress.stop()
        await self._stream.stop()
        await self._indicators.take_back(*self._asked)
        await self._journal.finish()

    async def close(self) -> None:
        await self._progress.stop()
        await self._stream.stop()
        self._indicators.forget(*self._asked)

    async def _go_on(self, event: AnyEvent) -> None:
        if self._waits < (await self._journal.open()).waits:
            return  # an earlier process came as far as a later question
        await self._indicators.show(*self._asked, may_be_left=True)
        await self._progress.go_on(event.turn)

    async def _ask(self, event: Wait) -> None:
        """Post the Ask before progress is edited: a person waits for it."""
        bookmark = await self._journal.open()
        await self._progress.stop()
        await self._asks.ask(event)
        if bookmark.waits < self._waits:
            await self._progress.edit()  # it stands still from now on
            await self._indicators.take_back(*self._asked)
            bookmark.waits = self._waits
            await self._journal.save()

    async def _finish(self, event: TurnFinished) -> None:
        await self._progress.stop()
        await self._stream.end()
        is_closed = await self._progress.close(event.turn, insist=False)
        is_steered = event.outcome == "steered"  # then another turn answers
        if not is_steered and (event.answer or event.outcome != "stopped"):
            await self._show_result(event)
        elif not is_steered:
            await self._progress.say("")  # no post takes the status line away
        await self._stream.clear()
        if not is_closed:
            await self._progress.close(event.turn, insist=True)
        await self._indicators.take_back(*self._asked, is_taken_in=is_steered)
        await self._journal.finish()

    async def _show_result(self, event: TurnFinished) -> None:
        words = self._board.words
        markdown = masked_post(answer_text(event, words))  # a post or a page may end in a secret
        is_live = live_links(event, self._destination.api.home)
        is_plain = self._is_plain and event.outcome != "failed"  # then the words are ours
        drafts, is_cut = await asyncio.to_thread(
            thread_drafts,
            markdown,
            words,
            is_live,
            sources=event.citations,
            is_plain=is_plain,
        )
        op = Op(event.turn).part("answer")
        saved = handed_out(self._board.turn.artifacts.values())
        if drafts[-1].blocks and event.outcome in {"answered", "limited"} and self._is_by_model:
            rows = (*follow_up_rows(saved), feedback_block(event.turn, words))
            drafts[-1] = replace(drafts[-1], blocks=(*drafts[-1].blocks, *rows))
        whole = Upload(name=WHOLE_ANSWER_NAME, content=markdown.encode(), title=WHOLE_ANSWER_NAME)
        try:
            await self._files.post(
                op,
                drafts,
                saved,
                [whole] if is_cut else [],
            )
        except ContentRefused:
            await self._files.post(
                op.part("whole"),
                [],
                saved,
                [whole],
            )
