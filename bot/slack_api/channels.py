"""Whole conversations: which there are, and what was said in them."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any, cast

from agent_core.messages import JsonObject
from bot.slack_api.answers import next_cursor, read_conversation
from bot.slack_api.calls import Calls
from bot.slack_api.clock import Clock
from bot.slack_api.records import Conversation
from bot.slack_api.scopes import Method
from bot.threads import ThreadRef

KINDS = "public_channel,private_channel,mpim,im"
PAGE_SIZE = 500
BURST = 30
SPACING_S = 1.5


class Channels:
    """Reads gently, so that what the bot does meanwhile finds room in Slack's limits."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._pace = _Pace(calls.clock)

    async def mine(self) -> tuple[Conversation, ...]:
        """The conversations that the bot is a member of, archived ones left out.

        Raises:
            SlackError: They could not be listed; `SlackAuthRefused` where a scope is missing.
        """
        arguments = {"types": KINDS, "exclude_archived": True, "limit": PAGE_SIZE}
        pages = self._pages("users.conversations", arguments, "channels")
        return tuple([read_conversation(raw) async for page in pages for raw in page])

    def history(self, channel: str, *, oldest: str) -> AsyncGenerator[list[JsonObject]]:
        """Pages of the posts later than `oldest`, newest first, as Slack has them.

        Replies are among them where they were sent to the channel as well; a root says how late
        the latest reply to it is.

        Raises:
            SlackError: The conversation could not be read.
        """
        arguments = {
            "channel": channel,
            "oldest": oldest,
            "limit": PAGE_SIZE,
            "include_all_metadata": True,
        }
        return self._pages("conversations.history", arguments, "messages")

    def replies(
        self, thread: ThreadRef, *, oldest: str, at_once: bool = False
    ) -> AsyncGenerator[list[JsonObject]]:
        """Pages of a thread: its root, and the replies later than `oldest`, oldest first.

        With `at_once` somebody waits for them: room for other calls is not kept.

        Raises:
            SlackError: The thread could not be read.
        """
        arguments = {
            "channel": thread.channel,
            "ts": thread.root_ts,
            "oldest": oldest,
            "limit": PAGE_SIZE,
        }
        return self._pages("conversations.replies", arguments, "messages", at_once=at_once)

    async def permalink(self, channel: str, ts: str) -> str:
        """The address of a post."""
        arguments = {"channel": channel, "message_ts": ts}
        return str((await self._calls.repeatable("chat.getPermalink", arguments))["permalink"])

    async def _pages(
        self, method: Method, arguments: Mapping[str, Any], items: str, *, at_once: bool = False
    ) -> AsyncGenerator[list[JsonObject]]:
        cursor = ""
        while True:
            if not at_once:
                await self._pace.admit()
            asked = {**arguments, "cursor": cursor or None}
            answer = await self._calls.repeatable(method, asked)
            yield cast("list[JsonObject]", answer.get(items) or [])
            cursor = next_cursor(answer)
            if not cursor:
                return


class _Pace:
    """A burst, then one call each 1.5 s: below the 50 a minute that Slack allows."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._left = float(BURST)
        self._seen_s = clock.seconds()

    async def admit(self) -> None:
        now_s = self._clock.seconds()
        self._left = min(float(BURST), self._left + (now_s - self._seen_s) / SPACING_S) - 1
        self._seen_s = now_s
        if self._left < 0:
            await self._clock.sleep(-self._left * SPACING_S)
