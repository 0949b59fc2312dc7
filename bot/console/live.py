"""The live view's WebSocket: the messages of seeds/004, and a few more.

Pages send `start-agent`, `user-response`, `user-intervention`, `get-agent-tree` and `resume`; the
bot sends `agent-state`, `text-delta`, `user-query`, `agent-completed` and `error`, `ready` after
each whole tree, and `done` for an action that had a `requestId`.

A feed reads and folds the events of a session once, for all its viewers, and sends changes in
rounds: each state and each run's new text once a round. The more viewers, the longer the pause
between rounds, which bounds the load. The work never waits for a viewer: one that falls behind
misses text, and gets whole states as soon as its buffer has room.
"""

import asyncio
import json
import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

from agent_core.background import Background, Backoff
from agent_core.events import (
    AnyEvent,
    TextDelta,
    TurnFinished,
)
from agent_core.ids import AgentId, SessionId, UserId
from agent_core.masking import MaskedStream, masked_post
from agent_core.messages import JsonObject
from agent_core.runtime import Runtime
from agent_core.tree import AgentState, AgentTree
from bot.clicks import Refused
from bot.console.access import FRESH_S, Level, ThreadAccess
from bot.console.acts import Acts, GetAgentTree, read_request
from bot.console.markup import AgentHtml
from bot.console.passes import HOME, Pass, Passes, Visit
from bot.presenter.board import branch_title, words_of
from bot.presenter.tools import describe
from bot.slack_api import MonotonicClock, Person, SlackError, language_of
from bot.words import BOT

MAX_MESSAGE_BYTES = 256 * 1024
MAX_SOCKETS = 32
"""Open pages of one person."""
HEARTBEAT_S = 20.0
LOOK_EVERY_S = 1.5
"""The interval at which the authorisation of viewers is checked again."""
PAUSE_S = 0.04
"""Between two rounds; `PAUSE_A_VIEWER_S` is added for each viewer."""
PAUSE_A_VIEWER_S = 0.001
LONGEST_PAUSE_S = 1.0
REREAD = Backoff(first_s=0.5, longest_s=10.0)
_REFUSED = WSCloseCode.POLICY_VIOLATION

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Round:
    """The frames from one version of a feed to a later one."""

    begins: int = 0
    ends: int = 0
    frames: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Change:
    """The last change of an agent's state or text."""

    version: int
    cursor: int
    """Its position in the session's log."""


