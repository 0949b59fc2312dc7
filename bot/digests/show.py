"""A digest's turn in its channel: nothing until it is done, then one post and its thread."""

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from agent_core.errors import SessionError
from agent_core.events import AnyEvent, ToolCallFinished, ToolCallStarted, TurnFinished
from agent_core.ids import ROOT_RUN, ToolCallId, TurnId
from agent_core.runtime import Obstacle, Runtime, StoredTurn
from agent_core.schedules.digest import PUBLISH_DIGEST, PublishedDigest
from agent_core.schedules.schedule import Schedule, Slot
from bot.digests import posts
from bot.digests.posts import Report, Telling, plain_report, report_of
from bot.presenter.answer import AnswerPosts, live_links, thread_drafts
from bot.presenter.board import Board
from bot.presenter.files import Handout, ThreadFiles
from bot.presenter.journal import READER, Journal, Place, PresenterState
from bot.slack_api import Guard, PlaceRefused, SlackApi, SlackAuthRefused, SlackRefused
from bot.threads import ThreadRef
from bot.words import BOT

logger = logging.getLogger(__name__)

SOURCE, CLAIM = "source", "claim"
ROOT_LOOK_BACK_S = 3_600.0

_OBSTACLES: Mapping[str, Obstacle] = {
    "not_in_channel": "not_in_place",
    "channel_not_found": "not_in_place",
    "is_archived": "place_closed",
}
"""By what Slack calls them; any other refusal is that the bot may not post there."""

_LACKING = frozenset({"missing_scope", "no_permission"})
"""The token is good and does not give the right to post."""


