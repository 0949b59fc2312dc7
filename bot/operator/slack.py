"""The two Slack tokens: whose they are, what they may do, and whether a socket opens."""

from collections.abc import Awaitable, Callable
from functools import partial

import aiohttp

from bot.operator.findings import Check, Finding, fine, warning, wrong
from bot.settings import HOW_TO_GET, BotSettings
from bot.slack_api import (
    LIMITED_BACKOFF,
    AsyncWebClient,
    MonotonicClock,
    SlackApi,
    SlackAuthRefused,
    SlackError,
    SlackLimited,
    SlackUnavailable,
    web_client,
)
from bot.slack_api.calls import TABLE
from bot.socket import Timing, open_connection, trouble_of_error

AGENT_VIEW = "assistant:write"
"""Comes with the manifest's agent view. Without it the bot works in channels all the same."""


def slack_checks(settings: BotSettings) -> list[Check]:
    """The bot token with its scopes, and Socket Mode with the app token."""
    looks = {
        "Slack bot token": ("SLACK_BOT_TOKEN", _look_at_scopes),
        "Slack Socket Mode": ("SLACK_APP_TOKEN", _look_at_socket),
    }
    return [
        Check(title=title, look=partial(_try, name, settings, look), needs=(name, "SLACK_API_URL"))
        for title, (name, look) in looks.items()
    ]


async def _try(
    name: str, settings: BotSettings, look: Callable[[AsyncWebClient], Awaitable[Finding]]
) -> Finding:
    token: str = getattr(settings, name.lower()).get_secret_value()
    if not token:
        return wrong(f"{name} is not set: {HOW_TO_GET[name]}.")
    try:
        async with aiohttp.ClientSession() as session:
            return await look(web_client(token, base_url=settings.slack_api_url, session=session))
    except SlackAuthRefused as error:
        return wrong(f"Slack refuses {name} ({error.code}): {HOW_TO_GET[name]}.")
    except SlackLimited as error:
        wait_s = f"{error.retry_after_s or LIMITED_BACKOFF.longest_s:.0f}"
        return warning(f"Slack asks for a pause; check again in {wait_s} seconds.")
    except SlackUnavailable as error:
        return wrong(
            f"Slack does not answer at {settings.slack_api_url} ({error}); see that this machine "
            "reaches it and that SLACK_API_URL is right."
        )
    except SlackError as error:
        return wrong(f"{trouble_of_error(error).words}.")


async def _look_at_scopes(client: AsyncWebClient) -> Finding:
    token = await SlackApi(client).token()
    who = f"{token.bot} in the team {token.team}"
    if token.scopes is None:
        return warning(f"{who}, but Slack did not say which scopes it has; try it with a mention.")
    if lacking := sorted(TABLE.scopes - token.scopes):
        several = "s" if len(lacking) > 1 else ""
        return wrong(
            f"{who} lacks the scope{several} {', '.join(lacking)}; add what manifest.yml lists "
            "under “OAuth & Permissions”, reinstall the app, and copy the token anew."
        )
    if AGENT_VIEW not in token.scopes:
        return warning(
            f"{who} lacks the scope {AGENT_VIEW}, so it has no agent view; update the app from "
            "manifest.yml and reinstall it."
        )
    return fine(f"{who}, with all {len(TABLE.scopes) + 1} scopes.")


async def _look_at_socket(client: AsyncWebClient) -> Finding:
    async def leave(_: object) -> None:
        """A payload that Slack happens to send is not acknowledged: it comes again elsewhere."""

    connection = await open_connection(
        client.token or "", client, leave, clock=MonotonicClock(), timing=Timing()
    )
    await connection.retire()
    return fine("a socket opened and greeted us.")
