"""Processes that a process has started, as the system knows them; needs a /proc."""

import os
from pathlib import Path


def children(command: bytes, of: int | None = None) -> list[int]:
    """The direct children, of this process or another, that run a command."""
    listed = Path(f"/proc/{of or os.getpid()}/task").glob("*/children")
    pids = [int(pid) for path in listed for pid in path.read_text(encoding="ascii").split()]
    return [pid for pid in pids if command in Path(f"/proc/{pid}/cmdline").read_bytes()]


def alive(pids: list[int]) -> list[int]:
    """Those that have not ended."""
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]
