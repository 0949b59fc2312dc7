"""What an operator looks at from outside, over HTTP."""

from bot.console.health import (
    Finding,
    Look,
    look_at_database,
    look_at_loop,
    look_at_socket,
    look_at_tools,
    serve_health,
)

__all__ = [
    "Finding",
    "Look",
    "look_at_database",
    "look_at_loop",
    "look_at_socket",
    "look_at_tools",
    "serve_health",
]
