"""Catching up: posts that came while nobody listened are answered once, oldest first.

Edits and deletions of what is not answered yet are made up for, too.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Container, Coroutine, Sequence
from contextlib import aclosing
from typing import Any

from agent_core.ids import SessionId
from agent_core.messages import JsonObject
from bot.inbound import InboundPost
from bot.ingress.answering import HEAD_START_S, Answering, Way
from bot.ingress.heard import Gap, Heard
from bot.ingress.late import LateNotices
from bot.ingress.missed import Missed, Search, Seen
from bot.ingress.open_requests import OpenRequests
from bot.ingress.overtaking import Overtaking
from bot.ingress.seams import Answers, KnownSessions, Marks
from bot.slack_api import Clock, Identity, SlackApi

BEAT_S = 5.0
RETRY_WAITS_S = (30.0, 60.0, 300.0, 600.0)
"""Waits before a conversation that could not be read is read again; then it is given up."""

logger = logging.getLogger(__name__)


class CatchUp:
    """Looks for missed posts whenever there was a gap, beside live traffic.

    Give it the way in with `join` before the first post, and `open` it before the socket.
    """

    def __init__(
        self,
        *,
        heard: Heard,
        search: Search,
        answering: Answering,
        requests: OpenRequests,
        notices: LateNotices,
        clock: Clock,
    ) -> None:
        self._heard = heard
        self._search = search
        self._answering = answering
        self._requests = requests
        self._overtaking = Overtaking(heard, search, answering)
        self._notices = notices
        self._clock = clock
        self._one_run = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def join(self, way: Way) -> None:
        """Hand missed posts over this way, the one that live posts take."""
        self._answering.join(way)

    async def open(self) -> None:
        """Find out how far an earlier process has heard."""
        await self._heard.open()

    def note(self, body: JsonObject, *, is_taken: bool) -> None:
        """A payload was received; not taken where nothing was to do."""
        self._heard.note(body)
        if not is_taken and self._heard.has_gap.is_set():
            self._own(self._overtaking.look_closer(body), name="look closer")

    def lose(self) -> None:
        """A payload could not be received, and Slack may not bring it again."""
        self._heard.lose("a payload could not be received")

    async def after_gap(self) -> None:
        """There was a time without an open socket; what was missed is looked for soon."""
        self._heard.lose("the socket was not open")

    async def let_earlier_pass(self, post: InboundPost) -> None:
        """Return once missed posts of the thread that are older than this one are handed over."""
        await self._overtaking.let_earlier_pass(post)

    def start(self, *, is_well: Callable[[], bool]) -> None:
        """From now on write down how far one is, and catch up whenever something may be missing.

        `is_well` tells whether the socket is open and heard.
        """
        self._own(self._beat(is_well), name="heard")
        self._own(self._run_when_needed(is_well), name="catch up")

    async def close(self) -> None:
        """Stop. What was begun with is in the ledger, the rest is found again at the next start."""
        tasks = set(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self._overtaking.close()

    async def run(self, *, is_last_try: bool = True) -> bool:
        """Look for what was missed since the marks, and see to it: at most one run at a time.

        False if something could not be seen to and waits for another run; with `is_last_try` the
        marks move on all the same.

        Raises:
            SlackError: Slack could not be asked. Nothing is lost; run again.
        """
        async with self._one_run:
            gap = self._heard.gap()
            seen = Seen()
            is_done = await self._see_to(gap, seen)
            if not is_done and not is_last_try:
                return False
            if not is_done:
                given_up = ", ".join(sorted(seen.unread)) or "single posts"
                logger.error("catching up ends without %s", given_up)
            for channel, ts in seen.newest.items():
                if channel not in seen.unread:
                    self._heard.note_post(channel, ts)
            await self._heard.close(gap)
            self._overtaking.forget()
            return True

    async def _see_to(self, gap: Gap, seen: Seen) -> bool:
        """Answer or list all that was missed; whether that went well, and nothing was unread."""
        turns, late = await self._requests.all(), list[Missed]()
        looking = asyncio.create_task(self._requests.see_to(turns, gap), name="open requests")
        fresh = self._fresh(gap, seen, late)
        busy = {turn.session for turn in turns}
        try:
            async with aclosing(_after(looking, busy, fresh)) as posts:
                were_answered = await self._answering.answer(posts)
            were_read = await looking
        finally:
            looking.cancel()
            await asyncio.wait([looking])
        if late:
            logger.info("catching up: %d posts were missed long ago", len(late))
        listed = [missed for missed in late if missed.post.thread.channel not in seen.unread]
        were_told = await self._tell(listed, gap)
        return were_answered and were_read and were_told and not seen.unread

    async def _fresh(self, gap: Gap, seen: Seen, late: list[Missed]) -> AsyncGenerator[Missed]:
        """What is to be answered; the rest goes onto `late`."""
        async with aclosing(self._search.everywhere(gap, seen)) as shares:
            async for share in shares:
                fresh = [missed for missed in share if not gap.is_late(missed.post.ts)]
                late += [missed for missed in share if gap.is_late(missed.post.ts)]
                if new := sum(missed.is_new for missed in fresh):
                    logger.info("catching up: %d more posts may have been missed", new)
                for missed in fresh:
                    yield missed

    async def _tell(self, late: Sequence[Missed], gap: Gap) -> bool:
        """One notice for each conversation. Whether all could be told."""
        by_channel: dict[str, list[Missed]] = {}
        for missed in sorted(late, key=lambda missed: float(missed.post.ts)):
            by_channel.setdefault(missed.post.thread.channel, []).append(missed)
        async with asyncio.TaskGroup() as group:
            told = [group.create_task(self._tell_one(each, gap)) for each in by_channel.values()]
        return all(task.result() for task in told)

    async def _tell_one(self, late: Sequence[Missed], gap: Gap) -> bool:
        try:
            await self._notices.tell(late, gap, self._answering.way.judge)
        except Exception:
            logger.exception("a conversation is not told what it was not answered")
            return False
        return True

    async def _beat(self, is_well: Callable[[], bool]) -> None:
        while True:
            try:
                await self._heard.beat(is_well=is_well())
            except Exception:
                logger.exception("how far the bot has heard could not be written down")
            await self._clock.sleep(BEAT_S)

    async def _run_when_needed(self, is_well: Callable[[], bool]) -> None:
        while True:
            await self._heard.has_gap.wait()
            while not is_well():
                await self._clock.sleep(BEAT_S)
            await self._run_until_done()
            await self._clock.sleep(BEAT_S)

    async def _run_until_done(self) -> None:
        waits_s = list(RETRY_WAITS_S)
        while True:
            wait_s = waits_s[0] if waits_s else RETRY_WAITS_S[-1]
            try:
                if await self.run(is_last_try=not waits_s):
                    return
                waits_s = waits_s[1:]
                logger.warning("catching up goes on in %g s", wait_s)
            except Exception:
                logger.exception("catching up is tried again in %g s", wait_s)
            await self._clock.sleep(wait_s)

    def _own(self, work: Coroutine[Any, Any, None], *, name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _after(
    looking: asyncio.Task[bool], busy: Container[SessionId], posts: AsyncGenerator[Missed]
) -> AsyncGenerator[Missed]:
    """Posts of busy sessions wait until what became of the requests there is known."""
    held: list[Missed] = []
    async with aclosing(posts):
        async for missed in posts:
            if missed.post.thread.session in busy and not looking.done():
                held.append(missed)
                continue
            while looking.done() and held:
                yield held.pop(0)
            yield missed
    await asyncio.wait([looking])
    for missed in held:
        yield missed


def build_catch_up(
    api: SlackApi,
    identity: Identity,
    *,
    marks: Marks,
    sessions: KnownSessions,
    answers: Answers,
    now_s: Callable[[], float],
    head_start_s: float = HEAD_START_S,
) -> CatchUp:
    """Put the parts together; `now_s` is the time of day, in seconds since the epoch."""
    answering = Answering(answers, head_start_s=head_start_s)
    return CatchUp(
        heard=Heard(marks, team=identity.team, now_s=now_s),
        search=Search(api, identity, sessions),
        answering=answering,
        requests=OpenRequests(api, identity, sessions, answering),
        notices=LateNotices(api, answers),
        clock=api.clock,
    )


class NothingMissed:
    """Stands in where nobody catches up."""

    def note(self, body: JsonObject, *, is_taken: bool) -> None: ...

    def lose(self) -> None: ...

    async def let_earlier_pass(self, post: InboundPost) -> None: ...