class SessionFeed:
    """The feed of one session, from its first viewer to its last; the feed of HOME is empty."""

    def __init__(self, runtime: Runtime, session: SessionId) -> None:
        self.session = session
        self.viewers: set[Viewer] = set()
        self.tree = AgentTree()
        self.version = 0
        """Counts events; a viewer remembers the version that it has seen."""
        self.ended = 0
        """The version of the newest end of a turn."""
        self.round = Round()
        """The newest."""
        self._runtime = runtime
        self._changes: dict[AgentId, _Change] = {}
        self._known: set[AgentId] = set()
        """Agents whose state was sent in an earlier round."""
        self._states: set[AgentId] = set()
        """Agents whose state is part of the next round."""
        self._texts: defaultdict[AgentId, str] = defaultdict(str)
        """The new text of each agent that has changed since the last round."""
        self._has_news = asyncio.Event()
        self._encoded: dict[AgentId, list[str]] = {}
        self._html: defaultdict[AgentId, AgentHtml] = defaultdict(AgentHtml)
        self._streams: defaultdict[AgentId, MaskedStream] = defaultdict(MaskedStream)
        """The text of each agent's model call under way."""
        self._work = Background()

    async def open(self) -> None:
        """Read the stored events, then follow new ones."""
        if self.session == HOME:
            return
        self.tree = await self._runtime.tree(self.session)
        self._changes = dict.fromkeys(self.tree.agents, _Change(0, self.tree.cursor))
        self._known = set(self.tree.agents)
        for agent, state in self.tree.agents.items():
            self._streams[agent].take(state.run.live)
        self._work.start(self._follow(), name=f"follow {self.session}")
        self._work.repeat(self._make_round, pause=self._pause, name=f"rounds of {self.session}")

    async def close(self) -> None:
        await self._work.close()

    def states(self, version: int, cursor: float) -> list[str]:
        """Frames of the agents that changed after a version, or after a cursor."""
        frames: list[str] = []
        for agent, change in self._changes.items():
            if change.version > version or change.cursor > cursor:
                frames += self._state_frames(agent)
        return frames

    def frame(self, kind: str, **fields: Any) -> str:
        """A message, with the cursor up to which events are part of it."""
        return encoded(kind, **fields, eventId=self.tree.cursor)

    async def _follow(self) -> None:
        """Fold new events, with a retry from the cursor after an error."""
        waits_s = REREAD.waits_s()
        while True:
            try:
                watching = self._runtime.events(self.session, after=self.tree.cursor)
                async with aclosing(watching) as events:
                    async for cursor, event in events:
                        self._take(cursor, event)
                        waits_s = REREAD.waits_s()
            except Exception:
                logger.exception("the events of %s are not read; once more soon", self.session)
            await asyncio.sleep(next(waits_s))

    def _take(self, cursor: int, event: AnyEvent) -> None:
        self.version += 1
        changed = self.tree.take(cursor, event)
        if isinstance(event, TurnFinished):
            # The end of the turn says which addresses in the texts of its agents are live.
            agents = self.tree.agents.items()
            changed = tuple(agent for agent, state in agents if state.turn.id == event.turn)
            if event.outcome != "steered":
                self.ended = self.version
        for agent in changed:
            self._changes[agent] = _Change(self.version, self.tree.cursor)
            self._encoded.pop(agent, None)
            self._texts[agent] += self._new_text(agent, event)
            if not isinstance(event, TextDelta):
                self._states.add(agent)
        self._has_news.set()

    def _new_text(self, agent: AgentId, event: AnyEvent) -> str:
        """The text that viewers are sent for an event; the rest of a model call once it is over."""
        live = self.tree.agents[agent].run.live
        stream = self._streams[agent]
        if not live:
            return stream.end()
        return stream.take(event.text) if isinstance(event, TextDelta) else ""

    async def _make_round(self) -> None:
        """Make one round, once there is news."""
        await self._has_news.wait()
        self._has_news.clear()
        before = self.round.ends
        self.round = Round(before, self.version, list(self._news(before)))
        for viewer in self.viewers:
            viewer.has_news.set()

    async def _pause(self) -> None:
        pause_s = PAUSE_S + PAUSE_A_VIEWER_S * len(self.viewers)
        await asyncio.sleep(min(pause_s, LONGEST_PAUSE_S))

    def _news(self, before: int) -> Iterable[str]:
        """A round's frames: an agent's text before the state with it, but after its first state."""
        states = self._states
        texts = self._texts
        self._states = set()
        self._texts = defaultdict(str)
        for agent, text in texts.items():
            if text and agent not in self._known:
                yield from self._state_frames(agent)
            if text:
                html = self._html[agent].of_live(self._streams[agent].shown)
                yield self.frame("text-delta", agentId=agent, delta=text, html=html)
            if agent in states:
                yield from self._state_frames(agent)
            self._known.add(agent)
        if self.ended > before:
            yield self.frame("agent-completed")

    def _state_frames(self, agent: AgentId) -> list[str]:
        """Frames of an agent's state and of its open question; encoded once for all viewers."""
        if agent not in self._encoded:
            state = self.tree.agents[agent]
            live = self._streams[agent].shown
            content = _state_json(state, self._html[agent], live)
            frames = [self.frame("agent-state", agentId=agent, state=content)]
            if question := state.question:
                asked = {"prompt": question.question, "options": question.options}
                frames.append(self.frame("user-query", agentId=agent, **masked_post(asked)))
            self._encoded[agent] = frames
        return self._encoded[agent]


