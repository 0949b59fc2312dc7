"""The live view's WebSocket: the messages of seeds/004, and some of ours beside them.

To the bot go `start-agent`, `user-response`, `user-intervention`, `get-agent-tree` and `resume`;
from it come `agent-state`, `text-delta`, `user-query`, `agent-completed` and `error`, `ready` after
each whole tree, and `done` for what was carried out and had a `requestId`.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from aiohttp import WSCloseCode, WSMsgType, web

from agent_core.background import Background, Backoff
from agent_core.ids import SessionId, UserId
from agent_core.messages import JsonObject
from agent_core.runtime import Runtime
from bot.console.access import Access, Level
from bot.console.acts import Act, Acts, GetAgentTree, Refused, Resume, read_said
from bot.console.feed import Feed, Round, encoded
from bot.console.passes import Passes
from bot.slack_api import Clock, Person

MAX_MESSAGE_BYTES = 256 * 1024
MAX_BUFFER_BYTES = 256 * 1024
"""Of what one viewer has not taken; with more of it they fall behind."""
HEARTBEAT_S = 20.0
LOOK_EVERY_S = 1.5
"""Who may still watch is looked at so often."""
ROOM_LOOKS = Backoff(first_s=0.05, longest_s=0.5, jitter=0.0)
_NEVER = 2**40

logger = logging.getLogger(__name__)


class LiveView:
    """Everybody who watches, by session."""

    def __init__(self, runtime: Runtime, access: Access, passes: Passes, acts: Acts) -> None:
        self.acts = acts
        self._runtime = runtime
        self._access = access
        self._passes = passes
        self._feeds: dict[SessionId, Feed] = {}
        self._lock = asyncio.Lock()
        self._viewers: set[Viewer] = set()
        self._work = Background()

    def start(self, clock: Clock) -> None:
        """From now on those who may not watch any more are sent away."""
        pause = partial(clock.sleep, LOOK_EVERY_S)
        self._work.repeat(self._look, pause=pause, name="a look at viewers")

    async def close(self) -> None:
        """Take leave of all viewers; they come back to the next process."""
        await self._work.close()
        async with asyncio.TaskGroup() as group:
            for viewer in self._viewers:
                group.create_task(viewer.end(WSCloseCode.GOING_AWAY))
        for feed in self._feeds.values():
            await feed.close()

    async def watch(
        self, request: web.Request, user: UserId, session: SessionId
    ) -> web.WebSocketResponse:
        """Serve one viewer, who may see the session, for as long as they stay and may see it."""
        person = await self._access.person(user)
        socket = web.WebSocketResponse(
            heartbeat=HEARTBEAT_S, compress=False, max_msg_size=MAX_MESSAGE_BYTES
        )
        await socket.prepare(request)
        if request.transport is None:  # gone already
            return socket
        async with self._lock:
            feed = await self._opened(session)
            viewer = Viewer(socket, request.transport, user, person, feed, self._ready)
        self._viewers.add(viewer)
        try:
            async for message in socket:
                if message.type in {WSMsgType.TEXT, WSMsgType.BINARY}:
                    await self._take(viewer, message.data)
        finally:
            self._viewers.discard(viewer)
            await viewer.close()
            await self._leave(viewer.feed)
        return socket

    async def artifacts(self, session: SessionId) -> frozenset[str]:
        """The paths of all files that the session's agents have announced."""
        tree = await self._runtime.tree(session)
        return frozenset(path for state in tree.agents.values() for path in state.artifacts)

    async def _opened(self, session: SessionId) -> Feed:
        """The feed of a session, for somebody who joins it before the lock is free again."""
        if session not in self._feeds:
            feed = Feed(self._runtime, session)
            await feed.open()
            self._feeds[session] = feed
        return self._feeds[session]

    async def _leave(self, feed: Feed) -> None:
        """A session that nobody watches any more is not followed."""
        async with self._lock:
            if not feed.watchers and self._feeds.get(feed.session) is feed:
                del self._feeds[feed.session]
                await feed.close()

    async def _take(self, viewer: "Viewer", text: str | bytes) -> None:
        """What cannot be read or done is said in a sentence, and the viewer stays."""
        request: JsonObject = {}
        try:
            said = read_said(text)
            request = {} if said.request_id is None else {"requestId": said.request_id}
            match said:
                case GetAgentTree():
                    viewer.tell_again(0, request)
                case Resume():
                    viewer.tell_again(said.after, request)
                case _:
                    await self._do(viewer, said, request)
        except Refused as refused:
            sentence = refused.sentence(viewer.person)
            await viewer.send(encoded({"type": "error", "error": sentence, **request}))

    async def _do(self, viewer: "Viewer", act: Act, request: JsonObject) -> None:
        before = viewer.feed
        session = await self.acts.do(viewer.user, before.session, act)
        if request:
            await viewer.send(encoded({"type": "done", **request}))
        if session != before.session:
            async with self._lock:
                viewer.move(await self._opened(session))
            await self._leave(before)

    async def _look(self) -> None:
        """Ask Slack again about those who watch, and send away who may not see it any more."""
        await self._access.renew({(each.user, each.feed.session) for each in self._viewers})
        for viewer in list(self._viewers):
            level = self._access.level_now(viewer.user, viewer.feed.session)
            if level == "none":
                logger.info("%s may not see %s any more", viewer.user, viewer.feed.session)
                self._viewers.discard(viewer)
                self._work.start(viewer.end(WSCloseCode.POLICY_VIOLATION))
            elif level != viewer.level:
                viewer.tell_again(viewer.feed.tree.place, {})

    def _ready(self, viewer: "Viewer") -> JsonObject:
        """What a page has to know beside the tree."""
        user, session = viewer.user, viewer.feed.session
        viewer.level = self._access.level_now(user, session)
        about: JsonObject = {
            "session": session or None,
            "csrf": self._passes.csrf(user, session),
            "canIntervene": viewer.level == "act",
        }
        if viewer.has_moved:  # the cookie does not open what was begun here
            about["enter"] = f"/enter?pass={self._passes.link(user, session)}"
        return about


