"""What a tool call is for, in people's words: no raw arguments, no ids. Pure."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, cast

from agent_core.events import ToolCallFinished
from agent_core.words import Words
from bot.render import foreign_line, limits

TOLD_OTHERWISE = frozenset({"ask_user", "fork", "wait"})
"""A question has a post of its own, and a branch a line of its own."""

_PREFIX = re.compile(r"^(?:mcp__\w+?__)?(?:composio_|rube_)?")
_PURPOSES = {
    "correct_my_answer": "mend_post",
    "crawl_parallel": "read_pages",
    "find_earlier_work": "look_back",
    "find_tools": "find_tools",
    "get_tool_schemas": "find_tools",
    "list_local_files": "list_files",
    "manage_connections": "check_accounts",
    "read_channel": "read_channel",
    "read_earlier_work": "look_back",
    "read_local_file": "read_file",
    "remove_my_post": "mend_post",
    "remote_bash_tool": "run_code",
    "remote_workbench": "run_code",
    "run_python": "run_code",
    "save_app_file": "upload_file",
    "save_corpus": "save_sources",
    "search_corpus": "search_sources",
    "search_tools": "find_tools",
    "task": "ask_agent",
    "upload_to_composio": "upload_file",
    "wait_for_connections": "check_accounts",
    "workbench_download": "upload_file",
    "workbench_upload": "upload_file",
    "write_local_file": "write_file",
    "write_report": "write_report",
}
_FOREIGN_TEXT = ("query", "q", "channel", "path", "file_path", "filename", "name")
_REPORT_EXPERT = "report-creation-expert"
_QUOTED = frozenset({"search_web", "search_news", "search_sources"})
_SUCCESSFUL = re.compile(r'"successful":\s*(\d+)')


def describe(tool: str, arguments: Mapping[str, Any], words: Words) -> str:
    """A tool call as a line of progress. Foreign text in it is escaped and short."""
    name = _PREFIX.sub("", tool.lower())
    if name == "multi_execute_tool":
        return _several(arguments, words)
    purpose = _purpose(name)
    if purpose == "ask_agent":
        return _agent(arguments, words)
    if purpose == "read_pages":
        return _pages(arguments, words)
    what = _what(purpose, arguments) or (_humanised(name) if purpose == "use_tool" else "…")
    return words(f"progress-purpose-{purpose.replace('_', '-')}", what=what)


def pages_read(event: ToolCallFinished) -> int:
    """How many pages a finished call read, as it told somebody; 0 if it told nobody."""
    told = _SUCCESSFUL.search(event.preview)
    is_reader = _purpose(_PREFIX.sub("", event.tool.lower())) == "read_pages"
    return int(told[1]) if is_reader and told else 0


def _purpose(name: str) -> str:
    if known := _PURPOSES.get(name):
        return known
    if "search" in name and "news" in name:
        return "search_news"
    return "search_web" if name.startswith("search_") else "use_tool"


def _several(arguments: Mapping[str, Any], words: Words) -> str:
    """A call that carries calls is told by the first of them."""
    inner = [call for call in _objects(arguments.get("tools")) if call.get("tool_slug")]
    if not inner:
        return words("progress-purpose-find-tools")
    [carried] = _objects([inner[0].get("arguments")]) or [{}]
    first = describe(str(inner[0]["tool_slug"]), carried, words)
    others = len(inner) - 1
    return f"{first} {words('progress-more-steps', n=others)}" if others else first


def _agent(arguments: Mapping[str, Any], words: Words) -> str:
    agent = str(arguments.get("subagent_type") or "")
    if agent == _REPORT_EXPERT:
        return words("progress-purpose-ask-report-expert")
    return words("progress-purpose-ask-agent", what=agent_name(agent, words))


def agent_name(agent: str, words: Words) -> str:
    """What people call a sub-agent."""
    if agent == _REPORT_EXPERT:
        return words("progress-report-expert")
    return _short(re.sub(r"[-_]+", " ", agent) or "…")


def _pages(arguments: Mapping[str, Any], words: Words) -> str:
    urls = _items(arguments.get("urls"))
    if len(urls) == 1:
        host = _short(re.sub(r"^https?://(?:www\.)?", "", str(urls[0])).partition("/")[0])
        return words("progress-purpose-read-file", what=host or "…")
    return words("progress-purpose-read-pages", n=len(urls))


def _what(purpose: str, arguments: Mapping[str, Any]) -> str:
    """What the call is about, where a person could say it: a query, or a file's name."""
    found = (arguments.get(key) for key in _FOREIGN_TEXT)
    value = next((each for each in found if isinstance(each, str) and each.strip()), "")
    if purpose in _QUOTED and value:
        return f"“{_short(value)}”"
    if purpose == "read_channel":
        return f"#{_short(value.removeprefix('#'))}"
    return _short(PurePosixPath(value).name) if purpose in {"read_file", "write_file"} else ""


def _humanised(name: str) -> str:
    """`gmail_send_email` becomes `Gmail send email`."""
    return _short(re.sub(r"[^a-z0-9]+", " ", name).strip().capitalize()) or "…"


def _items(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _objects(value: object) -> list[dict[str, Any]]:
    return [item for item in _items(value) if isinstance(item, dict)]


def _short(text: str) -> str:
    return foreign_line(text, limits.PROGRESS_WORD_CHARS)
