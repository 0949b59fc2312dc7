"""The little servers under `servers/`, as the hub is told of them."""

import sys
from pathlib import Path

from agent_core.tools.servers import StdioServer

SERVERS = Path(__file__).parent / "servers"


def raw(
    manner: str = "well",
    *,
    name: str = "raw",
    received: Path | None = None,
    call_timeout_s: float = 20.0,
    trusted: bool = False,
) -> StdioServer:
    """A server that misbehaves as told; `received` collects the lines that it gets."""
    extra = (str(received),) if received else ()
    return StdioServer(
        name=name,
        command=sys.executable,
        args=("-I", str(SERVERS / "raw.py"), manner, *extra),
        call_timeout_s=call_timeout_s,
        trusted=trusted,
    )


def plain(*, trusted: bool = False, env: dict[str, str] | None = None) -> StdioServer:
    """A well-behaved server made with the SDK."""
    return StdioServer(
        name="plain",
        command=sys.executable,
        args=(str(SERVERS / "plain.py"),),
        trusted=trusted,
        env=env or {},
    )
