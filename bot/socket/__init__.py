"""The Socket Mode connection: one that is open, answered and heard, or a plain word on why not."""

from bot.socket.connection import Envelope, Timing, open_connection
from bot.socket.socket_mode import Ask, OnHealed, SocketHealth, SocketMode
from bot.socket.trouble import trouble_of_error

__all__ = [
    "Ask", "Envelope", "OnHealed", "SocketHealth", "SocketMode", "Timing", "open_connection",
    "trouble_of_error",
]  # fmt: skip
