"""The live connection of a page: Server-Sent Events, first all facts by key, then each change.

A fact is `[key, value]`; a change to null takes it away. What the person cannot see is never sent.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain, count, islice
from typing import Any
from urllib.parse import quote

from aiohttp import web

from bot.sandbox.page.person import Person, Refused
from bot.sandbox.page.text import EMOJI, Texts
from bot.sandbox.slack import ApiCall, Delivery, Post, Session, SlackStandIn, View
from bot.sandbox.slack.feed import Change, OpenSockets, SubscriberTooSlowError
from bot.sandbox.slack.messages import show_channel, show_post, show_user, show_view
from bot.sandbox.slack.records import Channel, Stream, SuggestedPrompts
from bot.sandbox.slack.wire import JsonObject

HEARTBEAT_S = 15.0
RETRY_MS = 1000
"""How soon a browser that lost the connection tries again."""
MAX_RECORDS = 200
"""How many of the latest calls and deliveries a page starts with."""
Fact = tuple[str, Any]


class SightLostError(Exception):
    """The person cannot read a channel any more: only a new beginning tells what is left."""


class Facts:
    """What one person's page is told of the team."""

    def __init__(self, person: Person, commands: Sequence[Mapping[str, str]]) -> None:
        self._person = person
        self._slack = person.slack
        self._state = person.slack.state
        self._commands = commands
        self._texts = Texts(person.slack.state, person.id)
        self._calls = count()
        self._readable: set[str] = set()

    def all(self) -> Iterator[Fact]:
        """Everything that the page shows at this moment."""
        deliveries = list(islice(reversed(self._state.deliveries.values()), MAX_RECORDS))
        yield "team", self._team()
        yield "modals", self._modals()
        records = chain(
            self._person.channels(),
            self._state.sessions.values(),
            self._state.prompts.values(),
            self._state.homes.values(),
            deliveries[::-1],
            self._state.calls[-MAX_RECORDS:],
            [OpenSockets(self._slack.open_sockets)],
        )
        for record in records:
            yield from self.of(record)

    def of(self, record: object) -> Iterator[Fact]:
        """What a record tells the page as it is now. Raises SightLostError."""
        match record:
            case Post() if self._person.sees(record):
                yield f"post/{record.channel}/{record.ts}", self._post(record)
            case Channel():
                yield from self._channel(record)
            case Session() if self._person.reads(record.channel):
                yield f"session/{record.channel}/{record.thread_ts}", asdict(record)
            case SuggestedPrompts() if self._person.reads(record.channel):
                yield f"prompts/{record.channel}", asdict(record)
            case View(type="home", user=self._person.id):
                yield "home", self._view(record)
            case View(user=self._person.id):
                yield "modals", self._modals()
            case ApiCall():
                yield f"call/{next(self._calls)}", asdict(record)
            case Delivery():
                yield f"delivery/{record.envelope_id}/{record.attempt}", asdict(record)
            case OpenSockets():
                yield "sockets", record.count
            case _:
                return

    def change(self, change: Change) -> Iterator[Fact]:
        """What a change of the team's feed tells the page. Raises SightLostError."""
        for key, value in self.of(change.record):
            is_gone = change.is_gone and key.startswith("post/")
            yield key, None if is_gone else value

    def _channel(self, channel: Channel) -> Iterator[Fact]:
        """A channel; one that the person could not read before comes with its posts."""
        is_known = channel.id in self._readable
        if not self._person.reads(channel.id):
            if is_known:
                raise SightLostError
            return
        me = self._person.id
        shown: JsonObject = show_channel(self._state, channel) | {"members": channel.members}
        may_post = channel.creator == me or not channel.is_read_only
        shown |= {"am_member": me in channel.members, "is_read_only": not may_post}
        yield f"channel/{channel.id}", shown
        if not is_known:
            self._readable.add(channel.id)
            for post in self._slack.posts(channel.id):
                yield from self.of(post)

    def _team(self) -> JsonObject:
        state, slack = self._state, self._slack
        now_s = state.clock.now()
        users = [
            show_user(u, now_s=now_s, with_email=True, with_locale=False)
            for u in state.users.values()
        ]
        return {
            "me": self._person.id,
            "name": "Sandbox",
            "bot": {
                "user_id": slack.bot_user_id,
                "name": state.team.bot.name,
                "has_home": slack.app.is_home_enabled,
                "can_be_stopped": slack.app.is_subscribed("agent_session_stopped"),
            },
            "people": list(slack.people.values()),
            "users": {user["id"]: user for user in users},
            "commands": [dict(command) for command in self._commands],
            "emoji": EMOJI,
            "now": now_s,
        }

    def _post(self, post: Post) -> JsonObject:
        """Slack's message, its texts as HTML, and what Slack keeps to itself."""
        blocks = list(post.blocks) or (_stream_blocks(post.stream) if post.stream else [])
        shown = show_post(self._state, post)
        files = [_at_own_address(file) for file in shown.get("files", ())]
        return shown | {
            "channel": post.channel,
            "blocks": self._texts.dress(blocks),
            "files": files,
            "html": self._texts.mrkdwn(post.text),
            "typed": self._texts.typed(post.text),
            "ephemeral_to": post.ephemeral_to,
            "is_running": post.stream is not None and post.stream.phase == "in_progress",
        }

    def _view(self, view: View) -> JsonObject:
        return show_view(self._state, view) | {"blocks": self._texts.dress(view.body["blocks"])}

    def _modals(self) -> list[JsonObject]:
        return [self._view(view) for view in self._person.modals()]


