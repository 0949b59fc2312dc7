"""A tiny world of tools over a dict of pages, and a bare agent loop on the real SDK.

No tool here has the name of a tool of the product: what the stand-in does with them it does by
their descriptions and schemas.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from anthropic import AsyncAnthropic
from anthropic.types import Message, MessageParam, ToolParam, ToolResultBlockParam, ToolUseBlock
from jsonschema import Draft202012Validator

Json = dict[str, Any]
MODEL = "claude-sonnet-5-5"


def check(arguments: Json, schema: Json) -> None:
    """Raise where the arguments do not validate."""
    cast(Any, Draft202012Validator(schema)).validate(arguments)


def tool(name: str, about: str, required: tuple[str, ...] = (), /, **fields: Json) -> ToolParam:
    schema: Json = {"type": "object", "properties": fields, "required": list(required)}
    return {"name": name, "description": about, "input_schema": schema}


TEXT: Json = {"type": "string"}
URLS: Json = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 50}

DISCOVER = tool(
    "look_for_helpers",
    "Finds helpers for what you want to do. Ask before you run anything.",
    ("queries",),
    queries={
        "type": "array",
        "items": {"type": "object", "properties": {"use_case": TEXT}, "required": ["use_case"]},
    },
    session={"type": "object", "properties": {"id": TEXT, "generate_id": {"type": "boolean"}}},
)
BATCH = tool(
    "run_many",
    "Runs helpers in parallel by their slug.",
    ("tools", "sync_response_to_workbench"),
    tools={
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"tool_slug": TEXT, "arguments": {"type": "object"}},
            "required": ["tool_slug", "arguments"],
        },
    },
    sync_response_to_workbench={"type": "boolean"},
    session_id=TEXT,
)
WEB_SEARCH = tool("seek", "Searches the web and returns pages for a query.", ("query",), query=TEXT)
DELEGATE = tool(
    "pass_on",
    "Gives a task to a sub-agent. Available: \n- `haiku-poet`: writes haikus about anything.\n"
    "- `paper-smith`: MUST be used for every report, detailed or in-depth work, analysis, summary.",
    ("subagent_type", "prompt", "description"),
    subagent_type=TEXT,
    prompt=TEXT,
    description={"type": "string", "maxLength": 80},
)
CRAWL = tool(
    "grab",
    "Read web pages in parallel and keep their main text for this session. Never returns bodies.",
    ("urls",),
    urls=URLS,
    session_dir={"type": "string", "default": ""},
)
SAVE = tool(
    "stow",
    "Saves the fetched pages as the session's corpus of evidence.",
    (),
    articles={
        "anyOf": [
            {
                "type": "array",
                "items": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/Article"}]},
            },
            {"type": "null"},
        ]
    },
)
DIG = tool(
    "dig",
    "Finds passages in the saved corpus or, before there is one, in the search results.",
    ("query",),
    query=TEXT,
    limit={"type": "integer", "minimum": 1, "maximum": 12},
)
SOURCES = tool("numbering", "Lists the sources of this session with their numbers.")
PEEK = tool(
    "peek",
    "Read part of a file of the session.",
    ("path",),
    path=TEXT,
    offset={"type": "integer", "minimum": 0},
    limit={"type": "integer"},
)
PUBLISH = tool(
    "publish",
    "Turns Markdown with [n] citations into the finished HTML report.",
    ("title", "markdown"),
    title=TEXT,
    markdown=TEXT,
    summary=TEXT,
    language={"type": "string", "enum": ["en", "de", "fr", "es"]},
)
ESCAPE = tool(
    "not_me",
    "Call this instead of answering when the answer needs tools, fresh data, an action or files.",
    ("reason",),
    reason=TEXT,
)

MAIN_TOOLS = [DISCOVER, BATCH, DELEGATE, CRAWL, PEEK]
EXPERT_TOOLS = [CRAWL, SAVE, DIG, SOURCES, PEEK, PUBLISH]
SEARCH_SCHEMA: Json = {"type": "object", "properties": {"query": TEXT}, "required": ["query"]}
HELPERS: dict[str, Json] = {
    "XY_WEB": {"description": "Searches the web and returns up to ten pages for a query."},
    "XY_NEWS": {"description": "Searches recent news articles on the web for a query."},
}


@dataclass
class World:
    """Pages by URL with Markdown bodies; everything that the tools did is kept."""

    pages: dict[str, str]
    page_chars: int = 700
    """How much of a file one reading brings."""
    broken: frozenset[str] = frozenset()
    refused: frozenset[int] = frozenset()
    """Source numbers that the report tool refuses once."""
    complaint: str = ""
    """What the first delegation is answered with."""
    called: list[tuple[str, Json]] = field(default_factory=list[tuple[str, Json]])
    corpus: list[str] = field(default_factory=list[str])
    reports: list[Json] = field(default_factory=list[Json])
    steps: list[list[str]] = field(default_factory=list[list[str]])
    """Tool names called in each reply."""

    def names(self) -> list[str]:
        return [name for name, _ in self.called]

    def inputs(self, name: str) -> list[Json]:
        return [arguments for called, arguments in self.called if called == name]

    def search(self, query: str) -> list[Json]:
        wanted = {word.lower() for word in re.findall(r"\w+", query)}
        hits = [
            {"url": url, "title": _title(body), "snippet": _snippet(body)}
            for url, body in self.pages.items()
            if wanted & {word.lower() for word in re.findall(r"\w+", body)}
        ]
        return hits[:10]

    def run(self, name: str, arguments: Json) -> str:
        self.called.append((name, arguments))
        actions: dict[str, Callable[[Json], str]] = {
            "look_for_helpers": self._discover,
            "run_many": self._batch,
            "seek": lambda a: _answer({"results": {"organic_results": self.search(a["query"])}}),
            "grab": self._crawl,
            "stow": self._save,
            "dig": self._dig,
            "numbering": lambda _: json.dumps({"sources": self._sources()}),
            "peek": self._peek,
            "publish": self._publish,
        }
        return actions[name](arguments)

    def _discover(self, arguments: Json) -> str:
        schemas = {
            slug: {"tool_slug": slug, "input_schema": SEARCH_SCHEMA, **about}
            for slug, about in HELPERS.items()
        }
        queries = len(arguments["queries"])
        results = [{"index": n, "primary_tool_slugs": list(HELPERS)} for n in range(1, queries + 1)]
        session = {"id": "wf1", "generate_id": True}
        return _answer({"results": results, "tool_schemas": schemas, "session": session})

    def _batch(self, arguments: Json) -> str:
        results: list[Json] = []
        for index, entry in enumerate(arguments["tools"]):
            hits = self.search(entry["arguments"]["query"])
            if entry["tool_slug"] == "XY_NEWS":
                data: Json = {"news_results": [{**h, "link": h["url"]} for h in hits[:1]]}
            else:
                data = {"answer": "Prose.", "citations": hits}
            results.append({"index": index, "response": {"successful": True, "data": data}})
        return _answer({"results": results})

    def _crawl(self, arguments: Json) -> str:
        rows = [self._row(url) for url in arguments["urls"]]
        return json.dumps({"success": True, "pages": rows})

    def _row(self, url: str) -> Json:
        ok = url in self.pages and url not in self.broken
        status = "success" if ok else "failed: not found (404)"
        return {"url": url, "title": url, "words": 9, "path": _path(url), "status": status}

    def _save(self, arguments: Json) -> str:
        self.corpus += [url for url in arguments["articles"] if url not in self.corpus]
        return json.dumps({"success": True, "sources": self._sources()})

    def _sources(self) -> list[Json]:
        urls = self.corpus or list(self.pages)
        return [{"n": n, **self._row(url)} for n, url in enumerate(urls, start=1)]

    def _dig(self, arguments: Json) -> str:
        kind = "page" if self.corpus else "snippet"
        passages = [
            {"n": source["n"], "url": source["url"], "title": "", "text": text, "kind": kind}
            for source in self._sources()
            for text in self.pages[source["url"]].split("\n\n")[1:2]
        ]
        return json.dumps({"passages": passages[: arguments.get("limit", 8)]})

    def _peek(self, arguments: Json) -> str:
        text = next(body for url, body in self.pages.items() if _path(url) == arguments["path"])
        text = f"---\nurl: x\ntitle: y\n---\n\n{text}"
        start = int(arguments.get("offset", 0))
        end = start + self.page_chars
        following = end if end < len(text) else None
        return json.dumps(
            {"text": text[start:end], "total_chars": len(text), "next_offset": following}
        )

    def _publish(self, arguments: Json) -> str:
        cited = {int(n) for n in re.findall(r"(?<!\\)\[(\d+)\]", arguments["markdown"])}
        bad = sorted(cited & self.refused) if not self.reports else []
        self.reports.append(arguments)
        if bad:
            return json.dumps({"success": False, "error": f"source [{bad[0]}] does not exist."})
        return json.dumps({"success": True, "path": f"work/{len(self.reports)}.html"})

    def source_of(self, n: int) -> str:
        return self.pages[self.corpus[n - 1]]


@dataclass
class Agent:
    """A bare agent loop; a delegation starts a second one with the expert's tools."""

    client: AsyncAnthropic
    world: World
    tools: list[ToolParam]
    messages: list[MessageParam] = field(default_factory=list[MessageParam])

    async def ask(self, text: str, max_steps: int = 25) -> str:
        self.messages.append({"role": "user", "content": text})
        return await self.conclude(max_steps)

    async def conclude(self, max_steps: int = 25) -> str:
        """Go on from the history as it is until there is no tool call."""
        for _ in range(max_steps):
            reply = await self._reply()
            content = [block.model_dump(exclude_none=True) for block in reply.content]
            self.messages.append({"role": "assistant", "content": cast(Any, content)})
            uses = [block for block in reply.content if isinstance(block, ToolUseBlock)]
            if not uses:
                return "".join(b.text for b in reply.content if b.type == "text")
            self.world.steps.append([use.name for use in uses])
            results = [await self._result(use) for use in uses]
            self.messages.append({"role": "user", "content": results})
        raise AssertionError(f"no end after {max_steps} steps: {self.world.names()}")

    async def _reply(self) -> Message:
        async with self.client.messages.stream(
            model=MODEL, max_tokens=32_000, tools=self.tools, messages=self.messages
        ) as stream:
            return await stream.get_final_message()

    async def _result(self, use: ToolUseBlock) -> ToolResultBlockParam:
        arguments = cast(Json, use.input)
        schema = next(t["input_schema"] for t in self.tools if t["name"] == use.name)
        check(arguments, _without_refs(cast(Json, schema)))
        if use.name == "pass_on":
            text = await self._delegate(arguments)
        else:
            text = self.world.run(use.name, arguments)
        return {"type": "tool_result", "tool_use_id": use.id, "content": text}

    async def _delegate(self, arguments: Json) -> str:
        self.world.called.append(("pass_on", arguments))
        if self.world.complaint:
            complaint, self.world.complaint = self.world.complaint, ""
            return complaint
        expert = Agent(client=self.client, world=self.world, tools=EXPERT_TOOLS)
        return await expert.ask(arguments["prompt"])


def _without_refs(schema: Json) -> Json:
    return {**schema, "$defs": {"Article": {"type": "object"}}}


def _answer(data: Json) -> str:
    return json.dumps({"data": data, "error": None, "successful": True})


def _path(url: str) -> str:
    return "search_results/" + re.sub(r"\W+", "-", url) + ".md"


def _title(body: str) -> str:
    return body.split("\n", 1)[0].lstrip("# ")


def _snippet(body: str) -> str:
    return " ".join(body.split("\n\n")[1].split())[:160]
