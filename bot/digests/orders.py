"""Who may order and change digests, where, and how many: every change of a schedule goes here."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from agent_core.ids import SessionId, UserId
from agent_core.runtime.schedules import (
    BadRule,
    Obstacle,
    Order,
    Schedule,
    ScheduleId,
    ScheduleStore,
    Timekeeper,
    check_rule,
)
from bot.slack_api import Conversation, People
from bot.slack_api.channels import CHANNEL_ID, Channels
from bot.threads import parse_session, parse_user


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestLimits:
    """How many digests may be kept, and where."""

    team: int = 200
    place: int = 20
    person: int = 20
    channels: frozenset[str] | None = None
    """Where the bot may work at all; None: everywhere."""


class NotDone(Exception):
    """What was asked for cannot be done, and why: the name of a sentence, and what it names."""

    def __init__(self, refusal: str, schedule: Schedule | None = None, **slots: str) -> None:
        super().__init__(refusal)
        self.refusal = refusal
        self.schedule = schedule
        self.slots = slots


@dataclass(slots=True)
class DigestOrders:
    """Takes orders for digests and changes them, so far as channels and people allow it.

    Everything raises NotDone where it may not or cannot be done, and SlackError where Slack could
    not be asked.
    """

    _store: ScheduleStore
    _timekeeper: Timekeeper
    channels: Channels
    people: People
    _clock: Callable[[], datetime]
    _limits: DigestLimits

    async def propose(self, proposal: ScheduleId, order: Order) -> Schedule:
        """An order, or a change of one, that waits for its owner's yes; the first one stands."""
        if order.changes:
            await self.get(order.changes, order.owner)
        order = await self._checked(order, order.owner, is_new=not order.changes)
        return await self._store.propose(proposal, order, self._clock())

    async def waiting(self, proposal: ScheduleId) -> Schedule | None:
        """A proposal that nobody has answered yet."""
        found = await self._store.find(proposal)
        return found if found is not None and found.status == "proposed" else None

    async def decide(self, proposal: ScheduleId, by: UserId, *, is_yes: bool) -> Schedule:
        """Its owner agrees or not; the schedule that it is about then. Said again, nothing changes.

        A proposal that was taken back is `deleted`.
        """
        current = await self.get(proposal, by, is_proposal=True)
        wanted, now = current.order, self._clock()
        if current.status == "over" and wanted.changes:
            return await self._store.get(wanted.changes)
        if current.status != "proposed":
            return current
        if not is_yes:
            return await self._store.delete(proposal)
        if wanted.changes:
            merged = await self._merged(wanted.changes, wanted, by)
            return await self._store.carry_over(current, merged, now)
        await self._checked(wanted, by, is_new=True)
        return await self._store.activate(proposal, now)

    async def do(self, verb: str, schedule: ScheduleId, by: UserId) -> Schedule:
        """Pause, resume, run or delete it."""
        current = await self.get(schedule, by)
        match verb:
            case "pause" if current.status == "active":
                return await self._store.pause(schedule)
            case "resume" if current.status != "active":
                await self._checked(current.order, current.order.owner)
                return await self._store.activate(schedule, self._clock())
            case "run" if await self._timekeeper.run_now(current) is None:
                raise NotDone("already_running", current)
            case "delete":
                return await self._store.delete(schedule)
            case _:
                return current

    async def change(self, schedule: ScheduleId, wanted: Order, by: UserId) -> Schedule:
        """It is as a form says from now on. What a proposal changed meanwhile is meant itself."""
        current = await self.get(schedule, by)
        if current.status == "over" and current.order.changes:
            schedule = current.order.changes
        order = await self._merged(schedule, wanted, by)
        return await self._store.change_order(schedule, order, self._clock())

    async def get(self, schedule: ScheduleId, by: UserId, *, is_proposal: bool = False) -> Schedule:
        """A schedule for who may change it: its owner, and admins where it was agreed on."""
        current = await self._store.find(schedule)
        if current is None or (current.status == "deleted" and not is_proposal):
            raise NotDone("not_there")
        if current.order.owner == by:
            return current
        person = await self.people.person(parse_user(by)[1])
        is_admin = person is not None and person.is_admin
        if is_proposal or not is_admin or parse_user(by)[0] != current.order.team:
            is_proposed = current.status == "proposed"
            raise NotDone("not_yours_yet" if is_proposed else "not_yours", current)
        return current

    async def here(self, session: SessionId) -> Schedule | None:
        """The schedule that a thread is about."""
        thread = parse_session(session)
        told = await self._store.told_in(thread.channel, thread.root_ts, session)
        return await self._store.find(told) if told is not None else None

    async def own(self, who: UserId) -> list[Schedule]:
        """All that a person has agreed to, wherever it is told; Slack is not asked."""
        of_team = await self._store.of_team(parse_user(who)[0])
        return [schedule for schedule in of_team if schedule.order.owner == who]

    async def visible_to(self, who: UserId, here: SessionId) -> list[Schedule]:
        """Those that a person may know of, and that everybody may read of in this thread.

        A list is read by all who are in its channel: what is told in private is named there alone,
        and in the person's own direct conversation.
        """
        known: dict[tuple[str, bool], bool] = {}
        shown: list[Schedule] = []
        for schedule in await self._store.of_team(parse_user(who)[0]):
            kind = (schedule.order.place, schedule.order.owner == who)
            if kind not in known:
                known[kind] = await self.is_visible(schedule, who, here)
            if known[kind]:
                shown.append(schedule)
        return shown

    async def is_visible(self, schedule: Schedule, who: UserId, here: SessionId) -> bool:
        """Whether a person may know of it, and it may be told in this thread."""
        channel, place = parse_session(here).channel, schedule.order.place
        if place == channel or place.startswith("D"):
            return place == channel
        if channel.startswith("D") and schedule.order.owner == who:
            return True
        about = await self.channels.about(place)
        is_open = about is not None and about.kind == "channel"
        return (is_open or channel.startswith("D")) and await self.has(place, who)

    async def has(self, channel: str, who: UserId) -> bool:
        """Whether a person is a member; in a direct conversation whoever writes there is one."""
        members = self.channels.members
        return channel.startswith("D") or parse_user(who)[1] in await members(channel)

    async def obstacle(self, place: Conversation | None, who: UserId) -> Obstacle | None:
        """What stands against telling something there for a person."""
        if place is None:
            return "not_in_place"  # Slack says the same of private channels and of deleted ones
        if place.is_archived:
            return "place_closed"
        if not place.is_member and place.kind != "im":
            return "not_in_place"
        person = await self.people.person(parse_user(who)[1])
        is_here = person is not None and not person.is_deactivated
        return None if is_here and await self.has(place.id, who) else "owner_left"

    async def may_read(self, order: Order) -> bool:
        """Whether the posts that an order is about may be read: the bot and its owner are there."""
        if not order.reads:
            return True
        place = await self.channels.about(order.reads)
        is_there = place is not None and place.is_member
        return is_there and await self.has(order.reads, order.owner)

    async def _merged(self, schedule: ScheduleId, wanted: Order, by: UserId) -> Order:
        """The schedule's order as it is wanted; whose it is stays."""
        order = replace(
            (await self.get(schedule, by)).order,
            task=wanted.task,
            rule=wanted.rule,
            place=wanted.place,
            when_nothing_new=wanted.when_nothing_new,
            reads=wanted.reads,
        )
        return await self._checked(order, by)

    async def _checked(self, order: Order, by: UserId, *, is_new: bool = False) -> Order:
        """The order with its channels by their ids, if it can be told there at these times."""
        place = await self._named(order.place)
        if self._limits.channels is not None and place.id not in self._limits.channels:
            raise NotDone("not_allowed", channel=place.id)
        if obstacle := await self.obstacle(place, by):
            raise NotDone(obstacle, channel=place.id)
        try:
            check_rule(order.rule, self._clock())
        except BadRule as bad:
            raise NotDone(bad.reason) from bad
        is_named = order.reads and not CHANNEL_ID.fullmatch(order.reads)
        reads = (await self._named(order.reads)).id if is_named else order.reads
        order = replace(order, place=place.id, reads=reads)
        if is_new:
            await self._refuse_too_many(order)
        return order

    async def _named(self, channel: str) -> Conversation:
        place = await self.channels.find(channel)
        if place is None:
            raise NotDone("place_closed", channel=channel)
        return place

    async def _refuse_too_many(self, order: Order) -> None:
        found = await self._store.of_team(order.team)
        kept = [each.order for each in found if each.status != "over"]
        here = sum(each.place == order.place for each in kept)
        own = sum(each.owner == order.owner for each in kept)
        for whose, n in (("team", len(kept)), ("place", here), ("person", own)):
            if n >= getattr(self._limits, whose):
                named = {"n": str(n)} | ({"channel": order.place} if whose == "place" else {})
                raise NotDone(f"{whose}_full", None, **named)
