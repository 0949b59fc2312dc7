"""The runs of the backfill: missed posts are answered once, oldest first.

The watermark says up to when Slack was heard; while posts may be missing it stays, so that after a
crash the beginning of the gap is known. Edits and deletions of what is not answered yet are made up
for, too. What is older than a day is listed in a notice in place of an answer.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agent_core.background import Background
from agent_core.clock import UtcClock
from agent_core.messages import JsonObject
from agent_core.runtime import KnownSessions, Marks, detect_language
from bot.front import FrontDoor
from bot.inbound import InboundPost, plain_text, posted_at
from bot.ingress.backfill import Gap, MissedPost, Search, as_ts
from bot.ingress.filter import Admitted
from bot.ingress.ingress import Ingress
from bot.render import one_line
from bot.slack_api import Identity, Op, SlackApi, SlackError, SlackRefused
from bot.threads import ThreadRef
from bot.words import BOT

MAX_SILENCE_S = 60.0
"""A beat that comes later than this after the one before tells of a process that stood still."""

STEP_S = 30.0
"""How often the watermark is written down."""
BEAT_S = 5.0
RUN_AGAIN_S = 60.0
"""How long to wait with another run where something could not be read."""

HEAD_START_S = 5.0
MAX_AT_ONCE = 8
SLOT_LIMIT_S = 300.0
"""An answer has a head start before the next one; so many are worked on at once, so long each."""

PATIENCE_S = 20.0
"""How long a live post waits for missed ones of its thread."""

NOTICE = Op("late")
MAX_LISTED = 20
MAX_NAME_CHARS = 60

logger = logging.getLogger(__name__)


class Watermark:
    """Up to when Slack was heard: nothing was missed before, in no conversation.

    It is written down a little later, and does not move while posts may be missing.
    """

    def __init__(
        self,
        marks: Marks,
        team: str,
        clock: UtcClock,
    ) -> None:
        self.has_gap = asyncio.Event()
        self._marks = marks
        self._name = f"slack:{team}:*"
        self._clock = clock
        self._heard_s = 0.0
        self._gaps = 0
        self._beat_at_s = 0.0

    def _now_s(self) -> float:
        return self._clock().timestamp()

    async def open(self) -> None:
        """Read the watermark. Before the first start of all, nothing can have been missed."""
        stored = await self._marks.load(self._name)
        self._beat_at_s = self._now_s()
        if self._name in stored:
            self._heard_s = float(stored[self._name])
            self.lose("the bot was not running")
        else:
            await self._save(self._beat_at_s)

    def lose(self, reason: str) -> None:
        """Something may be missing from now on, until the gap is closed."""
        self._gaps += 1
        if not self.has_gap.is_set():
            logger.info("posts may be missing: %s", reason)
        self.has_gap.set()

    def gap(self) -> Gap:
        """The gap as it is now, to look at and then close."""
        return Gap(began_s=self._now_s(), heard_s=self._heard_s, number=self._gaps)

    async def close(self, gap: Gap) -> None:
        """All that was said in the gap was seen to. A newer one stays open."""
        if gap.number != self._gaps:
            return
        await self._save(gap.began_s)
        if gap.number == self._gaps:
            self._beat_at_s = self._now_s()
            self.has_gap.clear()

    async def beat(self, *, is_well: bool) -> None:
        """Write down how far one is; to be called every few seconds, with the socket's state."""
        if not is_well:
            self.lose("the socket is not open")
        self.check_silence()
        now_s = self._now_s()
        if not self.has_gap.is_set() and now_s - self._heard_s >= STEP_S:
            await self._save(now_s)

    def check_silence(self) -> None:
        """A process that stood still may have missed posts; called with every payload, too."""
        now_s = self._now_s()
        silence_s = now_s - self._beat_at_s
        self._beat_at_s = now_s
        if silence_s > MAX_SILENCE_S:
            self.lose(f"the process stood still for {silence_s:.0f} s")

    async def _save(self, heard_s: float) -> None:
        await self._marks.save({self._name: as_ts(heard_s)})
        self._heard_s = heard_s


