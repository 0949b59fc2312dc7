"""Live posts do not overtake missed ones of their thread."""

import asyncio
import logging

from agent_core.messages import JsonObject
from bot.inbound import InboundPost
from bot.ingress.answering import Answering
from bot.ingress.heard import Heard
from bot.ingress.missed import Search
from bot.threads import ThreadRef

PATIENCE_S = 20.0

logger = logging.getLogger(__name__)


class Overtaking:
    """While something may be missing, a thread is caught up as soon as somebody writes in it."""

    def __init__(self, heard: Heard, search: Search, answering: Answering) -> None:
        self._heard = heard
        self._search = search
        self._answering = answering
        self._caught_up: dict[ThreadRef, asyncio.Task[None]] = {}

    async def let_earlier_pass(self, post: InboundPost) -> None:
        """Return once missed posts of the thread that are older than this one are handed over.

        A post that begins a thread waits for nothing, and none waits for long.
        """
        if not post.is_reply or not self._heard.has_gap.is_set():
            return
        if post.thread not in self._caught_up:
            self._caught_up[post.thread] = asyncio.create_task(self._catch_up(post))
        await asyncio.wait({self._caught_up[post.thread]}, timeout=PATIENCE_S)

    async def look_closer(self, body: JsonObject) -> None:
        """Of a live reply that nobody took: the beginning of its thread may have been missed."""
        post = self._search.read_reply(body)
        if post is None:
            return
        await self.let_earlier_pass(post)
        try:
            await self._answering.take(body)
        except Exception:
            logger.exception("%s is left to the search for what was missed", post.key)

    def forget(self) -> None:
        """Nothing is missing any more; a later gap is another one."""
        self._caught_up = {
            thread: task for thread, task in self._caught_up.items() if not task.done()
        }

    async def close(self) -> None:
        """Stop; what is not handed over is found again at the next start."""
        tasks = list(self._caught_up.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _catch_up(self, live: InboundPost) -> None:
        try:
            for missed in await self._search.in_thread(live, self._heard.gap()):
                await self._answering.take(missed.body)
        except Exception:
            logger.exception("%s may come before what was missed in its thread", live.key)
