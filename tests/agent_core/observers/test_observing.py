"""Observers work beside a turn: what they do, or fail to do, never reaches it."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent_core.ids import TurnId
from agent_core.observers import Observers, ToolObserved, standard_observers
from tests.agent_core.observers.observed import names_in, observed


class Remembering:
    def __init__(self) -> None:
        self.seen: list[str] = []

    async def saw(self, observed: ToolObserved) -> Sequence[str]:
        self.seen.append(observed.call.name)
        return ()


class Failing:
    async def saw(self, observed: ToolObserved) -> Sequence[str]:
        raise ValueError(observed.call.name)


class Hanging:
    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.was_cut = False

    async def saw(self, observed: ToolObserved) -> Sequence[str]:
        self.reached.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.was_cut = True
            raise
        return ()


@pytest.mark.proves("observers.beside")
async def test_each_observer_is_told_of_each_result(tmp_path: Path) -> None:
    one, other = Remembering(), Remembering()
    observers = Observers([one, other])
    observers.notify(observed(tmp_path, "a", "x"))
    observers.notify(observed(tmp_path, "b", "x"))
    assert one.seen == []

    await observers.settle(5.0)

    assert one.seen == other.seen == ["a", "b"]


@pytest.mark.proves("observers.harmless")
async def test_an_observer_that_fails_is_named_and_costs_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    remembering = Remembering()
    observers = Observers([Failing(), remembering])
    observers.notify(observed(tmp_path, "some_tool", "x"))
    await observers.settle(5.0)

    assert remembering.seen == ["some_tool"]
    assert "Failing failed over a result of some_tool" in caplog.text


@pytest.mark.proves("observers.harmless")
async def test_an_observer_that_hangs_is_cut(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    hanging = Hanging()
    observers = Observers([hanging], limit_s=0.05)
    observers.notify(observed(tmp_path, "some_tool", "x"))
    with caplog.at_level(logging.WARNING):
        await observers.settle(5.0)

    assert hanging.was_cut
    assert "Hanging did not end" in caplog.text


async def test_settling_is_bounded_and_closing_ends_what_still_runs(tmp_path: Path) -> None:
    hanging = Hanging()
    observers = Observers([hanging])
    observers.notify(observed(tmp_path, "some_tool", "x"))
    await observers.settle(0.01)
    await hanging.reached.wait()
    assert not hanging.was_cut

    await observers.close()

    assert hanging.was_cut


@pytest.mark.proves("observers.side_by_side")
async def test_settling_one_turn_does_not_wait_for_another(tmp_path: Path) -> None:
    class HangingInOneTurn(Hanging):
        async def saw(self, observed: ToolObserved) -> Sequence[str]:
            return await super().saw(observed) if observed.context.turn == "slow" else ()

    hanging, remembering = HangingInOneTurn(), Remembering()
    observers = Observers([hanging, remembering], limit_s=60.0)
    observers.notify(observed(tmp_path, "a", "x", turn="slow"))
    observers.notify(observed(tmp_path, "b", "x", turn="quick"))

    async with asyncio.timeout(10.0):
        await observers.settle(60.0, TurnId("quick"))

    assert remembering.seen == ["a", "b"]
    assert not hanging.was_cut
    await observers.close()


@pytest.mark.proves("observers.standard")
async def test_the_standard_observers_leave_their_artifacts(tmp_path: Path) -> None:
    observers = Observers(standard_observers())
    hit = {"link": "https://example.com/a", "title": "A"}
    news = observed(tmp_path, "mcp__composio__COMPOSIO_SEARCH_NEWS", {"news_results": [hit]})
    read = observed(
        tmp_path, "mcp__web_reader__webReader", {"content": "text", "url": "https://a.b"}
    )
    ran = observed(tmp_path, "mcp__composio__COMPOSIO_REMOTE_WORKBENCH", {"stdout": "1"})
    for one in (news, read, ran):
        observers.notify(one)
    await observers.settle(10.0)

    assert names_in(tmp_path) == ["extracted_articles", "search_results", "workbench_activity"]