class DigestShow:
    """Shows the turn of one slot. As a presenter it may begin again after a restart."""

    def __init__(
        self,
        runtime: Runtime,
        api: SlackApi,
        state: PresenterState,
        workspace: Path,
        *,
        slot: Slot,
        schedule: Schedule,
        clock: Callable[[], datetime],
        guard: Guard,
    ) -> None:
        self._runtime = runtime
        self._store = runtime.timekeeper.store
        self._api = api.guarded(guard)
        self._journal = Journal(state, guard)
        self._workspace = workspace
        self._slot = slot
        self._schedule = schedule
        self._clock = clock
        self._board = Board()
        self._language = posts.language_of(schedule.order)
        self._calls: dict[ToolCallId, PublishedDigest] = {}
        self._published: PublishedDigest | None = None

    async def is_finished(self) -> bool:
        """Whether the slot's end is told and known."""
        return (await self._journal.open()).finished

    async def show_queued(self) -> None:
        """Nobody waits for a sign."""

    async def show(self, event: AnyEvent) -> None:
        """Take the next event; with TurnFinished it returns once the digest is in its channel.

        Raises:
            SlackError: It could not be posted now; show the same event again later.
        """
        self._board.fold(event)
        self._listen(event)
        if isinstance(event, TurnFinished) and not await self.is_finished():
            await self._finish(event)

    async def give_up(self) -> None:
        """Slack will never take it."""
        await self._runtime.timekeeper.end(self._slot, "failed")
        await self._mark_finished()

    async def close(self) -> None:
        """Nothing goes on in the background."""

    def forget(self) -> None:
        """Another process shows the turn now, and nothing stands in Slack."""

    async def _finish(self, event: TurnFinished) -> None:
        timekeeper = self._runtime.timekeeper
        if event.outcome not in ("answered", "limited"):
            await timekeeper.end(self._slot, "failed")
            await self._mark_finished()
            return
        report = await self._report(event)
        telling = await self._telling()
        mode = self._schedule.order.when_nothing_new
        if not report.is_news and telling.before is not None and mode == "be_silent":
            await timekeeper.end(self._slot, "nothing_new")
            await self._mark_finished()
            return
        is_line = not report.is_news and telling.before is not None and mode == "say_so"
        if is_line:
            text = posts.nothing_new(telling, self._language)
        else:
            text = posts.root(report, telling, self._language, live_links(event))
        try:
            root_ts = await self._post_root(event.turn, text, posts.as_markdown(report))
        except (PlaceRefused, SlackAuthRefused) as refused:
            if _is_no_token(refused):
                raise
            logger.warning("turn %s: its channel takes no post: %s", event.turn, refused)
            await timekeeper.refuse(self._slot, _OBSTACLES.get(refused.code, "may_not_post"))
            await self._mark_finished()
            return
        if not is_line:
            await self._post_thread(event, report, self._thread(root_ts))
        await self._remember(report)
        await timekeeper.end(self._slot, "posted", root=root_ts)
        await self._mark_finished()

    def _listen(self, event: AnyEvent) -> None:
        """What the run has published; called again, the last call counts."""
        match event:
            case ToolCallStarted(tool=tool, run=run) if tool == PUBLISH_DIGEST and run == ROOT_RUN:
                try:
                    self._calls[event.call_id] = PublishedDigest.model_validate(event.arguments)
                except ValidationError:
                    return
            case ToolCallFinished(is_error=False, call_id=call_id) if call_id in self._calls:
                self._published = self._calls[call_id]
            case _:
                return

    async def _report(self, event: TurnFinished) -> Report:
        if self._published is None:
            return plain_report(event.answer, self._schedule.order.task)
        sources = await self._store.reported(self._schedule.id, SOURCE)
        claims = await self._store.reported(self._schedule.id, CLAIM)
        return report_of(
            self._published,
            known_sources=self._earlier(sources),
            known_claims=self._earlier(claims),
        )

    def _earlier(self, told: dict[str, datetime]) -> list[str]:
        """Told before this slot: begun again, it has told its own already."""
        return [what for what, at in told.items() if at < self._slot.at]

    async def _telling(self) -> Telling:
        slots = await self._store.newest_slots(self._schedule.id, limit=50)
        posted = [slot.at for slot in slots if slot.state == "posted" and slot.at < self._slot.at]
        return Telling(
            schedule=self._schedule, slot=self._slot, before=max(posted) if posted else None
        )

    async def _post_root(self, turn: TurnId, text: str, told: str) -> str:
        """The post that people may reply to: what they write goes on with what was found."""
        op = f"{turn}:root"
        await self._journal.once(op, partial(self._write_root, op, text))
        root_ts = (await self._journal.open()).progress[op]
        session = self._thread(root_ts).session
        await self._runtime.sessions.go_on_in(
            session, turn, reader=READER, now=self._clock(), told=told
        )
        return root_ts

    async def _write_root(self, op: str, text: str, may_exist: bool) -> None:
        channel = self._schedule.order.place
        since = f"{self._slot.claimed_at.timestamp() - ROOT_LOOK_BACK_S:.6f}"
        ts = await self._api.announce(channel, text, op_id=op, since=since, may_exist=may_exist)
        (await self._journal.open()).progress[op] = ts

    async def _post_thread(self, event: TurnFinished, report: Report, thread: ThreadRef) -> None:
        words = BOT.of(self._language)
        place = Place(self._api, thread, self._journal)
        if report.details:
            drafts, _ = thread_drafts(report.details, words, live_links(event))
            answers = AnswerPosts(self._api, thread, place)
            await answers.post(f"{event.turn}:details", drafts, words, self._board.asker)
        files = ThreadFiles(self._api, place, self._journal, self._workspace)
        for saved in self._board.final_artifacts:
            handout = Handout(
                op=f"file:{event.turn}/{saved.path}", path=saved.path, title=saved.title
            )
            await files.hand_out(handout, words, self._board.asker)

    async def _remember(self, report: Report) -> None:
        told = ((SOURCE, report.sources), (CLAIM, report.claims))
        for kind, what in told:
            await self._store.note_reported(self._schedule.id, kind, what, self._slot.at)

    def _thread(self, root_ts: str) -> ThreadRef:
        order = self._schedule.order
        return ThreadRef(team=order.team, channel=order.place, root_ts=root_ts)

    async def _mark_finished(self) -> None:
        await self._journal.finish()


def _is_no_token(refused: SlackRefused) -> bool:
    """Nothing at all can be posted or told; the digest is shown with a token that is good."""
    return isinstance(refused, SlackAuthRefused) and refused.code not in _LACKING


class DigestShows:
    """Makes the presenters of turns that are slots of schedules."""

    def __init__(self, runtime: Runtime, api: SlackApi, clock: Callable[[], datetime]) -> None:
        self._runtime = runtime
        self._api = api
        self._clock = clock

    async def make(
        self, turn: StoredTurn, state: PresenterState, workspace: Path, guard: Guard
    ) -> DigestShow:
        """The presenter of a slot's turn.

        Raises:
            SessionError: the turn is no slot's.
        """
        slot = await self._runtime.timekeeper.store.slot_of(turn.session)
        if slot is None:
            raise SessionError(f"{turn.session} is no schedule's")
        return DigestShow(
            self._runtime,
            self._api,
            state,
            workspace,
            slot=slot,
            schedule=await self._runtime.timekeeper.store.get(slot.schedule),
            clock=self._clock,
            guard=guard,
        )
