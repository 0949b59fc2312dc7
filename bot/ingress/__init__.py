"""Slack's payloads on their way in: authorised, recorded, acknowledged, handed over."""

from bot.ingress.actions import Actions
from bot.ingress.authorise import Facts, Rules, authorise, screen
from bot.ingress.catch_up import CatchUp
from bot.ingress.gate import Taken, tell_alone
from bot.ingress.gestures import COMMAND_TEXT, HOME_OPENED, Press, Submission
from bot.ingress.handover import MAX_MB, Fault, LeftOut
from bot.ingress.ingress import Ingress, leave_to_next_start
from bot.ingress.register import connect_socket, create_app, register, take_up
from bot.ingress.replies import Standing
from bot.ingress.shortcuts import AskAbout

__all__ = [
    "COMMAND_TEXT",
    "HOME_OPENED",
    "MAX_MB",
    "Actions",
    "AskAbout",
    "CatchUp",
    "Facts",
    "Fault",
    "Ingress",
    "LeftOut",
    "Press",
    "Rules",
    "Standing",
    "Submission",
    "Taken",
    "authorise",
    "connect_socket",
    "create_app",
    "leave_to_next_start",
    "register",
    "screen",
    "take_up",
    "tell_alone",
]  # fmt: skip
