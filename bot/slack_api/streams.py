"""Posts that grow while their words are written: Slack's streams, and how many may be open."""

import logging
from dataclasses import dataclass, field

from agent_core.messages import JsonObject
from bot.slack_api.calls import Calls
from bot.slack_api.channels import Channels
from bot.slack_api.errors import ContentRefused, PlaceRefused, SlackRefused
from bot.slack_api.records import Op, mark, read_post
from bot.threads import ThreadRef

APPEND_S = 0.7
"""Slack takes about 100 of them in a minute, for all streams together."""
GONE = frozenset(
    {"message_not_found", "cant_update_message", "edit_window_closed", "streaming_state_conflict"}
)
"""A post that takes no more words: others are to be made."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class StreamAllowance:
    """What is left of Slack's limits on streams, for all turns of this process."""

    refused: set[str] = field(default_factory=set[str])
    """Kinds of conversations that take none, by the first sign of their id."""
    open: set[str] = field(default_factory=set[str])


@dataclass(frozen=True, slots=True)
class Streams:
    """A stream is a preview: where Slack takes none, the words come with the answer's posts.

    A pause is never waited for. Every method raises SlackError.
    """

    _calls: Calls
    _channels: Channels
    _allowance: StreamAllowance
    _settle_s: float
    """So long may a stream be on its way that a process began before it died."""

    @property
    def interval_s(self) -> float:
        """How long one stream waits between two calls."""
        return max(1.0, APPEND_S * len(self._allowance.open))

    async def start(self, thread: ThreadRef, user: str, text: str) -> str | None:
        """Begin a post and return its `ts`; None where that is not possible now.

        After SlackUnavailable the post may be there: see `left_over`.
        """
        kind = thread.channel[:1]
        if kind in self._allowance.refused:
            return None
        arguments: JsonObject = {"channel": thread.channel, "thread_ts": thread.root_ts}
        if kind != "D":
            arguments |= {"recipient_user_id": user, "recipient_team_id": thread.team}
        try:
            answer = await self._calls.droppable("chat.startStream", {**arguments, **_chunk(text)})
        except (PlaceRefused, ContentRefused):
            return None
        except SlackRefused as refused:
            _log.warning("answers are not streamed: %s", refused)
            self._allowance.refused.add(kind)
            return None
        if answer is None:
            return None
        self._allowance.open.add(str(answer["ts"]))
        return str(answer["ts"])

    async def append(self, channel: str, ts: str, text: str) -> bool:
        """Let a post grow; False if Slack asked for a pause."""
        arguments = {"channel": channel, "ts": ts, **_chunk(text)}
        return await self._calls.droppable("chat.appendStream", arguments) is not None

    def let_go(self, ts: str) -> None:
        """Nobody here lets this post grow any more; whether it is stopped or not."""
        self._allowance.open.discard(ts)

    async def stop(self, channel: str, ts: str, op: Op) -> None:
        """The post grows no more; one that does not anyway is fine, and one that cannot is told."""
        self.let_go(ts)
        arguments = {
            "channel": channel,
            "ts": ts,
            "metadata": mark(op),
            "session_status": "processing",
        }
        try:
            await self._calls.repeatable("chat.stopStream", arguments)
        except SlackRefused as refused:
            _log.info("a stream was not ended: %s", refused)

    async def delete(self, channel: str, ts: str) -> None:
        """Take a post of the bot away; one that is gone is fine."""
        await self._calls.repeatable("chat.delete", {"channel": channel, "ts": ts}, fine=GONE)

    async def left_over(self, thread: ThreadRef, *, after: str) -> list[str]:
        """The `ts` of streamed posts behind another that no op id names: their writer died."""
        await self._calls.clock.sleep(self._settle_s)
        pages = self._channels.replies(thread, oldest=after, at_once=True)
        try:
            posts = [read_post(raw) async for page in pages for raw in page]
        except SlackRefused as refused:
            _log.warning("what was streamed is not found: %s", refused)
            posts = []
        return [
            post.ts
            for post in posts
            if post.is_streamed and not post.op_id and float(post.ts) > float(after)
        ]


def _chunk(text: str) -> JsonObject:
    """Words go as chunks from the first on: a stream takes no other form later."""
    return {"chunks": [{"type": "markdown_text", "text": text}]}
