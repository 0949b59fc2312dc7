"""Dispatch of tool results to observers: beside the turn, in tasks that are owned and bounded."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from agent_core import tracing
from agent_core.ids import TurnId
from agent_core.json_values import digest_of_json
from agent_core.messages import ToolCall
from agent_core.tools import ToolContext, ToolOutput

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolObserved:
    """A tool call and how it ended."""

    call: ToolCall
    output: ToolOutput
    context: ToolContext

    @property
    def at(self) -> datetime:
        """When the result came; for one that nobody timed, now."""
        return self.output.finished_at or datetime.now(UTC)

    def stamp(self, detail: int) -> str:
        """For a file's name: the result's time, and what tells it from all others of that time."""
        digest = digest_of_json([self.context.run, self.call.id, detail])[:6]
        return f"{self.at.astimezone(UTC):%Y%m%d_%H%M%S_%f}_{digest}"


class ToolObserver(Protocol):
    """Looks at a tool result and may save something of it in the workspace.

    Seeing the same result again MUST write the same files. It may raise; that costs nothing else.
    """

    async def saw(self, observed: ToolObserved) -> Sequence[str]:
        """Returns the paths of what it saved, relative to the workspace."""
        ...


def full_text(observed: ToolObserved) -> str:
    """The whole result, also where the model got only head and tail. Reads the disk."""
    output = observed.output
    if not output.saved_path:
        return output.text
    path = observed.context.workspace / output.saved_path
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return output.text


class Observers:
    """Dispatcher of tool results to observers; an observer has `limit_s` for one result."""

    def __init__(self, observers: Sequence[ToolObserver], *, limit_s: float = 10.0) -> None:
        self._observers = tuple(observers)
        self._limit_s = limit_s
        self._tasks: dict[asyncio.Task[None], TurnId] = {}

    def notify(self, observed: ToolObserved) -> None:
        """Start the observers over a result and return; their spans belong to the current span."""
        for observer in self._observers:
            task = asyncio.create_task(self._tell(observer, observed))
            self._tasks[task] = observed.context.turn
            task.add_done_callback(self._tasks.pop)

    async def settle(self, timeout_s: float, turn: TurnId | None = None) -> None:
        """Wait for the observers of one turn, or of all; no longer than `timeout_s`."""
        tasks = [task for task, of in self._tasks.items() if turn in (None, of)]
        if tasks:
            await asyncio.wait(tasks, timeout=timeout_s)

    async def close(self) -> None:
        """Cancel the observers that still run."""
        tasks = set(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _tell(self, observer: ToolObserver, observed: ToolObserved) -> None:
        name = type(observer).__name__
        try:
            async with asyncio.timeout(self._limit_s):
                for path in await observer.saw(observed):
                    status = await asyncio.to_thread((observed.context.workspace / path).stat)
                    kind = path.partition("/")[0]
                    tracing.note(
                        "observer_artifact_saved",
                        path=path,
                        type=kind,
                        size=status.st_size,
                    )
        except TimeoutError:
            logger.warning("%s did not end over a result of %s", name, observed.call.name)
        except Exception:
            logger.exception("%s failed over a result of %s", name, observed.call.name)
