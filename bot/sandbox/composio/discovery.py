"""COMPOSIO_SEARCH_TOOLS and COMPOSIO_GET_TOOL_SCHEMAS: which tools there are for a use case."""

import difflib
import re
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from bot.sandbox.composio.apps import describe_missing, find_app, find_app_of_tool
from bot.sandbox.composio.outcome import Data, Outcome
from bot.sandbox.composio.search_tools import describe_toolkit
from bot.sandbox.composio.sessions import Session
from bot.sandbox.composio.tools import Tool

PLAIN_SEARCH = frozenset({"web", "internet", "online", "news", "research"})
SESSION_RULE = "Pass this id as session.id or session_id in the calls that belong to this task."


class UseCase(BaseModel):
    """One thing that tools are looked for."""

    use_case: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1024,
            description="What is to be done, as one plain sentence without personal data.",
        ),
    ]
    known_fields: Annotated[
        str | None, Field(description="Values already known, as `name: value` pairs.")
    ] = None


class WorkflowSession(BaseModel):
    """The id that ties the calls of one task together."""

    id: Annotated[str | None, Field(description="The id that an earlier call returned.")] = None
    generate_id: Annotated[bool, Field(description="True for the first call of a new task.")] = (
        False
    )


class DiscoveryArguments(BaseModel):
    """Arguments of COMPOSIO_SEARCH_TOOLS."""

    queries: Annotated[
        list[UseCase],
        Field(min_length=1, max_length=20, description="One entry for each distinct step."),
    ]
    session: WorkflowSession = WorkflowSession()
    model: Annotated[str | None, Field(description="The name of the model that asks.")] = None


class SchemaArguments(BaseModel):
    """Arguments of COMPOSIO_GET_TOOL_SCHEMAS."""

    tool_slugs: Annotated[
        list[str],
        Field(min_length=1, max_length=50, description="Slugs as COMPOSIO_SEARCH_TOOLS gives."),
    ]
    include: Annotated[
        list[Literal["input_schema", "output_schema"]],
        Field(description="Which schemas to return."),
    ] = ["input_schema"]
    session_id: Annotated[str | None, Field(description="The id of the task.")] = None


class Discovery:
    """Finds tools by the words of a use case; says plainly when there is none."""

    def __init__(self, tools: Sequence[Tool], clock: Callable[[], datetime]) -> None:
        self._tools = tools
        self._clock = clock

    async def search(self, session: Session, arguments: DiscoveryArguments) -> Outcome:
        """The tools for each use case with their schemas and the state of their accounts."""
        tools = [tool for tool in self._tools if session.allows(tool.toolkit)]
        found = [find_tools(query.use_case, tools) for query in arguments.queries]
        results = [
            _describe_result(index, query.use_case, matches)
            for index, (query, matches) in enumerate(zip(arguments.queries, found, strict=True), 1)
        ]
        used = {tool.slug: tool for matches in found for tool in matches}
        return Outcome(
            data={
                "results": results,
                "tool_schemas": {slug: tool.as_schema() for slug, tool in used.items()},
                "toolkit_connection_statuses": _describe_toolkits(arguments, found),
                "time_info": self._describe_time(),
                "session": _describe_session(arguments.session),
                "next_steps_guidance": _write_guidance(used),
            }
        )

    async def get_schemas(self, session: Session, arguments: SchemaArguments) -> Outcome:
        """The schemas of tools by slug; unknown slugs come back with similar ones."""
        tools = {tool.slug: tool for tool in self._tools if session.allows(tool.toolkit)}
        missing = [slug for slug in arguments.tool_slugs if slug not in tools]
        data: Data = {
            "success": not missing,
            "tool_schemas": {
                slug: tools[slug].as_schema() for slug in arguments.tool_slugs if slug in tools
            },
            "not_found": missing,
            "suggestions": {slug: difflib.get_close_matches(slug, tools, n=3) for slug in missing},
        }
        if missing:
            data["not_found_message"] = f"No tool is called {', '.join(missing)}."
        return Outcome(data=data)

    def _describe_time(self) -> Data:
        now = self._clock()
        return {
            "current_time_utc": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "current_time_utc_epoch_seconds": int(now.timestamp()),
            "message": "Times are in UTC. Ask before assuming the person's time zone.",
        }


def find_tools(use_case: str, tools: Sequence[Tool]) -> list[Tool]:
    """The tools whose words a use case shares, those that share the most first.

    A use case about somebody's account that does not plainly ask for a search has none.
    """
    words = set(re.findall(r"[a-z]+", use_case.casefold()))
    matches = {tool.slug: len(words & tool.keywords) for tool in tools}
    if not any(matches.values()):
        return []
    if find_app(use_case) is not None and not words & PLAIN_SEARCH:
        return []
    return sorted(tools, key=lambda tool: -matches[tool.slug])


def _describe_result(index: int, use_case: str, matches: list[Tool]) -> Data:
    slugs = [tool.slug for tool in matches]
    advice = _advise(slugs[0]) if slugs else _decline(use_case)
    return {
        "index": index,
        "use_case": use_case,
        "primary_tool_slugs": slugs[:1],
        "related_tool_slugs": slugs[1:],
        "toolkits": sorted({tool.toolkit for tool in matches}),
        "error": None,
        **advice,
    }


def _advise(slug: str) -> Data:
    return {
        "reasoning": f"{slug} fits best.",
        "difficulty": "easy",
        "execution_guidance": "Run the tool with one focused query for each aspect.",
        "known_pitfalls": ["Snippets are not the page: open a page before you cite it."],
    }


def _decline(use_case: str) -> Data:
    app = find_app(use_case)
    missing = f"there is no {app.name} here" if app else "nothing here serves this use case"
    return {
        "reasoning": f"No tool: {missing}.",
        "difficulty": "not possible",
        "execution_guidance": "Do without it and say so.",
        "known_pitfalls": [],
    }


def _describe_toolkits(arguments: DiscoveryArguments, found: list[list[Tool]]) -> list[Data]:
    statuses = [describe_toolkit()] if any(found) else []
    apps = (find_app(query.use_case) for query in arguments.queries)
    missing = {app.toolkit: app for app in apps if app is not None}
    return statuses + [describe_missing(app) for app in missing.values()]


def _describe_session(asked: WorkflowSession) -> Data:
    fresh = asked.generate_id or asked.id is None
    return {
        "id": secrets.token_hex(2) if fresh else asked.id,
        "generate_id": fresh,
        "instructions": SESSION_RULE,
    }


def _write_guidance(used: dict[str, Tool]) -> list[str]:
    if not used:
        return ["No tool was found. Do not make up a slug; say what cannot be done."]
    return [
        f"Run {' or '.join(used)} with COMPOSIO_MULTI_EXECUTE_TOOL; several queries fit one call.",
        "Read the pages that matter in full before you write about them.",
    ]


def describe_absent_tool(slug: str) -> str:
    """Why a slug cannot be run, in the words of the real service where it has some."""
    app = find_app_of_tool(slug)
    if app is not None:
        return f"No active connected account found for toolkit: {app.toolkit}"
    return f"Tool {slug} not found. Use COMPOSIO_SEARCH_TOOLS to find the slugs there are."
