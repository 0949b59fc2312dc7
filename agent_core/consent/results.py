"""Results of calls: which of them taint the session, and connect links taken out of them.

Taint: a session is tainted for good before a model sees text from outside, since what the text asks
for could otherwise be done with a person's accounts. A connect link binds an account of whoever
opens it, so the person gets it privately and no model or file does.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from cachetools import TTLCache

from agent_core.ids import RunId, ToolCallId, TurnId, UserId
from agent_core.json_values import (
    as_object,
    json_in,
    load_strictly,
    text_in,
    texts_in,
    values_in,
)
from agent_core.messages import Message, ToolCall, ToolResult
from agent_core.tools import OpenedCall, ToolOutput, batch_results, canonical
from agent_core.workspaces import write_text
from agent_core.workspaces.layout import SEARCH_RESULTS

SessionMessage = tuple[TurnId, RunId, Message]
"""A message with the turn and the run that it belongs to."""

"""Of each page or tool that is told of."""
MAX_BARE_CHARS = 64
"""An id, a number or a flag is seldom longer."""
MAX_BARE_TEXTS = 40
"""More words than that, one by one in a list, could be a letter."""

_SERVERLESS = ("Task", "ask_user", "find_tools")
"""A sub-agent taints by what its own calls read; a person's answer is no text from outside."""

_LOCAL = "mcp__local_toolkit__"
_LOCAL_WRITERS = (
    "write_local_file",
    "save_corpus",
    "write_report",
    "workbench_upload",
    "upload_to_composio",
)

# Composio's own words about its tools and a person's accounts. Descriptions of tools are as much
# trusted as those of tools that are in sight from the start: whoever configured the server chose
# its words, and if looking for a tool tainted, every session that uses an app would be tainted.
_META = (
    "COMPOSIO_SEARCH_TOOLS",
    "COMPOSIO_GET_TOOL_SCHEMAS",
    "COMPOSIO_MANAGE_CONNECTIONS",
    "COMPOSIO_WAIT_FOR_CONNECTIONS",
)
LOCAL_SEARCHES = ("search_web", "search_news")
"""Of the toolkit, where there is no Composio."""
_META_SERVERS = ("mcp__composio__", "mcp__rube__")

_ANSWER_FIELDS = ("response", "error", "data")
_BARE = re.compile(r"[\w:+=-]*(\d\.\d[\w:+=-]*)?", re.ASCII)
"""Many languages need no white space between words, so there are no letters but ours. Without dots,
slashes and @ no address stands in it: it cannot say where anything should go."""


def brings_outside_text(call: OpenedCall, output: ToolOutput) -> bool:
    """Whether the result may hold words of somebody who is neither in the thread nor of this bot.

    True in all doubt: only what is known to hold none is let off.
    """
    if output.is_ours or _is_ours(call, output):
        return False
    return not _is_bare(_answers_of_apps(call, output.text))


def results_of(messages: Iterable[SessionMessage]) -> Iterator[tuple[ToolCall, ToolResult]]:
    """Each call with its result, in the order of the results."""
    calls: dict[tuple[TurnId, RunId, ToolCallId], ToolCall] = {}
    for turn, run, message in messages:
        for part in message.parts:
            if isinstance(part, ToolCall):
                calls[turn, run, part.id] = part
            elif isinstance(part, ToolResult) and (turn, run, part.call_id) in calls:
                yield calls[turn, run, part.call_id], part


def is_trusted_search(prefix: str, tool: str) -> bool:
    """Whether it is Composio's or the toolkit's web search, trusted with people's words."""
    if prefix == _LOCAL:
        return tool in LOCAL_SEARCHES
    slug = canonical(tool)
    if prefix not in _META_SERVERS or slug in _META:
        return False
    return slug.startswith("COMPOSIO_SEARCH_")


def finds_pages(prefix: str, tool: str) -> bool:
    """Whether the addresses in its results were named by that search, and not by one page."""
    return is_trusted_search(prefix, tool) and "FETCH" not in canonical(tool)


def name_of_record(prefix: str, tool: str) -> str:
    """What the file of a search's results is called: by its server too, if that is not trusted."""
    return tool if finds_pages(prefix, tool) else f"{prefix}{tool}"


def is_record_of_search(path: str) -> bool:
    """Whether a file of the session has what a trusted search found, and nothing else."""
    folder, _, name = path.rpartition("/")
    tool = name.removesuffix(".json")
    is_found = tool.startswith(LOCAL_SEARCHES) or finds_pages(_META_SERVERS[0], tool)
    return folder == SEARCH_RESULTS and tool != name and is_found


def _is_ours(call: OpenedCall, output: ToolOutput) -> bool:
    """Whether the words are this bot's own, or Composio's about its tools."""
    slug = call.slug
    if call.name.startswith(_LOCAL):
        return output.is_error or slug in _LOCAL_WRITERS
    if call.name in _SERVERLESS:
        return True
    return call.name.startswith(_META_SERVERS) and canonical(slug) in _META


def _answers_of_apps(call: OpenedCall, text: str) -> str:
    """Of a batch what the apps said, without Composio's own words around it."""
    if not call.is_batch or not call.name.startswith(_META_SERVERS):
        return text
    fields = as_object(json_in(text))
    results = batch_results(fields)
    if results is None:
        return text
    answers: list[object] = [fields.get("error")]
    for result in results:
        entry = as_object(result)
        answer = [entry.get(name) for name in _ANSWER_FIELDS]
        answers.append(answer if entry else result)
    return json.dumps(answers)


