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
from agent_core.runtime import Runtime, StoredTurn
from agent_core.runtime.schedules import (
    PUBLISH_DIGEST,
    Obstacle,
    PublishedDigest,
    Schedule,
    Slot,
    SlotState,
)
from bot.digests import posts
from bot.presenter import READER, PresenterState, TurnPresenter
from bot.presenter.answer import live_links, post_answer, thread_drafts
from bot.presenter.files import ThreadFiles
from bot.presenter.journal import Place
from bot.slack_api import Guard, PlaceRefused, SlackApi, SlackAuthRefused
from bot.threads import ThreadRef

logger = logging.getLogger(__name__)

MAX_EARLIER_SLOTS = 50
ROOT_LOOK_BACK_S = 3_600.0
_OBSTACLES: Mapping[str, Obstacle] = {
    "not_in_channel": "not_in_place",
    "channel_not_found": "not_in_place",
    "is_archived": "place_closed",
}
"""By what Slack calls them; any other refusal is that the bot may not post there."""
_LACKING = frozenset({"missing_scope", "no_permission"})
"""The token is good and does not give the right to post."""


class DigestPresenter(TurnPresenter):
    """Shows the turn of one slot. It may begin again after a restart."""

    def __init__(
        self,
        runtime: Runtime,
        api: SlackApi,
        clock: Callable[[], datetime],
        state: PresenterState,
        workspace: Path,
        guard: Guard,
        *,
        slot: Slot,
        schedule: Schedule,
    ) -> None:
        super().__init__(state, guard)
        self._runtime = runtime
        self._api = api.guarded(guard)
        self._clock = clock
        self._workspace = workspace
        self._slot = slot
        self._schedule = schedule
        self._calls: dict[ToolCallId, PublishedDigest] = {}
        self._published: PublishedDigest | None = None

    async def show(self, event: AnyEvent) -> None:
        self._board.fold(event)
        self._listen(event)
        if isinstance(event, TurnFinished) and not await self.is_finished():
            state, root = await self._tell(event)
            await self._runtime.timekeeper.end(self._slot, state, root=root)
            await self._journal.finish()

    async def give_up(self) -> None:
        await self._runtime.timekeeper.end(self._slot, "failed")
        await self._journal.finish()

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

    async def _tell(self, event: TurnFinished) -> tuple[SlotState, str]:
        """Post what was found, if anything; what became of the slot, and its post."""
        if event.outcome not in ("answered", "limited") or self._published is None:
            return "failed", ""
        published, before = await self._beside_earlier(self._published), await self._before()
        if self._schedule.order.only_when_new and before and not published.has_news:
            return "nothing_new", ""
        live = live_links(event)
        text = posts.root(published, self._schedule, self._slot, before, live)
        try:
            root_ts = await self._post_root(event.turn, text, posts.as_markdown(published))
        except (PlaceRefused, SlackAuthRefused) as refused:
            if isinstance(refused, SlackAuthRefused) and refused.code not in _LACKING:
                raise  # nothing at all can be posted; it is shown with a token that is good
            logger.warning("turn %s: its channel takes no post: %s", event.turn, refused)
            obstacle = _OBSTACLES.get(refused.code, "may_not_post")
            await self._runtime.timekeeper.refuse(self._slot, obstacle)
            return "failed", ""
        await self._post_thread(event, published.details.strip(), self._thread(root_ts))
        for kind, what in published.told.items():
            note = self._runtime.schedules.note_reported
            await note(self._schedule.id, kind, what, self._slot.at)
        return "posted", root_ts

    async def _beside_earlier(self, published: PublishedDigest) -> PublishedDigest:
        known: set[str] = set()
        for kind in ("claim", "source"):
            told = await self._runtime.schedules.reported(self._schedule.id, kind)
            # Begun again, the slot has told its own already.
            known |= {what for what, at in told.items() if at < self._slot.at}
        return published.beside(known)

    async def _before(self) -> datetime | None:
        """When the digest before this one was due; None for the first one."""
        newest = self._runtime.schedules.newest_slots
        slots = await newest(self._schedule.id, limit=MAX_EARLIER_SLOTS)
        posted = [slot.at for slot in slots if slot.state == "posted" and slot.at < self._slot.at]
        return max(posted, default=None)

    async def _post_root(self, turn: TurnId, text: str, told: str) -> str:
        """The post that people may reply to: what they write goes on with what was found."""
        op = f"{turn}:root"
        await self._journal.once(op, partial(self._write_root, op, text))
        root_ts = (await self._journal.open()).progress[op]
        await self._runtime.sessions.go_on_in(
            self._thread(root_ts).session, turn, reader=READER, now=self._clock(), told=told
        )
        return root_ts

    async def _write_root(self, op: str, text: str, may_exist: bool) -> None:
        channel = self._schedule.order.place
        since = f"{self._slot.claimed_at.timestamp() - ROOT_LOOK_BACK_S:.6f}"
        ts = await self._api.announce(channel, text, op_id=op, since=since, may_exist=may_exist)
        (await self._journal.open()).progress[op] = ts

    async def _post_thread(self, event: TurnFinished, details: str, thread: ThreadRef) -> None:
        place = Place(self._api, thread, self._journal, self._board)
        if details:
            drafts, _ = thread_drafts(details, self._board.words, live_links(event))
            await post_answer(place, f"{event.turn}:details", drafts)
        files = ThreadFiles(place, self._workspace)
        for saved in self._board.final_artifacts:
            await files.hand_out(f"file:{event.turn}/{saved.path}", saved.path, saved.title)

    def _thread(self, root_ts: str) -> ThreadRef:
        order = self._schedule.order
        return ThreadRef(team=order.team, channel=order.place, root_ts=root_ts)


async def present_slot(
    runtime: Runtime,
    api: SlackApi,
    clock: Callable[[], datetime],
    turn: StoredTurn,
    state: PresenterState,
    workspace: Path,
    guard: Guard,
) -> DigestPresenter:
    """The presenter of a slot's turn.

    Raises:
        SessionError: the turn is no slot's.
    """
    slot = await runtime.schedules.slot_of(turn.session)
    if slot is None:
        raise SessionError(f"{turn.session} is no schedule's")
    schedule = await runtime.schedules.get(slot.schedule)
    return DigestPresenter(
        runtime, api, clock, state, workspace, guard, slot=slot, schedule=schedule
    )
