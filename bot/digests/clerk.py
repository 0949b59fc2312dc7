"""Who may order and change digests, where, and how many: every change of a schedule goes here."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from agent_core.errors import ScheduleError
from agent_core.ids import SessionId, UserId
from agent_core.messages import InboundMessage
from agent_core.prompts.language import read_language
from agent_core.runtime import Timekeeper
from agent_core.schedules.rule import BadRule, Rule, check_rule
from agent_core.schedules.schedule import Order, Schedule, ScheduleId, WhenNothingNew
from bot.render import one_line
from bot.slack_api import Conversation, People, Person, SlackApi
from bot.threads import parse_session, parse_user

MAX_NAME_CHARS = 80
_ID = re.compile(r"[CGD][A-Z0-9]{5,}")

Refusal = Literal[
    "unreadable", "unknown_zone", "too_often", "never", "over",
    "unknown_channel", "not_allowed", "bot_not_there", "asker_not_there",
    "team_full", "place_full", "person_full",
    "not_yours", "not_yours_yet", "not_there", "which", "already_running", "press_again",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestLimits:
    """How many digests may be kept, and where."""

    team: int = 200
    place: int = 20
    person: int = 20
    channels: frozenset[str] | None = None
    """Where the bot may work at all; None: everywhere."""


class NotDone(Exception):
    """What was asked for cannot be done, and why."""

    def __init__(self, refusal: Refusal, schedule: Schedule | None = None, **slots: str) -> None:
        super().__init__(refusal)
        self.refusal: Refusal = refusal
        self.schedule = schedule
        self.slots = slots
        self.candidates: tuple[Schedule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a digest is to be, as it was read from words or from a form."""

    task: str
    rule: Rule
    channel: str
    """An id, or a name among the bot's channels."""
    when_nothing_new: WhenNothingNew
    reads: str = ""
    """The channel whose posts it is about; empty where it is about none."""


class Places:
    """Asks Slack about channels and people. Everything raises SlackError where it cannot."""

    def __init__(self, api: SlackApi, people: People) -> None:
        self._channels = api.channels
        self._people = people

    async def find(self, name: str) -> Conversation | None:
        """The channel of an id, or of a name among those that the bot is in."""
        if is_channel_id(name):
            return await self._channels.about(name)
        mine = await self._channels.mine()
        wanted = name.lower()
        return next((place for place in mine if place.name.lower() == wanted), None)

    async def about(self, channel: str) -> Conversation | None:
        """A channel by its id."""
        return await self._channels.about(channel)

    async def is_in(self, user: str, channel: str) -> bool:
        """Whether a person is a member; in a direct conversation whoever writes there is one."""
        return channel.startswith("D") or user in await self._channels.members(channel)

    async def person(self, who: UserId) -> Person | None:
        """The person behind a core's id."""
        return await self._people.person(parse_user(who)[1])

    async def may_read(self, channel: str, owner: UserId) -> bool:
        """Whether the bot may read a channel for a person: both are in it."""
        place = await self._channels.about(channel)
        if place is None or not place.is_member:
            return False
        return await self.is_in(parse_user(owner)[1], channel)


