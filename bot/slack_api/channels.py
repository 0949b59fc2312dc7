"""Whole conversations, and the workspace's admins: which there are, and what was said in them."""

import re
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from agent_core.messages import JsonObject
from bot.inbound import object_in, objects_in, text_in
from bot.slack_api.calls import Calls
from bot.slack_api.errors import SlackRefused
from bot.slack_api.records import (
    Conversation,
    Person,
    next_cursor,
    read_conversation,
    read_person,
)
from bot.threads import ThreadRef

CHANNEL_ID = re.compile(r"[CGD][A-Z0-9]{5,}")
KINDS = "public_channel,private_channel,mpim,im"
PAGE_SIZE = 500
FEW = 10
_REPLIES = "conversations.replies"
GONE = frozenset({"message_not_found", "thread_not_found"})
_TOMBSTONE = "tombstone"
_UNSEEN = frozenset({"channel_not_found", "not_in_channel", "fetch_members_failed"})


@dataclass(frozen=True, slots=True)
class Channels:
    """Reads gently, so that what the bot does meanwhile finds room in Slack's limits.

    Every method raises SlackError where Slack could not be asked.
    """

    _calls: Calls

    async def mine(self) -> tuple[Conversation, ...]:
        """The conversations that the bot is a member of, archived ones left out."""
        arguments = {
            "types": KINDS,
            "exclude_archived": True,
            "limit": PAGE_SIZE,
        }
        pages = self._pages("users.conversations", arguments, "channels")
        return tuple([read_conversation(raw) async for page in pages for raw in page])

    async def about(self, channel: str) -> Conversation | None:
        """A conversation; None where there is none, or the bot may not see it."""
        asked = {"channel": channel}
        answer = await self._calls.repeatable("conversations.info", asked, fine=_UNSEEN)
        return read_conversation(object_in(answer, "channel")) if answer else None

    async def find(self, name: str) -> Conversation | None:
        """The channel of an id, or of a name among those that the bot is in."""
        if CHANNEL_ID.fullmatch(name):
            return await self.about(name)
        mine = await self.mine()
        return next((channel for channel in mine if channel.name.lower() == name.lower()), None)

    async def members(self, channel: str) -> frozenset[str]:
        """The ids of everybody in a conversation; nobody where the bot may not see it."""
        arguments = {"channel": channel, "limit": PAGE_SIZE}
        pages = self._pages(
            "conversations.members",
            arguments,
            "members",
            at_once=True,
        )
        try:
            users = [user async for page in pages for user in cast("list[Any]", page)]
        except SlackRefused as refused:
            if refused.code in _UNSEEN:
                return frozenset()
            raise
        return frozenset(map(str, users))

    async def admins(self) -> list[Person]:
        """The workspace's admins and owners."""
        pages = self._pages("users.list", {"limit": PAGE_SIZE}, "members")
        people = [read_person(raw) async for page in pages for raw in page]
        return [person for person in people if person.is_admin]

    def history(
        self,
        channel: str,
        *,
        oldest: str,
        latest: str | None = None,
    ) -> AsyncGenerator[list[JsonObject]]:
        """Pages of the posts between these moments, newest first, as Slack has them.

        Replies are among them where they were sent to the channel as well; a root says how late
        the latest reply to it is.
        """
        arguments = {
            "channel": channel,
            "oldest": oldest,
            "latest": latest,
            "limit": PAGE_SIZE,
            "include_all_metadata": True,
        }
        return self._pages("conversations.history", arguments, "messages")

    def replies(
        self,
        thread: ThreadRef,
        *,
        oldest: str | None = None,
        latest: str | None = None,
        at_once: bool = False,
    ) -> AsyncGenerator[list[JsonObject]]:
        """Pages of a thread: its root, and the replies between these moments, oldest first.

        With `at_once` somebody waits for them: room for other calls is not kept.
        """
        arguments = {
            "channel": thread.channel,
            "ts": thread.root_ts,
            "oldest": oldest,
            "latest": latest,
            "limit": PAGE_SIZE,
            "include_all_metadata": True,
        }
        return self._pages(
            _REPLIES,
            arguments,
            "messages",
            at_once=at_once,
        )

    async def post_now(self, thread: ThreadRef, ts: str) -> JsonObject | None:
        """A post of a thread as Slack has it; None where it is gone.

        Raises SlackRefused also where the answer leaves open whether the post is there.
        """
        arguments = {
            "channel": thread.channel,
            "ts": thread.root_ts,
            "oldest": ts,
            "latest": ts,
            "inclusive": True,
            "limit": FEW,
        }
        await self._calls.gently(_REPLIES)
        try:
            answer = await self._calls.repeatable(_REPLIES, arguments)
        except SlackRefused as refused:
            if ts == thread.root_ts and refused.code in GONE:
                return None
            raise
        by_ts = {text_in(raw, "ts"): raw for raw in objects_in(answer, "messages")}
        if ts in by_ts:
            return None if by_ts[ts].get("subtype") == _TOMBSTONE else by_ts[ts]
        if thread.root_ts in by_ts and not answer.get("has_more") and not next_cursor(answer):
            return None
        raise SlackRefused(_REPLIES, detail=f"nothing was told of {ts}")

    async def _pages(
        self,
        method: str,
        arguments: Mapping[str, Any],
        items: str,
        *,
        at_once: bool = False,
    ) -> AsyncGenerator[list[JsonObject]]:
        cursor = ""
        while True:
            if not at_once:
                await self._calls.gently(method)
            asked = {**arguments, "cursor": cursor or None}
            answer = await self._calls.repeatable(method, asked)
            yield cast("list[JsonObject]", answer.get(items) or [])
            cursor = next_cursor(answer)
            if not cursor:
                return
