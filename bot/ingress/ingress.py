"""The way in of posts: each is recorded, acknowledged, judged and handed over, in this order.

Read `filter` first: it says what a payload tells, and whether it is for the bot.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Literal, TypeVar

from agent_core.background import Background, GivenUp, Locks, retry
from agent_core.messages import JsonObject
from agent_core.runtime import Ledger, ReplyReader, small_talk
from bot.front import FrontDoor, WorkspaceFiles
from bot.inbound import Deletion, Edit, Halt, InboundPost, PostEvent, plain_text, read_event
from bot.ingress.filter import Admission, Admitted, IngressFilter, NotServed, Posts, Rules
from bot.ingress.handover import Handover
from bot.ingress.replies import FollowUpsIn, Replies
from bot.presenter import Indicators
from bot.render import escape
from bot.slack_api import People, SlackApi, SlackError
from bot.threads import ThreadRef

DRAIN_PATIENCE_S = 3.0
CANCEL_PATIENCE_S = 1.0

HandoverOutcome = Literal["begun", "known", "parked"]
"""What became of a hand-over: a new turn, one that was there already, or none yet."""

T = TypeVar("T")

logger = logging.getLogger(__name__)


async def leave_to_next_start(work: Background, *, patience_s: float = DRAIN_PATIENCE_S) -> None:
    """Wait so long for what is under way, then leave it to the next process."""
    await work.settle(patience_s=patience_s)
    if work:
        logger.warning("%d payloads are left to the next start", len(work))
    await work.close(patience_s=CANCEL_PATIENCE_S)


class Ingress:
    """Joins the two halves of a delivery: before the acknowledgement, and after it.

    Each half has its own locks, one per thread, entered in the order of the calls: a payload is
    not acknowledged later because an earlier one of its thread is still being handed over, its
    author looked up or its files fetched. Threads do not wait for each other.
    """

    def __init__(
        self,
        front: FrontDoor,
        ledger: Ledger,
        files: WorkspaceFiles,
        api: SlackApi,
        rules: Rules,
        indicators: Indicators,
        people: People,
        reader: ReplyReader,
        follow_ups: FollowUpsIn,
        *,
        hears_all: bool = True,
    ) -> None:
        self.in_vain: set[str] = set()
        """Keys of recorded payloads that wait to be taken up again, once they are released.

        Whoever releases one takes it out."""
        self.under_way = Background()
        self._front = front
        self._ledger = ledger
        self._indicators = indicators
        self._api = api
        self._posts = Posts(people, rules.identity)
        self.replies = Replies(
            front,
            people,
            api,
            rules.identity,
            self._posts.under_way,
            reader,
            follow_ups,
            hears_all,
        )
        self.filter = IngressFilter(front, ledger, people, rules, self.replies)
        self._handover = Handover(
            front,
            ledger,
            files,
            api,
            people,
            self.filter,
            self._posts,
            self.replies,
        )
        self._before_ack = Locks[str]()
        self._after_ack = Locks[str]()

    async def receive(self, body: JsonObject) -> PostEvent | None:
        """The half before the acknowledgement. What it lets in is durable when it returns.

        Payloads of one thread are recorded in the order of the calls. None: nothing is to do.
        """
        self.replies.note(body)
        event = read_event(body, bot_user=self._posts.identity.bot_user)
        if event is None:
            return None
        async with self._before_ack.of(_lane_of(event)):
            if not await self.filter.let_in(event, body):
                return None
        self._posts.note(event)
        return event

    async def take_words(
        self,
        thread: ThreadRef,
        ts: str,
        text: str,
        *,
        user: str,
        title: str = "",
    ) -> bool:
        """Take a person's words as a mention in a thread, where they stand in the post of `ts`.

        False where they are not for the bot from this person, or were taken before.
        """
        identity = self._posts.identity
        is_direct = thread.channel.startswith("D")
        mention = "" if is_direct else f"<@{identity.bot_user}> "
        body = {
            "type": "event_callback",
            "team_id": thread.team,
            "api_app_id": identity.app_id,
            "event": {
                "type": "app_mention",
                "channel": thread.channel,
                "user": user,
                "text": f"{mention}{escape(text)}",
                "ts": ts,
                "thread_ts": thread.root_ts,
                "bot_title": title,
            },
        }
        event = await self.receive(body)
        if event is None:
            return False
        self.under_way.start(self.hand_over(event), name="words of a person")
        return True

    async def hand_over(self, event: PostEvent, *, again: bool = False) -> None:
        """The half after the acknowledgement. What fails here is taken up again later.

        Posts of one thread reach the agent in the order of the calls, however long files take.
        """
        try:
            match event:
                case InboundPost():
                    await self._take_post(event, again=again)
                case Edit():
                    async with self._after_ack.of(_lane_of(event)):
                        post = await self._correct(event)
                    if post is not None:
                        await self._take_post(post, again=again)
                case Deletion() | Halt():
                    await self._correct(event)
        except GivenUp:
            self.in_vain.add(event.key)
        except Exception:
            logger.exception("%s was not handled", event.key)
            self.in_vain.add(event.key)

    async def replay(self, body: JsonObject) -> None:
        """Handle a payload that was recorded and not settled, here or by another process.

        Posts that come later than this call begins stay behind those of their thread.
        """
        event = read_event(body, bot_user=self._posts.identity.bot_user)
        if event is not None:
            self._posts.note(event)
            await self.hand_over(event, again=True)

    def waits_its_turn(self, post: InboundPost) -> bool:
        """Whether a post stays behind earlier ones of its thread: not the word to stop alone."""
        words = plain_text(post.wire_text, bot_user=self._posts.identity.bot_user)
        return bool(post.files) or small_talk(words) != "stop"

    async def _correct(self, event: Edit | Deletion | Halt) -> InboundPost | None:
        return await self._retry(event.key, lambda: self._handover.apply(event))

    async def _retry(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        """Raises GivenUp after the last try: the payload is left to be taken up again."""
        return await retry(work, name=key, sleep=self._api.clock.sleep)

    async def _take_post(self, post: InboundPost, *, again: bool) -> None:
        """The author is looked up while earlier posts of the thread are still handed over."""
        self._posts.under_way[post.key] = post
        lane: AbstractAsyncContextManager[object] = nullcontext()
        if self.waits_its_turn(post):
            lane = self._after_ack.of(_lane_of(post))
        try:
            async with asyncio.TaskGroup() as group:
                judging = group.create_task(self._judge(post))
                group.create_task(self._show_indicator(judging, post, may_be_left=again))
                async with lane:
                    admission = await judging
                    outcome = await self._act(admission, post)
        finally:
            self._posts.under_way.pop(post.key, None)
        if outcome == "parked":
            self.in_vain.add(post.key)
        if not isinstance(admission, Admitted) or outcome == "begun":
            return  # a turn takes its indicator back itself
        await self._indicators.take_back(post.thread, post.ts)
        if outcome == "parked":
            await self._handover.tell_parked(admission)

    async def _judge(self, post: InboundPost) -> Admission | GivenUp:
        """An error raised here would end the wait for the lane, and so the order of the thread."""
        try:
            return await self._retry(post.key, lambda: self.filter.judge(post))
        except GivenUp as error:
            return error

    async def _act(self, admission: Admission | GivenUp, post: InboundPost) -> HandoverOutcome:
        """Never raises: an error would not tell whose payload waits."""
        if isinstance(admission, GivenUp):
            return "parked"
        try:
            is_new = await self._retry(post.key, lambda: self._carry_out(admission, post))
        except GivenUp:
            return "parked"
        return "begun" if is_new else "known"

    async def _carry_out(self, admission: Admission, post: InboundPost) -> bool:
        """Whether a turn begins by it."""
        match admission:
            case Admitted():
                if not self.waits_its_turn(post) and await self._stop(admission):
                    return False
                return await self._handover.deliver(admission)
            case NotServed():
                await self._ledger.settle(post.key)
                thread_ts = post.thread.root_ts if post.is_reply else ""
                await self._api.whisper(
                    post.thread.channel,
                    post.user,
                    admission.sentence,
                    thread_ts=thread_ts,
                )
            case None:
                await self._ledger.judged(post.key, self.replies.silence_of(post))
                await self._ledger.forget(post.key, post.second_key)
        return False

    async def _stop(self, order: Admitted) -> bool:
        """Call off what is still being handed over, and stop what an order at the top ends.

        True if something was stopped: it says so itself, and the order needs no turn. The work of
        its own thread an order ends by its turn.
        """
        post = order.post
        by = order.person.name
        team = post.thread.team
        channel = post.thread.channel
        # Each post at the top of a direct conversation begins a thread, and all are one person's.
        is_for_all = post.channel_type == "im" and not post.is_reply

        def concerns(other: InboundPost) -> bool:
            if is_for_all:
                return other.thread.channel == channel
            return other.thread == post.thread

        self._posts.call_off(concerns, by=by, before_ts=post.ts)
        if not is_for_all or not await self._front.stop_channel(
            team, channel, by, before_ts=post.ts
        ):
            return False
        await self._ledger.settle(post.key)
        return True

    async def _show_indicator(
        self,
        judging: asyncio.Task[Admission | GivenUp],
        post: InboundPost,
        *,
        may_be_left: bool,
    ) -> None:
        """As soon as it is clear that there will be an answer. A failure costs no answer."""
        if not isinstance(await judging, Admitted):
            return
        try:
            await self._indicators.show(post.thread, post.ts, may_be_left=may_be_left)
        except SlackError as error:
            logger.warning("%s got no indicator: %s", post.key, error)


def _lane_of(event: PostEvent) -> str:
    """The order that an event keeps: its thread's. A deletion and a stop wait for nothing."""
    match event:
        case InboundPost():
            return event.thread.session
        case Edit():
            return event.post.thread.session
        case Deletion() | Halt():
            return event.key
