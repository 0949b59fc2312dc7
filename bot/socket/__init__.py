"""The Socket Mode connection: one that is open, answered and heard, or a plain word on why not."""

from bot.socket.connection import Envelope, Timing, open_connection
from bot.socket.socket_mode import OnHealed, SocketMode, TokenCheck
from bot.socket.trouble import trouble_of_error

__all__ = [
    "Envelope",
    "OnHealed",
    "SocketMode",
    "Timing",
    "TokenCheck",
    "open_connection",
    "trouble_of_error",
]  # fmt: skip
