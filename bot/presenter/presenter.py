"""One turn in its Slack thread: a sign at once, one progress post, the answer, then the files."""

from pathlib import Path

from agent_core.events import (
    LIVE_ONLY,
    AnyEvent,
    Event,
    RouteChosen,
    StepRetried,
    ToolCallStarted,
    TurnFinished,
)
from agent_core.ids import TurnId, UserId
from bot.presenter.answer import (
    WHOLE_ANSWER_NAME,
    AnswerPosts,
    answer_text,
    is_silent,
    live_links,
    thread_drafts,
)
from bot.presenter.artifacts import Artifact
from bot.presenter.board import BUSY_WAIT_S, Board
from bot.presenter.direct import DirectPlace
from bot.presenter.files import Handout, ThreadFiles
from bot.presenter.journal import Journal
from bot.presenter.progress import Progress
from bot.presenter.sign import Signs
from bot.presenter.state import PresenterState
from bot.slack_api import SlackApi, SlackError
from bot.threads import ThreadRef


class ThreadPresenter:
    """Shows one turn's events in the order in which `show` gets them."""

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
        is_resumed: bool = False,
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
            is_resumed: An earlier process may have shown part of the turn.
        """
        self._journal = Journal(state)
        self._board = Board()
        self._signs = signs or Signs(api)
        self._thread = thread
        self._asked_ts = asked_ts
        self._is_resumed = is_resumed
        self._progress = Progress(
            api, thread, self._journal, self._board, interval_s=edit_interval_s
        )
        direct = DirectPlace(api, self._journal)
        self._answer = AnswerPosts(api, thread, self._journal, direct)
        self._files = ThreadFiles(api, thread, self._journal, workspace, direct)
        self._seen: set[str] = set()

    async def is_finished(self) -> bool:
        """Whether everything of the turn is in the thread already."""
        return (await self._journal.open()).finished

    async def show(self, event: AnyEvent) -> None:
        """Take the next event, stored or live.

        After a restart the turn's stored events are given again from the first one: what is in the
        thread already is not shown twice. With TurnFinished it returns once answer and files are in
        the thread.

        Raises:
            SlackError: The answer could not be posted now; show the same event again later.
        """
        if self._was_shown(event) or await self.is_finished():
            return
        if not isinstance(event, LIVE_ONLY):
            self._seen.add(_identity(event))
        self._board.fold(event)
        if isinstance(event, TurnFinished):
            await self._finish(event)
        else:
            await self._go_on(event)

    async def give_up(self) -> None:
        """Slack will never take the rest of the turn: count it as shown, for good."""
        await self._progress.stop()
        await self._end()

    async def close(self) -> None:
        """End the background edits, if TurnFinished never came. Safe to call twice."""
        await self._progress.stop()

    def _was_shown(self, event: AnyEvent) -> bool:
        return not isinstance(event, LIVE_ONLY) and _identity(event) in self._seen

    async def _go_on(self, event: AnyEvent) -> None:
        await self._signs.show(self._thread, self._asked_ts, may_be_left=self._is_resumed)
        if _is_work(event):
            await self._progress.open(event.turn)
        self._progress.touch()

    async def _finish(self, event: TurnFinished) -> None:
        await self._progress.stop()
        is_closed = await self._progress.close(event.turn, insist=False)
        try:
            await self._show_result(event)
        except SlackError:
            self._seen.discard(_identity(event))
            raise
        if not is_closed:
            await self._progress.close(event.turn, insist=True)
        await self._end()

    async def _end(self) -> None:
        await self._signs.take_back(self._thread, self._asked_ts)
        (await self._journal.open()).finished = True
        await self._journal.save()

    async def _show_result(self, event: TurnFinished) -> None:
        if is_silent(event):
            return
        markdown = answer_text(event, self._board.words)
        asker = UserId(self._board.asker)
        op = f"{event.turn}:answer"
        drafts, is_cut = thread_drafts(markdown, self._board.words, live_links(event))
        is_posted = await self._answer.post(op, drafts, self._board.words, asker)
        if is_cut or not is_posted:
            await self._attach_whole(event.turn, markdown, asker)
        for saved in self._board.final_artifacts:
            handout = Handout(op=f"file:{_identity(saved)}", path=saved.path, title=saved.title)
            await self._files.hand_out(handout, self._board.words, asker)

    async def _attach_whole(self, turn: TurnId, markdown: str, asker: UserId) -> None:
        handout = Handout(op=f"{turn}:whole", path=WHOLE_ANSWER_NAME, title="")
        artifact = Artifact(name=WHOLE_ANSWER_NAME, content=markdown.encode())
        await self._files.upload(handout, artifact, self._board.words, asker)


def _is_work(event: AnyEvent) -> bool:
    """Whether from here on there is progress to show."""
    if isinstance(event, RouteChosen):
        return event.route == "COMPLEX"
    if isinstance(event, StepRetried):
        return event.wait_s >= BUSY_WAIT_S
    return isinstance(event, ToolCallStarted)


def _identity(event: Event) -> str:
    return f"{event.turn}/{event.run}/{event.step}/{event.attempt}/{event.n}"
