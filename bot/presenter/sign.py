"""The visible sign that the bot is at work: a thread status, or a reaction on the post asked in."""

import logging

from bot.slack_api import SlackApi, SlackError
from bot.threads import ThreadRef

REACTION = "eyes"
RENEWAL_S = 1_800.0
"""Slack takes a status back after an hour."""

_log = logging.getLogger(__name__)


class Sign:
    """Shown with the first event, renewed in long turns, taken back at the end."""

    def __init__(self, api: SlackApi, thread: ThreadRef, asked_ts: str) -> None:
        self._api = api
        self._thread = thread
        self._asked_ts = asked_ts
        self._shown_s = float("-inf")

    async def show(self) -> None:
        now = self._api.clock.seconds()
        if now - self._shown_s < RENEWAL_S:
            return
        self._shown_s = now
        if not await self._api.set_status(self._thread, "processing"):
            await self._react(add=True)

    async def take_back(self) -> None:
        if not await self._api.set_status(self._thread, "active", insist=True):
            await self._react(add=False)

    async def _react(self, *, add: bool) -> None:
        if not self._asked_ts:
            return
        react = self._api.add_reaction if add else self._api.remove_reaction
        try:
            await react(self._thread.channel, self._asked_ts, REACTION)
        except SlackError as error:
            _log.info("no reaction: %s", error)
