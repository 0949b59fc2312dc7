"""The local toolkit's processes that this process has started, as the system knows them."""

import os
import signal
from pathlib import Path


def toolkit_pids() -> set[int]:
    """The direct children of this process that run `mcp_local`."""
    return {pid for pid in _children() if b"mcp_local" in _command(pid)}


def kill(pid: int) -> None:
    """End a process at once, as the kernel would for want of memory."""
    os.kill(pid, signal.SIGKILL)


def _children() -> set[int]:
    listed = Path("/proc/self/task").glob("*/children")
    return {int(pid) for path in listed for pid in path.read_text(encoding="ascii").split()}


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()
