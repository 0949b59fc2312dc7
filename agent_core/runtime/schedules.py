"""Schedules, as a surface may know them, and their clock, the timekeeper.

It starts what is due: each slot once, not all at the same moment, and only where it can be told.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Literal, Protocol

from agent_core.clock import UtcClock, local_time
from agent_core.ids import SOMEBODY
from agent_core.messages import InboundMessage
from agent_core.schedules.description import moment_words, moments_words, rule_words
from agent_core.schedules.order_reader import (
    MAX_TASK_CHARS,
    OrderDraft,
    OrderMessage,
    OrderReader,
    OrderReading,
    PendingOrder,
    ReaderAway,
    check_draft,
)
from agent_core.schedules.rule import (
    BadRule,
    Rule,
    check_rule,
    newest_slot,
    read_recurrence,
    slots_after,
)
from agent_core.schedules.schedule import (
    PUBLISH_DIGEST,
    Order,
    PublishedDigest,
    Schedule,
    ScheduleId,
    Slot,
    SlotState,
    WhenNothingNew,
)
from agent_core.sessions import UNFINISHED_SLOTS, ScheduleStore
from agent_core.words import CORE, detect_language

__all__ = [
    "MAX_TASK_CHARS",
    "PUBLISH_DIGEST",
    "BadRule",
    "Host",
    "Obstacle",
    "Order",
    "OrderDraft",
    "OrderMessage",
    "OrderReader",
    "OrderReading",
    "PendingOrder",
    "PublishedDigest",
    "ReaderAway",
    "Rule",
    "Schedule",
    "ScheduleId",
    "ScheduleStore",
    "Slot",
    "SlotState",
    "Timekeeper",
    "WhenNothingNew",
    "check_draft",
    "check_rule",
    "moment_words",
    "moments_words",
    "read_recurrence",
    "rule_words",
    "slots_after",
]  # fmt: skip

logger = logging.getLogger(__name__)

DUE_EVERY_S = 1.0
STARTS_PER_LOOK = 10
STALE_CLAIM = timedelta(seconds=30)
"""A slot whose turn is not there after so long was claimed by a process that died."""
SET_BACK_S = 5.0
MAX_FAILURES = 3
FIRST_BACK_OFF = timedelta(minutes=15)
MAX_TOLD_BEFORE = 40
A_SECOND = timedelta(seconds=1)
FIRST_LOOK_BACK = timedelta(days=7)
LONGEST_LOOK_BACK = timedelta(days=35)

Obstacle = Literal["owner_left", "place_closed", "not_in_place", "may_not_post", "switched_off"]


class Host(Protocol):
    """The surface that schedules are told on."""

    async def obstacle(self, schedule: Schedule) -> Obstacle | None:
        """Why the schedule cannot be told, or its owner has no say any more.

        Raises:
            Exception: it cannot be found out now; the slot is looked at again.
        """
        ...

    async def material(self, schedule: Schedule, since: datetime) -> str:
        """What was said since in the place that the schedule is about; empty where it is none."""
        ...

    async def tell_trouble(self, schedule: Schedule) -> None:
        """The schedule was paused, or a run of it has failed: say so once, where it matters."""
        ...


HandOver = Callable[[InboundMessage], Awaitable[object]]


class Timekeeper:
    """The schedules' loop of one process; several may share the work.

    Args:
        store: The schedules.
        hand_over: Begins a turn for a message; the same message twice begins one.
        clock: What time it is for people. It may jump.
        at_once: So many runs go on at the same time, of all processes together.
    """

    def __init__(
        self,
        store: ScheduleStore,
        hand_over: HandOver,
        clock: UtcClock,
        *,
        at_once: int,
    ) -> None:
        self._store = store
        self._hand_over = hand_over
        self._clock = clock
        self._at_once = at_once
        self._host: Host | None = None
        self._ahead_s: float | None = None

    def attach(self, host: Host) -> None:
        """From now on schedules are told on `host`; before that nothing is begun."""
        self._host = host

    async def run_now(self, schedule: Schedule) -> Slot | None:
        """Begin a run that a person wants at once; None while another one goes on."""
        now = self._clock().replace(microsecond=0)
        slot = await self._store.claim_by_hand(schedule.id, now)
        if slot is not None and slot.state == "due":
            await self._begin(schedule, slot)
        return slot

    async def end(self, slot: Slot, state: SlotState, *, root: str = "") -> None:
        """What became of a slot's turn: told once, and three failures in a row pause it."""
        if not await self._store.end(slot, state, root=root) or state != "failed":
            return
        before = await self._store.get(slot.schedule)
        back_off = FIRST_BACK_OFF * 4**before.failures
        schedule = await self._store.count_failure(slot.schedule, self._clock() + back_off)
        if schedule.failures >= MAX_FAILURES and schedule.status == "active":
            schedule = await self._store.pause(schedule.id, "failing")
        await self._tell_trouble(schedule)

    async def refuse(self, slot: Slot, obstacle: Obstacle) -> None:
        """A slot's turn cannot be told, nor could those to come: it pauses at once."""
        if not await self._store.end(slot, "failed"):
            return
        schedule = await self._store.get(slot.schedule)
        if schedule.status == "active":
            await self._tell_trouble(await self._store.pause(schedule.id, obstacle))

    async def look(self) -> None:
        """Begin what is due now, as much as may go on at the same time."""
        host = self._host
        if host is None:
            return
        now = self._clock()
        if self._was_set_back(now):
            await self._store.settle_clock(now)
        under_way = await self._store.slots_in(UNFINISHED_SLOTS, limit=self._at_once)
        for slot in under_way:
            if slot.state == "due" and abs(now - slot.claimed_at) > STALE_CLAIM:
                await self._begin(await self._store.get(slot.schedule), slot)
        room = min(self._at_once - len(under_way), STARTS_PER_LOOK)
        if room <= 0:
            return
        for schedule in await self._store.due(now, limit=room):
            try:
                await self._start(host, schedule, now)
            except Exception:
                logger.exception("schedule %s could not be seen to", schedule.id)

    async def _start(self, host: Host, schedule: Schedule, now: datetime) -> None:
        if obstacle := await host.obstacle(schedule):
            await self._tell_trouble(await self._store.pause(schedule.id, obstacle))
            return
        slot = await self._store.claim(schedule, now)
        if slot is not None:
            await self._begin(schedule, slot)

    async def _begin(self, schedule: Schedule, slot: Slot) -> None:
        await self._hand_over(await self._message(schedule, slot))
        await self._store.begin(slot)

    async def _message(self, schedule: Schedule, slot: Slot) -> InboundMessage:
        """The same for a slot, whichever process makes it, but for what was reported meanwhile."""
        order = schedule.order
        reported = await self._store.reported(schedule.id, "claim")
        newest = sorted(reported, key=lambda claim: reported[claim], reverse=True)
        newest = newest[:MAX_TOLD_BEFORE]
        days = {claim: local_time(reported[claim], order.owner_zone) for claim in newest}
        before = [f"- {days[claim]:%Y-%m-%d}: {claim}" for claim in newest]
        parts = ["\n".join(["Told in earlier digests:", *before])] if before else []
        parts += filter(None, [await self._material(schedule, slot)])
        posters = (SOMEBODY,) if order.reads else ()
        language = detect_language(order.task, locale=order.owner_locale)
        return InboundMessage(
            session=slot.session,
            key=slot.key,
            asker=order.owner,
            author_name=order.owner_name,
            text=CORE.say(language, "digest-task", task=order.task),
            received_at=slot.claimed_at,
            background="\n\n".join(parts),
            background_authors=(order.owner, *order.authors, *posters),
            scheduled=True,
            author_locale=order.owner_locale,
            author_zone=order.owner_zone,
        )

    async def _material(self, schedule: Schedule, slot: Slot) -> str:
        """Since the run before, or since the slot before this one where there was none."""
        if self._host is None or not schedule.order.reads:
            return ""
        earlier = await self._store.newest_slots(schedule.id, limit=20)
        posted = [each.at for each in earlier if each.state == "posted" and each.at < slot.at]
        oldest = slot.at - LONGEST_LOOK_BACK
        before, _ = newest_slot(
            schedule.order.rule,
            after=oldest,
            until=slot.at - A_SECOND,
        )
        since = max(posted, default=before or slot.at - FIRST_LOOK_BACK)
        return await self._host.material(schedule, max(since, oldest))

    async def _tell_trouble(self, schedule: Schedule) -> None:
        if self._host is not None:
            await self._host.tell_trouble(schedule)

    def _was_set_back(self, now: datetime) -> bool:
        """Whether the clock lost time against the machine's steady one."""
        ahead_s = now.timestamp() - asyncio.get_running_loop().time()
        lost = self._ahead_s is not None and self._ahead_s - ahead_s > SET_BACK_S
        self._ahead_s = ahead_s
        return lost
