"""Digest orders: who may order and change digests, where, and how many; and the posts about them.

Every change of a schedule that a person wants goes through `DigestOrders`. A message or a click may
be taken up again; what it does has an id that is made from its key, and so has what is posted.
"""

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from agent_core.ids import SessionId, UserId
from agent_core.runtime import AuditRecord, ScopeSettings
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
from bot.clicks import Refused
from bot.digests import posts
from bot.render import PostDraft, foreign_line, mention
from bot.settings import BotSettings
from bot.slack_api import Conversation, Op, People, Receipt, SlackApi, SlackRefused
from bot.slack_api.channels import CHANNEL_ID
from bot.threads import ThreadRef, parse_session, parse_user

logger = logging.getLogger(__name__)


def refused(
    reason: str,
    schedule: Schedule | None = None,
    *,
    channel: str = "",
    field: str = "",
    n: int = 0,
) -> Refused:
    """What a person asked for cannot be done, in a sentence that names what it is about."""
    # A channel that Slack knows by its id, or the name that a person wrote.
    channel_mark = f"#{foreign_line(channel, posts.NAME_CHARS)}"
    if CHANNEL_ID.fullmatch(channel):
        channel_mark = f"<#{channel}>"
    slots = {"n": str(n), "channel": channel_mark}
    if schedule is not None:
        slots = {"n": str(schedule.number), "who": mention(schedule.order.owner)}
    field = "channel" if channel else field
    return Refused(f"digest-refusal-{reason.replace('_', '-')}", field=field, **slots)


def schedule_id(key: str) -> ScheduleId:
    """The id of what a message or a form orders: the same however often it is taken up."""
    return ScheduleId(hashlib.sha256(key.encode()).hexdigest()[:16])


