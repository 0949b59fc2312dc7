"""Hundreds of plausible tools: what a fleet of servers for well-known apps would list."""

from collections.abc import Sequence

from agent_core.messages import JsonObject
from agent_core.models import ToolSpec
from agent_core.testing.tools import FakeTool, FakeToolset

APPS = {
    "gmail": ("mail", "label", "draft", "thread"),
    "calendar": ("event", "invitation", "reminder", "room"),
    "github": ("issue", "pull request", "branch", "release"),
    "notion": ("page", "database", "block", "comment"),
    "salesforce": ("lead", "opportunity", "contact", "account"),
    "jira": ("ticket", "sprint", "board", "worklog"),
    "drive": ("file", "folder", "permission", "revision"),
    "edgar": ("filing", "company", "insider trade", "fund holding"),
    "stripe": ("charge", "refund", "invoice", "customer"),
    "youtube": ("video", "playlist", "channel", "transcript"),
    "zendesk": ("request", "macro", "satisfaction rating", "view"),
    "hubspot": ("deal", "campaign", "form", "newsletter"),
    "airtable": ("record", "table", "field", "base"),
}
VERBS = (
    "search",
    "get",
    "create",
    "update",
    "delete",
    "list",
    "export",
    "archive",
    "share",
    "copy",
)


def catalogue(count: int) -> list[ToolSpec]:
    """The first `count` of 520 tools; the servers take turns, so that each count has many."""
    names = [
        (app, verb, nouns[place])
        for place in range(4)
        for verb in VERBS
        for app, nouns in APPS.items()
    ]
    return [_spec(*name) for name in names[:count]]


def fake_tools(specs: Sequence[ToolSpec]) -> FakeToolset:
    """Tools that are described so, and all say the same."""

    async def say(*_: object) -> str:
        return "said"

    return FakeToolset(
        {
            spec.name: FakeTool(
                run=say, description=spec.description, input_schema=spec.input_schema
            )
            for spec in specs
        }
    )


def _spec(app: str, verb: str, noun: str) -> ToolSpec:
    return ToolSpec(
        name=f"mcp__{app}__{verb}_{noun.replace(' ', '_')}",
        description=(
            f"{verb.capitalize()} one or more {noun}s in {app.capitalize()}. Needs a connected "
            "account. Answers with the identifiers and the main fields of what was found or done."
        ),
        input_schema=_schema(noun),
    )


def _schema(noun: str) -> JsonObject:
    return {
        "type": "object",
        "properties": {
            f"{noun.replace(' ', '_')}_id": {"type": "string", "description": "Which one."},
            "fields": {"type": "object", "description": "Values by name."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
        },
        "required": ["limit"],
    }
