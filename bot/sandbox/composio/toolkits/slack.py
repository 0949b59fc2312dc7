"""Slack as an app: posts that a person's account made in a workspace of its own."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import Field

from bot.sandbox.composio.outcome import Data, Outcome
from bot.sandbox.composio.tools import AppArguments, Caller, Tool, Toolkit

SLUG = "slack"
CHANNELS = {"general": "C0GENERAL00", "random": "C0RANDOM000", "team": "C0TEAM00000"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One post that an account made."""

    channel: str
    ts: str
    thread_ts: str | None
    text: str


class Posts:
    """What everybody's accounts posted, in their order."""

    def __init__(self) -> None:
        self._posts: defaultdict[str, list[Post]] = defaultdict(list)

    def of(self, user_id: str) -> list[Post]:
        return self._posts[user_id]


class SendArguments(AppArguments):
    channel: Annotated[
        str, Field(min_length=1, description="Channel by id or name, or a person's id.")
    ]
    markdown_text: Annotated[
        str, Field(min_length=1, max_length=12_000, description="The message in Markdown.")
    ]
    thread_ts: Annotated[
        str | None, Field(description="Timestamp of the post that is answered in its thread.")
    ] = None


def build_slack(posts: Posts, clock: Callable[[], datetime]) -> Toolkit:
    """Slack with the tool that posts."""

    async def send(caller: Caller, arguments: SendArguments) -> Outcome:
        channel = find_channel(arguments.channel)
        if channel is None:
            return Outcome(
                data={"ok": False, "error": "channel_not_found"}, error="channel_not_found"
            )
        own = posts.of(caller.user_id)
        post = Post(
            channel=channel,
            ts=f"{clock().timestamp():.0f}.{len(own):06d}",
            thread_ts=arguments.thread_ts,
            text=arguments.markdown_text,
        )
        own.append(post)
        return Outcome(data=_describe(post))

    tool = Tool.define(
        "SLACK_SEND_MESSAGE",
        SendArguments,
        send,
        title="Send message",
        toolkit=SLUG,
        description="Posts a message to a Slack channel, or to a person, as the connected account.",
        tags=("createHint", "openWorldHint", "important"),
        keywords=frozenset({"slack", "send", "post", "message", "channel", "write"}),
    )
    return Toolkit(slug=SLUG, name="Slack", description="Slack as one person.", tools=(tool,))


def find_channel(named: str) -> str | None:
    """The id of a channel by its name, or an id as it was given."""
    name = named.removeprefix("#").casefold()
    if name in CHANNELS:
        return CHANNELS[name]
    is_id = len(named) > 2 and named[0] in "CDGU" and named.isalnum() and named.isupper()
    return named if is_id else None


def _describe(post: Post) -> Data:
    message = {"type": "message", "text": post.text, "ts": post.ts}
    return {"ok": True, "channel": post.channel, "ts": post.ts, "message": message}
