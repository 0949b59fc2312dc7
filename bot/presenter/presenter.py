"""One turn in its Slack thread: a sign at once, progress, what is asked, the answer, the files."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from agent_core.events import (
    LIVE_ONLY,
    AnyEvent,
    ApprovalDecided,
    ApprovalRequested,
    AuthEnded,
    AuthRequired,
    Event,
    MessageTaken,
    QuestionAsked,
    RouteChosen,
    StepRetried,
    ToolCallStarted,
    TurnFinished,
)
from agent_core.runtime import StoredTurn
from bot.presenter.answer import (
    WHOLE_ANSWER_NAME,
    answer_text,
    is_silent,
    live_links,
    post_answer,
    question_drafts,
    thread_drafts,
)
from bot.presenter.board import BUSY_WAIT_S, Board, Wait
from bot.presenter.consents import ConsentPosts, Links
from bot.presenter.files import Artifact, ThreadFiles
from bot.presenter.journal import Journal, Place, PresenterState
from bot.presenter.progress import Progress
from bot.presenter.sign import Signs
from bot.slack_api import Guard, SlackApi
from bot.threads import ThreadRef


class TurnPresenter:
    """Shows one turn. After a restart it is given the turn's events again, from the first one."""

    def __init__(self, state: PresenterState, guard: Guard | None) -> None:
        self._journal = Journal(state, guard)
        self._board = Board()

    async def is_finished(self) -> bool:
        """Whether everything of the turn is told already."""
        return (await self._journal.open()).finished

    async def show_queued(self) -> None:
        """Show that the turn was seen, before its first event."""

    async def show(self, event: AnyEvent) -> None:
        """Take the next event; with TurnFinished it returns once all is told.

        Raises:
            SlackError: It could not be posted now; show the same event again later.
        """
        raise NotImplementedError

    async def give_up(self) -> None:
        """Slack will never take the rest of the turn: count it as shown, for good."""
        await self._journal.finish()

    async def close(self) -> None:
        """End what goes on in the background. Safe to call twice."""

    def forget(self) -> None:
        """Another process shows the turn now: what stands in Slack is left to it."""


MakePresenter = Callable[[StoredTurn, PresenterState, Path, Guard], Awaitable[TurnPresenter]]
"""Raises SessionError for a turn that it cannot show."""


