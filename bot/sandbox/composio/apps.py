"""The apps that people ask for and that this stand-in does not have, so that it can say so."""

import re
from dataclasses import dataclass

from bot.sandbox.composio.outcome import Data


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    toolkit: str
    name: str
    words: frozenset[str]


APPS = (
    App(
        toolkit="gmail",
        name="Gmail",
        words=frozenset({"gmail", "email", "emails", "mail", "inbox"}),
    ),
    App(toolkit="slack", name="Slack", words=frozenset({"slack"})),
    App(toolkit="github", name="GitHub", words=frozenset({"github", "repository", "commit"})),
    App(
        toolkit="googlecalendar",
        name="Google Calendar",
        words=frozenset({"calendar", "meeting", "meetings", "event"}),
    ),
    App(toolkit="notion", name="Notion", words=frozenset({"notion"})),
    App(toolkit="googlesheets", name="Google Sheets", words=frozenset({"sheet", "spreadsheet"})),
    App(toolkit="googledrive", name="Google Drive", words=frozenset({"drive"})),
    App(toolkit="linear", name="Linear", words=frozenset({"linear"})),
    App(toolkit="jira", name="Jira", words=frozenset({"jira"})),
    App(toolkit="outlook", name="Outlook", words=frozenset({"outlook"})),
)


def find_app(use_case: str) -> App | None:
    """The first app that a use case names, or None."""
    words = set(re.findall(r"[a-z]+", use_case.casefold()))
    return next((app for app in APPS if words & app.words), None)


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
