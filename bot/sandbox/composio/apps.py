"""The apps that people ask for, by the words they use; some are not in this stand-in."""

import re
from dataclasses import dataclass

from bot.sandbox.composio.outcome import Data

ACCOUNT_WORDS = frozenset(
    {"send", "create", "post", "schedule", "add", "update", "delete", "reply", "invite", "upload"}
    | {"move", "read", "list", "fetch", "get", "check", "my", "our", "put", "write", "open", "file"}
    | {"save", "book", "share", "senden", "schicken", "erstellen", "anlegen", "posten"}
)
"""Words by which a use case is about somebody's account and not about the app as a topic."""
PLAIN_SEARCH = frozenset(
    {"web", "internet", "online", "news", "research", "headlines", "practices", "sources"}
    | {"background", "articles"}
)
"""Words that plainly ask for a search."""
BUILT = frozenset({"gmail", "googlecalendar", "slack", "github", "notion"})
"""The apps that the stand-in has."""


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
        things=frozenset({"email", "emails", "inbox", "mail", "mails"}),
    ),
    App(
        toolkit="googlecalendar",
        name="Google Calendar",
        names=frozenset({"calendars"}),
        things=frozenset({"calendar", "meeting", "meetings", "kalender", "termin"}),
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
    App(
        toolkit="outlook",
        name="Outlook",
        names=frozenset({"outlook"}),
        things=frozenset({"email", "emails", "inbox", "mail", "mails"}),
    ),
)


def find_app(use_case: str) -> App | None:
    """The app whose account a use case is about, or None; of several the one named first.

    A use case that speaks of a search first is about a topic, whatever it names afterwards.
    """
    words = read_words(use_case)
    acts = bool(ACCOUNT_WORDS.intersection(words))
    for word in words:
        if word in PLAIN_SEARCH:
            return None
        fitting = [app for app in APPS if word in app.things or (acts and word in app.names)]
        if fitting:
            return next((app for app in fitting if app.names.intersection(words)), fitting[0])
    return None


def read_words(text: str) -> list[str]:
    """The words of a use case in small letters and in their order."""
    return re.findall(r"[^\W\d_]+", text.casefold())


def find_app_of_tool(slug: str) -> App | None:
    """The app whose toolkit a tool slug belongs to, by its prefix."""
    prefix = slug.partition("_")[0].casefold()
    return next((app for app in APPS if app.toolkit == prefix), None)


def find_app_of_toolkit(toolkit: str) -> App | None:
    """The app with that slug."""
    return next((app for app in APPS if app.toolkit == toolkit), None)


def describe_missing(app: App) -> Data:
    """The connection status of an app that the stand-in does not have."""
    return {
        "toolkit": app.toolkit,
        "description": f"{app.name}, for one person's account.",
        "has_active_connection": False,
        "status_message": explain_missing(app.toolkit),
    }


def explain_missing(toolkit: str) -> str:
    """The sentence about a toolkit that is not there."""
    app = find_app_of_toolkit(toolkit)
    name = app.name if app else f"Toolkit {toolkit!r}"
    return f"{name} is not part of this sandbox, so it cannot be connected."


def describe_absent_tool(slug: str) -> str:
    """Why a slug cannot be run, in the words of the real service where it has some."""
    app = find_app_of_tool(slug)
    if app is not None and app.toolkit not in BUILT:
        return f"No active connected account found for toolkit: {app.toolkit}"
    return f"Tool {slug} not found. Use COMPOSIO_SEARCH_TOOLS to find the slugs there are."
