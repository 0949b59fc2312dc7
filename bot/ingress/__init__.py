"""Slack's payloads on their way in: authorised, recorded, acknowledged, handed over."""

from bot.ingress.actions import Actions, Handler
from bot.ingress.backfill_run import Backfill, Watermark
from bot.ingress.filter import Rules, authorise, refusal
from bot.ingress.ingress import Ingress, leave_to_next_start
from bot.ingress.register import connect_socket, create_app, register, take_up
from bot.ingress.shortcuts import AskAbout, tell_why

__all__ = [
    "Actions",
    "AskAbout",
    "Backfill",
    "Handler",
    "Ingress",
    "Rules",
    "Watermark",
    "authorise",
    "connect_socket",
    "create_app",
    "leave_to_next_start",
    "refusal",
    "register",
    "take_up",
    "tell_why",
]  # fmt: skip
