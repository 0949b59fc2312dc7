"""What every `Steps` promises: what was done once is not done again, whatever comes between."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

import pytest
from pydantic import TypeAdapter

from agent_core.durable import CannotReplay, ChildBody, Steps
from agent_core.durable.dbos_turns import DurableTurns
from agent_core.errors import ModelUnavailable
from agent_core.ids import ProcessId
from agent_core.messages import JsonObject
from agent_core.testing.steps import RecordedSteps

TIMEOUT_S = 20
TURN = "turn:1"

Body = Callable[[Steps], Awaitable[None]]


async def no_child(_steps: Steps, _payload: object) -> JsonObject:
    raise AssertionError("there is no child in this test")


class Lives(Protocol):
    """One body's lives: each begins from the top, with what the earlier ones recorded."""

    async def live(self, body: Body, cut: asyncio.Event, child: ChildBody = no_child) -> None:
        """Run the body until it ends, or until `cut` is set: then its process ends.

        Raises what the body raises.
        """
        ...


class RecordedLives:
    def __init__(self, _root: Path) -> None:
        self._child: ChildBody = no_child
        self._steps = RecordedSteps(child=self._run_child)

    async def live(self, body: Body, cut: asyncio.Event, child: ChildBody = no_child) -> None:
        self._child = child
        self._steps.restart()
        await _until_cut(body(self._steps), cut)

    async def _run_child(self, steps: Steps, payload: object) -> JsonObject:
        return await self._child(steps, payload)


class DbosLives:
    def __init__(self, root: Path) -> None:
        self._config = f"sqlite:///{root}/turns.sqlite"
        self._number = 0

    async def live(self, body: Body, cut: asyncio.Event, child: ChildBody = no_child) -> None:
        ended = asyncio.get_running_loop().create_future()

        async def turn(steps: Steps, _turn: str, _generation: int) -> None:
            try:
                await body(steps)
            except BaseException as error:
                ended.set_exception(error) if isinstance(error, Exception) else ended.cancel()
                raise
            ended.set_result(None)

        self._number += 1
        turns = DurableTurns(
            self._config,
            process=ProcessId(f"p{self._number}"),
            turn=turn,
            child=child,
            on_broken=_nothing,
        )
        await turns.launch()
        try:
            if self._number == 1:
                await turns.start(TURN, 1)
            else:
                assert await turns.take_over(TURN, 1)
            await _until_cut(ended, cut)
        finally:
            await turns.close()


def _nothing(_turn: str, _generation: int, _error: Exception) -> None:
    """The body has told of it."""


async def _ended(body: Awaitable[None]) -> None:
    await body


async def _until_cut(body: Awaitable[None], cut: asyncio.Event) -> None:
    running = asyncio.create_task(_ended(body))
    cutting = asyncio.create_task(cut.wait())
    async with asyncio.timeout(TIMEOUT_S):
        await asyncio.wait({running, cutting}, return_when=asyncio.FIRST_COMPLETED)
    if running.done():
        cutting.cancel()
        running.result()
    else:
        running.cancel()
        await asyncio.wait({running})


TEXT: TypeAdapter[str] = TypeAdapter(str)
NUMBERS: TypeAdapter[tuple[int, ...]] = TypeAdapter(tuple[int, ...])


@pytest.fixture(params=[RecordedLives, DbosLives], ids=["recorded", "dbos"])
def lives(request: pytest.FixtureRequest, tmp_path: Path) -> Lives:
    make: Callable[[Path], Lives] = request.param
    return make(tmp_path)


