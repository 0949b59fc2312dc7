"""A session's tree of agents, kept up to date for everybody who watches it.

Events are read and folded once a session, however many watch. What changed goes out in rounds, each
state and each run's new text once a round; the more the last round cost, the longer the pause, so
that viewers take a small part of the process at most. The work never waits for a viewer: one who
does not keep up misses text, and gets whole states as soon as there is room.
"""

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from time import thread_time
from typing import Any, Protocol

from agent_core.background import Background, Backoff
from agent_core.events import AnyEvent, TextDelta, TurnFinished
from agent_core.ids import AgentId, SessionId
from agent_core.messages import JsonObject
from agent_core.runtime import Runtime
from agent_core.tree import AgentState, AgentTree
from bot.console.passes import HOME

PAUSE_S, LONGEST_PAUSE_S = 0.04, 1.0
"""Between two rounds at least, and at most."""
PAUSE_FACTOR = 20
"""Times what the last round took of the processor."""
YIELD_EVERY = 25
"""After so many viewers others may do something."""
BACKOFF = Backoff(first_s=0.5, longest_s=10.0)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Round:
    """What is told to those who have seen all up to a version; then they have up to another."""

    begins: int
    ends: int
    frames: Sequence[str]


class Watcher(Protocol):
    """Somebody whom a feed tells what happens."""

    async def tell(self, news: Round) -> None:
        """Send it, or fall behind where there is no room; never wait."""
        ...


class Feed:
    """One session, from its first viewer to its last; of HOME there is nothing to tell."""

    def __init__(self, runtime: Runtime, session: SessionId) -> None:
        self.session = session
        self.version = 0
        """Grows with each event; what somebody has seen is told by it."""
        self._told = 0
        """The version up to which rounds have told."""
        self.watchers: set[Watcher] = set()
        self.tree = AgentTree()
        self._runtime = runtime
        self._changed: dict[AgentId, int] = {}
        """The version of each agent's last change, its text included."""
        self._places: dict[AgentId, int] = {}
        """The place in the log of the same."""
        self._ended = 0
        """The version at which a turn ended last."""
        self._known: set[AgentId] = set()
        """Agents whose state was told before."""
        self._states: set[AgentId] = set()
        self._texts: defaultdict[AgentId, str] = defaultdict(str)
        """What the next round tells."""
        self._has_news = asyncio.Event()
        self._encoded: dict[AgentId, tuple[int, list[str]]] = {}
        self._work = Background()

    async def open(self) -> None:
        """Read what is stored, and go on with what comes."""
        self.version = self._told = 1
        if self.session == HOME:
            return
        self.tree = await self._runtime.tree(self.session)
        self._changed = dict.fromkeys(self.tree.agents, 1)
        self._places = dict.fromkeys(self.tree.agents, self.tree.place)
        self._known = set(self.tree.agents)
        self._work.start(self._follow(), name=f"follow {self.session}")
        no_pause = partial(asyncio.sleep, 0)
        self._work.repeat(self._tell, pause=no_pause, name=f"telling of {self.session}")

    async def close(self) -> None:
        await self._work.close()

    def since(self, version: int, heard: int) -> list[str]:
        """What somebody has to be told who has seen all states up to a version; 0 for none.

        A turn's end is told to who has heard of the ends up to an earlier version.
        """
        told = [agent for agent, changed in self._changed.items() if changed > version]
        frames = [frame for agent in told for frame in self._whole(agent)]
        return [*frames, self.frame("agent-completed")] if 0 < heard < self._ended else frames

    def version_at(self, place: int) -> int:
        """A version behind which is all that came after a place in the log."""
        later = [self._changed[agent] for agent, at in self._places.items() if at > place]
        return min(later, default=self.version + 1) - 1

    def frame(self, kind: str, **fields: Any) -> str:
        """A message, with the place in the log up to which things are told."""
        return encoded({"type": kind, **fields, "eventId": self.tree.place})

    async def _follow(self) -> None:
        """Fold events as they come; what breaks is begun again behind the last one."""
        waits_s = BACKOFF.waits_s()
        while True:
            try:
                watching = self._runtime.events(self.session, after=self.tree.place)
                async with aclosing(watching) as events:
                    async for place, event in events:
                        self._take(place, event)
                        waits_s = BACKOFF.waits_s()
            except Exception:
                logger.exception("the events of %s are not read; once more soon", self.session)
            await asyncio.sleep(next(waits_s))

    def _take(self, place: int, event: AnyEvent) -> None:
        self.version += 1
        for agent in self.tree.take(place, event):
            self._changed[agent], self._places[agent] = self.version, self.tree.place
            if isinstance(event, TextDelta):
                self._texts[agent] += event.text
            else:
                self._states.add(agent)
        if isinstance(event, TurnFinished) and event.outcome != "steered":
            self._ended = self.version
        self._has_news.set()

    async def _tell(self) -> None:
        """One round, as soon as there is something new."""
        await self._has_news.wait()
        self._has_news.clear()
        begun_s, told, self._told = thread_time(), self._told, self.version
        news = Round(told, self.version, list(self._news(told)))
        for number, watcher in enumerate(list(self.watchers), start=1):
            await watcher.tell(news)
            if number % YIELD_EVERY == 0:
                await asyncio.sleep(0)
        pause_s = max(PAUSE_S, PAUSE_FACTOR * (thread_time() - begun_s))
        await asyncio.sleep(min(pause_s, LONGEST_PAUSE_S))

    def _news(self, told: int) -> Iterable[str]:
        """Text goes before the state that it is part of, but not before the first one."""
        states, texts = self._states, self._texts
        self._states, self._texts = set(), defaultdict(str)
        for agent in [agent for agent, changed in self._changed.items() if changed > told]:
            text = texts.get(agent)
            if text and agent not in self._known:
                yield from self._whole(agent)
            if text:
                yield self.frame("text-delta", agentId=agent, delta=text)
            if agent in states:
                yield from self._whole(agent)
            self._known.add(agent)
        if self._ended > told:
            yield self.frame("agent-completed")

    def _whole(self, agent: AgentId) -> list[str]:
        """An agent's state, and the question that it waits with; encoded once for all viewers."""
        version, frames = self._encoded.get(agent, (0, []))
        if version != self._changed[agent]:
            state = self.tree.agents[agent]
            frames = [self.frame("agent-state", agentId=agent, state=state.as_json())]
            if question := question_of(state):
                prompt, options = question["prompt"], question["options"]
                asked = {"agentId": agent, "prompt": prompt, "options": options}
                frames.append(self.frame("user-query", **asked))
            self._encoded[agent] = (self._changed[agent], frames)
        return frames


def question_of(state: AgentState) -> JsonObject | None:
    """What an agent asks a person; None where it does not wait for an answer."""
    wait = state.wait
    return wait if state.status == "waiting" and wait and wait["kind"] == "question" else None


def encoded(message: JsonObject) -> str:
    """As it goes over the wire; in ASCII, as half a surrogate pair has no other form."""
    return json.dumps(message, separators=(",", ":"))