class Viewer:
    """One open page: it gets each round or, if it falls behind, whole states."""

    def __init__(
        self,
        socket: web.WebSocketResponse,
        visit: Visit,
        person: Person | None,
        ready: Callable[["Viewer"], JsonObject],
    ) -> None:
        self.user = visit.user
        self.person = person
        self.visit = visit
        """How the page was opened."""
        self.level: Level | None = None
        """The level in the last `ready` of the page."""
        self.has_news = asyncio.Event()
        self.has_answers = asyncio.Event()
        """While a whole tree is owed to the page, its next message is not read."""
        self.socket = socket
        self._ready = ready

    def join(self, feed: SessionFeed) -> None:
        """Watch this session from now on, beginning with the whole tree."""
        self.feed = feed
        self._version = feed.version
        self._cursor: float = inf
        """States that changed after this cursor are sent again."""
        self._requests: list[JsonObject] = []
        feed.viewers.add(self)
        self.send_again(-1, {})

    def send_again(self, cursor: int, request: JsonObject) -> None:
        """Send states that changed after a cursor again, then `ready` with the request's fields."""
        self._cursor = min(self._cursor, cursor)
        self._requests.append(request)
        self.has_answers.clear()
        self.has_news.set()

    async def send_news(self) -> None:
        """Send news until cancelled, at the pace of the page (backpressure)."""
        while True:
            await self.has_news.wait()
            self.has_news.clear()
            for frame in self._news():
                await self.send(frame)
            self.has_answers.set()

    async def send(self, frame: str) -> None:
        """Send a frame, once the transport's buffer has room; a closed page gets none."""
        with suppress(ConnectionError, RuntimeError):
            await self.socket.send_str(frame)

    def _news(self) -> Sequence[str]:
        """The newest round if the viewer keeps up, else whole states."""
        feed = self.feed
        before = self._version
        requests = self._requests
        if feed.round.begins == before and not requests:
            self._version = feed.round.ends
            return feed.round.frames
        frames = feed.states(before, self._cursor)
        self._version = feed.version
        self._cursor = inf
        self._requests = []
        if feed.ended > before:
            frames.append(feed.frame("agent-completed"))
        for request in requests:
            frames.append(feed.frame("ready", **self._ready(self), **request))
        return frames


