"""A watchdog for the event loop: what holds it for long is logged with its stack, and counted."""

import asyncio
import logging
import sys
import threading
import time
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from agent_core import tracing

LIMIT_S = 0.25
BEAT_EVERY_S = 0.05

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Lag:
    """How late the loop was, since it is watched."""

    stalls: int = 0
    """How often it was held for longer than the limit."""
    worst_s: float = 0.0
    worst_cpu_s: float = 0.0
    """The most that this process computed while the loop was held: it has no part in what other
    processes take of a busy machine."""


@contextmanager
def watched_loop(limit_s: float = LIMIT_S) -> Generator[Lag]:
    """Watch the running loop from a thread of its own until the context ends."""
    lag, is_over = Lag(), threading.Event()
    loop, held = asyncio.get_running_loop(), threading.get_ident()
    arguments = (loop, held, lag, is_over, limit_s)
    watch = threading.Thread(target=_watch, args=arguments, name="watchdog", daemon=True)
    watch.start()
    try:
        yield lag
    finally:
        is_over.set()


def _watch(
    loop: asyncio.AbstractEventLoop, held: int, lag: Lag, is_over: threading.Event, limit_s: float
) -> None:
    while not is_over.wait(BEAT_EVERY_S):
        beat, asked_s, cpu_s = threading.Event(), time.monotonic(), time.process_time()
        try:
            loop.call_soon_threadsafe(beat.set)
        except RuntimeError:  # the loop is closed
            return
        if not beat.wait(limit_s):
            frame = sys._current_frames().get(held)  # pyright: ignore[reportPrivateUsage]
            stack = "".join(traceback.format_stack(frame)) if frame else "(its thread is gone)"
            limit_ms = limit_s * 1_000
            logger.warning("the event loop is held for more than %.0f ms by\n%s", limit_ms, stack)
            while not beat.wait(BEAT_EVERY_S) and not is_over.is_set():
                pass
        late_s = time.monotonic() - asked_s
        lag.worst_s = max(lag.worst_s, late_s)
        lag.worst_cpu_s = max(lag.worst_cpu_s, time.process_time() - cpu_s)
        if late_s > limit_s:
            lag.stalls += 1
            tracing.stalled(late_s)
            logger.warning("the event loop was held for %.0f ms", late_s * 1_000)
