from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import pytest

from agent_core.errors import AskRefused
from agent_core.events import AnyEvent, ArtifactSaved
from agent_core.ids import AskId, UserId
from agent_core.messages import JsonObject
from bot.presenter import Indicators, Journal, ThreadPresenter
from bot.presenter.asks import ConnectLink
from bot.presenter.journal import Bookmark
from bot.slack_api import SlackApi, WriteGuard
from tests.bot.desk import Desk, open_desk
from tests.bot.presenter.turns import START, MemoryState, Turn


async def no_link(_consent: AskId, _by: UserId, _toolkit: str) -> str:
    raise AskRefused("no_link")


class GuardedState(MemoryState):
    """A bookmark that another process may have taken over."""

    def __init__(self, state: MemoryState, guard: WriteGuard) -> None:
        super().__init__()
        self.saved = state.saved
        self._state = state
        self._guard = guard

    async def save(self, state: JsonObject) -> None:
        await self._guard()
        await self._state.save(state)


class CutState(MemoryState):
    """A state whose process dies before the save of the given number."""

    def __init__(self, saves: int) -> None:
        super().__init__()
        self._left = saves

    async def save(self, state: JsonObject) -> None:
        if self._left == 0:
            raise ConnectionAbortedError
        self._left -= 1
        await super().save(state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage(Desk):
    """What is needed to show turns in Ann's thread."""

    workspace: Path
    presenters: list[ThreadPresenter] = field(default_factory=list[ThreadPresenter])

    async def show(
        self, *events: AnyEvent, state: MemoryState | None = None, link: ConnectLink | None = None
    ) -> ThreadPresenter:
        """A presenter of its own shows these events."""
        presenter = self.presenter(state, link=link)
        for event in events:
            await presenter.show(event)
        return presenter

    async def show_twice(self, saves: int, events: Sequence[AnyEvent]) -> None:
        """A process dies before the save of this number, and another one shows all of it."""
        dying, survivor = CutState(saves), MemoryState()
        try:
            await self.show(*events, state=dying)
        except ConnectionAbortedError:
            await self.presenters[-1].close()
        survivor.saved = dying.saved
        await self.show(*events, state=survivor)

    async def print_report(self, report: ArtifactSaved) -> tuple[ArtifactSaved, ...]:
        """What `write` put beside the report."""
        pdf = report.path.replace(".html", ".pdf")
        if not (self.workspace / pdf).exists():
            return ()
        return (replace(report, path=pdf, mimetype="application/pdf"),)

    def presenter(
        self,
        state: MemoryState | None = None,
        *,
        indicators: Indicators | None = None,
        asked_ts: str = "",
        guard: WriteGuard | None = None,
        link: ConnectLink | None = None,
        api: SlackApi | None = None,
        edit_interval_s: float = 0.01,
        now: Callable[[], datetime] = lambda: START,
    ) -> ThreadPresenter:
        api = api or self.api
        state = state or MemoryState()
        indicators = indicators or Indicators(api)
        if guard is not None:
            state = GuardedState(state, guard)
            indicators = indicators.guarded(guard)
            api = api.guarded(guard)
        presenter = ThreadPresenter(
            api,
            self.thread,
            Journal(Bookmark.model_validate(state.saved or {}), state.save),
            self.workspace,
            asked_ts=asked_ts or self.thread.root_ts,
            edit_interval_s=edit_interval_s,
            is_plain=False,
            offers_live_view=lambda: False,
            print_report=self.print_report,
            now=now,
            indicators=indicators,
            connect_link=link or no_link,
        )
        self.presenters.append(presenter)
        return presenter

    def turn(self, name: str = "turn1") -> Turn:
        team, ann = self.thread.team, self.slack.people["ann"]
        return Turn(self.thread, turn=name, asker=f"{team}:{ann}")

    def status(self) -> str:
        """What the thread's sign says."""
        made = [call for call in self.slack.calls if call.method == "agents.sessions.setStatus"]
        return str(made[-1].args["status"])

    def reactions(self, ts: str = "") -> list[str]:
        """What stands on a post, by default the thread's first."""
        post = self.slack.find("general", ts or self.thread.root_ts)
        return list(post.reactions)

    def direct_texts(self) -> list[str]:
        """What the bot wrote to Ann alone: each post, then what stands below it."""
        place = self.slack.dm_id("ann")
        roots = [post for post in self.slack.posts(place) if post.thread_ts in {None, post.ts}]
        return [post.words for root in roots for post in self.slack.thread(place, root.ts)]

    def write(self, path: str, content: str) -> str:
        file = self.workspace / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
        return path


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with open_desk(Stage, workspace=tmp_path) as stage:
        yield stage
        for presenter in stage.presenters:
            await presenter.close()
