"""Digest proposals: posted in the thread of the order, and edited once they are decided.

A message or a click may be taken up again; what it does has an id that is made from its key, and so
has what is posted. Read `orders` first: it knows who may do what.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from agent_core.ids import UserId
from agent_core.runtime.schedules import Order, Schedule, ScheduleId
from bot.digests import posts
from bot.digests.orders import DigestOrders
from bot.render import PostDraft, card
from bot.slack_api import Op, Receipt, SlackApi
from bot.threads import ThreadRef, parse_session


def schedule_id(key: str) -> ScheduleId:
    """The id of what a message or a form orders: the same however often it is taken up."""
    return ScheduleId(hashlib.sha256(key.encode()).hexdigest()[:16])


@dataclass(slots=True)
class Proposals:
    """Posts what digests are about. Raises Refused as `DigestOrders` does, and SlackError."""

    orders: DigestOrders
    api: SlackApi
    clock: Callable[[], datetime]

    async def offer(self, key: str, order: Order) -> None:
        """Propose an order in its thread, with the buttons that agree to it."""
        proposed = await self.orders.propose(schedule_id(key), order)
        draft = await self.draft(proposed)
        await self.answer(parse_session(order.origin), key, draft)

    async def draft(self, proposed: Schedule) -> PostDraft:
        """The post of a proposal."""
        may_read = await self.orders.may_read(proposed.order)
        return posts.proposal(proposed, self.clock(), may_read=may_read)

    async def decide(
        self,
        proposal: ScheduleId,
        by: UserId,
        *,
        is_yes: bool,
        post: Receipt | None,
    ) -> None:
        """Agree to a proposal or take it back, and say so in its post, where the buttons stood."""
        proposed = await self.orders.get(proposal, by, is_proposal=True)
        decided = await self.orders.decide(proposal, by, is_yes=is_yes)
        text = posts.decided(decided, self.clock(), is_change=bool(proposed.order.changes))
        draft = card(text)
        if post is not None:
            await self.api.update(
                post.channel,
                post.ts,
                draft.text,
                blocks=draft.blocks,
            )

    async def do(
        self,
        verb: str,
        schedule: ScheduleId,
        by: UserId,
        language: str = "",
    ) -> str:
        """Pause, resume, run or delete a schedule; the sentence about it."""
        changed = await self.orders.do(verb, schedule, by)
        language = language or posts.language_of(changed.order)
        return posts.sentence(
            f"did-{verb}",
            changed,
            language,
            self.clock(),
        )

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


def _op(key: str) -> Op:
    return Op(key).part("digest")
