"""The apps that people ask for and that this stand-in does not have, so that it can say so."""

import re
from dataclasses import dataclass

from bot.sandbox.composio.outcome import Data

ACCOUNT_WORDS = frozenset(
    {"send", "create", "post", "schedule", "add", "update", "delete", "reply", "invite", "upload"}
    | {"move", "read", "list", "fetch", "get", "check", "my", "our"}
)
"""Words by which a use case is about somebody's account and not about the app as a topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    toolkit: str
    name: str
    names: frozenset[str]
    """Words for the app, which may also be what somebody wants to read about."""
    things: frozenset[str] = frozenset()
    """Words for what lies in an account of the app."""


APPS = (
    App(
        toolkit="gmail",
        name="Gmail",
        names=frozenset({"gmail"}),
        things=frozenset({"email", "emails", "inbox"}),
    ),
    App(
        toolkit="googlecalendar",
        name="Google Calendar",
        names=frozenset({"calendars"}),
        things=frozenset({"calendar", "meeting", "meetings"}),
    ),
    App(
        toolkit="googlesheets",
        name="Google Sheets",
        names=frozenset({"sheets"}),
        things=frozenset({"spreadsheet", "spreadsheets"}),
    ),
    App(toolkit="googledrive", name="Google Drive", names=frozenset({"drive"})),
    App(toolkit="slack", name="Slack", names=frozenset({"slack"})),
    App(toolkit="github", name="GitHub", names=frozenset({"github"})),
    App(toolkit="notion", name="Notion", names=frozenset({"notion"})),
    App(toolkit="linear", name="Linear", names=frozenset({"linear"})),
    App(toolkit="jira", name="Jira", names=frozenset({"jira"})),
    App(toolkit="outlook", name="Outlook", names=frozenset({"outlook"})),
)


def find_app(use_case: str) -> App | None:
    """The first app whose account a use case is about, or None."""
    words = set(re.findall(r"[a-z]+", use_case.casefold()))
    acts = bool(words & ACCOUNT_WORDS)
    return next((app for app in APPS if words & app.things or (acts and words & app.names)), None)


def find_app_of_tool(slug: str) -> App | None:
    """The app whose toolkit a tool slug belongs to, by its prefix."""
    prefix = slug.partition("_")[0].casefold()
    return next((app for app in APPS if app.toolkit == prefix), None)


def describe_missing(app: App) -> Data:
    """The connection status of an app that the stand-in does not have."""
    return {
        "toolkit": app.toolkit,
        "description": f"{app.name}, for one person's account.",
        "has_active_connection": False,
        "status_message": f"{app.name} is not part of this sandbox, so it cannot be connected.",
    }
