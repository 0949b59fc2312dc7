"""Slack's payloads on their way in: authorised, recorded, acknowledged, handed over."""

from bot.ingress.app import connect_socket, create_app
from bot.ingress.authorise import Rules
from bot.ingress.ingress import Ingress
from bot.ingress.register import EVENTS, register
from bot.ingress.seams import FileKeeper, Front, Ledger, LeftOut, Signs
from bot.ingress.taking_up import TakingUp

__all__ = [
    "EVENTS",
    "FileKeeper",
    "Front",
    "Ingress",
    "Ledger",
    "LeftOut",
    "Rules",
    "Signs",
    "TakingUp",
    "connect_socket",
    "create_app",
    "register",
]
