"""Named places at which a test lets the process die, as a kernel without memory would.

Nothing happens at them unless one is armed, which only a crash harness does.
"""

import os
import signal

from agent_core.errors import SettingsError

EVENT_POINT = "event."
"""`event.<kind>`: an event was told to its readers."""

POINTS = tuple(
    f"{point}.{side}"
    for point in (
        "ledger",
        "ack",
        "turn",
        "lease",
        "inbox",
        "model_call",
        "tool_call",
        "wait",
        "finish",
        "post",
        "edit",
        "upload_url",
        "upload_bytes",
        "upload_complete",
        "stream_start",
        "stream_append",
        "stream_stop",
        "delete",
    )
    for side in ("before", "after")
)


_passes_left: dict[str, int] = {}
"""By the place that is armed, if any."""


def arm(order: str) -> None:
    """Die at a place: `tool_call.before`, or `tool_call.before:3` for the third time it is passed.

    An empty order arms nothing.

    Raises:
        SettingsError: there is no such place.
    """
    _passes_left.clear()
    name, _, passes = order.strip().partition(":")
    if not name:
        return
    if name not in POINTS and not name.startswith(EVENT_POINT):
        raise SettingsError(f"There is no fault point {name}. There are {', '.join(POINTS)}.")
    if passes and not passes.isdecimal():
        raise SettingsError(f"A fault point's count is a number, not {passes}.")
    _passes_left[name] = int(passes or 1)


def fault_point(name: str) -> None:
    """A place where a test may let the process die."""
    if name in _passes_left:
        _passes_left[name] -= 1
        if _passes_left[name] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
