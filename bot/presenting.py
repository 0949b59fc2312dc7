"""Presenters of the turns of this process, also of turns that a dead process left."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from weakref import WeakValueDictionary

from agent_core.background import Background, Backoff
from agent_core.clock import machine_time
from agent_core.errors import SessionError
from agent_core.events import (
    AnyEvent,
    ApprovalDecided,
    ApprovalRequested,
    ArtifactSaved,
    AuthEnded,
    AuthRequired,
    QuestionAsked,
    RouteChosen,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import TurnId
from agent_core.messages import JsonObject
from agent_core.runtime import (
    AGREED,
    MAX_TRIES,
    LeaseLost,
    Runtime,
    StoredTurn,
    detect_language,
    read_language,
)
from bot.inbound import posted_ts
from bot.presenter import READER, Indicators, PresenterState, ThreadPresenter, TurnPresenter
from bot.presenter.asks import ask_link
from bot.presenter.progress import reading_line
from bot.slack_api import SlackApi, SlackAuthRefused, SlackError, SlackRefused, WriteGuard
from bot.threads import parse_session
from bot.words import BOT

logger = logging.getLogger(__name__)

BACKOFF = Backoff(first_s=5.0, longest_s=60.0, jitter=0.0)
CLOSE_PATIENCE_S = 3.0
MAX_TITLE_CHARS = 60

Awaited = (
    TurnFinished | QuestionAsked | ApprovalRequested | ApprovalDecided | AuthRequired | AuthEnded
)
"""Events that a person waits to see; if Slack does not take one, it is shown again."""
BARE = TurnStarted | ArtifactSaved | TurnFinished
"""Events that are shown of a quarantined turn: its answer and its files."""

MakePresenter = Callable[[StoredTurn, SlackApi, PresenterState, Path], TurnPresenter]


class StoredBookmark:
    """The cursor of a presenter in the session store; only the holder of the lease writes it."""

    def __init__(self, runtime: Runtime, turn: TurnId, guard: WriteGuard) -> None:
        self._readers = runtime.readers
        self._turn = turn
        self._guard = guard

    async def load(self) -> JsonObject | None:
        return await self._readers.load_cursor(READER, self._turn)

    async def save(self, state: JsonObject) -> None:
        await self._guard()
        done = bool(state.get("finished"))
        await self._readers.save_cursor(READER, self._turn, state, done=done)


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
        if await presenter.is_finished():
            return
        is_suspect = turn.status == "finished" and turn.tries >= MAX_TRIES
        if is_suspect and turn.tries > MAX_TRIES:
            logger.error("turn %s is not shown: %d processes died of it", turn.id, turn.tries)
            await presenter.give_up()
            return
        try:
            async with aclosing(self._runtime.events(turn.id)) as events:
                agrees = False
                async for _, event in events:
                    agrees |= isinstance(event, RouteChosen) and event.reason == AGREED
                    if agrees and isinstance(event, TurnFinished):
                        event = await self._pointed(turn, event)
                    if not is_suspect or isinstance(event, BARE):
                        await self._present(presenter, event)
        finally:
            await presenter.close()

    async def _pointed(self, turn: StoredTurn, event: TurnFinished) -> TurnFinished:
        """Add a link to the approval that a person agreed to in words, and has yet to click."""
        for other in await self._runtime.sessions.unfinished(turn.session):
            wait = other.wait
            if wait is None or wait.kind != "approval":
                continue
            state = await self._runtime.readers.load_cursor(READER, other.id)
            url = await ask_link(self._api, state, other.id, wait.ask)
            if url:
                language = detect_language(locale=turn.inbound.author_locale)
                label = BOT.say(language, "consent-go-there")
                return replace(
                    event,
                    answer=f"{event.answer} [{label}]({url})",
                    sources=(*event.sources, url),
                )
        return event

    async def _presenter(self, turn: StoredTurn) -> TurnPresenter:
        """A presenter whose every write checks the session's lease first."""
        guard = partial(self._runtime.check, turn.session)
        api = self._api.guarded(guard)
        state = StoredBookmark(self._runtime, turn.id, guard)
        begins = turn.seq == 1 and turn.status == "queued" and not turn.inbound.scheduled
        if begins:
            self._work.start(_open(api, turn), name=f"open {turn.session}")
        workspace = await self._runtime.workspace(turn.session, turn.inbound.received_at)
        if turn.inbound.scheduled:
            return self._scheduled(turn, api, state, workspace)
        return ThreadPresenter(
            api,
            parse_session(turn.session),
            state,
            workspace,
            asked_ts=posted_ts(turn.inbound.key),
            indicators=self._indicators.guarded(guard),
            connect_link=self._runtime.asks.connect_link,
            is_plain=turn.tries >= MAX_TRIES,
            is_told=begins,
            offers_live_view=self._offers_live_view,
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


async def _open(api: SlackApi, begun: StoredTurn) -> None:
    """Set the first status line of a session, and name the session after its first message."""
    thread = parse_session(begun.session)
    asked = begun.inbound
    chosen = read_language(asked.language)
    words = BOT.of(chosen or detect_language(asked.text, locale=asked.author_locale))
    with suppress(LeaseLost):  # then another process does it
        with suppress(SlackError):
            await api.say_status(thread, reading_line(words, asked.text))
        await api.name_session(thread, title_of(asked.text))


def title_of(asked: str) -> str:
    """The first words of a message."""
    words = " ".join(asked.split())
    if len(words) <= MAX_TITLE_CHARS:
        return words
    cut = words[:MAX_TITLE_CHARS]
    whole_words, _, _ = cut.rpartition(" ")
    return f"{whole_words or cut}…"
