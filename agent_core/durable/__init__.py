"""Work that survives the process: what a step has done once is never done again."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Protocol, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from agent_core.messages import JsonObject

T = TypeVar("T")


class CannotReplay(Exception):
    """A recorded turn does not fit the code any more; it has to go on from its history."""


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error itself, or all that a group of parallel work holds."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        for each in group.exceptions:
            yield from causes(each)
    else:
        yield error


def cannot_replay(error: BaseException) -> bool:
    """Whether `error` is a CannotReplay, or a group of errors that holds one."""
    return any(isinstance(each, CannotReplay) for each in causes(error))


def as_recorded(record: object, kind: TypeAdapter[T]) -> T:
    """What a step, or whoever began a child run, left behind.

    Raises:
        CannotReplay: other code wrote it, in another shape.
    """
    try:
        return kind.validate_python(record)
    except ValidationError as error:
        raise CannotReplay(str(error)) from error


class Steps(Protocol):
    """Where the body of a turn or of a child run does its work.

    A body MUST reach the same calls in the same order on every replay: it may branch only on what
    steps returned and on what was stored before it began.
    """

    async def once(self, name: str, work: Callable[[], Awaitable[T]], result: TypeAdapter[T]) -> T:
        """Do `work` and record its result, or what it raised; on a replay return the record.

        Several may run in parallel if their tasks are created in the same order every time.
        """
        ...

    async def child(self, run_key: str, payload: object) -> JsonObject:
        """What the child body returned for `payload`, as a unit of its own.

        It is no part of the body that asks: it goes on when that ends, and is begun once for a
        key, whoever asks for it and however often.

        Raises:
            CannotReplay: its record does not fit the code; it has to go on under another key.
        """
        ...


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

    async def child(self, run_key: str, payload: object) -> JsonObject:
        return await self._steps.child(run_key, payload)


TurnBody = Callable[[Steps, str, int], Awaitable[None]]
"""A turn's body: its steps, the turn's id, its generation (2 or more: it goes on from history)."""

ChildBody = Callable[[Steps, object], Awaitable[JsonObject]]
"""A child run's body."""
