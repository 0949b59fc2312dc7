"""What the agent is told of an edit or a deletion, once it is in the ledger."""

import logging
from collections import Counter, OrderedDict
from datetime import UTC, datetime
from typing import Literal

from bot.inbound import InboundPost
from bot.ingress.changes import Deletion, Edit
from bot.ingress.corrections import Corrections
from bot.ingress.gate import Admitted, Gate
from bot.ingress.reading import Reading
from bot.ingress.seams import Front, Ledger
from bot.ingress.words import WORDS, post_language
from bot.slack_api import SlackApi, SlackError

MAX_LOOKS = 24
"""How often one looks for the turn of a post that another process may be handing over."""

MAX_TOLD = 1_000

_log = logging.getLogger(__name__)

Settled = Literal["settled"]
Later = Literal["later"]
"""The post is known and has no turn yet: try again in a while."""


class Revising:
    """Applies changes to turns that have not begun, and stops the turns of what is gone."""

    def __init__(
        self,
        *,
        front: Front,
        ledger: Ledger,
        gate: Gate,
        api: SlackApi,
        reading: Reading,
        corrections: Corrections,
    ) -> None:
        self._front = front
        self._ledger = ledger
        self._gate = gate
        self._api = api
        self._reading = reading
        self._corrections = corrections
        self._told: OrderedDict[str, None] = OrderedDict()
        self._looks: Counter[str] = Counter()

    async def revise(self, edit: Edit) -> InboundPost | Settled | Later:
        """Put the new text in the place of the old one, as long as the turn has not begun.

        An edit that takes the bot's mention out leaves the request as it is otherwise: to take it
        back one deletes the post. Where the post itself never came, the edit stands for it: the
        post is returned, is in the ledger and is to be handed over.

        Raises:
            SlackError: Slack could not be asked.
        """
        outcome = await self._revise(edit)
        if not isinstance(outcome, str):
            await self._settle(edit.key)
            return outcome
        return await self._conclude(edit.key, outcome)

    async def withdraw(self, deletion: Deletion) -> Settled | Later:
        """End the turn of a post that is gone. One that has not come yet never will.

        What other work has taken in stays a part of it: the model has read it.
        """
        key = deletion.post_key
        if await self._front.withdraw(key):
            await self._ledger.settle(key)
            return await self._conclude(deletion.key, "settled")
        never_came = await self._ledger.record(key, "", {})
        await self._ledger.settle(key)
        is_over = never_came or self._corrections.is_under_way(key)
        if is_over or await self._front.taken(key) is not None:
            return await self._conclude(deletion.key, "settled")
        return await self._conclude(deletion.key, "later")

    async def _revise(self, edit: Edit) -> InboundPost | Settled | Later:
        if self._corrections.is_outdated(edit) or self._corrections.is_gone(edit.post.key):
            return "settled"
        author = await self._gate.judge_author(edit.post, edit.body)
        if not isinstance(author, Admitted):
            return "settled"
        if await self._front.taken(edit.post.key) is not None:
            await self._revise_turn(edit, author)
            return "settled"
        if await self._gate.is_for_us(edit.post):
            if await self._ledger.record(edit.post.key, edit.post.second_key, edit.body):
                return edit.post
            return "later"
        was_for_us = edit.before is not None and await self._gate.is_for_us(edit.before)
        return "later" if was_for_us else "settled"

    async def _revise_turn(self, edit: Edit, author: Admitted) -> None:
        text = await self._reading.text(edit.post)
        if await self._front.revise(edit.post.key, text):
            return
        taken = await self._front.taken(edit.post.key)
        edited_at = datetime.fromtimestamp(float(edit.post.said_ts), UTC)
        if taken is None or not taken.is_at_work:
            return
        if taken.said_at < edited_at and taken.text != text:
            await self._tell_begun(author)

    async def _tell_begun(self, author: Admitted) -> None:
        """Once for a post, however often it is edited."""
        post = author.post
        if post.key in self._told:
            return
        self._told[post.key] = None
        if len(self._told) > MAX_TOLD:
            self._told.popitem(last=False)
        words = WORDS[post_language(post, author.person)]
        place = post.thread
        try:
            await self._api.post_ephemeral(
                place.channel, post.user, words.begun, thread_ts=place.root_ts
            )
        except SlackError as error:
            _log.warning("could not tell that an edit came too late: %s", error)

    async def _conclude(self, key: str, outcome: Settled | Later) -> Settled | Later:
        """What cannot be done yet is looked at again, a bounded number of times."""
        if outcome == "later":
            self._looks[key] += 1
            if self._looks[key] < MAX_LOOKS:
                return "later"
        await self._settle(key)
        return "settled"

    async def _settle(self, key: str) -> None:
        await self._ledger.settle(key)
        del self._looks[key]
