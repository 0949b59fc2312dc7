"""Searches: which tools can run them, which were run, and the calls for the next ones."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.sandbox.model.arguments import field_holding, fill, use
from bot.sandbox.model.conversation import Call, Conversation
from bot.sandbox.model.evidence import objects_in
from bot.sandbox.model.purposes import Tool, read_tools
from bot.sandbox.model.replies import ToolUse
from bot.sandbox.model.wire import Json, as_list, as_object, as_text

QUERY_FIELDS = ("query", "search_query", "keywords", "question", "q")
MAX_USE_CASE_CHARS = 1000
NEWS = "news"


@dataclass(frozen=True, slots=True, kw_only=True)
class Searches:
    """The search tools that a conversation can use, directly or through a batch."""

    direct: tuple[Tool, ...]
    batch: Tool | None
    discovered: tuple[Tool, ...]
    """Tools that only the batch tool runs."""
    session_id: str

    def calls_for(self, queries: Sequence[str]) -> list[ToolUse]:
        """Every search tool with the first query, the first tool with all of them."""
        if self.batch and self.discovered:
            return [
                _queries_in_one_batch(
                    self.batch, _paired(self.discovered, queries), self.session_id
                )
            ]
        pairs = _paired(self.direct, queries)
        return [use(tool, _query(tool, query), topic=query) for tool, query in pairs]


def read_searches(conversation: Conversation) -> Searches:
    """The search tools on offer and those that a discovery brought."""
    found = [e for c in conversation.calls("discover_tools") for e in objects_in(c)]
    sessions = [as_text(as_object(e.get("session")).get("id")) for e in found if e.get("session")]
    return Searches(
        direct=tuple(tool for tool in conversation.tools if tool.purpose == "search"),
        batch=conversation.tool("execute_batch"),
        discovered=_search_tools(found),
        session_id=next((session for session in sessions if session), ""),
    )


def discovery_call(tool: Tool, topic: str) -> ToolUse:
    """A call that looks for tools to search with."""
    cases = [f"search the web for pages about {topic}", f"search recent news about {topic}"]
    queries = [{"use_case": case[:MAX_USE_CASE_CHARS]} for case in cases]
    return use(tool, {"queries": queries, "session": {"generate_id": True}}, topic=topic)


def queries_asked(calls: Sequence[Call]) -> set[str]:
    """The queries of the searches that were run, directly and in batches."""
    asked: set[str] = set()
    for call in calls:
        entries = [as_object(entry) for entry in as_list(call.arguments.get("tools"))]
        inputs = [call.arguments, *(as_object(entry.get("arguments")) for entry in entries)]
        asked |= {as_text(i.get(field)) for i in inputs for field in QUERY_FIELDS if i.get(field)}
    return asked


def _paired(tools: Sequence[Tool], queries: Sequence[str]) -> list[tuple[Tool, str]]:
    first = [(tool, queries[0]) for tool in tools]
    return first + [(tools[0], query) for query in queries[1:]]


def _queries_in_one_batch(
    batch: Tool, pairs: Sequence[tuple[Tool, str]], session_id: str
) -> ToolUse:
    entries: list[Json] = [
        {"tool_slug": tool.name, "arguments": fill(tool.schema, _query(tool, query))}
        for tool, query in pairs
    ]
    return in_one_batch(batch, entries, session_id)


def in_one_batch(
    batch: Tool, entries: Sequence[Json], session_id: str, thought: str = "search"
) -> ToolUse:
    """A call that runs tools by slug, each entry with its arguments."""
    arguments: Json = {"tools": list(entries), "sync_response_to_workbench": False}
    if session_id:
        arguments["session_id"] = session_id
    return use(batch, arguments, topic=thought)


def _query(tool: Tool, query: str) -> Json:
    return {field_holding(tool, *QUERY_FIELDS): query}


def _search_tools(entries: Sequence[Json]) -> tuple[Tool, ...]:
    offered: dict[str, object] = {}
    for entry in entries:
        slug = as_text(entry.get("tool_slug"))
        if slug and entry.get("input_schema"):
            offered[slug] = {**entry, "name": slug}
    tools = [tool for tool in read_tools(list(offered.values())) if tool.purpose == "search"]
    return tuple(sorted(tools, key=lambda tool: NEWS in tool.description.lower()))
