"""The Socket Mode connection: one that is open, answered and heard, or a plain word on why not."""

from bot.socket.bolt import acknowledge
from bot.socket.door import Door
from bot.socket.health import SocketHealth
from bot.socket.pauses import Pauses
from bot.socket.self_test import Ask
from bot.socket.socket_mode import OnHealed, SocketMode
from bot.socket.timing import Timing

__all__ = [
    "Ask",
    "Door",
    "OnHealed",
    "Pauses",
    "SocketHealth",
    "SocketMode",
    "Timing",
    "acknowledge",
]
