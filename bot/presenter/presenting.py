"""Presenters of turns in Slack: one for each turn, also of turns that a dead process left.

`Presenting` starts them and retries; `ThreadPresenter` shows one turn in its thread: indicator,
progress, Asks, answer and files.
"""

import asyncio
import logging
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from textwrap import shorten
from weakref import WeakValueDictionary

from agent_core.background import Background, Backoff
from agent_core.clock import machine_time
from agent_core.errors import SessionError
from agent_core.events import (
    REPORT,
    AnyEvent,
    ApprovalRequested,
    ArtifactSaved,
    AskDecided,
    AuthRequired,
    QuestionAsked,
    RouteChosen,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import TurnId
from agent_core.messages import JsonObject
from agent_core.runtime import (
    MAX_TRIES,
    LeaseLost,
    Runtime,
    StoredTurn,
)
from agent_core.snapshot import Wait
from bot.inbound import posted_ts
from bot.presenter.answer import (
    WHOLE_ANSWER_NAME,
    ThreadFiles,
    final_drafts,
    handed_out,
)
from bot.presenter.asks import AskPosts, ConnectLink
from bot.presenter.board import Board
from bot.presenter.journal import (
    READER,
    Bookmark,
    Destination,
    Journal,
)
from bot.presenter.progress import Indicators, ProgressPost
from bot.presenter.stream import AnswerStream
from bot.slack_api import (
    ContentRefused,
    Op,
    SlackApi,
    SlackAuthRefused,
    SlackRefused,
    Upload,
)
from bot.threads import ThreadRef, parse_session

logger = logging.getLogger(__name__)

BACKOFF = Backoff(first_s=5.0, longest_s=60.0, jitter=0.0)
CLOSE_PATIENCE_S = 3.0
MAX_TITLE_CHARS = 60
FIRST_PICTURE = "\u2190"
"""From here on symbols are arrows, pictures and emoji."""
VARIATIONS = frozenset("\ufe0e\ufe0f")
"""Ask for the text or the picture of the sign before them."""

Awaited = TurnFinished | QuestionAsked | ApprovalRequested | AuthRequired | AskDecided
"""Events that a person waits to see; if Slack does not take one, it is shown again."""
BARE = TurnStarted | ArtifactSaved | TurnFinished
"""Events that are shown of a quarantined turn: its answer and its files."""


class TurnPresenter(ABC):
    """Shows one turn. After a restart it gets the turn's events again, from the first one on."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._board = Board()

    @property
    def is_finished(self) -> bool:
        """Whether everything of the turn is in Slack."""
        return self._journal.bookmark.finished

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
    the events. With `is_plain` the answer is shown as it is, with `has_footer` above what it took.
    """

    def __init__(
        self,
        api: SlackApi,
        thread: ThreadRef,
        journal: Journal,
        workspace: Path,
        *,
        asked_ts: str,
        indicators: Indicators,
        connect_link: ConnectLink,
        is_plain: bool,
        offers_live_view: Callable[[], bool],
        print_report: Callable[[ArtifactSaved], Awaitable[Sequence[ArtifactSaved]]],
        now: Callable[[], datetime],
        edit_interval_s: float = 2.0,
        has_footer: bool = False,
    ) -> None:
        super().__init__(journal)
        self._indicators = indicators
        self._is_plain = is_plain
        self._has_footer = has_footer
        self._asked = (thread, asked_ts)
        self._destination = Destination(api, thread, journal, self._board, offers_live_view)
        self._progress = ProgressPost(self._destination, edit_interval_s, now)
        self._files = ThreadFiles(self._destination, workspace)
        self._stream = AnswerStream(
            self._destination, workspace, asked_ts=asked_ts, is_off=is_plain
        )
        self._connect_link = connect_link
        self._print_report = print_report
        self._asks: AskPosts | None = None
        """From the turn's first Ask on."""
        self._is_by_model = True
        """Small talk is answered without one."""
        self._waits = 0
        """How many times the turn has begun to wait for a person."""

    async def show(self, event: AnyEvent) -> None:
        """As `TurnPresenter.show`; an Ask is in the thread once this returns."""
        if self.is_finished:
            return
        was_waiting = bool(self._board.turn.waits)
        self._board.fold(event)
        self._waits += bool(self._board.turn.waits) and not was_waiting
        if isinstance(event, RouteChosen):
            self._is_by_model = event.route == "COMPLEX" or event.model_calls > 0
        if self._asks:
            await self._asks.hear(event)
        await self._stream.hear(event)
        match event:
            case TurnFinished():
                await self._finish(event)
            case QuestionAsked() | ApprovalRequested() | AuthRequired():
                await self._ask(event)
            case _:
                if not self._board.turn.waits:
                    await self._go_on()

    async def give_up(self) -> None:
        await self._progress.stop()
        await self._stream.stop()
        await self._indicators.take_back(*self._asked)
        await self._journal.finish()

    async def close(self) -> None:
        await self._progress.stop()
        await self._stream.stop()
        self._indicators.forget(*self._asked)

    async def _go_on(self) -> None:
        if self._waits < self._journal.bookmark.waits:
            return  # an earlier process came as far as a later question
        await self._indicators.show(*self._asked, may_be_left=True)
        await self._progress.go_on()

    async def _ask(self, event: Wait) -> None:
        """Post the Ask before progress is edited: a person waits for it."""
        await self._progress.stop()
        self._asks = self._asks or AskPosts(self._destination, self._files, self._connect_link)
        await self._asks.ask(event)
        if self._journal.bookmark.waits < self._waits:
            await self._progress.edit()  # it stands still from now on
            await self._indicators.take_back(*self._asked)
            self._journal.bookmark.waits = self._waits
            await self._journal.save()

    async def _finish(self, event: TurnFinished) -> None:
        await self._progress.stop()
        await self._stream.end()
        is_closed = await self._progress.close(insist=False)
        is_steered = event.outcome == "steered"  # then another turn answers
        if not is_steered and (event.answer or event.outcome != "stopped"):
            await self._show_result(event)
        elif not is_steered:
            await self._progress.say("")  # no post takes the status line away
        await self._stream.clear()
        if not is_closed:
            await self._progress.close(insist=True)
        await self._indicators.take_back(*self._asked, is_taken_in=is_steered)
        await self._post_late_prints(event)
        await self._journal.finish()

    async def _post_late_prints(self, event: TurnFinished) -> None:
        """The PDFs of reports that were posted without, as soon as each is printed."""
        known = self._board.turn.artifacts
        for number, file in enumerate(handed_out(known.values())):
            if file.mimetype == REPORT:
                printed = await self._print_report(file)
                late = [each for each in printed if each.path not in known]
                await self._files.post(Op(event.turn).part("printed", number), [], late)

    async def _show_result(self, event: TurnFinished) -> None:
        op = Op(event.turn).part("answer")
        saved = handed_out(self._board.turn.artifacts.values())
        markdown, drafts, is_cut = await asyncio.to_thread(
            final_drafts,
            event,
            saved,
            self._board.words,
            self._destination.api.home,
            is_plain=self._is_plain,
            is_rated=self._is_by_model,
            footer=self._footer(event) if self._has_footer and self._is_by_model else "",
        )
        whole = Upload(name=WHOLE_ANSWER_NAME, read=markdown.encode, title=WHOLE_ANSWER_NAME)
        try:
            await self._files.post(op, drafts, saved, [whole] if is_cut else [])
        except ContentRefused:
            await self._files.post(op.part("whole"), [], saved, [whole])

    def _footer(self, event: TurnFinished) -> str:
        """What an answer took: pages read, time, and cost where all its prices are known."""
        turn = self._board.turn
        parts = [self._board.time(event.at)]
        if turn.read:
            parts.insert(0, self._board.words("answer-pages", n=len(turn.read)))
        if turn.usage.cost_usd and not turn.usage.unpriced_calls:
            parts.append(f"${max(turn.usage.cost_usd, 0.01):.2f}")
        return " · ".join(parts)


MakePresenter = Callable[[StoredTurn, SlackApi, Journal, Path], TurnPresenter]


class Presenting:
    """Shows every turn in its thread, each in a task of its own."""

    def __init__(
        self,
        runtime: Runtime,
        api: SlackApi,
        indicators: Indicators,
        scheduled: MakePresenter,
        *,
        offers_live_view: Callable[[], bool] = lambda: False,
        now: Callable[[], datetime] = machine_time,
    ) -> None:
        self._now = now
        self._offers_live_view = offers_live_view
        self._runtime = runtime
        self._api = api
        self._indicators = indicators
        self._scheduled = scheduled
        self._work = Background()
        self._tasks: WeakValueDictionary[TurnId, asyncio.Task[None]] = WeakValueDictionary()

    def attach(self, turn: StoredTurn, *, is_resumed: bool = False) -> asyncio.Task[None]:
        """Start the task that shows a turn, from its first event on or from its bookmark.

        Idempotent. With `is_resumed` another process may have shown the turn meanwhile, so a
        presenter that is at work here begins again from the bookmark of that process.
        """
        earlier = self._tasks.get(turn.id)
        if earlier is not None and not earlier.done() and not is_resumed:
            return earlier
        showing = self._work.start(self._show(turn, earlier), name=f"present {turn.id}")
        self._tasks[turn.id] = showing
        return showing

    async def close(self) -> None:
        """Stop the presenters; the next process shows the rest."""
        await self._work.close(patience_s=CLOSE_PATIENCE_S)

    async def _show(self, turn: StoredTurn, earlier: asyncio.Task[None] | None) -> None:
        """Show the turn, with a retry from the bookmark after an unexpected error."""
        if earlier is not None:
            earlier.cancel()
            await asyncio.wait([earlier])
        waits_s = BACKOFF.waits_s()
        while True:
            try:
                await self._show_once(turn)
            except SessionError:
                logger.exception("turn %s was not asked in Slack and is not shown", turn.id)
                return
            except LeaseLost:
                logger.info("turn %s is shown by another process now", turn.id)
                return
            except Exception:
                wait_s = next(waits_s)
                logger.exception("turn %s is shown anew in %g s", turn.id, wait_s)
                await self._api.clock.sleep(wait_s)
            else:
                return

    async def _show_once(self, turn: StoredTurn) -> None:
        presenter = await self._presenter(turn)
        if presenter.is_finished:
            return
        is_suspect = turn.status == "finished" and turn.tries >= MAX_TRIES
        if is_suspect and turn.tries > MAX_TRIES:
            logger.error("turn %s is not shown: %d processes died of it", turn.id, turn.tries)
            await presenter.give_up()
            return
        try:
            async with aclosing(self._runtime.events(turn.id)) as events:
                async for _, event in events:
                    if not is_suspect or isinstance(event, BARE):
                        await self._present(presenter, event)
        finally:
            await presenter.close()

    async def _presenter(self, turn: StoredTurn) -> TurnPresenter:
        """A presenter whose every write checks the session's lease first."""
        guard = partial(self._runtime.check, turn.session)
        api = self._api.guarded(guard)

        async def save(state: JsonObject) -> None:
            await guard()
            done = bool(state["finished"])
            await self._runtime.save_cursor(READER, turn.id, state, done=done)

        state = await self._runtime.load_cursor(READER, turn.id)
        journal = Journal(Bookmark.model_validate(state or {}), save)
        if turn.seq == 1 and turn.status == "queued" and not turn.inbound.scheduled:
            self._work.start(_name_session(api, turn), name=f"name {turn.session}")
        workspace = await self._runtime.workspace(turn.session, turn.inbound.received_at)
        if turn.inbound.scheduled:
            return self._scheduled(turn, api, journal, workspace)
        settings = await self._runtime.scopes.at(turn.session)
        return ThreadPresenter(
            api,
            parse_session(turn.session),
            journal,
            workspace,
            asked_ts=posted_ts(turn.inbound.key),
            indicators=self._indicators.guarded(guard),
            connect_link=self._runtime.asks.connect_link,
            is_plain=turn.tries >= MAX_TRIES,
            has_footer=settings.values.footer,
            offers_live_view=self._offers_live_view,
            print_report=self._runtime.print_report,
            now=self._now,
        )

    async def _present(self, presenter: TurnPresenter, event: AnyEvent) -> None:
        """Show an event; one that fails is skipped, since later events show the newer state.

        An awaited event is retried until Slack takes it, or refuses it for good.
        """
        try:
            await presenter.show(event)
        except SlackRefused as refused:
            logger.exception("turn %s: Slack does not take the %s", event.turn, event.kind)
            if isinstance(event, TurnFinished) and not isinstance(refused, SlackAuthRefused):
                await presenter.give_up()
        except Exception:
            if isinstance(event, Awaited):
                raise
            logger.exception("turn %s: %s was not shown", event.turn, event.kind)


async def _name_session(api: SlackApi, begun: StoredTurn) -> None:
    """Name a session after its first message."""
    with suppress(LeaseLost):  # then another process does it
        title = title_of(begun.inbound.title or begun.inbound.text)
        if title:
            await api.name_session(parse_session(begun.session), title)


def title_of(asked: str) -> str:
    """The first words of a message, without emoji and control characters; empty without a word.

    Slack refuses a title of such characters alone.
    """
    words = " ".join("".join(filter(_is_plain, " ".join(asked.split()))).split())
    if not any(map(str.isalnum, words)):
        return ""
    title = shorten(words, MAX_TITLE_CHARS, placeholder="…")
    return title if title != "…" else words[:MAX_TITLE_CHARS]


def _is_plain(sign: str) -> bool:
    category = unicodedata.category(sign)
    is_emoji = category in ("So", "Sk", "Me") and sign >= FIRST_PICTURE
    return not category.startswith("C") and not is_emoji and sign not in VARIATIONS
