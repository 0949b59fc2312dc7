"""Apps and tool calls in people's words: no names of tools or files, no ids. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from agent_core.runtime import name_of_app
from agent_core.words import Words
from bot.render import foreign_line, limits, plain_line, real_host

TOLD_OTHERWISE = frozenset({"ask_user", "fork", "task", "wait"})
"""A question has a post of its own, and a branch a card of its own."""
REPORT_EXPERT = "report-creation-expert"

_PREFIX = re.compile(r"^(?:mcp__\w+?__)?(?:composio_|rube_)?")
_OWN = re.compile(r"mcp__local_toolkit__|(?:mcp__(?:composio|rube)__)?(?:composio_|rube_)|[^_]*$")
"""Tools whose names say nothing of an app."""
_SPACING = re.compile(r"[\W_]+")
_SERVER = re.compile(r"^mcp__(\w+?)__")
_OF_APPS = ("composio", "rube")
"""Servers whose tools are those of many apps; which one is told elsewhere."""
_PURPOSES = {
    "check_accounts": "manage_connections wait_for_connections",
    "find_tools": "find_tools get_tool_schemas search_tools",
    "look_back": "find_earlier_work read_earlier_work",
    "mend_post": "correct_my_answer remove_my_post",
    "read_channel": "read_channel",
    "read_file": "list_local_files read_local_file",
    "read_pages": "crawl_parallel search_fetch_url_content webreader",
    "run_code": "remote_bash_tool remote_workbench run_python",
    "save_sources": "save_corpus",
    "search_sources": "search_corpus",
    "upload_file": "save_app_file upload_to_composio workbench_download workbench_upload",
    "write_file": "write_local_file",
    "write_report": "write_report",
}
_PURPOSE_OF = {name: purpose for purpose, names in _PURPOSES.items() for name in names.split()}


def app_name(toolkit: str) -> str:
    """An app's name, safe to show."""
    return foreign_line(name_of_app(toolkit), limits.PROGRESS_WORD_CHARS) or "…"


def app_names(toolkits: tuple[str, ...], conjunction: str) -> str:
    """Several names as part of a sentence: `Gmail, Slack and GitHub`."""
    *others, last = [app_name(toolkit) for toolkit in toolkits] or ["…"]
    return f"{', '.join(others)} {conjunction} {last}" if others else last


def server_name(tool: str) -> str:
    """The server of a tool's full name, as people write it; empty where that says nothing."""
    named = _SERVER.match(tool)
    return app_name(named[1]) if named and named[1] not in _OF_APPS else ""


def deed(tool: str, toolkit: str) -> str:
    """What a tool does, from its name: `GMAIL_SEND_EMAIL` of `gmail` is `Send email`."""
    words = [word for word in _SPACING.split(_SERVER.sub("", tool).lower()) if word]
    of_app = [word for word in _SPACING.split(toolkit.lower()) if word]
    for prefix in (of_app, ["".join(of_app)]):
        if of_app and words[: len(prefix)] == prefix and len(words) > len(prefix):
            words = words[len(prefix) :]
            break
    return foreign_line(" ".join(words).capitalize(), limits.OPTION_CHARS) or "…"


def describe(
    tool: str, arguments: Mapping[str, Any], words: Words, titles: Mapping[str, str]
) -> str:
    """A tool call as a card's title; `titles` are those of pages, by address."""
    name = _PREFIX.sub("", tool.lower())
    if name == "multi_execute_tool":
        return _several(arguments, words, titles)
    purpose = _purpose(name)
    if purpose == "read_pages":
        return reading_title(pages_of(tool, arguments), words, titles)
    if purpose == "use_app":
        if _OWN.match(tool.lower()):
            return words("progress-purpose-use-tool")
        app = name.strip("_").partition("_")[0]  # `gmail` of `gmail_send_email`
        return words("progress-purpose-use-app", what=server_name(tool) or app_name(app))
    query = arguments.get("query") or arguments.get("q") or arguments.get("channel")
    what = f"“{short(query)}”" if isinstance(query, str) and query.strip() else "…"
    return words(f"progress-purpose-{purpose.replace('_', '-')}", what=what)


def pages_of(tool: str, arguments: Mapping[str, Any]) -> list[str]:
    """The addresses that a call reads; none for one that reads no pages."""
    if _purpose(_PREFIX.sub("", tool.lower())) != "read_pages":
        return []
    return [str(url) for url in [*_items(arguments.get("urls")), arguments.get("url")] if url]


def reading_title(urls: Sequence[str], words: Words, titles: Mapping[str, str]) -> str:
    """By the first page whose title is known, with its publisher."""
    first = next((url for url in urls if titles.get(url)), urls[0] if urls else "")
    host = short((real_host(first) or "…").removeprefix("www."))
    what = f"“{short(titles[first])}” ({host})" if titles.get(first) else host
    if len(urls) > 1:
        return words("progress-purpose-read-pages", what=what, n=len(urls) - 1)
    return words("progress-purpose-read-page", what=what)


def _purpose(name: str) -> str:
    if known := _PURPOSE_OF.get(name):
        return known
    if "search" in name and "news" in name:
        return "search_news"
    return "search_web" if name.startswith("search_") else "use_app"


def _several(arguments: Mapping[str, Any], words: Words, titles: Mapping[str, str]) -> str:
    """A call that carries calls is told by the first of them."""
    inner = [call for call in _objects(arguments.get("tools")) if call.get("tool_slug")]
    if not inner:
        return words("progress-purpose-find-tools")
    [carried] = _objects([inner[0].get("arguments")]) or [{}]
    first = describe(str(inner[0]["tool_slug"]), carried, words, titles)
    others = len(inner) - 1
    return f"{first} {words('progress-more-steps', n=others)}" if others else first


def _items(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _objects(value: object) -> list[dict[str, Any]]:
    return [item for item in _items(value) if isinstance(item, dict)]


def short(text: str) -> str:
    """Foreign words inside a line."""
    return plain_line(text, limits.PROGRESS_WORD_CHARS)
