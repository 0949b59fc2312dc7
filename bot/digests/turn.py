"""A digest's run in Slack: what stands against it, what it reads, and what it posts at its end."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from pathlib import Path

from cachetools import TTLCache

from agent_core.errors import SessionError
from agent_core.events import AnyEvent, TurnFinished
from agent_core.ids import ROOT_RUN, UserId
from agent_core.runtime import Runtime, StoredTurn
from agent_core.runtime.schedules import (
    PUBLISH_DIGEST,
    Obstacle,
    Order,
    PublishedDigest,
    Schedule,
    Slot,
    SlotState,
)
from bot.digests import posts
from bot.digests.orders import DigestOrders
from bot.presenter import READER, Journal, TurnPresenter
from bot.presenter.answer import ThreadFiles, handed_out, live_links, thread_drafts
from bot.presenter.journal import Destination
from bot.slack_api import Op, PlaceRefused, SlackApi, SlackAuthRefused, SlackError
from bot.surface import channel_lines, material
from bot.threads import ThreadRef, parse_session, parse_user

logger = logging.getLogger(__name__)

CLEAR_FOR_S = 60.0
MAX_CLEAR = 1_000
UNREADABLE = "The posts of the channel that this is about could not be read: say so, plainly."
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


class DigestHost:
    """The `Host` of the core's timekeeper.

    Where nothing stands against a channel and an owner, nothing is asked for a minute: many digests
    are due at the same moment, and Slack bears few questions.
    """

    def __init__(self, orders: DigestOrders) -> None:
        self._api = orders.api
        self._orders = orders
        self._clear: TTLCache[tuple[str, UserId], bool] = TTLCache(
            MAX_CLEAR, CLEAR_FOR_S, timer=orders.api.clock.seconds
        )

    async def obstacle(self, schedule: Schedule) -> Obstacle | None:
        """Looked for before each run. Raises SlackError where Slack could not be asked."""
        channel = schedule.order.place
        owner = schedule.order.owner
        if (channel, owner) in self._clear:
            return None
        about = await self._api.channels.about(channel)
        obstacle = await self._orders.obstacle(about, owner)
        if obstacle is None:
            self._clear[channel, owner] = True
        return obstacle

    async def material(self, schedule: Schedule, since: datetime) -> str:
        """The posts that a digest about a channel is made of, oldest first; the newest are kept."""
        order = schedule.order
        if not order.reads:
            return ""
        try:
            if not await self._orders.may_read(order):
                return UNREADABLE
            lines = await channel_lines(
                self._api,
                self._orders.people,
                order.reads,
                since,
                linked=True,
            )
        except SlackError as error:
            logger.warning("schedule %s: its channel could not be read: %s", schedule.id, error)
            return UNREADABLE
        head = f"Posts in the channel since {since:%Y-%m-%d %H:%M} UTC, as material:"
        return material(head, lines)

    async def tell_trouble(self, schedule: Schedule) -> None:
        """In the thread where it was ordered, and to its owner: the rest of the team is spared.

        What Slack does not take is left: the list of digests says the same. Of failures in a row
        only the first is told, and that it is paused.
        """
        if schedule.status == "active" and schedule.failures > 1:
            return
        text = posts.trouble(schedule)
        order = schedule.order
        op = Op(schedule.id).part(
            "trouble",
            schedule.status,
            schedule.reason,
            schedule.failures,
        )
        origin = parse_session(order.origin)
        team, user = parse_user(order.owner)
        await _try(self._api.post(origin, text, op=op))
        await _try(self._orders.follow(schedule))
        if not origin.channel.startswith("D"):  # else the owner has just read it
            since = origin.root_ts
            await _try(
                self._api.post_direct(
                    team,
                    user,
                    text,
                    op=op.directly(),
                    since=since,
                )
            )


class DigestPresenter(TurnPresenter):
    """Shows the turn of one slot. It may begin again after a restart."""

    def __init__(
        self,
        runtime: Runtime,
        clock: Callable[[], datetime],
        turn: StoredTurn,
        api: SlackApi,
        journal: Journal,
        workspace: Path,
    ) -> None:
        super().__init__(journal)
        self._runtime = runtime
        self._clock = clock
        self._turn = turn
        self._api = api
        self._workspace = workspace

    async def show(self, event: AnyEvent) -> None:
        self._board.fold(event)
        if isinstance(event, TurnFinished) and not self.is_finished:
            slot = await self._slot()
            state, root = await self._tell(event, slot)
            await self._end(slot, state, root)

    async def give_up(self) -> None:
        await self._end(await self._slot(), "failed")

    async def close(self) -> None:
        """It begins nothing in the background."""

    async def _end(self, slot: Slot, state: SlotState, root: str = "") -> None:
        await self._runtime.timekeeper.end(slot, state, root=root)
        await self._journal.finish()

    async def _slot(self) -> Slot:
        """Raises SessionError where the turn is no slot's."""
        slot = await self._runtime.schedules.slot_of(self._turn.session)
        if slot is None:
            raise SessionError(f"{self._turn.session} is no schedule's")
        return slot

    def _published(self) -> PublishedDigest | None:
        """What the run has published last."""
        published: PublishedDigest | None = None
        for (run, _), call in self._board.turn.calls.items():
            is_of_root = run == ROOT_RUN and call.started.tool == PUBLISH_DIGEST
            if is_of_root and call.finished and not call.finished.is_error:
                published = PublishedDigest.model_validate(call.started.arguments)
        return published

    async def _tell(self, event: TurnFinished, slot: Slot) -> tuple[SlotState, str]:
        """Post what was found, if anything; what became of the slot, and its post."""
        store = self._runtime.schedules
        schedule, before = await store.get(slot.schedule), await self._before(slot)
        published = self._published()
        if published is None and event.outcome == "limited":  # it ends with what it has
            published = PublishedDigest.of_answer(schedule.order.task, event.answer)
        if event.outcome not in ("answered", "limited") or published is None:
            return "failed", ""
        published = published.beside(await self._known(slot))
        is_quiet = before is not None and not published.has_news
        if is_quiet and schedule.order.when_nothing_new == "be_silent":
            return "nothing_new", ""
        text = posts.root(
            published,
            schedule,
            slot,
            before,
            live_links(event, self._api.home),
        )
        try:
            thread = await self._post_root(text, schedule.order, slot)
        except (PlaceRefused, SlackAuthRefused) as refused:
            if isinstance(refused, SlackAuthRefused) and refused.code not in _LACKING:
                raise  # nothing at all can be posted; it is shown with a token that is good
            logger.warning("turn %s: its channel takes no post: %s", event.turn, refused)
            obstacle = _OBSTACLES.get(refused.code, "may_not_post")
            await self._runtime.timekeeper.refuse(slot, obstacle)
            return "failed", ""
        markdown = posts.as_markdown(published)
        await self._runtime.sessions.go_on_in(
            thread.session,
            event.turn,
            reader=READER,
            now=self._clock(),
            text=markdown,
        )
        if not is_quiet or schedule.order.when_nothing_new == "post":
            await self._post_thread(event, published.details.strip(), thread)
        for kind, what in published.items.items():
            await store.note_reported(schedule.id, kind, what, slot.at)
        return "posted", thread.root_ts

    async def _known(self, slot: Slot) -> set[str]:
        """What was told before. Begun again, the slot has told its own already."""
        known: set[str] = set()
        for kind in ("claim", "source"):
            reported = await self._runtime.schedules.reported(slot.schedule, kind)
            known |= {what for what, at in reported.items() if at < slot.at}
        return known

    async def _before(self, slot: Slot) -> datetime | None:
        """When the digest before this one was due; None for the first one."""
        newest = self._runtime.schedules.newest_slots
        slots = await newest(slot.schedule, limit=MAX_EARLIER_SLOTS)
        return max((s.at for s in slots if s.state == "posted" and s.at < slot.at), default=None)

    async def _post_root(self, text: str, order: Order, slot: Slot) -> ThreadRef:
        """The post that people may reply to: what they write goes on with what was found."""
        op, channel = Op(self._turn.id).part("root"), order.place
        since = f"{slot.claimed_at.timestamp() - ROOT_LOOK_BACK_S:.6f}"
        bookmark = self._journal.bookmark

        async def announce(may_exist: bool) -> None:
            bookmark.posts[op] = await self._api.announce(
                channel,
                text,
                op=op,
                since=since,
                may_exist=may_exist,
            )

        await self._journal.once(op, announce)
        return ThreadRef(team=order.team, channel=channel, root_ts=bookmark.posts[op].ts)

    async def _post_thread(
        self,
        event: TurnFinished,
        details: str,
        thread: ThreadRef,
    ) -> None:
        destination = Destination(self._api, thread, self._journal, self._board)
        words, is_live = self._board.words, live_links(event, self._api.home)
        drafts, _ = await asyncio.to_thread(
            thread_drafts, details, words, is_live, published=event.published
        )
        files = ThreadFiles(destination, self._workspace)
        saved = handed_out(self._board.turn.artifacts.values())
        await files.post(Op(event.turn).part("details"), drafts, saved)


async def _try(telling: Awaitable[object]) -> None:
    try:
        await telling
    except SlackError as error:
        logger.warning("trouble with a schedule is not told: %s", error)
