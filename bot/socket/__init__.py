"""The Socket Mode connection: one that is open, answered and heard, or a plain word on why not."""

from bot.socket.bolt import acknowledge
from bot.socket.connection import Timing
from bot.socket.door import Door
from bot.socket.socket_mode import Ask, OnHealed, SocketHealth, SocketMode
from bot.socket.trouble import trouble_of_error

__all__ = [
    "Ask",
    "Door",
    "OnHealed",
    "SocketHealth",
    "SocketMode",
    "Timing",
    "acknowledge",
    "trouble_of_error",
]
