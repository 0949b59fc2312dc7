"""The bot over HTTP: `/healthz` for operators, and a live view of each thread's agents."""

from bot.console.console import Address, Console
from bot.console.health import (
    Finding,
    Look,
    look_at_database,
    look_at_loop,
    look_at_socket,
    look_at_tools,
)

__all__ = [
    "Address", "Console", "Finding", "Look", "look_at_database", "look_at_loop",
    "look_at_socket", "look_at_tools",
]  # fmt: skip
