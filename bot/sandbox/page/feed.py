"""The live connection of a page: Server-Sent Events, first all facts by key, then each change.

A fact is `[key, value]`; a change to null removes it. A page gets no fact that its person may not
see.
"""

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from itertools import count
from typing import Any

from aiohttp import web

from bot.sandbox.page.text import EMOJI, Texts
from bot.sandbox.slack import (
    AgentSession,
    ApiCall,
    Delivery,
    Post,
    SlackStandIn,
    View,
)
from bot.sandbox.slack.messages import (
    show_channel,
    show_post,
    show_user,
    show_view,
)
from bot.sandbox.slack.records import Channel, OpenSockets, Record, SuggestedPrompts
from bot.sandbox.slack.state import TEAM_ID, TeamChange, TeamState
from bot.sandbox.slack.wire import JsonObject

RETRY_MS = 1000
"""How soon a browser that lost the connection tries again."""
MAX_RECORDS = 200
"""How many of the latest calls and deliveries a page starts with."""
Fact = tuple[str, Any]


def actors(state: TeamState) -> list[str]:
    """The users one may act as: members, a guest, and a person of another company."""
    users = state.users.values()
    return [user.id for user in users if user.real_name and not user.is_bot]


class PageFacts:
    """The facts that one person's page gets."""

    def __init__(self, slack: SlackStandIn, me: str) -> None:
        self._slack = slack
        self._me = me
        self._state = slack.state
        self._texts = Texts(slack.state, me)
        self._calls = count()

    def _reads(self, channel_id: str) -> bool:
        """Members read a channel; so does everybody a public one, but guests and strangers."""
        state = self._state
        channel = state.channels[channel_id]
        if self._me in channel.members:
            return True
        me = state.users[self._me]
        is_guest = me.is_restricted or me.team_id != TEAM_ID
        return channel.kind == "channel" and not is_guest

    def all(self) -> Iterator[Fact]:
        """Every fact of this moment."""
        state = self._state
        yield "team", self._team()
        records: list[Record] = list(state.channels.values())
        for channel in state.channels:
            records += self._slack.posts(channel)
        records += state.sessions.values()
        records += state.prompts.values()
        records += state.homes.values()
        records += state.views.values()
        records += self._slack.deliveries[-MAX_RECORDS:]
        records += state.calls[-MAX_RECORDS:]
        records.append(OpenSockets(self._slack.open_sockets))
        for record in records:
            yield from self.of(TeamChange(record))

    def of(self, change: TeamChange) -> Iterator[Fact]:
        """The facts of a changed record, in its new version."""
        state = self._state
        me = self._me
        match record := change.record:
            case Post() if record.ephemeral_to in (None, me) and self._reads(record.channel):
                key = f"post/{record.channel}/{record.ts}"
                yield key, None if change.is_gone else self._post(record)
            case Channel() if self._reads(record.id):
                shown = show_channel(state, record)
                shown["am_member"] = me in record.members
                shown["members"] = record.members
                yield f"channel/{record.id}", shown
            case AgentSession() if self._reads(record.channel):
                key = f"session/{record.channel}/{record.thread_ts}"
                yield key, asdict(record)
            case SuggestedPrompts() if self._reads(record.channel):
                yield f"prompts/{record.channel}", asdict(record)
            case View(user=self._me):
                yield record.type, None if change.is_gone else self._view(record)
            case ApiCall():
                yield f"call/{next(self._calls)}", asdict(record)
            case Delivery():
                key = f"delivery/{record.envelope_id}/{record.attempt}"
                yield key, asdict(record)
            case OpenSockets():
                yield "sockets", record.count
            case _:
                pass

    def _team(self) -> JsonObject:
        state = self._state
        slack = self._slack
        now_s = state.clock.now()
        return {
            "me": self._me,
            "id": TEAM_ID,
            "name": "Sandbox",
            "bot": {
                "user_id": slack.bot_user_id,
                "name": state.bot.name,
                "can_be_stopped": slack.app.is_subscribed("agent_session_stopped"),
            },
            "people": actors(state),
            "users": {id_: show_user(user, now_s=now_s) for id_, user in state.users.items()},
            "commands": list(slack.app.commands),
            "shortcuts": [
                shortcut for shortcut in slack.app.shortcuts if shortcut["type"] == "message"
            ],
            "emoji": EMOJI,
            "now": now_s,
        }

    def _view(self, view: View) -> JsonObject:
        shown = show_view(view)
        shown["blocks"] = self._texts.dress(shown["blocks"])
        return shown

    def _post(self, post: Post) -> JsonObject:
        """Slack's message, its texts as HTML, and fields that Slack keeps to itself."""
        shown = show_post(self._state, post)
        files: list[JsonObject] = shown.get("files", [])
        for file in files:
            file["url_private"] = f"/files/{file['id']}"
        stream = post.stream
        return {
            **shown,
            "channel": post.channel,
            "blocks": self._texts.dress(list(post.blocks)),
            "files": files,
            "html": self._texts.mrkdwn(post.text),
            "typed": self._texts.typed(post.text),
            "ephemeral_to": post.ephemeral_to,
            "is_running": stream is not None and stream.is_open(self._state.clock.now()),
        }


async def serve_page(slack: SlackStandIn, request: web.Request) -> web.StreamResponse:
    """Serve an open page until it goes; a page without a chosen person is the first one's."""
    people = actors(slack.state)
    me = request.query.get("as")
    facts = PageFacts(slack, me if me in people else people[0])
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    changes: asyncio.Queue[TeamChange] = asyncio.Queue()
    with slack.state.watch(changes.put_nowait), suppress(ConnectionError):  # the page is gone
        await response.write(f"retry: {RETRY_MS}\n\n".encode())
        await _send(response, "snapshot", list(facts.all()))
        while True:
            for fact in facts.of(await changes.get()):
                await _send(response, "change", fact)
    return response


async def _send(response: web.StreamResponse, event: str, data: object) -> None:
    text = json.dumps(data)
    await response.write(f"event: {event}\ndata: {text}\n\n".encode())