def _stream_blocks(stream: Stream) -> list[JsonObject]:
    """A stream's parts in order: task cards in their places, or one plan in the first one's."""
    cards = ({"type": "task_card", "task_id": task.id, **asdict(task)} for task in stream.tasks)
    tasks = {card["task_id"]: card for card in cards}
    plan = {"type": "plan", "title": stream.plan_title or "Plan", "tasks": list(tasks.values())}
    blocks: list[JsonObject] = []
    for part in stream.parts:
        if part["type"] not in ("task", "plan"):
            blocks.append(part)
        elif stream.task_display_mode != "plan":
            blocks += [tasks[part["id"]]] if part.get("id") in tasks else []
        elif plan not in blocks:
            blocks.append(plan)
    return blocks


def _at_own_address(file: JsonObject) -> JsonObject:
    """A file object that leads to the page's own copy; a deleted file's stays as it is."""
    if "url_private" not in file:
        return file
    name = quote(file["name"], safe="", errors="replace") if file["name"].strip(".") else "file"
    return {**file, "url_private": f"/files/{file['id']}/{name}"}


class Live:
    """Serves every open page. A page that falls behind is let go: it returns by itself."""

    def __init__(
        self, slack: SlackStandIn, commands: Sequence[Mapping[str, str]], heartbeat_s: float
    ) -> None:
        self._slack = slack
        self._commands = commands
        self._heartbeat_s = heartbeat_s
        self._connections: set[asyncio.Task[None]] = set()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Stream until the page goes, falls behind or loses sight of a channel.

        A page that has not chosen yet whom to act as begins as the first person.
        """
        try:
            first = next(iter(self._slack.people.values()))
            person = Person.find(self._slack, request.query.get("as", first))
        except Refused as refused:
            return web.Response(status=400, text=str(refused))
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        connection = asyncio.create_task(self._serve(response, person))
        self._connections.add(connection)
        try:
            await asyncio.wait([connection])
        finally:
            self._connections.discard(connection)
            connection.cancel()
        if not connection.cancelled():
            connection.result()
        return response

    def close(self) -> None:
        """End every connection."""
        for connection in self._connections:
            connection.cancel()

    async def _serve(self, response: web.StreamResponse, person: Person) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                beating = tasks.create_task(self._beat(response))
                await self._follow(response, Facts(person, self._commands))
                beating.cancel()
        except* ConnectionError:
            pass  # the page is gone

    async def _follow(self, response: web.StreamResponse, facts: Facts) -> None:
        beginning = list(facts.all())
        changes = self._slack.changes()
        await _send(response, "snapshot", beginning)
        try:
            async for change in changes:
                for fact in facts.change(change):
                    await _send(response, "change", fact)
        except (SubscriberTooSlowError, SightLostError):
            return

    async def _beat(self, response: web.StreamResponse) -> None:
        await response.write(f"retry: {RETRY_MS}\n\n".encode())
        while True:
            await asyncio.sleep(self._heartbeat_s)
            await response.write(b": still here\n\n")


async def _send(response: web.StreamResponse, event: str, data: object) -> None:
    await response.write(f"event: {event}\ndata: {json.dumps(data)}\n\n".encode())