class Done:
    """What was really done, and steps that cut their process off while they are under way."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.cut = asyncio.Event()

    def work(self, name: str) -> Callable[[], Awaitable[str]]:
        async def work() -> str:
            self.names.append(name)
            return f"{name} is done"

        return work

    def cutting(self, name: str) -> Callable[[], Awaitable[str]]:
        async def work() -> str:
            self.names.append(name)
            self.cut.set()
            await asyncio.Event().wait()
            return "never"

        return work

    def begin_again(self) -> None:
        self.names.clear()
        self.cut.clear()


async def test_what_was_done_is_returned_as_it_was_and_a_step_that_was_cut_off_is_done_again(
    lives: Lives,
) -> None:
    done, results, counts = Done(), list[str](), list[tuple[int, ...]]()

    async def count() -> tuple[int, ...]:
        return (1, 2)

    async def body(steps: Steps) -> None:
        is_first = not results
        counts.append(await steps.once("count", count, NUMBERS))
        results.append(await steps.once("a", done.work("a"), TEXT))
        second = done.cutting("b") if is_first else done.work("b")
        results.append(await steps.once("b", second, TEXT))

    await lives.live(body, done.cut)
    assert done.names == ["a", "b"]
    done.begin_again()
    await lives.live(body, done.cut)
    assert done.names == ["b"]
    assert results == ["a is done", "a is done", "b is done"]
    assert counts == [(1, 2), (1, 2)], "it comes back in its own type"


async def test_a_failure_is_a_record_too(lives: Lives) -> None:
    done, failures = Done(), list[tuple[str, int | None]]()

    async def fail() -> str:
        done.names.append("fail")
        raise ModelUnavailable("Busy.", status=529)

    async def body(steps: Steps) -> None:
        try:
            await steps.once("a", fail, TEXT)
        except ModelUnavailable as error:
            failures.append((str(error), error.status))
        if len(failures) == 1:
            await steps.once("b", done.cutting("b"), TEXT)

    await lives.live(body, done.cut)
    await lives.live(body, asyncio.Event())
    assert failures == [("Busy.", 529)] * 2
    assert done.names == ["fail", "b"]


async def test_of_parallel_steps_each_keeps_its_result_and_only_those_cut_off_are_done_again(
    lives: Lives,
) -> None:
    done, results = Done(), list[list[str]]()
    is_again = asyncio.Event()
    waits_for = {"a": "b", "b": "c", "c": ""}

    async def body(steps: Steps) -> None:
        recorded = {name: asyncio.Event() for name in "abc"}

        async def step(name: str) -> str:
            async def work() -> str:
                if waits_for[name] and not is_again.is_set():
                    await recorded[waits_for[name]].wait()
                is_cut = name == "a" and not is_again.is_set()
                return await (done.cutting(name) if is_cut else done.work(name))()

            result = await steps.once(name, work, TEXT)
            recorded[name].set()
            return result

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(step(name)) for name in "abc"]
        results.append([task.result() for task in tasks])

    await lives.live(body, done.cut)
    assert done.names == ["c", "b", "a"]
    done.begin_again()
    is_again.set()
    await lives.live(body, done.cut)
    assert done.names == ["a"]
    assert results == [["a is done", "b is done", "c is done"]]


@pytest.mark.proves("crashes.new_code")
@pytest.mark.parametrize(("name", "kind"), [("other", TEXT), ("a", NUMBERS)])
async def test_another_step_and_a_record_of_another_shape_cannot_replay(
    lives: Lives, name: str, kind: TypeAdapter[Any]
) -> None:
    done = Done()

    async def body(steps: Steps) -> None:
        await steps.once("a", done.work("a"), TEXT)
        await steps.once("b", done.cutting("b"), TEXT)

    async def changed(steps: Steps) -> None:
        await steps.once(name, done.work("changed"), kind)

    await lives.live(body, done.cut)
    with pytest.raises(CannotReplay):
        await lives.live(changed, asyncio.Event())
    assert "changed" not in done.names


async def test_a_child_is_begun_once_and_is_no_step_of_whoever_asks_for_it(lives: Lives) -> None:
    done, results = Done(), list[JsonObject]()

    async def child(steps: Steps, payload: object) -> JsonObject:
        return {"said": await steps.once("work", done.work(str(payload)), TEXT)}

    async def body(steps: Steps) -> None:
        results.append(await steps.child("turn:1/c#1", "child"))
        results.append(await steps.child("turn:1/c#1", "again"))
        await steps.once("a", done.cutting("a"), TEXT)

    async def otherwise(steps: Steps) -> None:
        await steps.once("a", done.work("a"), TEXT)
        results.append(await steps.child("turn:1/c#1", "later"))

    await lives.live(body, done.cut, child)
    await lives.live(otherwise, asyncio.Event(), child)
    assert results == [{"said": "child is done"}] * 3
    assert done.names == ["child", "a", "a"]


async def test_children_have_records_of_their_own(lives: Lives) -> None:
    done, results, is_again = Done(), list[list[JsonObject]](), asyncio.Event()
    one_goes_on = asyncio.Event()

    async def second_of_one() -> str:
        one_goes_on.set()
        return await done.work("one second")()

    async def second_of_two() -> str:
        if is_again.is_set():
            return await done.work("two second")()
        await one_goes_on.wait()  # its first step is recorded, then
        return await done.cutting("two second")()

    async def child(steps: Steps, payload: object) -> JsonObject:
        name = str(payload)
        first = await steps.once("first", done.work(f"{name} first"), TEXT)
        await steps.once("second", second_of_one if name == "one" else second_of_two, TEXT)
        return {"said": first}

    async def body(steps: Steps) -> None:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(steps.child(f"turn:1/{name}#1", name)) for name in ("one", "two")
            ]
        results.append([task.result() for task in tasks])

    await lives.live(body, done.cut, child)
    assert "two second" in done.names
    assert not results
    before = set(done.names)
    done.begin_again()
    is_again.set()
    await lives.live(body, done.cut, child)
    assert "one first" not in done.names
    assert "two first" not in done.names
    assert {*before, *done.names} >= {"one second", "two second"}
    assert results == [[{"said": "one first is done"}, {"said": "two first is done"}]]