class ThreadPresenter(TurnPresenter):
    """Shows one turn's events in its thread, in the order in which `show` gets them."""

    def __init__(
        self,
        api: SlackApi,
        thread: ThreadRef,
        state: PresenterState,
        workspace: Path,
        *,
        asked_ts: str = "",
        edit_interval_s: float = 1.0,
        signs: Signs | None = None,
        may_be_left: bool = False,
        guard: Guard | None = None,
        links: Links | None = None,
    ) -> None:
        """Make a presenter.

        Args:
            api: The Slack calls; its clock is the presenter's clock.
            thread: Where the turn is shown.
            state: This turn's bookmark.
            workspace: The session's directory, which artifacts are read from.
            asked_ts: The asker's post, for a reaction where Slack cannot show a status.
            edit_interval_s: The least time between two edits of the progress post.
            signs: Those of the bot, where others show them too; its own otherwise.
            may_be_left: Another process may have put a reaction on the asker's post.
            guard: Awaited before each write to Slack and to `state`; what it raises ends the write.
            links: Gives the asker's links for connecting accounts; without it only the buttons do.
        """
        super().__init__(state, guard)
        signs = signs or Signs(api)
        self._signs = signs.guarded(guard) if guard else signs
        self._asked = (thread, asked_ts)
        self._may_be_left = may_be_left
        api = api.guarded(guard) if guard else api
        self._progress = Progress(
            api, thread, self._journal, self._board, interval_s=edit_interval_s
        )
        self._place = Place(api, thread, self._journal, self._board)
        self._files = ThreadFiles(self._place, workspace)
        self._consents = ConsentPosts(self._place, self._files, links)
        self._seen: set[str] = set()

    async def show_queued(self) -> None:
        """Show that the asker's post was seen, before the turn's first event."""
        await self._show_sign()

    async def show(self, event: AnyEvent) -> None:
        """Take the next event, stored or live.

        After a restart the turn's stored events are given again from the first one: what is in the
        thread already is not shown twice. With a question, or an approval or connection that is
        asked for, it returns once that is in the thread, with TurnFinished once answer and files
        are.

        Raises:
            SlackError: It could not be posted now; show the same event again later.
        """
        if self._was_shown(event) or await self.is_finished():
            return
        was_waiting = bool(self._board.waits)
        self._board.fold(event)
        if isinstance(event, TurnFinished):
            await self._finish(event)
        elif isinstance(event, QuestionAsked | ApprovalRequested | AuthRequired):
            await self._ask(event)
        elif isinstance(event, ApprovalDecided | AuthEnded):
            await self._end_consent(event)
        elif not self._board.waits:
            await self._go_on(event, is_answered=was_waiting)
        if not isinstance(event, LIVE_ONLY):
            self._seen.add(_identity(event))

    async def give_up(self) -> None:
        await self._progress.stop()
        await self._end()

    async def close(self) -> None:
        await self._progress.stop()

    def forget(self) -> None:
        self._signs.forget(*self._asked)

    def _was_shown(self, event: AnyEvent) -> bool:
        return not isinstance(event, LIVE_ONLY) and _identity(event) in self._seen

    async def _show_sign(self) -> None:
        await self._signs.show(*self._asked, may_be_left=self._may_be_left, is_held=True)

    async def _go_on(self, event: AnyEvent, *, is_answered: bool) -> None:
        if self._board.part < (await self._journal.open()).waits:
            return  # an earlier process came as far as a later question
        await self._show_sign()
        if _is_work(event) or is_answered:
            await self._progress.open(event.turn)
        if is_answered:
            await self._progress.settle(event.turn)
        self._progress.touch()

    async def _ask(self, event: Wait) -> None:
        """What is asked first: nobody waits for progress to say that it waits."""
        bookmark, waits = await self._journal.open(), len(self._board.asked)
        await self._progress.stop()
        await self._post_wait(event, is_new=bookmark.waits < waits)
        if bookmark.waits < waits:
            await self._progress.wait(event.turn)
        if bookmark.waits <= waits:
            await self._signs.rest(*self._asked)
            bookmark.waits = waits
            await self._journal.save()

    async def _post_wait(self, event: Wait, *, is_new: bool) -> None:
        match event:
            case QuestionAsked() if is_new:
                op = f"{event.turn}:question:{event.call_id}"
                await post_answer(self._place, op, question_drafts(event, self._board.words))
            case ApprovalRequested():
                await self._consents.request(event)
            case AuthRequired():
                await self._consents.invite(event)
            case _:
                pass

    async def _end_consent(self, event: ApprovalDecided | AuthEnded) -> None:
        if isinstance(event, ApprovalDecided):
            await self._consents.decide(event)
        else:
            await self._consents.end(event)
        if not self._board.waits:
            await self._go_on(event, is_answered=True)

    async def _finish(self, event: TurnFinished) -> None:
        await self._progress.stop()
        is_closed = await self._progress.close(event.turn, insist=False)
        await self._show_result(event)
        if not is_closed:
            await self._progress.close(event.turn, insist=True)
        await self._progress.settle(event.turn)
        await self._end(is_steered=event.outcome == "steered")

    async def _end(self, *, is_steered: bool = False) -> None:
        """A message that became part of another turn keeps its reaction: it was seen."""
        end = self._signs.leave if is_steered else self._signs.take_back
        await end(*self._asked)
        await self._journal.finish()

    async def _show_result(self, event: TurnFinished) -> None:
        if is_silent(event):
            return
        words = self._board.words
        markdown = answer_text(event, words)
        is_live = live_links(event)
        drafts, is_cut = await asyncio.to_thread(thread_drafts, markdown, words, is_live)
        is_posted = await post_answer(self._place, f"{event.turn}:answer", drafts)
        if is_cut or not is_posted:
            whole = Artifact(name=WHOLE_ANSWER_NAME, content=markdown.encode())
            await self._files.upload(f"{event.turn}:whole", whole)
        for saved in self._board.final_artifacts:
            await self._files.hand_out(f"file:{_identity(saved)}", saved.path, saved.title)


def _is_work(event: AnyEvent) -> bool:
    """Whether from here on there is progress to show."""
    if isinstance(event, RouteChosen):
        return event.route == "COMPLEX"
    if isinstance(event, StepRetried):
        return event.wait_s >= BUSY_WAIT_S
    return isinstance(event, ToolCallStarted | MessageTaken)


def _identity(event: Event) -> str:
    return f"{event.turn}/{event.run}/{event.step}/{event.attempt}/{event.n}"
