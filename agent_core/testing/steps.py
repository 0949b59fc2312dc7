"""A `Steps` in memory: results are recorded, and a body can be killed between two steps."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pydantic import TypeAdapter

from agent_core.durable import CannotReplay, ChildBody, as_recorded
from agent_core.messages import JsonObject

T = TypeVar("T")


class KilledError(BaseException):
    """The process is gone, as far as the body can tell."""


class RecordedSteps:
    """Records results by order and name, as the durable engine does.

    Run a body, kill it with `kill_after` steps, run it again with the same object: recorded steps
    are not done again. A step of another name in the same place raises CannotReplay.
    """

    def __init__(self, *, child: ChildBody | None = None) -> None:
        self.records: dict[int, tuple[str, Any]] = {}
        self.done: list[str] = []
        """Names of the steps that were carried out and not replayed, in order."""
        self.kill_after: int | None = None
        self._child = child
        self._children: dict[str, RecordedSteps] = {}
        self._results: dict[str, JsonObject] = {}
        self._position = 0

    def restart(self) -> None:
        """The process is started again: the body begins from the top."""
        self._position = 0
        self.kill_after = None

    async def once(
        self,
        name: str,
        work: Callable[[], Awaitable[T]],
        result: TypeAdapter[T],
    ) -> T:
        position = self._next_position(name)
        if position in self.records:
            value = self.records[position][1]
            if isinstance(value, Exception):
                raise value
            return as_recorded(value, result)
        if self.kill_after is not None and len(self.done) >= self.kill_after:
            raise KilledError
        try:
            value = await work()
        except Exception as error:
            self.records[position] = (name, error)
            raise
        self.done.append(name)
        self.records[position] = (name, result.dump_python(value, mode="json"))
        return value

    async def child(self, run_key: str, payload: object) -> JsonObject:
        if self._child is None:
            raise CannotReplay("this body has no child runs")
        if run_key not in self._results:
            steps = self._children.setdefault(run_key, RecordedSteps(child=self._child))
            steps.restart()
            self._results[run_key] = await self._child(steps, payload)
        return self._results[run_key]

    def _next_position(self, name: str) -> int:
        position = self._position
        self._position += 1
        if position in self.records:
            recorded = self.records[position][0]
            if recorded != name:
                raise CannotReplay(f"step {position} was {recorded}, not {name}")
        return position
