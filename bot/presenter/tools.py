"""Apps and tool calls in people's words: no names of tools or files, no ids. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from agent_core.runtime import name_of_app
from agent_core.words import Words
from bot.inbound import object_in, objects_in
from bot.render import (
    foreign_line,
    limits,
    plain_line,
    real_host,
)

WITHOUT_CARD = frozenset({"ask_user", "fork", "task", "wait"})
"""A question has a post of its own, and a branch a card of its own."""
REPORT_EXPERT = "report-creation-expert"

_PREFIX = re.compile(r"^(?:mcp__\w+?__)?(?:composio_|rube_)?")
_OWN = re.compile(r"mcp__local_toolkit__|(?:mcp__(?:composio|rube)__)?(?:composio_|rube_)|[^_]*$")
"""Tools whose names say nothing of an app."""
_SPACING = re.compile(r"[\W_]+")
_SERVER = re.compile(r"^mcp__(\w+?)__")
_OF_APPS = ("composio", "rube")
"""Servers whose tools are those of many apps; the app is named in another place."""
_PURPOSES = {
    "check_accounts": "manage_connections my_account wait_for_connections",
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


def app_names(toolkits: tuple[str, ...], words: Words) -> str:
    """Several names as part of a sentence: `Gmail, Slack and GitHub`."""
    names = [app_name(toolkit) for toolkit in toolkits] or ["…"]
    *others, last = names
    if not others:
        return last
    return f"{', '.join(others)} {words('consent-conjunction')} {last}"


def server_name(tool: str) -> str:
    """The server of a tool's full name, as people write it; empty where that says nothing."""
    match = _SERVER.match(tool)
    if match is None or match[1] in _OF_APPS:
        return ""
    return app_name(match[1])


def deed(tool: str, toolkit: str) -> str:
    """What a tool does, from its name: `GMAIL_SEND_EMAIL` of `gmail` is `Send email`."""
    words = _words_of(_SERVER.sub("", tool))
    app = _words_of(toolkit)
    for prefix in (app, ["".join(app)]):
        has_prefix = words[: len(prefix)] == prefix
        if app and has_prefix and len(words) > len(prefix):
            words = words[len(prefix) :]
            break
    return foreign_line(" ".join(words).capitalize(), limits.OPTION_CHARS) or "…"


def _words_of(name: str) -> list[str]:
    return [word for word in _SPACING.split(name.lower()) if word]


def describe(
    tool: str,
    arguments: Mapping[str, Any],
    words: Words,
    titles: Mapping[str, str],
) -> str:
    """A tool call as a card's title; `titles` are those of pages, by address."""
    name = _PREFIX.sub("", tool.lower())
    if name == "multi_execute_tool":
        return _describe_batch(arguments, words, titles)
    purpose = _purpose(name)
    if purpose == "read_pages":
        urls = [*_items(arguments.get("urls")), arguments.get("url")]
        return reading_title([str(url) for url in urls if url], words, titles)
    if purpose == "use_app":
        return _describe_app(tool, name, words)
    query = arguments.get("query") or arguments.get("q") or arguments.get("channel")
    what = "…"
    if isinstance(query, str) and query.strip():
        what = f"“{short(query)}”"
    key = purpose.replace("_", "-")
    return words(f"progress-purpose-{key}", what=what)


def _describe_app(tool: str, name: str, words: Words) -> str:
    if _OWN.match(tool.lower()):
        return words("progress-purpose-use-tool")
    app = server_name(tool)
    if not app:
        first, _, _ = name.strip("_").partition("_")  # `gmail` of `gmail_send_email`
        app = app_name(first)
    return words("progress-purpose-use-app", what=app)


def _describe_batch(arguments: Mapping[str, Any], words: Words, titles: Mapping[str, str]) -> str:
    """A batch of calls has the title of its first call."""
    calls = [call for call in objects_in(arguments, "tools") if call.get("tool_slug")]
    if not calls:
        return words("progress-purpose-find-tools")
    first = calls[0]
    inner = object_in(first, "arguments")
    title = describe(str(first["tool_slug"]), inner, words, titles)
    others = len(calls) - 1
    if not others:
        return title
    return f"{title} {words('progress-more-steps', n=others)}"


def reading_title(urls: Sequence[str], words: Words, titles: Mapping[str, str]) -> str:
    """By the first page whose title is known, with its publisher."""
    first = urls[0] if urls else ""
    for url in urls:
        if titles.get(url):
            first = url
            break
    host = real_host(first) or "…"
    what = short(host.removeprefix("www."))
    if title := titles.get(first):
        what = f"“{short(title)}” ({what})"
    if len(urls) > 1:
        return words("progress-purpose-read-pages", what=what, n=len(urls) - 1)
    return words("progress-purpose-read-page", what=what)


def _purpose(name: str) -> str:
    known = _PURPOSE_OF.get(name)
    if known:
        return known
    if "search" in name and "news" in name:
        return "search_news"
    if name.startswith("search_"):
        return "search_web"
    return "use_app"


def writes(tool: str) -> bool:
    """Whether a tool is given a text for people to read."""
    return _purpose(_PREFIX.sub("", tool.lower())) in ("write_file", "write_report")


def _items(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def short(text: str) -> str:
    """Foreign words inside a line."""
    return plain_line(text, limits.PROGRESS_WORD_CHARS)
