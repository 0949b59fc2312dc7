"""Steps that are done only while the process may work on the session."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from pydantic import TypeAdapter

from agent_core.durable import Steps
from agent_core.messages import JsonObject

T = TypeVar("T")


class GuardedSteps:
    """The same steps, each with a look at `guard` right before its work is really done.

    What `guard` raises ends the body without a record of the step.
    """

    def __init__(self, steps: Steps, guard: Callable[[], Awaitable[None]]) -> None:
        self._steps = steps
        self._guard = guard

    async def once(self, name: str, work: Callable[[], Awaitable[T]], result: TypeAdapter[T]) -> T:
        async def guarded() -> T:
            await self._guard()
            return await work()

        return await self._steps.once(name, guarded, result)

    async def child(self, run_key: str, payload: JsonObject) -> JsonObject:
        return await self._steps.child(run_key, payload)
