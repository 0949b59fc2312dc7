"""When a model call is made again, and what a listener hears of it."""

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from agent_core.errors import ModelError, ModelRejected, ModelUnavailable, ReplyTruncated
from agent_core.messages import user_message
from agent_core.models import OUTAGE_S, Item, ModelRequest, Reply, Retried, RetryingModel
from agent_core.testing.models import Cut, ScriptedModel, ScriptLine

REQUEST = ModelRequest(system="", messages=(user_message("Hello"),), max_tokens=1_000)


class Naps:
    """A wait that takes no time and is written down."""

    def __init__(self) -> None:
        self.taken_s: list[float] = []

    async def __call__(self, wait_s: float) -> None:
        self.taken_s.append(wait_s)


def overloaded(retry_after_s: float | None = None) -> ModelUnavailable:
    return ModelUnavailable(
        "busy", status=529, kind="overloaded_error", retry_after_s=retry_after_s
    )


def incomplete() -> ModelUnavailable:
    return ModelUnavailable("cut", kind="incomplete")


def retrying(*script: ScriptLine, chance: float = 1.0) -> tuple[RetryingModel, ScriptedModel, Naps]:
    model, naps = ScriptedModel(script), Naps()
    return RetryingModel(model, sleep=naps, chance=lambda: chance), model, naps


async def items_of(model: RetryingModel) -> list[Item | Retried]:
    async with asyncio.timeout(5), aclosing(model.stream(REQUEST)) as items:
        return [item async for item in items]


async def failure_of(model: RetryingModel) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await items_of(model)
    return caught.value


async def test_a_retry_is_announced_before_its_wait_and_voids_the_deltas_before_it() -> None:
    failures = (overloaded(), overloaded(90.0), Cut(text="Half a", error=incomplete()))
    model, behind, naps = retrying(*failures, "Whole.")

    items: list[Item | Retried] = []
    waits: list[int] = []
    async with asyncio.timeout(5), aclosing(model.stream(REQUEST)) as stream:
        async for item in stream:
            items.append(item)
            if isinstance(item, Retried):
                waits.append(len(naps.taken_s))

    kinds = [type(item).__name__ for item in items]
    assert kinds == ["Retried", "Retried", "Delta", "Delta", "Retried", "Delta", "Reply"]
    again = items[4]
    assert isinstance(again, Retried)
    assert (again.reason, again.wait_s, again.attempt) == ("incomplete", 4.0, 4)
    assert waits == [0, 1, 2]
    assert naps.taken_s == [1.0, 90.0, 4.0]
    assert len(behind.requests) == 4


GIVEN_UP: list[tuple[list[ModelError], int]] = [
    ([overloaded(91.0)], 1),
    ([ModelRejected("wrong key", status=401)], 1),
    ([ReplyTruncated("cut"), ReplyTruncated("cut")], 2),
    *(
        ([ModelUnavailable("cut", kind=kind)] * 9, 4)
        for kind in ("incomplete", "malformed", "overlong")
    ),
]
"""Too long a wait, a rejection, and replies that were paid for and not whole."""


@pytest.mark.parametrize(("script", "calls"), GIVEN_UP)
async def test_what_cannot_help_is_given_up_early(script: list[ModelError], calls: int) -> None:
    model, behind, naps = retrying(*script, "never asked")

    assert await failure_of(model) is script[calls - 1]
    assert len(behind.requests) == calls
    assert calls > 1 or naps.taken_s == []


async def test_a_truncated_call_is_made_again_once_with_twice_the_room() -> None:
    model, behind, naps = retrying(ReplyTruncated("cut"), overloaded(), "Fine.")

    items = await items_of(model)

    assert isinstance(items[-1], Reply)
    assert [request.max_tokens for request in behind.requests] == [1_000, 2_000, 2_000]
    assert naps.taken_s[0] == 0.0


@pytest.mark.parametrize("chance", [0.0, 1.0])
@pytest.mark.proves("model.away")
async def test_an_outage_of_ten_minutes_is_outlasted_and_given_up_when_it_was_said(
    chance: float, caplog: pytest.LogCaptureFixture
) -> None:
    model, _, naps = retrying(*[overloaded() for _ in range(40)], chance=chance)
    retries: list[Retried] = []

    async def listen() -> None:
        async with aclosing(model.stream(REQUEST)) as items:
            async for item in items:
                assert isinstance(item, Retried)
                retries.append(item)

    with pytest.raises(ModelUnavailable):
        await listen()
    assert sum(naps.taken_s) == pytest.approx(OUTAGE_S, abs=1)
    assert max(naps.taken_s) <= 60
    passed_s = 0.0
    for retry in retries:
        assert passed_s + retry.left_s == pytest.approx(OUTAGE_S, abs=1), "the time is kept to"
        passed_s += retry.wait_s
        assert retry.away_s == pytest.approx(passed_s, abs=1)
    assert 9 <= len(caplog.records) <= 14, "a line a minute"


async def test_the_time_of_attempts_counts_for_an_outage() -> None:
    model, behind, naps = retrying(*[overloaded() for _ in range(40)])
    moments = iter(range(0, 100_000, 30))
    slow = replace(model, seconds=lambda: float(next(moments)))
    assert isinstance(await failure_of(slow), ModelUnavailable)
    attempts_s = 30 * (len(behind.requests) - 1)
    assert sum(naps.taken_s) + attempts_s <= OUTAGE_S + 30