class Viewer:
    """One open page. It is told what happens, or, where it lags behind, how things are then."""

    def __init__(
        self,
        socket: web.WebSocketResponse,
        transport: asyncio.Transport,
        user: UserId,
        person: Person | None,
        feed: Feed,
        ready: Callable[["Viewer"], JsonObject],
    ) -> None:
        self.user = user
        self.person = person
        self.level: Level = "none"
        """As the page was told."""
        self.has_moved = False
        """It is shown another session than the one that it was opened for."""
        self.feed = feed
        self._socket = socket
        self._transport = transport
        self._ready = ready
        self._seen = self._heard = 0
        """The version of the feed up to which states, and ends of turns, were told."""
        self._requests: list[JsonObject] = [{}]
        """Whoever asked for the tree: a `ready` for each."""
        self._lags = asyncio.Event()
        self._lags.set()
        feed.watchers.add(self)
        transport.set_write_buffer_limits(high=_NEVER)  # nothing here waits for a drain
        self._work = Background()
        self._work.run(self._catch_up, name="a viewer")

    def move(self, feed: Feed) -> None:
        """From now on this session, from the whole tree on."""
        self.feed.watchers.discard(self)
        self.feed, self.has_moved, self._heard = feed, True, 0
        feed.watchers.add(self)
        self.tell_again(0, {})

    def tell_again(self, place: int, request: JsonObject) -> None:
        """Tell all that came behind a place of the log once more; 0 for the whole tree."""
        self._seen = min(self._seen, self.feed.version_at(place) if place > 0 else 0)
        self._requests.append(request)
        self._lags.set()

    async def tell(self, news: Round) -> None:
        """As `Watcher.tell`: part of it may have been told in another way."""
        if self._lags.is_set() or self._seen >= news.ends:
            return
        if self._seen != news.begins or self._is_full():
            self._lags.set()
            return
        self._seen = self._heard = news.ends
        for frame in news.frames:
            await self.send(frame)

    async def send(self, frame: str) -> None:
        """To somebody who left nothing is said."""
        with suppress(ConnectionError, RuntimeError):
            await self._socket.send_str(frame)

    async def end(self, code: WSCloseCode) -> None:
        """Close the connection; a page comes back by itself unless it is told that it may not."""
        await self.close()
        await self._socket.close(code=code)

    async def close(self) -> None:
        self.feed.watchers.discard(self)
        await self._work.close()

    async def _catch_up(self) -> None:
        """Whole states, at the pace at which they are taken, until nothing is new."""
        while True:
            await self._lags.wait()
            await self._has_room()
            feed, requests = self.feed, self._requests
            frames = feed.since(self._seen, self._heard)
            self._seen = self._heard = feed.version
            self._requests = []
            for frame in frames:
                await self._has_room()
                await self.send(frame)
            for request in requests:
                place = feed.tree.place
                about = {"type": "ready", "eventId": place, **self._ready(self), **request}
                await self.send(encoded(about))
            if feed is self.feed and self._seen == feed.version and not self._requests:
                self._lags.clear()

    async def _has_room(self) -> None:
        for wait_s in ROOM_LOOKS.waits_s():
            if not self._is_full():
                return
            await asyncio.sleep(wait_s)

    def _is_full(self) -> bool:
        return self._transport.get_write_buffer_size() > MAX_BUFFER_BYTES