@dataclass(slots=True)
class Backfill:
    """Looks for missed posts whenever there was a gap, beside live traffic.

    What it finds goes the way of live posts. Open the watermark before the socket.
    """

    _ingress: Ingress
    _front: FrontDoor
    _api: SlackApi
    _identity: Identity
    _sessions: KnownSessions
    watermark: Watermark
    _head_start_s: float = HEAD_START_S
    _background: Background = field(init=False, default_factory=Background)
    _threads: dict[ThreadRef, asyncio.Task[None]] = field(
        init=False, default_factory=dict[ThreadRef, asyncio.Task[None]]
    )
    """Threads that are backfilled because somebody writes in them."""

    async def let_earlier_pass(self, post: InboundPost) -> None:
        """Return once missed posts of the thread that are older than this one are handed over.

        A post that begins a thread waits for nothing, and none waits for long.
        """
        if not post.is_reply or not self.watermark.has_gap.is_set():
            return
        if post.thread not in self._threads:
            self._threads[post.thread] = self._background.start(self._backfill_thread(post))
        await asyncio.wait({self._threads[post.thread]}, timeout=PATIENCE_S)

    def start(self, *, is_well: Callable[[], bool]) -> None:
        """From now on write down how far one is, and run whenever something may be missing.

        `is_well` tells whether the socket is open and heard.
        """

        async def beat() -> None:
            await self.watermark.beat(is_well=is_well())

        async def run_when_needed() -> None:
            await self.watermark.has_gap.wait()
            if is_well() and not await self._try_to_run():
                await self._api.clock.sleep(RUN_AGAIN_S)

        async def pause() -> None:
            await self._api.clock.sleep(BEAT_S)

        self._background.repeat(beat, pause=pause, name="the watermark")
        self._background.repeat(run_when_needed, pause=pause, name="the backfill")

    async def close(self) -> None:
        """Stop. What was begun with is in the ledger, the rest is found again at the next start."""
        await self._background.close()

    async def run(self) -> bool:
        """Look for what was missed since the watermark, and see to it.

        False if something could not be seen to and waits for another run: the watermark stays.
        Raises SlackError where Slack could not be asked. Nothing is lost; run again.
        """
        self._ingress.replies.forget()
        search = self._search()
        if not await self._see_to(search):
            return False
        await self.watermark.close(search.gap)
        self._threads = {at: task for at, task in self._threads.items() if not task.done()}
        return True

    def _search(self) -> Search:
        gap = self.watermark.gap()
        return Search(self._api.channels, self._identity, self._sessions, gap)

    async def _see_to(self, search: Search) -> bool:
        """Answer or list all that was missed; whether that went well, and nothing was unread.

        What became of the requests of earlier turns is taken in before any newer post.
        """
        for payload in await search.changes():
            await self._take(payload)
        late: list[MissedPost] = []
        were_answered = await self._answer(search, late)
        listed = [missed for missed in late if missed.post.thread.channel not in search.unread]
        were_listed = await self._list_late(listed, search.gap)
        return were_answered and were_listed and not search.unread

    async def _take(self, body: JsonObject) -> bool:
        """Hand over one payload at once. False where it is known, or nothing is to do."""
        event = await self._ingress.receive(body)
        if event is None:
            return False
        await self._ingress.hand_over(event)
        return True

    async def _answer(self, search: Search, late: list[MissedPost]) -> bool:
        """Hand over in order, and not all at once: live posts need their share. Whether all went.

        What is too old goes onto `late`. Posts are recorded one by one as their turn comes, so that
        a live post of the same thread still finds those before it. Where the search breaks off,
        posts that were begun with are finished all the same.
        """
        slots = asyncio.Semaphore(MAX_AT_ONCE)
        tasks: list[asyncio.Task[bool]] = []
        try:
            async for share in search.everywhere():
                for missed in share:
                    if search.gap.is_late(missed.post.ts):
                        late.append(missed)
                        continue
                    await slots.acquire()
                    task = self._background.start(self._answer_one(missed))
                    task.add_done_callback(lambda _: slots.release())
                    tasks.append(task)
                    await asyncio.wait({task}, timeout=self._head_start_s)
        finally:
            if tasks:
                await asyncio.wait(tasks)
        return all(task.result() for task in tasks)

    async def _answer_one(self, missed: MissedPost) -> bool:
        key = missed.post.key
        try:
            if await self._take(missed.body) and await self._front.known_turn(key) is not None:
                async with asyncio.timeout(SLOT_LIMIT_S):
                    await self._front.ended(key)
        except TimeoutError:
            logger.info("%s takes long; the next ones do not wait for it", key)
        except Exception:
            logger.exception("%s was missed and is not handed over", key)
            return False
        return True

    async def _backfill_thread(self, live: InboundPost) -> None:
        self._ingress.replies.forget(live.thread)
        search = self._search()
        try:
            for missed in await search.in_thread(live):
                await self._take(missed.body)
        except Exception:
            logger.exception("%s may come before what was missed in its thread", live.key)

    async def _list_late(self, late: Sequence[MissedPost], gap: Gap) -> bool:
        """One notice for each conversation. Whether all could be posted."""
        by_channel: dict[str, list[MissedPost]] = {}
        for missed in sorted(late, key=lambda missed: float(missed.post.ts)):
            channel = missed.post.thread.channel
            if gap.is_new(missed.post.ts):
                by_channel.setdefault(channel, []).append(missed)
        were_listed = True
        for channel, posts in by_channel.items():
            try:
                await self._announce_late(channel, posts, since=as_ts(gap.heard_s))
            except SlackRefused as refused:
                logger.warning("%s gets no notice of unanswered posts: %s", channel, refused)
            except Exception:
                logger.exception("%s gets its notice of unanswered posts later", channel)
                were_listed = False
        return were_listed

    async def _announce_late(
        self,
        channel: str,
        posts: Sequence[MissedPost],
        *,
        since: str,
    ) -> None:
        """Oldest first; those that the bot had are left out, with or without a turn.

        What a notice of an earlier process lists is not listed again: the op of a notice says what
        the newest post is that it lists.
        """
        listed = await self._api.announced(channel, owner=NOTICE.owner, since=since)
        newest_listed = max([op.path[-1] for op in listed], default="")
        late: list[Admitted] = []
        for missed in posts:
            post = missed.post
            if post.ts <= newest_listed or await self._ingress.filter.was_let_in(post):
                continue
            if await self._front.known_turn(post.key) is not None:
                continue  # its record may be older than any is kept
            admission = await self._ingress.filter.judge(post)
            if isinstance(admission, Admitted):
                late.append(admission)
        if not late:
            return
        logger.info("%d posts in %s are too old to be answered", len(late), channel)
        text = self._notice(late)
        op = NOTICE.part(late[-1].post.ts)
        await self._api.announce(channel, text, op=op, since=since)

    def _notice(self, late: Sequence[Admitted]) -> str:
        asked = " ".join(plain_text(admitted.post.wire_text) for admitted in late)
        words = BOT.of(detect_language(asked, locale=late[-1].person.locale))
        lines = [words("ingress-late")]
        lines += map(self._line, late[-MAX_LISTED:])
        if len(late) > MAX_LISTED:
            lines.append(words("ingress-late-more", count=len(late) - MAX_LISTED))
        return "\n".join(lines)

    def _line(self, admitted: Admitted) -> str:
        """The time is the author's; the link's label is ours alone."""
        post, person = admitted.post, admitted.person
        link = post.thread.link(self._api.home, post.ts)
        at = posted_at(post.ts, person.utc_offset_s)
        return f"• <{link}|{at:%Y-%m-%d %H:%M}> {one_line(person.name, MAX_NAME_CHARS)}"

    async def _try_to_run(self) -> bool:
        try:
            return await self.run()
        except SlackError as error:
            logger.warning("the backfill is tried again: %s", error)
            return False
