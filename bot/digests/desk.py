"""Digests in words: who orders one, asks for the list, or names one to change, writes it here."""

from collections.abc import Callable
from datetime import datetime

from agent_core.messages import InboundMessage
from agent_core.runtime import Marks, ScheduleStore
from agent_core.schedules.reading import (
    ALL_OF_THEM,
    Command,
    Request,
    read_answer,
    read_command,
    read_request,
)
from agent_core.schedules.schedule import Schedule, ScheduleId
from bot.digests import posts
from bot.digests.clerk import Clerk, NotDone
from bot.digests.open_orders import OpenOrder, OpenOrders
from bot.digests.orders import corrected, language_of, question, schedule_id
from bot.digests.places import Places
from bot.digests.proposals import Proposals
from bot.digests.replies import Replies
from bot.digests.words import WORDS
from bot.render import Draft
from bot.slack_api import SlackApi
from bot.threads import ThreadRef, parse_session

__all__ = ["MAX_CHARS", "Desk", "language_of", "place_of", "schedule_id"]

MAX_CHARS = 2_000


class Desk:
    """Takes the messages that are about schedules; all others are the agent's.

    Safe to call again for one message: posts are made once, and an order has the message's id.
    """

    def __init__(
        self,
        clerk: Clerk,
        places: Places,
        store: ScheduleStore,
        api: SlackApi,
        marks: Marks,
        clock: Callable[[], datetime],
    ) -> None:
        self._clerk = clerk
        self._places = places
        self._store = store
        self._replies = Replies(api)
        self._orders = OpenOrders(marks)
        self._proposals = Proposals(clerk, self._replies, self._orders, clock)
        self._clock = clock

    async def take(self, message: InboundMessage) -> bool:
        """Answer a message about schedules; False where it is about something else.

        Raises:
            SlackError: Slack could not be asked, or took no answer; the message may come again.
        """
        if message.scheduled or message.attachments or len(message.text) > MAX_CHARS:
            return False
        return self._may_be_about_digests(message) and await self._take(message)

    async def _take(self, message: InboundMessage) -> bool:
        standing = await self._orders.find(message)
        if standing.message == "settled":
            return True
        if standing.message == "late":
            if await self._replies.has_answered(message):
                return True
            return await self._take_new(message, OpenOrder())
        if await self._proposals.take(standing, message):
            return True
        return await self._take_new(message, standing.order)

    def _may_be_about_digests(self, message: InboundMessage) -> bool:
        """Whether it says so, or stands in a thread in which something may wait for it."""
        if message.key != message.session:
            return True
        zone, text = message.author_zone or "UTC", message.text
        request = read_request(text, zone=zone, now=self._clock())
        return request is not None or read_command(text) is not None

    async def has_order(self, key: str) -> bool:
        """Whether a message ordered a digest that waits for a yes."""
        return await self._waiting(key) is not None

    async def take_back(self, key: str) -> InboundMessage | None:
        """The message that ordered a digest is gone, or says something else now.

        Returns it without its words, for those that stand in their place; None where nothing waits
        for a yes. Then nothing was changed.

        Raises:
            SlackError: Slack could not be asked.
        """
        proposed = await self._waiting(key)
        if proposed is None:
            return None
        order = proposed.order
        message = InboundMessage(
            session=order.origin,
            key=f"{key}:{self._clock():%Y%m%dT%H%M%S%f}",
            asker=order.owner,
            author_name=order.owner_name,
            text="",
            received_at=self._clock(),
            author_locale=order.owner_locale,
            author_zone=order.rule.zone,
        )
        await self._proposals.take_back(proposed, message)
        return message

    async def _waiting(self, key: str) -> Schedule | None:
        found = await self._store.find(schedule_id(key))
        return found if found is not None and found.status == "proposed" else None

    async def _take_new(self, message: InboundMessage, order: OpenOrder) -> bool:
        if await self._take_request(message, order):
            return True
        return await self._take_command(message)

    async def _take_request(self, message: InboundMessage, order: OpenOrder) -> bool:
        """Take an order, or the answer to what was asked about one.

        What is asked is noted after the post: a message taken up again is then read alike.
        """
        zone, now = message.author_zone or "UTC", self._clock()
        request = read_request(message.text, zone=zone, now=now)
        texts: tuple[str, ...] = (message.text,)
        if order.texts and (request is None or request.missing):
            answered = read_answer(order.texts, message.text, zone=zone, now=now)
            if answered is not None:
                request, texts = answered, (*order.texts, message.text)
        if request is None:
            return False
        if request.missing:
            await self._replies.post(message, question(request, message))
            await self._orders.settle(message, OpenOrder(texts=texts))
        else:
            await self._proposals.propose(await self._with_channel(request), message)
        return True

    async def _with_channel(self, request: Request) -> Request:
        """The request with its last word as a channel, where there is one of that name."""
        if request.channel_is_sure:
            return request
        found = await self._places.find(request.channel)
        return request.in_no_channel() if found is None else request.in_its_channel()

    async def _take_command(self, message: InboundMessage) -> bool:
        command = read_command(message.text)
        near = command or read_command(message.text, about_one=True)
        if near is None:
            return False
        told = None
        if not near.which and near.verb != "list":
            told = await self._told_here(message)
        if command is None and told is None:
            return False
        try:
            draft = await self._carry_out(near, told, message)
        except NotDone as refused:
            draft = Draft(text=posts.refusal(refused, near.language))
        if draft is None:
            return False
        await self._replies.post(message, draft)
        return True

    async def _told_here(self, message: InboundMessage) -> ScheduleId | None:
        """The schedule in whose thread the message is."""
        thread = parse_session(message.session)
        return await self._store.told_in(thread.channel, thread.root_ts, message.session)

    async def _carry_out(
        self, command: Command, told: ScheduleId | None, message: InboundMessage
    ) -> Draft | None:
        """What to answer; None where "change it" means something that is no digest's."""
        language, words, now = command.language, WORDS[command.language], self._clock()
        if command.verb == "list":
            return posts.listing(await self._listed(command, message), language, now)
        found = told or (await self._named(command, message)).id
        if command.verb == "edit":
            return await self._edit(command, found, message)
        do, said = {
            "pause": (self._clerk.pause, words.paused),
            "resume": (self._clerk.resume, words.resumed),
            "run": (self._clerk.run, words.started),
            "delete": (self._clerk.delete, words.deleted),
        }[command.verb]
        return Draft(text=posts.told(said, await do(found, message.asker), language, now))

    async def _edit(
        self, command: Command, found: ScheduleId, message: InboundMessage
    ) -> Draft | None:
        language, now = command.language, self._clock()
        current = await self._clerk.may_change(found, message.asker)
        request = corrected(current, command.change, now) if command.change else None
        if command.is_pointed_at and command.change and request is None:
            return None
        if request is None or request.rule is None or request.missing:
            return posts.listing([current], language, now)
        changed = await self._clerk.change(
            found,
            message.asker,
            task=request.task,
            rule=request.rule,
            channel=request.channel or parse_session(message.session).channel,
            when_nothing_new=(
                "be_silent" if request.only_when_new else current.order.when_nothing_new
            ),
        )
        return Draft(text=posts.told(WORDS[language].changed, changed, language, now))

    async def _named(self, command: Command, message: InboundMessage) -> Schedule:
        if command.which != ALL_OF_THEM:
            return await self._clerk.named(command.which, message.asker, message.session)
        refused = NotDone("which")
        shown = await self._clerk.visible_to(message.asker, message.session)
        refused.candidates = tuple(shown)
        raise refused

    async def _listed(self, command: Command, message: InboundMessage) -> list[Schedule]:
        shown = await self._clerk.visible_to(message.asker, message.session)
        if not command.which:
            return shown
        place = await self._places.find(command.which.removeprefix("#"))
        return [each for each in shown if place is not None and each.order.place == place.id]


def place_of(schedule: Schedule, root_ts: str) -> ThreadRef:
    """A thread in a schedule's channel."""
    return ThreadRef(team=schedule.order.team, channel=schedule.order.place, root_ts=root_ts)
