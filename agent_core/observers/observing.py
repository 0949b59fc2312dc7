"""How observers are told of tool results: beside the turn, in tasks that are owned and bounded."""

import asyncio
import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from agent_core import tracing
from agent_core.ids import TurnId
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

    def stamp(self, detail: object = "") -> str:
        """For a file's name: the result's time, and what tells it from all others of that time."""
        identity = f"{self.context.run}/{self.call.id}/{detail}"
        digest = hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:6]
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
    """Tells observers of results.

    Args:
        observers: Each is told of every result, on its own.
        limit_s: How long one observer may take over one result.
    """

    def __init__(self, observers: Sequence[ToolObserver], *, limit_s: float = 10.0) -> None:
        self._observers = tuple(observers)
        self._limit_s = limit_s
        self._tasks: dict[asyncio.Task[None], TurnId] = {}

    def notify(self, observed: ToolObserved) -> None:
        """Tell them; returns at once. Their spans belong to the span that is current now."""
        for observer in self._observers:
            task = asyncio.create_task(self._tell(observer, observed))
            self._tasks[task] = observed.context.turn
            task.add_done_callback(self._tasks.pop)

    async def settle(self, timeout_s: float, turn: TurnId | None = None) -> None:
        """Wait until what was told so far is done with, but no longer than `timeout_s`.

        Args:
            timeout_s: The longest wait.
            turn: Wait for this turn's results alone; None waits for those of all turns.
        """
        tasks = [task for task, of in self._tasks.items() if turn in (None, of)]
        if tasks:
            await asyncio.wait(tasks, timeout=timeout_s)

    async def close(self) -> None:
        """End what still runs."""
        tasks = set(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _tell(self, observer: ToolObserver, observed: ToolObserved) -> None:
        name = type(observer).__name__
        try:
            async with asyncio.timeout(self._limit_s):
                saved = await observer.saw(observed)
        except TimeoutError:
            logger.warning("%s did not end over a result of %s", name, observed.call.name)
        except Exception:
            logger.exception("%s failed over a result of %s", name, observed.call.name)
        else:
            sizes = await asyncio.to_thread(_sizes, saved, observed.context.workspace)
            for path, size in zip(saved, sizes, strict=True):
                kind = path.partition("/")[0]
                tracing.note("observer_artifact_saved", path=path, type=kind, size=size)


def _sizes(paths: Sequence[str], workspace: Path) -> list[int]:
    """Bytes of each file, 0 for one that is not there."""
    files = [workspace / path for path in paths]
    return [file.stat().st_size if file.is_file() else 0 for file in files]
