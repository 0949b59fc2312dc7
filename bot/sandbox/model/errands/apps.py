"""The app tool for an order, as a search for tools brought it: slug, schema, account."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.sandbox.model.conversation import Call, Conversation
from bot.sandbox.model.errands.accounts import default_account
from bot.sandbox.model.errands.results import objects_of
from bot.sandbox.model.orders import Kind, Order
from bot.sandbox.model.wire import Json, as_list, as_object, as_text

FITS: dict[Kind, str] = {
    "mail": r"\bsend\w*\s+(?:an?\s+|the\s+)?(?:\w+\s+)?e-?mails?\b",
    "event": r"\b(?:creat|add|insert|schedul)\w*\b.{0,40}\b(?:event|meeting|appointment)s?\b",
    "issue": r"\b(?:creat|open|add|fil)\w*\b.{0,40}\b(?:issue|ticket)s?\b",
    "message": r"\b(?:post|send)\w*\b.{0,30}\bmessages?\b",
    "page": r"\bcreat\w*\b.{0,40}\bpages?\b",
}
USE_CASES: dict[Kind, str] = {
    "mail": "send an email to a person",
    "event": "create an event in the person's calendar",
    "issue": "create an issue in a GitHub repository",
    "message": "send a message to a Slack channel",
    "page": "create a page in Notion",
}
APPS = {
    "github": "GitHub",
    "gitlab": "GitLab",
    "googlecalendar": "Google Calendar",
    "googledocs": "Google Docs",
    "googledrive": "Google Drive",
    "googlesheets": "Google Sheets",
    "hubspot": "HubSpot",
    "linkedin": "LinkedIn",
    "one_drive": "OneDrive",
    "youtube": "YouTube",
}
"""Names that are not just their slug with a capital."""
OTHER_APP = re.compile(r"\b(?:Outlook|GitLab|Jira|Linear)\b", re.IGNORECASE)
OWN_ADDRESS = re.compile(r"\bown (?:e-?mail )?address\b|\bprofile\b.*\be?-?mail address\b", re.I)
READS = re.compile(r"^(?:returns?|gets?|reads?|shows?|retrieves?|fetch\w*)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class AppTool:
    """A tool that only the batch tool runs."""

    slug: str
    toolkit: str
    description: str
    schema: Json | None
    """None where it has to be asked for."""

    @property
    def app(self) -> str:
        """The app as it spells itself."""
        return APPS.get(self.toolkit, self.toolkit.replace("_", " ").capitalize())


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search for tools brought for one order."""

    tool: AppTool | None
    """None where nothing fits."""
    profile: AppTool | None
    """A tool that tells the person's own address."""
    is_connected: bool | None
    """None where nothing is said about the account."""
    account: str
    """Which account to name, where one of several has to be chosen; may be empty."""
    session_id: str
    now: str
    """The time that was told, in ISO form; may be empty."""


def use_case_of(order: Order) -> str:
    """The order as one sentence without personal data, to search for tools with."""
    case = USE_CASES[order.kind]
    app = OTHER_APP.search(order.clause)
    if app is None:
        return case
    return f"{case.replace(' GitHub repository', ' project')} with {app[0]}"


def is_search_for(call: Call, use_case: str) -> bool:
    """Whether a call looked for tools for this use case."""
    queries = [as_object(query) for query in as_list(call.arguments.get("queries"))]
    return any(query.get("use_case") == use_case for query in queries)


def read_found(conversation: Conversation, search: Call, kind: Kind) -> Found:
    """The tool for an order out of the search for it, with schemas that were asked for later."""
    entries = objects_of(search)
    later = [e for call in conversation.calls("get_schemas") for e in objects_of(call)]
    tools = list(_tools([*entries, *later]))
    fitting = [tool for tool in _ranked(tools, entries) if _fits(tool, FITS[kind])]
    tool = next(iter(fitting), None)
    return Found(
        tool=tool,
        profile=_profile(tools, tool),
        is_connected=_connected(entries, tool.toolkit) if tool else None,
        account=default_account(entries, tool.toolkit) if tool else "",
        session_id=_text_in(entries, "session", "id"),
        now=_text_in(entries, "time_info", "current_time_utc"),
    )


def _tools(entries: Sequence[Json]) -> Iterator[AppTool]:
    """Every tool once, with the fullest of what is said about it."""
    known: dict[str, Json] = {}
    for entry in entries:
        if slug := as_text(entry.get("tool_slug")):
            known[slug] = {**known.get(slug, {}), **entry}
    for slug, entry in known.items():
        schema = as_object(entry.get("input_schema")) or as_object(entry.get("input_parameters"))
        yield AppTool(
            slug=slug,
            toolkit=as_text(entry.get("toolkit")) or slug.partition("_")[0].lower(),
            description=as_text(entry.get("description")) or slug.replace("_", " ").lower(),
            schema=schema if schema.get("properties") else None,
        )


def _ranked(tools: Sequence[AppTool], entries: Sequence[Json]) -> list[AppTool]:
    """The tools in the order in which the search names them: primary ones first."""
    keys = ("primary_tool_slugs", "related_tool_slugs")
    named = [as_text(slug) for key in keys for e in entries for slug in as_list(e.get(key))]
    places = {slug: place for place, slug in reversed(list(enumerate(named)))}
    return sorted(tools, key=lambda tool: places.get(tool.slug, len(named)))


def _fits(tool: AppTool, pattern: str) -> bool:
    return re.search(pattern, _first_sentence(tool), re.IGNORECASE) is not None


def _profile(tools: Sequence[AppTool], chosen: AppTool | None) -> AppTool | None:
    """A tool of the same app that only reads, needs no arguments and tells the own address."""
    for tool in tools:
        tells = OWN_ADDRESS.search(tool.description) and READS.search(tool.description)
        needs = as_list((tool.schema or {}).get("required"))
        if chosen and tool.toolkit == chosen.toolkit and tells and not needs:
            return tool
    return None


def _connected(entries: Sequence[Json], toolkit: str) -> bool | None:
    for entry in entries:
        if entry.get("toolkit") == toolkit and "has_active_connection" in entry:
            return entry["has_active_connection"] is True
    return None


def _text_in(entries: Sequence[Json], key: str, inner: str) -> str:
    texts = (as_text(as_object(entry.get(key)).get(inner)) for entry in entries)
    return next(filter(None, texts), "")


def _first_sentence(tool: AppTool) -> str:
    return re.split(r"(?<=[a-z)\]])[.!?](?:\s|$)", tool.description)[0]