class Clerk:
    """Takes orders for digests and changes them.

    All methods raise NotDone where it may not or cannot be done, and SlackError where Slack could
    not be asked.
    """

    def __init__(
        self,
        timekeeper: Timekeeper,
        places: Places,
        clock: Callable[[], datetime],
        limits: DigestLimits,
    ) -> None:
        self._timekeeper = timekeeper
        self._store = timekeeper.store
        self._places = places
        self._clock = clock
        self._limits = limits

    async def propose(
        self, schedule: ScheduleId, wanted: Wanted, message: InboundMessage, language: str
    ) -> Schedule:
        """An order that waits for its owner's yes: the message's author."""
        thread = parse_session(message.session)
        place = await self._place(wanted.channel or thread.channel, message.asker)
        reads = await self._named(wanted.reads) if wanted.reads else None
        order = Order(
            team=thread.team,
            place=place.id,
            owner=message.asker,
            owner_name=message.author_name,
            owner_locale=_locale(language, message.author_locale),
            task=wanted.task,
            rule=self._rule(wanted.rule),
            when_nothing_new=wanted.when_nothing_new,
            origin=message.session,
            owner_zone=message.author_zone,
            reads=reads.id if reads else "",
        )
        await self._refuse_too_many(order)
        return await self._store.propose(schedule, order, self._clock())

    async def waiting(self, schedule: ScheduleId) -> Schedule | None:
        """A proposal that nobody has answered yet."""
        found = await self._store.find(schedule)
        return found if found is not None and found.status == "proposed" else None

    async def confirm(self, schedule: ScheduleId, by: UserId) -> Schedule:
        """Its owner says yes. Said again, it changes nothing."""
        current = await self._mine(schedule, by, only_owner=True)
        if current.status != "proposed":
            return current
        await self._place(current.order.place, by)
        await self._refuse_too_many(current.order)
        self._rule(current.order.rule)
        return await self._store.activate(schedule, self._clock())

    async def cancel(self, schedule: ScheduleId, by: UserId) -> Schedule:
        """Its owner says no; one that was agreed on stays."""
        current = await self._mine(schedule, by, only_owner=True)
        return await self._store.delete(schedule) if current.status == "proposed" else current

    async def pause(self, schedule: ScheduleId, by: UserId) -> Schedule:
        """Not due until it is resumed."""
        current = await self._mine(schedule, by)
        return await self._store.pause(schedule) if current.status == "active" else current

    async def resume(self, schedule: ScheduleId, by: UserId) -> Schedule:
        """Due again, by its rule; what was missed meanwhile stays left out."""
        current = await self._mine(schedule, by)
        self._rule(current.order.rule)
        await self._place(current.order.place, current.order.owner)
        if current.status == "active":
            return current
        return await self._store.activate(schedule, self._clock())

    async def delete(self, schedule: ScheduleId, by: UserId) -> Schedule:
        """For good."""
        await self._mine(schedule, by)
        return await self._store.delete(schedule)

    async def run(self, schedule: ScheduleId, by: UserId) -> Schedule:
        """One run now, beside the rule."""
        current = await self._mine(schedule, by)
        if await self._timekeeper.run_now(current) is None:
            raise NotDone("already_running", current)
        return current

    async def change(self, schedule: ScheduleId, by: UserId, wanted: Wanted) -> Schedule:
        """Something else is wanted from now on."""
        current = await self._mine(schedule, by)
        place = await self._place(wanted.channel or current.order.place, by)
        reads = await self._named(wanted.reads) if wanted.reads else None
        order = replace(
            current.order,
            task=wanted.task,
            rule=self._rule(wanted.rule),
            place=place.id,
            when_nothing_new=wanted.when_nothing_new,
            reads=reads.id if reads else current.order.reads,
        )
        return await self._store.change_order(schedule, order, self._clock())

    async def may_change(self, schedule: ScheduleId, by: UserId) -> Schedule:
        """The schedule, for who may change it."""
        return await self._mine(schedule, by)

    async def do(self, verb: str, schedule: ScheduleId, by: UserId) -> tuple[Schedule, str]:
        """Pause, resume, run or delete it; the schedule then, and the sentence that tells of it."""
        match verb:
            case "pause":
                return await self.pause(schedule, by), "paused"
            case "resume":
                return await self.resume(schedule, by), "resumed"
            case "run":
                return await self.run(schedule, by), "started"
            case _:
                return await self.delete(schedule, by), "deleted"

    async def here(self, session: SessionId) -> Schedule | None:
        """The schedule that a thread is about."""
        thread = parse_session(session)
        told = await self._store.told_in(thread.channel, thread.root_ts, session)
        return await self._store.find(told) if told is not None else None

    async def own(self, who: UserId) -> list[Schedule]:
        """All that a person has agreed to, wherever it is told; Slack is not asked."""
        of_team = await self._store.of_team(parse_user(who)[0])
        return [schedule for schedule in of_team if schedule.order.owner == who]

    async def is_visible(self, schedule: Schedule, who: UserId, here: SessionId) -> bool:
        """Whether a person may know of it, and it may be told in this thread."""
        user, channel = parse_user(who)[1], parse_session(here).channel
        place = schedule.order.place
        is_own = schedule.order.owner == who and not place.startswith("D")
        return (is_own and channel.startswith("D")) or await self._may_know(user, place, channel)

    async def place_named(self, channel: str) -> str:
        """The id of a channel by its mark or name; empty where the bot sees none."""
        place = await self._places.find(channel.removeprefix("#"))
        return place.id if place else ""

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

    async def may_read(self, order: Order) -> bool:
        """Whether the posts that an order is about may be read for its owner."""
        return not order.reads or await self._places.may_read(order.reads, order.owner)

    async def _may_know(self, user: str, place: str, here: str) -> bool:
        if place == here:
            return True
        if place.startswith("D"):
            return False
        about = await self._places.about(place)
        is_open = about is not None and about.kind == "channel"
        return (is_open or here.startswith("D")) and await self._places.is_in(user, place)

    async def _mine(
        self, schedule: ScheduleId, by: UserId, *, only_owner: bool = False
    ) -> Schedule:
        try:
            current = await self._store.get(schedule)
        except ScheduleError as error:
            raise NotDone("not_there") from error
        if current.status == "deleted":
            raise NotDone("not_there")
        if current.order.owner == by:
            return current
        person = await self._places.person(by)
        is_admin = person is not None and person.is_admin
        if only_owner or not is_admin or parse_user(by)[0] != current.order.team:
            is_proposed = current.status == "proposed"
            raise NotDone("not_yours_yet" if is_proposed else "not_yours", current)
        return current

    async def _named(self, channel: str) -> Conversation:
        place = await self._places.find(channel)
        if place is None:
            raise NotDone("unknown_channel", channel=_unseen(channel))
        return place

    async def _place(self, channel: str, asker: UserId) -> Conversation:
        place = await self._named(channel)
        shown = f"<#{place.id}>"
        if place.is_archived:
            raise NotDone("unknown_channel", channel=shown)
        if self._limits.channels is not None and place.id not in self._limits.channels:
            raise NotDone("not_allowed", channel=shown)
        if not place.is_member and place.kind != "im":
            raise NotDone("bot_not_there", channel=shown)
        if not await self._places.is_in(parse_user(asker)[1], place.id):
            raise NotDone("asker_not_there", channel=shown)
        return place

    def _rule(self, rule: Rule) -> Rule:
        try:
            check_rule(rule, self._clock())
        except BadRule as bad:
            raise NotDone(bad.reason) from bad
        return rule

    async def _refuse_too_many(self, order: Order) -> None:
        of_team, in_place, of_person = await self._store.counts(
            order.team, order.place, order.owner
        )
        if of_team >= self._limits.team:
            raise NotDone("team_full", n=str(of_team))
        if in_place >= self._limits.place:
            raise NotDone("place_full", n=str(in_place), channel=f"<#{order.place}>")
        if of_person >= self._limits.person:
            raise NotDone("person_full", n=str(of_person))


def is_channel_id(name: str) -> bool:
    """Whether a channel is named by its id."""
    return _ID.fullmatch(name) is not None


def _locale(language: str, locale: str) -> str:
    """A digest is told in the language in which it was ordered, whatever its owner's locale is."""
    return locale if read_language(locale) == language else language


def _unseen(channel: str) -> str:
    """A channel of which the bot knows no more than what a person called it."""
    if is_channel_id(channel):
        return f"<#{channel}>"
    return f"#{one_line(channel, MAX_NAME_CHARS)}"