class LiveView:
    """The viewers of all sessions."""

    def __init__(
        self,
        runtime: Runtime,
        access: ThreadAccess,
        passes: Passes,
        acts: Acts,
    ) -> None:
        self._acts = acts
        self._runtime = runtime
        self._access = access
        self._passes = passes
        self._feeds: dict[SessionId, SessionFeed] = {}
        self._is_watched = asyncio.Event()
        self._open: Counter[UserId] = Counter()
        self._lock = asyncio.Lock()
        self._work = Background()

    def start(self, clock: MonotonicClock) -> None:
        """Start the periodic check that closes pages whose authorisation has ended."""
        pause = partial(clock.sleep, LOOK_EVERY_S)
        self._work.repeat(self._look, pause=pause, name="a look at viewers")

    async def close(self) -> None:
        """Close all pages; they reconnect to the next process."""
        await self._work.close()
        async with asyncio.TaskGroup() as group:
            for viewer in self._viewers():
                closing = viewer.socket.close(code=WSCloseCode.GOING_AWAY, drain=False)
                group.create_task(closing)
        for feed in list(self._feeds.values()):
            await feed.close()

    async def watch(
        self,
        request: web.Request,
        visit: Visit,
    ) -> web.WebSocketResponse:
        """Serve one authorised viewer until the page is closed or the authorisation ends."""
        user = visit.user
        if self._open[user] >= MAX_SOCKETS:
            raise web.HTTPTooManyRequests
        self._open[user] += 1
        try:
            person = await self._access.person(user)
            socket = web.WebSocketResponse(
                heartbeat=HEARTBEAT_S,
                compress=False,
                max_msg_size=MAX_MESSAGE_BYTES,
            )
            await socket.prepare(request)
            viewer = Viewer(socket, visit, person, self._ready)
            try:
                await self._join(viewer, visit.session)
            except Refused:
                await socket.close(code=WSCloseCode.TRY_AGAIN_LATER)
                return socket
            try:
                async with asyncio.TaskGroup() as group:
                    sending = group.create_task(viewer.send_news())
                    async for message in socket:
                        if message.type in {WSMsgType.TEXT, WSMsgType.BINARY}:
                            await viewer.has_answers.wait()
                            await self._take(viewer, message.data)
                    sending.cancel()
            finally:
                await self._leave(viewer, viewer.feed)
            return socket
        finally:
            self._open[user] -= 1

    def _viewers(self) -> list[Viewer]:
        return [viewer for feed in self._feeds.values() for viewer in feed.viewers]

    async def tree(self, session: SessionId) -> AgentTree:
        """The agent tree: the feed's or, if nobody watches, one read from the events."""
        feed = self._feeds.get(session)
        return await self._runtime.tree(session) if feed is None else feed.tree

    async def _join(self, viewer: Viewer, session: SessionId) -> None:
        """Let a person watch a session, judged at this moment, whatever led there.

        Raises Refused for whoever may not see the session, or if Slack gave no answer.
        """
        try:
            level = await self._access.level(viewer.user, session, max_age_s=FRESH_S)
        except SlackError as error:
            raise Refused("live-away") from error
        if level == "none":
            raise Refused("live-not-yours")
        async with self._lock:
            if session not in self._feeds:
                feed = SessionFeed(self._runtime, session)
                await feed.open()
                self._feeds[session] = feed
            viewer.join(self._feeds[session])
            self._is_watched.set()

    async def _leave(self, viewer: Viewer, feed: SessionFeed) -> None:
        """Remove a viewer; the feed closes with its last one."""
        feed.viewers.discard(viewer)
        async with self._lock:
            if not feed.viewers and self._feeds.get(feed.session) is feed:
                del self._feeds[feed.session]
                await feed.close()

    async def _take(self, viewer: Viewer, text: str | bytes) -> None:
        """Handle a page's message; a refusal is answered with a sentence."""
        request: JsonObject = {}
        try:
            asked = read_request(text)
            if asked.request_id is not None:
                request = {"requestId": asked.request_id}
            if isinstance(asked, GetAgentTree):
                return viewer.send_again(asked.after, request)
            before = viewer.feed
            session = await self._acts.do(viewer.user, before.session, asked, before.tree)
            if request:
                await viewer.send(encoded("done", **request))
            if session != before.session:
                await self._join(viewer, session)
                await self._leave(viewer, before)
        except Refused as refused:
            sentence = refused.text(language_of(viewer.person))
            await viewer.send(encoded("error", error=sentence, **request))

    async def _look(self) -> None:
        """Renew authorisation, and close the pages of people who may not see the session any more.

        A page whose authorisation is unknown is asked to reconnect, which waits for Slack's answer.
        """
        await self._is_watched.wait()
        if not self._feeds:
            self._is_watched.clear()
            return
        watching = {(viewer.user, viewer.feed.session) for viewer in self._viewers()}
        await self._access.renew(watching)
        for viewer in self._viewers():
            level = self._access.level_now(viewer.user, viewer.feed.session)
            if level in (None, "none") or self._passes.is_over(viewer.visit.until_s):
                self._send_away(
                    viewer, _REFUSED if level == "none" else WSCloseCode.TRY_AGAIN_LATER
                )
            elif level != viewer.level:
                viewer.send_again(viewer.feed.tree.cursor, {})

    def end(self, cookie: Pass) -> None:
        """Close the pages that a cookie opened."""
        for viewer in self._viewers():
            if viewer.visit.cookie.once == cookie.once:
                self._send_away(viewer, _REFUSED)

    def _send_away(self, viewer: Viewer, code: WSCloseCode) -> None:
        logger.info("%s watches %s no more", viewer.user, viewer.feed.session)
        viewer.feed.viewers.discard(viewer)
        self._work.start(viewer.socket.close(code=code, drain=False))

    def _ready(self, viewer: Viewer) -> JsonObject:
        """The fields of `ready`: the session, who the viewer is, and what they may do in it."""
        user = viewer.user
        session = viewer.feed.session
        viewer.level = self._access.level_now(user, session)
        about: JsonObject = {
            "session": session or None,
            "name": viewer.person.name if viewer.person else "",
            "canIntervene": viewer.level == "act",
        }
        if session != viewer.visit.session:  # the cookie does not open what was begun here
            about["enter"] = f"/enter?pass={self._passes.link(user, session)}"
        return about


def _state_json(state: AgentState, html: AgentHtml, live: str) -> JsonObject:
    """A state with its texts as HTML, and each call with its title in the plan card.

    All is masked as in posts; `live` is what may be shown of the model call under way.
    """
    content = masked_post(state.as_json())
    metadata = content["metadata"]
    end = state.turn.finished
    metadata["live"] = live
    metadata["liveHtml"] = html.of_live(live)
    metadata["resultHtml"] = html.of(content["result"] or "", end)
    for message in content["messages"]:
        message["html"] = html.of(message["content"], end)
    words = words_of(state.turn.started) if state.turn.started else BOT.of("en")
    run = state.run
    if state.parent_id is not None:
        title = branch_title(run.agent, run.title, run.first_task, words)
        metadata["about"] = metadata["title"]
        metadata["title"] = masked_post(title)
    for tool, call in zip(metadata["tools"], run.calls.values(), strict=True):
        title = describe(call.started.tool, call.started.arguments, words, state.turn.pages)
        tool["words"] = masked_post(title)
    return content


def encoded(kind: str, **fields: Any) -> str:
    """A message as JSON, in ASCII: half a surrogate pair has no other encoding."""
    return json.dumps({"type": kind, **fields}, separators=(",", ":"))
