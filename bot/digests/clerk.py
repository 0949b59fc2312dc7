"""What may be done with schedules, by whom: orders are checked here, and nowhere else."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from agent_core.errors import ScheduleError
from agent_core.ids import SessionId, UserId
from agent_core.messages import InboundMessage
from agent_core.prompts.language import Language, read_language
from agent_core.runtime import Timekeeper
from agent_core.schedules.reading import Request, matches
from agent_core.schedules.rule import BadRule, Rule, check_rule
from agent_core.schedules.schedule import Order, Schedule, ScheduleId, WhenNothingNew
from bot.digests.places import Asker, Places, is_channel_id
from bot.digests.words import Refusal
from bot.render import one_line
from bot.slack_api import Conversation
from bot.threads import parse_session, parse_user

MAX_NAME_CHARS = 80


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
        self, schedule: ScheduleId, request: Request, message: InboundMessage
    ) -> Schedule:
        """An order that waits for its owner's yes."""
        thread = parse_session(message.session)
        place = await self._place(request.channel or thread.channel, message.asker)
        order = Order(
            team=thread.team,
            place=place.id,
            owner=message.asker,
            owner_name=message.author_name,
            owner_locale=_locale(request.language, message.author_locale),
            task=request.task,
            rule=self._rule(request.rule),
            when_nothing_new="be_silent" if request.only_when_new else "post",
            origin=message.session,
            owner_zone=message.author_zone,
        )
        await self._refuse_too_many(order)
        return await self._store.propose(schedule, order, self._clock())

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

    async def change(
        self,
        schedule: ScheduleId,
        by: UserId,
        *,
        task: str,
        rule: Rule,
        channel: str,
        when_nothing_new: WhenNothingNew,
    ) -> Schedule:
        """Something else is wanted from now on."""
        current = await self._mine(schedule, by)
        place = await self._place(channel, by)
        order = replace(
            current.order,
            task=task,
            rule=self._rule(rule),
            place=place.id,
            when_nothing_new=when_nothing_new,
        )
        return await self._store.change_order(schedule, order, self._clock())

    async def may_change(self, schedule: ScheduleId, by: UserId) -> Schedule:
        """The schedule, for who may change it."""
        return await self._mine(schedule, by)

    async def visible_to(self, who: UserId, here: SessionId) -> list[Schedule]:
        """Those that a person may know of, and that everybody may read of in this thread.

        A list is read by all who are in its channel: what is told in private is named there alone,
        and in the person's own direct conversation.
        """
        team, user = parse_user(who)
        channel = parse_session(here).channel
        shown: list[Schedule] = []
        may_know: dict[str, bool] = {}
        for schedule in await self._store.of_team(team):
            place = schedule.order.place
            if place not in may_know:
                may_know[place] = await self._may_know(user, place, channel)
            is_own = schedule.order.owner == who and not place.startswith("D")
            if may_know[place] or (is_own and channel.startswith("D")):
                shown.append(schedule)
        return shown

    async def _may_know(self, user: str, place: str, here: str) -> bool:
        if place == here:
            return True
        if place.startswith("D"):
            return False
        about = await self._places.about(place)
        is_open = about is not None and about.kind == "channel"
        return (is_open or here.startswith("D")) and await self._places.is_in(user, place)

    async def named(self, which: str, who: UserId, here: SessionId) -> Schedule:
        """The one schedule that is meant: by words, by the thread, or as the only one it can be."""
        shown = await self.visible_to(who, here)
        found = [schedule for schedule in shown if await self._is_named(schedule, which)]
        thread = parse_session(here)
        told = await self._store.told_in(thread.channel, thread.root_ts)
        for narrower in (
            [each for each in found if each.id == told],
            [each for each in found if each.order.place == thread.channel],
            [each for each in found if each.order.owner == who],
            found,
        ):
            if len(narrower) == 1:
                return narrower[0]
        refused = NotDone("which" if found else "not_there")
        refused.candidates = tuple(found)
        raise refused

    async def _is_named(self, schedule: Schedule, which: str) -> bool:
        place = await self._places.about(schedule.order.place) if "#" in which else None
        return not which or matches(
            which,
            number=schedule.number,
            task=schedule.order.task,
            rule=schedule.order.rule,
            channel=place.name if place else schedule.order.place,
        )

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
        asker: Asker = await self._places.asker(by)
        if only_owner or not asker.is_admin or parse_user(by)[0] != current.order.team:
            is_proposed = current.status == "proposed"
            raise NotDone("not_yours_yet" if is_proposed else "not_yours", current)
        return current

    async def _place(self, channel: str, asker: UserId) -> Conversation:
        place = await self._places.find(channel)
        shown = f"<#{place.id}>" if place else _unseen(channel)
        if place is None or place.is_archived:
            raise NotDone("unknown_channel", channel=shown)
        if self._limits.channels is not None and place.id not in self._limits.channels:
            raise NotDone("not_allowed", channel=shown)
        if not place.is_member and place.kind != "im":
            raise NotDone("bot_not_there", channel=shown)
        if not await self._places.is_in(parse_user(asker)[1], place.id):
            raise NotDone("asker_not_there", channel=shown)
        return place

    def _rule(self, rule: Rule | None) -> Rule:
        if rule is None:
            raise NotDone("unreadable")
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


def _locale(language: Language, locale: str) -> str:
    """A digest is told in the language in which it was ordered, whatever its owner's locale is."""
    return locale if read_language(locale) == language else language


def _unseen(channel: str) -> str:
    """A channel of which the bot knows no more than what a person called it."""
    if is_channel_id(channel):
        return f"<#{channel}>"
    return f"#{one_line(channel, MAX_NAME_CHARS)}"
