"""Tool search: the model sees a core of the tools, and finds the others with `find_tools`.

A tool that is out of sight still runs when it is called; this saves tokens and forbids nothing.
SQLite's BM25 over names, descriptions and parameters ranks what fits a search.
"""

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from fnmatch import fnmatchcase

from agent_core.json_values import as_object
from agent_core.messages import (
    JsonObject,
    Message,
    ToolCall,
    ToolResult,
)
from agent_core.models import ToolSpec
from agent_core.tools.actions import canonical, is_batch, opened, prefix_of
from agent_core.tools.toolset import (
    OnProgress,
    ToolContext,
    ToolOutput,
    Toolset,
    fault_of_arguments,
    unknown_tool,
)

FIND_TOOLS = "find_tools"
BUDGET_TOKENS = 3_000
MIN_OTHERS_TOKENS = 1_000
"""Kept for tools outside the core, however large the core is."""
MAX_FOUND = 8
FOUND = "Found. You can call these now, the best match first:"

_NAME_WEIGHT = 3.0
"""A word in a tool's name says more than one in its description."""
_MAX_DESCRIPTION_CHARS = 2_000
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_PLURAL = re.compile(r"(?<=..[^sui])s$")
_STOP_WORDS = frozenset(
    "a an and by for from in is it of on or that the this to tool with".split()  # noqa: SIM905
)
_CHARS_A_TOKEN = 4
_MAX_LINE_CHARS = 200
_MAX_SCHEMA_CHARS = 3_000
_INPUT: JsonObject = {
    "type": "object",
    "properties": {
        "query": {
            "type": "string",
            "description": "What the tool has to do, in a few words: `send email`, `10-K filings`.",
        }
    },
    "required": ["query"],
    "additionalProperties": False,
}


def is_core(spec: ToolSpec) -> bool:
    """Whether a tool is always in sight: our toolkit, Composio's own tools, the agent's own."""
    if spec.server == "composio":
        return spec.slug.startswith("COMPOSIO_")
    return spec.server in ("", "local_toolkit")


