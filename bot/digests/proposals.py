"""Proposals that people answer in words: yes, no, or what is to be different."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from agent_core.messages import InboundMessage
from agent_core.schedules.reading import Request, read_consent
from agent_core.schedules.schedule import Schedule, ScheduleId
from bot.digests import posts
from bot.digests.clerk import Clerk, NotDone
from bot.digests.open_orders import OpenOrder, OpenOrders, Standing
from bot.digests.orders import corrected, language_of, question, schedule_id
from bot.digests.replies import Replies
from bot.digests.words import WORDS
from bot.render import Draft


class Proposals:
    """Makes proposals, and takes what their owner says to them in their thread."""

    def __init__(
        self, clerk: Clerk, replies: Replies, orders: OpenOrders, clock: Callable[[], datetime]
    ) -> None:
        self._clerk = clerk
        self._replies = replies
        self._orders = orders
        self._clock = clock

    async def propose(
        self, request: Request, message: InboundMessage, *, instead_of: OpenOrder | None = None
    ) -> None:
        """Tell what was understood, and wait for a yes; or tell why it cannot be done."""
        new = schedule_id(message.key)
        try:
            schedule = await self._clerk.propose(new, request, message)
        except NotDone as refused:
            draft = Draft(text=posts.refusal(refused, request.language))
            await self._replies.post(message, draft)
            await self._orders.settle(message, instead_of or OpenOrder())
            return
        post = await self._replies.post(
            message, posts.proposal(schedule, request.language, self._clock())
        )
        order = OpenOrder(proposal=new, post=post)
        if instead_of is not None:
            order = replace(order, retired=instead_of.proposal, retired_post=instead_of.post)
            await self._orders.begin(message, order)
        await self._retire(order, message)

    async def take(self, standing: Standing, message: InboundMessage) -> bool:
        """Do what a message says to the proposal that waits; False where it says nothing to it."""
        if standing.message == "begun":
            await self._finish(standing.order, message)
            return True
        proposed = await self._waiting(standing.order, message)
        if proposed is None:
            return False
        if (consent := read_consent(message.text)) is not None:
            order = replace(standing.order, consent=consent)
            await self._orders.begin(message, order)
            await self._finish(order, message)
            return True
        request = corrected(proposed, message.text, self._clock())
        if request is None:
            return False
        if request.missing:
            await self._replies.post(message, question(request, message))
        else:
            await self.propose(request, message, instead_of=standing.order)
        return True

    async def take_back(self, proposed: Schedule, message: InboundMessage) -> None:
        """Nobody wants it any more; `message` stands for whoever said so."""
        order = (await self._orders.find(message)).order
        await self._clerk.cancel(proposed.id, message.asker)
        if order.proposal == proposed.id:
            no = Draft(text=WORDS[language_of(proposed)].not_scheduled)
            await self._replies.replace(message, order.post, no)
            await self._orders.settle(message)

    async def _waiting(self, order: OpenOrder, message: InboundMessage) -> Schedule | None:
        """The proposal, unless a click has answered it."""
        if not order.proposal:
            return None
        try:
            found = await self._clerk.may_change(ScheduleId(order.proposal), message.asker)
        except NotDone:
            return None
        return found if found.status == "proposed" else None

    async def _finish(self, order: OpenOrder, message: InboundMessage) -> None:
        if order.consent:
            await self._answer(order, message)
        else:
            await self._retire(order, message)

    async def _answer(self, order: OpenOrder, message: InboundMessage) -> None:
        proposal = ScheduleId(order.proposal)
        do = self._clerk.confirm if order.consent == "yes" else self._clerk.cancel
        try:
            done = await do(proposal, message.asker)
        except NotDone as refused:
            await self._refuse(refused, order, message)
            return
        language = language_of(done)
        if done.status == "deleted":
            draft = Draft(text=WORDS[language].not_scheduled)
        else:
            draft = posts.agreed(done, language, self._clock())
        await self._replies.replace(message, order.post, draft)
        await self._orders.settle(message)

    async def _refuse(self, refused: NotDone, order: OpenOrder, message: InboundMessage) -> None:
        """It goes on waiting, unless it is gone: cancelled by this message before."""
        language = language_of(refused.schedule) if refused.schedule else "en"
        if refused.refusal == "not_there":
            no = Draft(text=WORDS[language].not_scheduled)
            await self._replies.replace(message, order.post, no)
            await self._orders.settle(message)
            return
        await self._replies.post(message, Draft(text=posts.refusal(refused, language)))
        await self._orders.settle(message, replace(order, consent=""))

    async def _retire(self, order: OpenOrder, message: InboundMessage) -> None:
        """Take back the proposal that another one stands for now, and its buttons."""
        if order.retired:
            try:
                gone = await self._clerk.cancel(ScheduleId(order.retired), message.asker)
                no = WORDS[language_of(gone)].not_scheduled
            except NotDone:
                no = WORDS["en"].not_scheduled
            await self._replies.replace(message, order.retired_post, Draft(text=no))
        await self._orders.settle(message, replace(order, retired="", retired_post=""))