def _is_bare(text: str) -> bool:
    """Nothing, or JSON without a sentence: every name and string is short and in one piece."""
    if not text.strip():
        return True
    try:
        value = load_strictly(text)
    except ValueError:
        return False
    texts = list(texts_in(value))
    if len(texts) > MAX_BARE_TEXTS:
        return False
    return all(len(each) <= MAX_BARE_CHARS and _BARE.fullmatch(each) for each in texts)


FreshLinks = TTLCache[tuple[UserId, str], str]
"""Links by person and app that Composio gave in a result, until they were shown. Never stored."""

_FRESH_FOR_S = 480.0
"""Composio's links live for ten minutes."""
_MAX_FRESH = 10_000

TAKEN_OUT = "(link to connect an account, taken out)"
_NO_LINK = r"\s\"'<>\\)\]}"
"""Signs that end a link."""
_URL = re.compile(rf"https?://[^{_NO_LINK}]+", re.IGNORECASE)
_SLASH = re.compile(r"\\(?:/|u002f)", re.IGNORECASE)
_CONNECTING = ("COMPOSIO_MANAGE_CONNECTIONS", "COMPOSIO_WAIT_FOR_CONNECTIONS")
_FIELDS = ("redirect_url", "connect_url", "auth_url")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stripped:
    """A text without its connect links."""

    text: str
    links: dict[str, str]
    """By app, such as `gmail`; of the service's own structured fields alone. Empty for a link at
    a place that is not known."""
    had_links: bool


@dataclass(frozen=True, slots=True)
class LinkPlaces:
    """Where connect links live: `host`, `host:port`, each perhaps with the beginning of a path."""

    prefixes: Sequence[str]

    def has(self, url: str) -> bool:
        """Whether a URL is one of them."""
        return any(_links_below(prefix).fullmatch(url) for prefix in self.prefixes)

    def strip(self, text: str, *, is_connecting: bool) -> Stripped:
        """Take all connect links out of a tool's words.

        A link counts as one to show only where Composio's tool for connecting names it in a field
        made for it, and only at a known place: what a page, a mail or a row of a table names may
        bind somebody's account to somebody else. Other apps that are named so get a fresh link.
        """
        by_app = dict(_named_links(json_in(text))) if is_connecting else {}
        plain = _SLASH.sub("/", text)
        stripped = plain
        for url in sorted(by_app.values(), key=len, reverse=True):
            stripped = stripped.replace(url, TAKEN_OUT)
            stripped = stripped.replace(url.replace("&", "\\u0026"), TAKEN_OUT)
        for prefix in self.prefixes:
            stripped = _links_below(prefix).sub(TAKEN_OUT, stripped)
        had_links = stripped != plain
        return Stripped(
            text=stripped if had_links else text,
            links={app: url if self.has(url) else "" for app, url in by_app.items()},
            had_links=had_links,
        )

    def strip_file(self, path: Path, *, is_connecting: bool) -> Stripped:
        """Do the same to a result that was saved. It works on the disk."""
        stripped = self.strip(path.read_text(encoding="utf-8"), is_connecting=is_connecting)
        if stripped.had_links:
            write_text(path, stripped.text)
        return stripped


def without_secret(link: str) -> str:
    """Where a link leads, without the part that makes it one person's own."""
    parts = urlsplit(link)
    _, _, host = parts.netloc.rpartition("@")
    folder, _, _ = parts.path.rpartition("/")
    return f"{parts.scheme}://{host}{folder}/…"


def fresh_links(clock: Callable[[], float]) -> FreshLinks:
    """None yet; `clock` gives seconds that only grow."""
    return TTLCache(_MAX_FRESH, _FRESH_FOR_S, timer=clock)


def is_connecting(call: OpenedCall) -> bool:
    """Whether the call's result is Composio's own word on how to connect an account."""
    slug = call.slug
    return call.is_composio and canonical(slug) in _CONNECTING


def apps_to_connect(call: OpenedCall) -> tuple[str, ...]:
    """The apps that a call wants connected, as far as it says so."""
    toolkits: object = call.call.arguments.get("toolkits")
    if not is_connecting(call) or not isinstance(toolkits, list):
        return ()
    apps = [
        app.strip().casefold() for app in cast("list[object]", toolkits) if isinstance(app, str)
    ]
    return tuple(dict.fromkeys(filter(None, apps)))


@cache
def _links_below(prefix: str) -> re.Pattern[str]:
    """Pattern of a link below a prefix, with or without scheme and subdomains."""
    host, _, path = prefix.strip().partition("/")
    port = "" if ":" in host else r"(?::\d+)?"
    site = rf"(?:https?://(?:[\w-]+\.)*)?{re.escape(host)}{port}"
    return re.compile(rf"{site}/{re.escape(path)}[^{_NO_LINK}]+", re.IGNORECASE)


def _named_links(value: object) -> Iterator[tuple[str, str]]:
    """Apps and links of fields that are made for links, wherever in a structure they stand."""
    for path, each in values_in(value):
        url = text_in(each, *_FIELDS)
        if _URL.fullmatch(url):
            app = text_in(each, "toolkit") or "".join(path[-1:])
            yield app.casefold(), url