def tokens_of(specs: Sequence[ToolSpec]) -> int:
    """The cost of the tools in a request, at four characters of their JSON a token."""
    return sum(-(-spec.size_chars // _CHARS_A_TOKEN) for spec in specs)


def tools_in_sight(
    specs: Sequence[ToolSpec],
    history: Sequence[Message],
) -> tuple[ToolSpec, ...]:
    """The tools for the model's next request: all of them while they fit the budget.

    Otherwise the core, and behind it, in the order of their finding, what the history found or
    called; where that is too much, the latest of it. The same history gives the same tools.
    """
    core: list[ToolSpec] = []
    others: dict[str, ToolSpec] = {}
    for spec in specs:
        if spec.name == FIND_TOOLS or is_core(spec):
            core.append(spec)
        else:
            others[spec.name] = spec
    left = max(BUDGET_TOKENS - tokens_of(core), MIN_OTHERS_TOKENS)
    if tokens_of(list(others.values())) <= left:
        return tuple(spec for spec in specs if spec.name != FIND_TOOLS)
    mentions = [name for name in _mentions(history) if name in others]
    kept = _latest_within(left, mentions, others)
    in_use = [others[name] for name in dict.fromkeys(mentions) if name in kept]
    return (*core, *in_use)


class AgentTools:
    """One agent's share of a toolset, with `find_tools` added, which searches that share.

    It shows and runs the tools whose full names match a pattern; one that begins with `!` denies,
    and wins. Patterns that only deny let nothing through; say `*` as well. Tools of a server that
    lists none of them but has a tool for batches run inside of a batch, alone or with their like.
    """

    def __init__(self, toolset: Toolset, patterns: Sequence[str] = ("*",)) -> None:
        self._toolset = toolset
        self._allowed = [each for each in patterns if not each.startswith("!")]
        self._denied = [each[1:] for each in patterns if each.startswith("!")]

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        """Every tool, `find_tools` last; `tools_in_sight` takes out what need not be in sight."""
        specs = await self._share(context)
        description = (
            "Finds further tools, which are not shown here to save room. Say in a few words what "
            "the tool has to do; those that fit can be called from then on. "
            f"{_servers(_hidden(specs))}"
        )
        finder = ToolSpec(
            name=FIND_TOOLS,
            description=description,
            input_schema=_INPUT,
            is_repeatable=True,
        )
        return (*specs, finder)

    async def run(self, call: ToolCall, context: ToolContext, progress: OnProgress) -> ToolOutput:
        if call.name == FIND_TOOLS:
            return await self._find(call.arguments, context)
        if not self._lets(call.name):
            known = [spec.name for spec in await self._share(context)]
            refused = call.name
            if call.name in known:
                refused = self._refused(call)
            if refused:
                return unknown_tool(refused, known)
        return await self._toolset.run(call, context, progress)

    def _refused(self, batch: ToolCall) -> str:
        """The first tool in a batch that the agent may not run; empty without one."""
        made = opened(batch)
        for action in made.actions:
            name = f"{made.prefix}{canonical(action.tool)}"
            if not self._lets(name):
                return name
        return ""

    async def _find(self, arguments: JsonObject, context: ToolContext) -> ToolOutput:
        if fault := fault_of_arguments(arguments, _INPUT):
            return ToolOutput(text=f"Invalid arguments for {FIND_TOOLS}: {fault}", is_error=True)
        hidden = _hidden(await self._share(context))
        matches = ranked(arguments["query"], hidden)
        if matches:
            text = "\n".join((FOUND, *map(_entry, matches)))
        else:
            servers = _servers(hidden)
            text = f"No tool fits these words. {servers} Try other words, or go on without."
        return ToolOutput(text=text)

    async def _share(self, context: ToolContext) -> list[ToolSpec]:
        specs = await self._toolset.specs(context)
        listed = {spec.server for spec in specs if self._lets(spec.name)}
        share: list[ToolSpec] = []
        for spec in specs:
            if self._lets(spec.name):
                share.append(spec)
            elif spec.server not in listed and is_batch(spec.slug):
                share += self._batch(spec)
        return share

    def _batch(self, spec: ToolSpec) -> Iterator[ToolSpec]:
        """A tool for batches that runs only what the patterns let through, if they name any."""
        prefix = prefix_of(spec.name)
        inside = [each.removeprefix(prefix) for each in self._allowed if each.startswith(prefix)]
        if inside and not self._denies(spec.name):
            only = ", ".join(inside)
            note = f"{spec.description}\n\nYou may run only these tools with it: {only}."
            yield replace(spec, description=note)

    def _lets(self, name: str) -> bool:
        is_allowed = any(fnmatchcase(name, pattern) for pattern in self._allowed)
        return is_allowed and not self._denies(name)

    def _denies(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self._denied)


def _hidden(specs: Sequence[ToolSpec]) -> list[ToolSpec]:
    return [spec for spec in specs if not is_core(spec)]


def _latest_within(
    budget_tokens: int, mentions: Sequence[str], specs: dict[str, ToolSpec]
) -> set[str]:
    """The last mentioned tools that fit; the very last one whatever its size."""
    kept: set[str] = set()
    for name in dict.fromkeys(reversed(mentions)):
        budget_tokens -= tokens_of([specs[name]])
        if budget_tokens < 0 and kept:
            break
        kept.add(name)
    return kept


def _mentions(history: Sequence[Message]) -> Iterator[str]:
    """Names that were found or called, oldest first; of one search the best comes last."""
    searches: set[str] = set()
    parts = [part for message in history for part in message.parts]
    for part in parts:
        if isinstance(part, ToolCall):
            yield part.name
            if part.name == FIND_TOOLS:
                searches.add(part.id)
        elif isinstance(part, ToolResult) and part.call_id in searches and not part.is_error:
            lines = reversed(part.text.split("\n"))
            yield from (line[2:].partition(": ")[0] for line in lines if line.startswith("- "))


def _entry(spec: ToolSpec) -> str:
    schema = json.dumps(spec.input_schema, ensure_ascii=False, separators=(",", ":"))
    if len(schema) > _MAX_SCHEMA_CHARS:
        schema = "(a long input schema; it stands in the tool's definition)"
    line, _, _ = spec.description.strip().partition("\n")
    if len(line) > _MAX_LINE_CHARS:
        line = f"{line[:_MAX_LINE_CHARS]}…"
    line = line or "(no description)"
    return f"- {spec.name}: {line}\n  {schema}"


def _servers(hidden: Sequence[ToolSpec]) -> str:
    servers = dict.fromkeys(spec.server for spec in hidden)
    return f"There are tools of: {', '.join(servers)}." if servers else "There are none at present."


def ranked(query: str, specs: Sequence[ToolSpec]) -> list[ToolSpec]:
    """The best tools that share a word with the query, best first; equals in the given order."""
    words = dict.fromkeys(_words(query).split())
    if not words:
        return []
    wanted = " OR ".join(f'"{word}"' for word in words)
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute("CREATE VIRTUAL TABLE tools USING fts5(name, description)")
        for number, spec in enumerate(specs):
            name = f"{spec.server} {spec.slug}"
            description = spec.description[:_MAX_DESCRIPTION_CHARS]
            parameters = " ".join(as_object(spec.input_schema.get("properties")))
            index.execute(
                "INSERT INTO tools (rowid, name, description) VALUES (?, ?, ?)",
                (number, _words(name), _words(f"{description} {parameters}")),
            )
        matches = index.execute(
            "SELECT rowid FROM tools WHERE tools MATCH ? "
            "ORDER BY bm25(tools, ?, 1.0), rowid LIMIT ?",
            (wanted, _NAME_WEIGHT, MAX_FOUND),
        )
        return [specs[number] for (number,) in matches]


def _words(text: str) -> str:
    """The words of a text, without plurals: `searchWeb` and `SEARCH_WEBS` are alike."""
    words = [_PLURAL.sub("", word.lower()) for word in _WORD.findall(text)]
    return " ".join(word for word in words if word not in _STOP_WORDS)
