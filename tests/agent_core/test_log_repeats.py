"""Log entries that repeat: once, and then with their count."""

import io
import logging

import pytest

from agent_core.log_repeats import QUIET_S, RepeatFilter


@pytest.mark.proves("log.repeats")
def test_a_repeated_error_is_logged_once_and_then_with_its_count() -> None:
    now_s = [0.0]
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.addFilter(RepeatFilter(lambda: now_s[0]))
    logger = logging.getLogger("flood")
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)

    def fail() -> None:
        error = OSError(24, "Too many open files")
        logger.error("a connection was not accepted", exc_info=error)

    for _ in range(250):
        fail()
    logger.warning("another fault")
    for _ in range(3):
        logger.info("work goes on")
    lines = written.getvalue().splitlines()
    heads = [line for line in lines if "accepted" in line and "logger" not in line]
    assert heads == [
        "a connection was not accepted",
        "a connection was not accepted (10 times)",
        "a connection was not accepted (100 times)",
    ]
    assert lines[-4:] == ["another fault", *["work goes on"] * 3]
    now_s[0] = QUIET_S + 1
    fail()
    assert written.getvalue().count("accepted\n") == 2
