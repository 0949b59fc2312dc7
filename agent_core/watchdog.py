"""A watchdog for the event loop: the function that holds it for long is logged, and counted."""

import asyncio
import logging
import math
import sys
import threading
import time
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

LIMIT_S = 0.25
BEAT_EVERY_S = 0.05
STUCK_S = 5.0
"""A loop that is held for so long is told of before it is free again."""
_HOME = Path(__file__).parents[1]
_OURS = (f"{_HOME}/agent_core/", f"{_HOME}/bot/")

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Lag:
    """How late the loop was, since it is watched."""

    stalls: int = 0
    """How often it was held for longer than the limit."""
    newest_s: float = 0.0
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
        holder = ""
        if not beat.wait(limit_s):
            holder = _find_holder(held)
            if not _ended(beat, is_over, STUCK_S):
                logger.warning("the event loop is held for over %g s by %s", STUCK_S, holder)
                _ended(beat, is_over)
        late_s = time.monotonic() - asked_s
        lag.newest_s = late_s
        lag.worst_s = max(lag.worst_s, late_s)
        lag.worst_cpu_s = max(lag.worst_cpu_s, time.process_time() - cpu_s)
        if late_s > limit_s:
            lag.stalls += 1
            logger.warning(
                "the event loop was held for %.0f ms by %s",
                late_s * 1_000,
                holder or "much at once",
            )


def _ended(beat: threading.Event, is_over: threading.Event, within_s: float = math.inf) -> bool:
    """Wait until the loop is free or watched no more; whether that was in time."""
    begun_s = time.monotonic()
    while time.monotonic() - begun_s < within_s:
        if beat.wait(BEAT_EVERY_S) or is_over.is_set():
            return True
    return False


def _find_holder(thread: int) -> str:
    """The innermost function of ours in a thread, else the innermost of all; logs the stack."""
    frame = sys._current_frames().get(thread)  # pyright: ignore[reportPrivateUsage]
    if frame is None:
        return "a thread that is gone"
    stack = traceback.extract_stack(frame)
    logger.debug("the event loop is held by\n%s", "".join(stack.format()))
    ours = [each for each in stack if each.filename.startswith(_OURS)]
    holder = (ours or stack)[-1]
    return f"{holder.name} ({'/'.join(Path(holder.filename).parts[-2:])}:{holder.lineno})"
