"""COMPOSIO_SEARCH_TOOLS and COMPOSIO_GET_TOOL_SCHEMAS: which tools there are for a use case."""

import difflib
import secrets
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from bot.sandbox.composio.accounts import Accounts
from bot.sandbox.composio.apps import describe_missing, find_app, read_words
from bot.sandbox.composio.catalogue import Catalogue
from bot.sandbox.composio.connections import describe_status
from bot.sandbox.composio.outcome import Data, Outcome
from bot.sandbox.composio.tools import Caller, Tool

SEARCH_TOOLKIT = "composio_search"
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

    def __init__(
        self, catalogue: Catalogue, accounts: Accounts, clock: Callable[[], datetime]
    ) -> None:
        self._catalogue = catalogue
        self._accounts = accounts
        self._clock = clock

    async def search(self, caller: Caller, arguments: DiscoveryArguments) -> Outcome:
        """The tools for each use case with their schemas and the state of their accounts."""
        tools = self._catalogue.list_tools(caller.session)
        found = [find_tools(query.use_case, tools) for query in arguments.queries]
        results = [
            _describe_result(index, query.use_case, matches)
            for index, (query, matches) in enumerate(zip(arguments.queries, found, strict=True), 1)
        ]
        return Outcome(
            data={
                "results": results,
                "tool_schemas": _describe_schemas(found),
                "toolkit_connection_statuses": self._describe_toolkits(caller, arguments, found),
                "time_info": self._describe_time(),
                "session": _describe_session(arguments.session),
                "next_steps_guidance": _write_guidance(found),
            }
        )

    async def get_schemas(self, caller: Caller, arguments: SchemaArguments) -> Outcome:
        """The schemas of tools by slug; unknown slugs come back with similar ones."""
        tools = {tool.slug: tool for tool in self._catalogue.list_tools(caller.session)}
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

    def _describe_toolkits(
        self, caller: Caller, arguments: DiscoveryArguments, found: list[list[Tool]]
    ) -> list[Data]:
        """The state of each toolkit that was found, then of each that is not there."""
        slugs = dict.fromkeys(tool.toolkit for matches in found for tool in matches)
        statuses = [
            describe_status(self._catalogue.toolkits[slug], self._accounts, caller.user_id)
            for slug in slugs
        ]
        apps = (find_app(query.use_case) for query in arguments.queries)
        absent = {app.toolkit: app for app in apps if app is not None and app.toolkit not in slugs}
        return statuses + [describe_missing(app) for app in absent.values()]

    def _describe_time(self) -> Data:
        now = self._clock()
        return {
            "current_time_utc": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "current_time_utc_epoch_seconds": int(now.timestamp()),
            "message": "Times are in UTC. Ask before assuming the person's time zone.",
        }


def find_tools(use_case: str, tools: Sequence[Tool]) -> list[Tool]:
    """The tools that serve a use case, the best first.

    One about somebody's account has the tools of that app alone, or none; any other the search
    tools, if it shares a word with them.
    """
    app = find_app(use_case)
    words = set(read_words(use_case))
    if app is not None:
        own = [tool for tool in tools if tool.toolkit == app.toolkit]
        return _rank(own, words)
    searches = [tool for tool in tools if tool.toolkit == SEARCH_TOOLKIT]
    ranked = _rank(searches, words)
    return ranked if any(words & tool.keywords for tool in searches) else []


def _rank(tools: Iterable[Tool], words: set[str]) -> list[Tool]:
    return sorted(tools, key=lambda tool: -len(words & tool.keywords))


def _describe_schemas(found: list[list[Tool]]) -> dict[str, Data]:
    """Full for the tools that fit best and for all searches; of the others only a reference."""
    full = {matches[0].slug for matches in found if matches}
    used = {tool.slug: tool for matches in found for tool in matches}
    return {
        slug: tool.as_schema()
        if slug in full or tool.toolkit == SEARCH_TOOLKIT
        else tool.as_reference()
        for slug, tool in used.items()
    }


def _describe_result(index: int, use_case: str, matches: list[Tool]) -> Data:
    slugs = [tool.slug for tool in matches]
    advice = _advise(matches[0]) if matches else _decline(use_case)
    return {
        "index": index,
        "use_case": use_case,
        "primary_tool_slugs": slugs[:1],
        "related_tool_slugs": slugs[1:],
        "toolkits": sorted({tool.toolkit for tool in matches}),
        "error": None,
        **advice,
    }


def _advise(tool: Tool) -> Data:
    advice = {"reasoning": f"{tool.slug} fits best.", "difficulty": "easy"}
    if tool.toolkit == SEARCH_TOOLKIT:
        return advice | {
            "execution_guidance": "Run the tool with one focused query for each aspect.",
            "known_pitfalls": ["Snippets are not the page: open a page before you cite it."],
        }
    return advice | {
        "execution_guidance": "Connect the account if it is not, then run the tool once.",
        "known_pitfalls": ["A call with an effect is not to be repeated after a success."],
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


def _describe_session(asked: WorkflowSession) -> Data:
    fresh = asked.generate_id or asked.id is None
    return {
        "id": secrets.token_hex(2) if fresh else asked.id,
        "generate_id": fresh,
        "instructions": SESSION_RULE,
    }


def _write_guidance(found: list[list[Tool]]) -> list[str]:
    best = dict.fromkeys(matches[0].slug for matches in found if matches)
    if not best:
        return ["No tool was found. Do not make up a slug; say what cannot be done."]
    return [
        f"Run {' or '.join(best)} with COMPOSIO_MULTI_EXECUTE_TOOL; several queries fit one call.",
        "Read the pages that matter in full before you write about them.",
    ]
