"""The live connection of a page: Server-Sent Events, first all facts by key, then each change.

A fact is `[key, value]`; a change to null takes it away. What the person cannot see is never sent.
"""

import json
from collections.abc import Iterator
from contextlib import aclosing, suppress
from dataclasses import asdict
from itertools import chain, count
from typing import Any
from urllib.parse import quote

from aiohttp import web

from bot.sandbox.page.text import EMOJI, Texts
from bot.sandbox.slack import AgentSession, ApiCall, Delivery, Post, SlackStandIn, View
from bot.sandbox.slack.feed import Change, OpenSockets
from bot.sandbox.slack.messages import show_channel, show_post, show_user, show_view
from bot.sandbox.slack.records import Channel, Stream, SuggestedPrompts
from bot.sandbox.slack.state import TeamState
from bot.sandbox.slack.wire import JsonObject

RETRY_MS = 1000
"""How soon a browser that lost the connection tries again."""
MAX_RECORDS = 200
"""How many of the latest calls and deliveries a page starts with."""
Fact = tuple[str, Any]


def actors(state: TeamState) -> list[str]:
    """Whom one may act as: members, a guest, and somebody of another company."""
    return [user.id for user in state.users.values() if user.real_name and not user.is_bot]


class PageFacts:
    """What one person's page is told of the team."""

    def __init__(self, slack: SlackStandIn, me: str) -> None:
        self._slack = slack
        self._me = me
        self._state = slack.state
        self._texts = Texts(slack.state, me)
        self._calls = count()

    def _reads(self, channel_id: str) -> bool:
        """As a member, and any public channel; a guest and who is of another company do not."""
        channel, me = self._state.channels[channel_id], self._state.users[self._me]
        is_guest = me.is_restricted or me.team_id != self._state.team.id
        return self._me in channel.members or (channel.kind == "channel" and not is_guest)

    def all(self) -> Iterator[Fact]:
        """Everything that the page shows at this moment."""
        state = self._state
        yield "team", self._team()
        records = chain(
            state.channels.values(),
            *map(self._slack.posts, state.channels),
            state.sessions.values(),
            state.prompts.values(),
            state.homes.values(),
            state.views.values(),
            self._slack.deliveries[-MAX_RECORDS:],
            state.calls[-MAX_RECORDS:],
            [OpenSockets(self._slack.open_sockets)],
        )
        for record in records:
            yield from self.of(Change(record))

    def of(self, change: Change) -> Iterator[Fact]:
        """What a change tells the page of its record as it is now."""
        match record := change.record:
            case Post(stream=Stream(phase="in_progress") as stream) if (
                change.previous and stream.recipient not in (None, self._me)
            ):
                return  # somebody else's, which the others see grow only when it ends
            case Post() if self._reads(record.channel) and record.ephemeral_to in (None, self._me):
                shown = None if change.is_gone else self._post(record)
                yield f"post/{record.channel}/{record.ts}", shown
            case Channel() if self._reads(record.id):
                yield f"channel/{record.id}", self._channel(record)
            case AgentSession() if self._reads(record.channel):
                yield f"session/{record.channel}/{record.thread_ts}", asdict(record)
            case SuggestedPrompts() if self._reads(record.channel):
                yield f"prompts/{record.channel}", asdict(record)
            case View(user=self._me):
                shown = show_view(record)
                shown |= {"blocks": self._texts.dress(record.body["blocks"])}
                yield record.type, None if change.is_gone else shown
            case ApiCall():
                yield f"call/{next(self._calls)}", asdict(record)
            case Delivery():
                yield f"delivery/{record.envelope_id}/{record.attempt}", asdict(record)
            case OpenSockets():
                yield "sockets", record.count
            case _:
                return

    def _channel(self, channel: Channel) -> JsonObject:
        is_closed = channel.is_read_only and channel.creator != self._me
        mine = {"am_member": self._me in channel.members, "is_read_only": is_closed}
        return show_channel(self._state, channel) | mine | {"members": channel.members}

    def _team(self) -> JsonObject:
        state, slack, now_s = self._state, self._slack, self._state.clock.now()
        return {
            "me": self._me,
            "id": state.team.id,
            "name": "Sandbox",
            "bot": {
                "user_id": slack.bot_user_id,
                "name": state.team.bot.name,
                "has_home": slack.app.is_home_enabled,
                "can_be_stopped": slack.app.is_subscribed("agent_session_stopped"),
            },
            "people": actors(state),
            "users": {id_: show_user(user, now_s=now_s) for id_, user in state.users.items()},
            "commands": list(slack.app.commands),
            "shortcuts": [each for each in slack.app.shortcuts if each["type"] == "message"],
            "emoji": EMOJI,
            "now": now_s,
        }

    def _post(self, post: Post) -> JsonObject:
        """Slack's message, its texts as HTML, and what Slack keeps to itself."""
        shown = show_post(self._state, post)
        return shown | {
            "channel": post.channel,
            "blocks": self._texts.dress(list(post.blocks)),
            "files": [_at_own_address(file) for file in shown.get("files", ())],
            "html": self._texts.mrkdwn(post.text),
            "typed": self._texts.typed(post.text),
            "ephemeral_to": post.ephemeral_to,
            "is_running": post.stream is not None and post.stream.phase == "in_progress",
        }


def _at_own_address(file: JsonObject) -> JsonObject:
    """A file object that leads to the page's own copy."""
    name = quote(file["name"], safe="", errors="replace") if file["name"].strip(".") else "file"
    return {**file, "url_private": f"/files/{file['id']}/{name}"}


async def serve_page(slack: SlackStandIn, request: web.Request) -> web.StreamResponse:
    """Serve an open page until it goes; one that has not chosen a person is the first one's."""
    people, me = actors(slack.state), request.query.get("as")
    facts = PageFacts(slack, me if me in people else people[0])
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    async with aclosing(slack.changes()) as changes:
        with suppress(ConnectionError):  # the page is gone
            await response.write(f"retry: {RETRY_MS}\n\n".encode())
            await _send(response, "snapshot", list(facts.all()))
            async for change in changes:
                for fact in facts.of(change):
                    await _send(response, "change", fact)
    return response


async def _send(response: web.StreamResponse, event: str, data: object) -> None:
    await response.write(f"event: {event}\ndata: {json.dumps(data)}\n\n".encode())
