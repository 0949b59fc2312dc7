"""The live connection of a page: Server-Sent Events, a snapshot and then every change."""

import asyncio
import json

from aiohttp import web

from bot.sandbox.page.changes import SightLostError, Telling
from bot.sandbox.page.features import Features
from bot.sandbox.page.person import Person, Refused
from bot.sandbox.page.world import show_world
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.slack.feed import SubscriberTooSlowError
from bot.sandbox.slack.wire import JsonObject

HEARTBEAT_S = 15.0
RETRY_MS = 1000
"""How soon a browser that lost the connection tries again."""


class Live:
    """Serves every open page. A page that falls behind is let go: it returns by itself."""

    def __init__(self, slack: SlackStandIn, features: Features, heartbeat_s: float) -> None:
        self._slack = slack
        self._features = features
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

    async def close(self) -> None:
        """End every connection."""
        for connection in self._connections:
            connection.cancel()

    async def _serve(self, response: web.StreamResponse, person: Person) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                beating = tasks.create_task(self._beat(response))
                await self._follow(response, person)
                beating.cancel()
        except* ConnectionError:
            pass  # the page is gone

    async def _follow(self, response: web.StreamResponse, person: Person) -> None:
        telling, world = Telling(person), show_world(person, self._features)
        changes = self._slack.changes()
        await _send(response, "snapshot", world)
        try:
            async for change in changes:
                for told in telling.tell(change):
                    await _send(response, "change", told)
        except (SubscriberTooSlowError, SightLostError):
            return

    async def _beat(self, response: web.StreamResponse) -> None:
        await response.write(f"retry: {RETRY_MS}\n\n".encode())
        while True:
            await asyncio.sleep(self._heartbeat_s)
            await response.write(b": still here\n\n")


async def _send(response: web.StreamResponse, event: str, data: JsonObject) -> None:
    await response.write(f"event: {event}\ndata: {json.dumps(data)}\n\n".encode())
