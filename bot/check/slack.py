"""The two Slack tokens: whose they are, what they may do, and whether a socket opens."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import aiohttp

from bot.check.checks import Check, Verdict, fine, warning, wrong
from bot.settings import HOW_TO_GET, BotSettings
from bot.slack_api import SlackAuthRefused, SlackError, SlackLimited, SlackUnavailable, web_client
from bot.slack_api.scopes import SCOPES
from bot.slack_api.tokens import BotToken, examine_bot_token, try_socket

EVENT_SCOPES: dict[str, tuple[str, ...]] = {
    "app_mention": ("app_mentions:read",),
    "message": ("channels:history", "groups:history", "im:history", "mpim:history"),
}
"""Without its scope Slack does not send an event."""

NEEDED: frozenset[str] = frozenset(
    scope
    for table in (SCOPES.values(), EVENT_SCOPES.values())
    for group in table
    for scope in group
)
AGENT_VIEW = "assistant:write"
"""Comes with the manifest's agent view. Without it the bot works in channels all the same."""


_REASONS = {
    "link_disabled": "Socket Mode is switched off for the app; switch it on under “Socket Mode”.",
    "too_many_websockets": "the app has as many sockets as Slack allows; stop some of its bots.",
}


def slack_checks(settings: BotSettings) -> list[Check]:
    """The bot token with its scopes, and Socket Mode with the app token."""
    return [
        Check(
            title="Slack bot token",
            look=lambda: _look_at_bot_token(settings),
            needs=("SLACK_BOT_TOKEN", "SLACK_API_URL"),
        ),
        Check(
            title="Slack Socket Mode",
            look=lambda: _look_at_socket(settings),
            needs=("SLACK_APP_TOKEN", "SLACK_API_URL"),
        ),
    ]


async def _look_at_bot_token(settings: BotSettings) -> Verdict:
    name, token = "SLACK_BOT_TOKEN", settings.slack_bot_token
    if not token.get_secret_value():
        return wrong(f"{name} is not set: {HOW_TO_GET[name]}.")
    try:
        async with _session() as session:
            client = web_client(
                token.get_secret_value(), base_url=settings.slack_api_url, session=session
            )
            return _judge_scopes(await examine_bot_token(client))
    except SlackError as error:
        return _explain(error, name, settings.slack_api_url)


def _judge_scopes(found: BotToken) -> Verdict:
    who = f"{found.bot} in the team {found.team}"
    if found.scopes is None:
        return warning(f"{who}, but Slack did not say which scopes it has; try it with a mention.")
    if lacking := sorted(NEEDED - found.scopes):
        return wrong(
            f"{who} lacks {_listed(lacking)}; add what manifest.yml lists under “OAuth & "
            "Permissions”, reinstall the app, and copy the token anew."
        )
    if AGENT_VIEW not in found.scopes:
        return warning(
            f"{who} lacks the scope {AGENT_VIEW}, so it has no agent view; update the app from "
            "manifest.yml and reinstall it."
        )
    return fine(f"{who}, with all {len(NEEDED) + 1} scopes.")


async def _look_at_socket(settings: BotSettings) -> Verdict:
    name, token = "SLACK_APP_TOKEN", settings.slack_app_token
    if not token.get_secret_value():
        return wrong(f"{name} is not set: {HOW_TO_GET[name]}.")
    try:
        async with _session() as session:
            client = web_client(
                token.get_secret_value(), base_url=settings.slack_api_url, session=session
            )
            await try_socket(client, session)
    except SlackError as error:
        return _explain(error, name, settings.slack_api_url)
    return fine("a socket opened and greeted us.")


@asynccontextmanager
async def _session() -> AsyncGenerator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as session:
        yield session


def _explain(error: SlackError, name: str, address: str) -> Verdict:
    match error:
        case SlackAuthRefused():
            return wrong(f"Slack refuses {name} ({error.code}): {HOW_TO_GET[name]}.")
        case SlackLimited():
            wait_s = f"{error.retry_after_s:.0f}"
            return warning(f"Slack asks for a pause; check again in {wait_s} seconds.")
        case SlackUnavailable():
            return wrong(
                f"Slack does not answer at {address} ({error}); see that this machine reaches it "
                "and that SLACK_API_URL is right."
            )
        case _:
            return wrong(_REASONS.get(error.code, f"Slack said no ({error})."))


def _listed(scopes: list[str]) -> str:
    if len(scopes) == 1:
        return f"the scope {scopes[0]}"
    return f"the scopes {', '.join(scopes[:-1])} and {scopes[-1]}"
