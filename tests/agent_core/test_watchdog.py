"""The watchdog names what holds the event loop, in one line."""

import asyncio
import logging
import threading

import pytest

from agent_core.json_values import find_object
from agent_core.watchdog import watched_loop

LIMIT_S = 0.05
PATIENCE_S = 10.0


class Heard(logging.Handler):
    """Hears the stack from the watchdog's thread, and the first line behind it."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = ""
        self.has_stack = threading.Event()
        self.line = asyncio.get_running_loop().create_future()
        self._loop = asyncio.get_running_loop()

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno == logging.DEBUG and not self.stack:
            self.stack = record.getMessage()
            self.has_stack.set()
        elif record.levelno == logging.WARNING:
            self._loop.call_soon_threadsafe(self._hear, record.getMessage())

    def _hear(self, line: str) -> None:
        if not self.line.done():
            self.line.set_result(line)


@pytest.mark.proves("stalls.named")
async def test_a_held_loop_is_one_line_with_its_function_and_time_and_the_stack_at_debug(
    caplog: pytest.LogCaptureFixture,
) -> None:
    heard = Heard()
    logger = logging.getLogger("agent_core.watchdog")
    logger.addHandler(heard)

    def hold_the_loop(_value: object) -> None:
        assert heard.has_stack.wait(PATIENCE_S)

    try:
        with caplog.at_level(logging.DEBUG, logger.name), watched_loop(LIMIT_S) as lag:
            find_object({}, hold_the_loop, 1)
            line = await asyncio.wait_for(heard.line, PATIENCE_S)
    finally:
        logger.removeHandler(heard)
    assert line.startswith("the event loop was held for ")
    assert " ms by " in line
    assert "(agent_core/json_values.py:" in line
    assert "\n" not in line
    assert "hold_the_loop" in heard.stack
    assert lag.stalls > 0
    assert lag.worst_s > LIMIT_S
