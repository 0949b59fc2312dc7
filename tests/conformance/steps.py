"""The implementations of `Steps`, each with a process that ends and begins again around a body."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

from agent_core.durable import ChildBody, Steps
from agent_core.durable.dbos_turns import DurableTurns
from agent_core.ids import ProcessId
from agent_core.messages import JsonObject
from agent_core.testing.steps import RecordedSteps

TIMEOUT_S = 20
TURN = "turn:1"

Body = Callable[[Steps], Awaitable[None]]


async def no_child(_steps: Steps, _payload: JsonObject) -> JsonObject:
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

    async def _run_child(self, steps: Steps, payload: JsonObject) -> JsonObject:
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
