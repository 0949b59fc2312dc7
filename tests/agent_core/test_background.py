import asyncio
import logging

import pytest

from agent_core.background import Background, Backoff


async def test_what_fails_unheard_is_logged_with_its_name(caplog: pytest.LogCaptureFixture) -> None:
    background = Background()

    async def fail() -> None:
        raise ValueError("no such thing")

    with caplog.at_level(logging.ERROR):
        background.run(fail, name="a look")
        await background.settle()
    assert "a look failed" in caplog.text
    assert "no such thing" in caplog.text


async def test_after_close_nothing_goes_on_and_nothing_begins() -> None:
    background, begun = Background(), list[str]()

    async def go_on(name: str) -> None:
        begun.append(name)
        await asyncio.Event().wait()

    first = background.start(go_on("first"))
    await asyncio.sleep(0)
    await background.close(patience_s=5)
    late = background.start(go_on("late"))
    background.run(lambda: go_on("later"))
    await background.settle(patience_s=5)

    assert first.cancelled()
    assert late.cancelled()
    assert begun == ["first"]


async def test_closing_waits_no_longer_than_it_was_told_to() -> None:
    background, may_end = Background(), asyncio.Event()

    async def hold_on() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await may_end.wait()

    task = background.start(hold_on())
    await asyncio.sleep(0)
    await background.close(patience_s=0.01)
    assert not task.done()
    may_end.set()
    await background.settle(patience_s=5)
    assert task.cancelled()


def test_waits_double_up_to_the_longest_and_chance_only_shortens_them() -> None:
    backoff = Backoff(first_s=1, longest_s=5, jitter=0.5)
    assert [backoff.wait_s(failures, 1.0) for failures in range(1, 6)] == [1, 2, 4, 5, 5]
    assert [backoff.wait_s(failures, 0.0) for failures in range(1, 5)] == [0.5, 1, 2, 2.5]
    assert all(2.5 <= backoff.wait_s(10_000) <= 5 for _ in range(100))