@dataclass(slots=True)
class DigestOrders:
    """Takes orders for digests and changes them, so far as channels and people allow it.

    Every method raises Refused where it may not or cannot be done, and SlackError where Slack could
    not be asked.
    """

    store: ScheduleStore
    _timekeeper: Timekeeper
    api: SlackApi
    people: People
    clock: Callable[[], datetime]
    _settings: BotSettings
    _scopes: ScopeSettings

    async def offer(self, key: str, order: Order, same_as: int | None = None) -> None:
        """Propose an order, or a change of one, with the buttons that agree to it.

        It is posted in the thread of the order; of several under one key the first one stands. An
        order that repeats a digest, by its words or by the reader's number, asks which one stays.
        """
        if order.changes:
            await self.get(order.changes, order.owner)
        checked = await self._checked(order, order.owner, is_new=not order.changes)
        if not order.changes:
            checked = replace(checked, repeats=await self._repeated(checked, same_as))
        proposed = await self.store.propose(schedule_id(key), checked)
        draft = await self.draft(proposed)
        await self.answer(parse_session(order.origin), key, draft)

    async def draft(self, proposed: Schedule) -> PostDraft:
        """The post of a proposal."""
        may_read = await self.may_read(proposed.order)
        repeated = await self.store.find(proposed.order.repeats)
        return posts.proposal(proposed, self.clock(), may_read=may_read, repeated=repeated)

    async def answer(self, thread: ThreadRef, key: str, draft: PostDraft) -> None:
        """One answer to a message or a click, however often it is taken up."""
        if await self.answered(thread, key) is None:
            await self.api.post(
                thread,
                draft.text,
                op=_op(key),
                blocks=draft.blocks,
            )

    async def answered(self, thread: ThreadRef, key: str) -> Receipt | None:
        """The post that answers a message or a click."""
        return await self.api.find_post(thread, _op(key))

    async def waiting(self, proposal: ScheduleId) -> Schedule | None:
        """A proposal that nobody has answered yet."""
        schedule = await self.store.find(proposal)
        if schedule is None or schedule.status != "proposed":
            return None
        return schedule

    async def decide(
        self,
        proposal: ScheduleId,
        by: UserId,
        *,
        is_yes: bool,
        is_replaced: bool = False,
        replaces: bool | None = False,
        post: Receipt | None,
    ) -> None:
        """Its owner agrees, takes it back, or orders another; its post says so. Idempotent.

        One that repeats another digest `replaces` it or stands beside it: None, a yes in words, is
        refused there.
        """
        current = await self.get(proposal, by, is_proposal=True)
        repeats = current.order.repeats
        if repeats and is_yes and replaces is None:
            raise refused("repeats")
        if replaces and repeats:
            wanted = replace(current.order, changes=repeats)
            current = replace(current, order=wanted)
        decided = await self._decided(current, by, is_yes=is_yes, post=post)
        if decided.status == "deleted":
            draft = posts.dropped(decided, is_replaced=is_replaced)
        else:
            key = "changed" if current.order.changes else "scheduled"
            draft = posts.standing(key, decided, self.clock())
        if post is not None:
            await self.show(post, draft)
        if current.order.changes:
            await self.follow(decided)

    async def follow(self, schedule: Schedule) -> None:
        """The post in which a digest was agreed on says what the digest is now."""
        order = schedule.order
        if not order.post:
            return
        draft = posts.standing("scheduled", schedule, self.clock())
        post = Receipt(parse_session(order.origin).channel, order.post)
        try:
            await self.show(post, draft)
        except SlackRefused as refusal:
            logger.info("the post of digest %d stays as it is: %s", schedule.number, refusal)

    async def show(self, post: Receipt, draft: PostDraft) -> None:
        """Put a draft into the place of a post."""
        await self.api.update(
            post.channel,
            post.ts,
            draft.text,
            blocks=draft.blocks,
        )

    async def _decided(
        self,
        current: Schedule,
        by: UserId,
        *,
        is_yes: bool,
        post: Receipt | None,
    ) -> Schedule:
        """The schedule that a proposal is about once it is decided; `deleted` if taken back."""
        wanted = current.order
        changed = wanted.changes or wanted.repeats
        if current.status == "over" and changed and not current.number:
            return await self.store.get(changed)
        if current.status != "proposed":
            return current
        if not is_yes:
            return await self.store.delete(current.id)
        if wanted.changes:
            merged = await self._merged(wanted.changes, wanted, by)
            schedule = await self.store.carry_over(current, merged, self.clock())
            if wanted.repeats and schedule.status == "paused":
                return await self.store.activate(schedule.id, self.clock())
            return schedule
        await self._checked(wanted, by, is_new=True)
        if post is not None:
            wanted = replace(wanted, post=post.ts)
            await self.store.change_order(current.id, wanted, self.clock())
        return await self.store.activate(current.id, self.clock())

    async def do(
        self,
        verb: str,
        schedule: ScheduleId,
        by: UserId,
        language: str = "",
    ) -> str:
        """Pause, resume, run or delete a schedule; the sentence about it."""
        changed = await self._done(verb, schedule, by)
        await self.follow(changed)
        language = language or posts.language_of(changed.order)
        return posts.sentence(
            f"did-{verb}",
            changed,
            language,
            self.clock(),
        )

    async def _done(self, verb: str, schedule: ScheduleId, by: UserId) -> Schedule:
        current = await self.get(schedule, by)
        match verb:
            case "pause" if current.status == "active":
                return await self.store.pause(schedule)
            case "resume" if current.status != "active":
                await self._checked(current.order, current.order.owner)
                return await self.store.activate(schedule, self.clock())
            case "run" if await self._timekeeper.run_now(current) is None:
                raise refused("already_running", current)
            case "delete":
                return await self.store.delete(schedule)
            case _:
                return current

    async def change(
        self,
        schedule: ScheduleId,
        wanted: Order,
        by: UserId,
    ) -> Schedule:
        """It is as a form says from now on. What a proposal changed meanwhile is meant itself."""
        current = await self.get(schedule, by)
        if current.status == "over" and current.order.changes:
            schedule = current.order.changes
        order = await self._merged(schedule, wanted, by)
        changed = await self.store.change_order(schedule, order, self.clock())
        await self.follow(changed)
        return changed

    async def get(
        self,
        schedule: ScheduleId,
        by: UserId,
        *,
        is_proposal: bool = False,
    ) -> Schedule:
        """A schedule for who may change it: its owner, and admins where it was agreed on."""
        current = await self.store.find(schedule)
        is_gone = current is not None and current.status == "deleted" and not is_proposal
        if current is None or is_gone:
            raise refused("not_there")
        if current.order.owner == by:
            return current
        team, user = parse_user(by)
        person = await self.people.person(user)
        is_admin = person is not None and person.is_admin and team == current.order.team
        if is_proposal or not is_admin:
            reason = "not_yours_yet" if current.status == "proposed" else "not_yours"
            raise refused(reason, current)
        record = AuditRecord(self.clock(), "admin", by, {"schedule": schedule})
        await self.store.audit(record)
        return current

    async def here(self, session: SessionId) -> Schedule | None:
        """The schedule that a thread is about."""
        thread = parse_session(session)
        schedule = await self.store.about_thread(thread.channel, thread.root_ts, session)
        return await self.store.find(schedule) if schedule is not None else None

    async def own(self, who: UserId) -> list[Schedule]:
        """All that a person has agreed to, wherever it is told; Slack is not asked."""
        team, _ = parse_user(who)
        of_team = await self.store.of_team(team)
        return [schedule for schedule in of_team if schedule.order.owner == who]

    async def visible_to(self, who: UserId, here: SessionId) -> list[Schedule]:
        """Those that a person may know of, and that everybody may read of in this thread.

        A list is read by all who are in its channel: what is told in private is named there alone,
        and in the person's own direct conversation.
        """
        team, _ = parse_user(who)
        known: dict[tuple[str, bool], bool] = {}
        visible: list[Schedule] = []
        for schedule in await self.store.of_team(team):
            is_own = schedule.order.owner == who
            kind = (schedule.order.place, is_own)
            if kind not in known:
                known[kind] = await self.is_visible(schedule, who, here)
            if known[kind]:
                visible.append(schedule)
        return visible

    async def is_visible(
        self,
        schedule: Schedule,
        who: UserId,
        here: SessionId,
    ) -> bool:
        """Whether a person may know of it, and it may be told in this thread."""
        channel = parse_session(here).channel
        of_digest = schedule.order.place
        if of_digest == channel or of_digest.startswith("D"):
            return of_digest == channel
        is_direct = channel.startswith("D")
        if is_direct and schedule.order.owner == who:
            return True
        if not is_direct:
            about = await self.api.channels.about(of_digest)
            if about is None or about.kind != "channel":
                return False
        return await self.has(of_digest, who)

    async def has(self, channel: str, who: UserId) -> bool:
        """Whether a person is a member; in a direct conversation whoever writes there is one."""
        if channel.startswith("D"):
            return True
        _, user = parse_user(who)
        members = await self.api.channels.members(channel)
        return user in members

    async def obstacle(self, channel: Conversation | None, who: UserId) -> Obstacle | None:
        """What stands against telling something there for a person."""
        if channel is None:
            return "not_in_place"  # Slack says the same of private channels and of deleted ones
        if channel.is_archived:
            return "place_closed"
        if not channel.is_member and channel.kind != "im":
            return "not_in_place"
        _, user = parse_user(who)
        person = await self.people.person(user)
        if person is None or person.is_deactivated:
            return "owner_left"
        if not await self.has(channel.id, who):
            return "owner_left"
        settings = await self._scopes.at(f"{parse_user(who)[0]}:{channel.id}")
        return None if settings.values.digests else "switched_off"

    async def may_read(self, order: Order) -> bool:
        """Whether the posts that an order is about may be read: the bot and its owner are there."""
        if not order.reads:
            return True
        channel = await self.api.channels.about(order.reads)
        if channel is None or not channel.is_member:
            return False
        return await self.has(order.reads, order.owner)

    async def _merged(
        self,
        schedule: ScheduleId,
        wanted: Order,
        by: UserId,
    ) -> Order:
        """The schedule's order as it is wanted. Its owner stays; whoever else words it is noted."""
        current = await self.get(schedule, by)
        before = current.order
        authors = before.authors
        if by == before.owner:
            authors = ()
        elif wanted.task != before.task:
            authors = (*authors, by)
        order = replace(
            before,
            task=wanted.task,
            authors=authors,
            rule=wanted.rule,
            place=wanted.place,
            when_nothing_new=wanted.when_nothing_new,
            reads=wanted.reads,
        )
        return await self._checked(order, by)

    async def _checked(
        self,
        order: Order,
        by: UserId,
        *,
        is_new: bool = False,
    ) -> Order:
        """The order with its channels by their ids, if it can be told there at these times."""
        channel = await self._named(order.place)
        allowed = self._settings.allowed_channels
        if allowed is not None and channel.id not in allowed:
            raise refused("not_allowed", channel=channel.id)
        if obstacle := await self.obstacle(channel, by):
            raise refused(obstacle, channel=channel.id)
        try:
            check_rule(order.rule, self.clock())
        except BadRule as bad:
            raise refused(bad.reason, field="days") from bad
        reads = order.reads
        if reads and not CHANNEL_ID.fullmatch(reads):
            source = await self._named(reads)
            reads = source.id
        order = replace(order, place=channel.id, reads=reads)
        if is_new:
            await self._refuse_too_many(order)
        return order

    async def _repeated(self, order: Order, same_as: int | None) -> ScheduleId:
        """The digest of the channel that an order repeats; empty where there is none."""
        task = order.task.casefold()
        for each in await self.store.of_team(order.team):
            other = each.order
            is_same = each.number == same_as or other.task.casefold() == task
            is_there = (other.place, other.reads) == (order.place, order.reads)
            if not is_same or not is_there or each.status == "over":
                continue
            if await self.is_visible(each, order.owner, order.origin):
                return each.id
        return ScheduleId("")

    async def _named(self, name: str) -> Conversation:
        channel = await self.api.channels.find(name)
        if channel is None:
            raise refused("place_closed", channel=name)
        return channel

    async def _refuse_too_many(self, order: Order) -> None:
        settings = self._settings
        of_team = await self.store.of_team(order.team)
        kept = [schedule.order for schedule in of_team if schedule.status != "over"]
        n = len(kept)
        if n >= settings.digests_per_team:
            raise refused("team_full", n=n)
        n = sum(each.place == order.place for each in kept)
        if n >= settings.digests_per_channel:
            raise refused("place_full", n=n, channel=order.place)
        n = sum(each.owner == order.owner for each in kept)
        if n >= settings.digests_per_person:
            raise refused("person_full", n=n)


def _op(key: str) -> Op:
    return Op(key).part("digest")
