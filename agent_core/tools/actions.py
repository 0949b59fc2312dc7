"""What tool calls and results mean: the names of tools, the actions of a call, the pages named.

A tool is `mcp__<server>__<tool>` for the model. Whether it reads or changes something is decided by
its name alone; the words are in `names.toml`. A call is opened into its actions once, where it is
about to be made (the call itself, or each entry of Composio's batch, however spelled); gate, audit
and taint read the same actions, so that none of them can take a batch for something else.
"""

import json
import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from agent_core.events import Source
from agent_core.json_values import (
    as_object,
    digest_of_json,
    is_list,
    is_nested_too_deeply,
    is_object,
    objects,
    parse_result,
    text_in,
)
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec

MAX_NAME_CHARS = 128
AGENT = "agent__"
"""The prefix of the agent's own tools in a policy; no server's tool can have it."""

_WORDS = Path(__file__).with_name("names.toml")
_KNOWN_NAMES = 4_096
_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")
_DIGEST_CHARS = 8
_PLAIN = re.compile(r"[A-Za-z0-9_.:/-]{1,512}")
_SPACING = re.compile(r"[\W_]+")
_LETTERS = re.compile(r"[A-Z]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(_WORDS.read_text(encoding="utf-8"))


@cache
def name_words(kind: str) -> frozenset[str]:
    """The words of one kind in the list."""
    return frozenset(_tables()[kind])


def app_name(name: str) -> str:
    """An app or server as people call it: `googledocs` is Google Docs, `jira` Jira. Not masked."""
    if known := _tables()["apps"].get(name.lower().replace("_", "")):
        return known
    plain = name.lower() if name.isupper() else name
    words = _SPACING.sub(" ", plain).split()
    return " ".join(word[0].upper() + word[1:] for word in words)


def full_name(server: str, tool: str) -> str:
    """The same name every time; one that is too long is cut and ends in a digest of the whole."""
    name = server_prefix(server) + _clean(tool)
    if len(name) <= MAX_NAME_CHARS:
        return name
    digest = digest_of_json([server, tool])[:_DIGEST_CHARS]
    begin = name[: MAX_NAME_CHARS - _DIGEST_CHARS - 1]
    return f"{begin}_{digest}"


def server_prefix(server: str) -> str:
    """The beginning of the names of all of a server's tools."""
    return f"mcp__{_clean(server)}__"


def _clean(name: str) -> str:
    """`name` with every character that providers refuse replaced by `_`."""
    return _FORBIDDEN.sub("_", name)


def slug_of(name: str) -> str:
    """`GMAIL_SEND_EMAIL` of `mcp__composio__GMAIL_SEND_EMAIL`; a name without a server is its own.

    What cannot be told from the server's name counts as the tool's, so that no word is lost.
    """
    return _parts(name)[2]


def server_of(name: str) -> str:
    """`composio` of `mcp__composio__GMAIL_SEND_EMAIL`; empty for the agent's own tools."""
    return _parts(name)[1]


def prefix_of(name: str) -> str:
    """`mcp__composio__` of `mcp__composio__GMAIL_SEND_EMAIL`; the agent's own for its own tools."""
    return _parts(name)[0]


@lru_cache(_KNOWN_NAMES)
def _parts(name: str) -> tuple[str, str, str]:
    """Prefix, server and slug."""
    parts = name.split("__", 2)
    if len(parts) < 3 or parts[0] != "mcp":
        return AGENT, "", name
    _, server, slug = parts
    return f"mcp__{server}__", server, slug


def canonical(slug: str) -> str:
    """The form in which slugs are compared: upper case, the prefix `RUBE_` as `COMPOSIO_`.

    Empty for what is no plain name: letters of other alphabets that look like ours, signs that
    nobody sees. Never send this.
    """
    if not _PLAIN.fullmatch(slug):
        return ""
    upper = slug.upper()
    if upper.startswith("RUBE_"):
        return f"COMPOSIO_{upper.removeprefix('RUBE_')}"
    return upper


@lru_cache(_KNOWN_NAMES)
def reads(name: str) -> bool:
    """Whether a slug or full name says, in whole words, that the tool reads and changes nothing.

    A word of change always wins, and a name without a known word does not read. Neither does one
    that was cut to fit: the word may be in what is missing.
    """
    slug = slug_of(name)
    if len(name) >= MAX_NAME_CHARS or not canonical(slug):
        return False
    words = [word.upper() for word in _CAMEL.findall(slug)]
    every = {*words, *_LETTERS.findall(slug.upper())}
    for kind in ("changing", "secrets"):
        if not every.isdisjoint(name_words(kind)):
            return False
    if every.isdisjoint(name_words("reading")):
        return False
    return not _has_deed(words)


def _has_deed(words: list[str]) -> bool:
    """Whether nothing is read, or a word that may be a thing is a deed.

    It is a deed before the word of reading, or joined to it.
    """
    either = name_words("either")
    joining = name_words("joining")
    is_read = False
    before = ""
    for word in words:
        if word in name_words("reading") and before not in name_words("before_things"):
            is_read = True
        elif not is_read and (word in either or _changes(word)):
            return True
        if before in joining and _changes(word):
            return True
        before = word
    if not is_read:
        return True
    return not either.isdisjoint(words) and not joining.isdisjoint(words)


def _changes(word: str) -> bool:
    """Whether it is a form of a word of change: `ADDS`, `MOVED`, `CANCELLING`."""
    changing = name_words("changing")
    for ending, replacement in _tables()["endings"]:
        if not word.endswith(ending):
            continue
        stem = word.removesuffix(ending) + replacement
        if stem in changing:
            return True
        is_doubled = stem[-2:-1] == stem[-1:]
        if is_doubled and stem[:-1] in changing:
            return True
    return False


MAX_DEPTH = 3
"""Batches in batches; what lies deeper cannot be read."""

COMPOSIO = "mcp__composio__"

_BATCHES = frozenset({"MULTI_EXECUTE_TOOL", "MULTI_EXECUTE_TOOLS", "MULTI_EXECUTE"})
_SLUGS = ("tool_slug", "slug", "tool", "tool_name", "name")
_ARGUMENTS = "arguments"
_ACCOUNT = "account"
_OF_AN_ENTRY = {_ARGUMENTS, _ACCOUNT, *_SLUGS}
_OF_A_BATCH = frozenset(
    {
        "tools", "current_step", "current_step_metric", "memory", "session", "session_id",
        "sync_response_to_workbench", "thought",
    }
)  # fmt: skip
"""The tools of a batch, and the fields beside them that run nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing that a call would do."""

    tool: str
    """The app's own name of the tool, as written; empty when nobody can tell: never allow it."""
    arguments: JsonObject
    """In full, as they would be sent, with everything else that stands in an entry; for an entry
    that cannot be read, the entry."""
    account: str = ""
    """The account that the call names; empty when it leaves the choice open."""
    reads: bool = False
    """The tool's name says that it reads and changes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedCall:
    """A call with all that it would do."""

    call: ToolCall
    actions: tuple[Action, ...]
    """Every entry of a batch, of batches in it as well, or the call itself. Never empty: a batch
    without entries has one that cannot be read."""
    is_batch: bool

    @property
    def name(self) -> str:
        """The full name of the called tool."""
        return self.call.name

    @property
    def slug(self) -> str:
        """`GMAIL_SEND_EMAIL` of an app's tool; the agent's own tools have their name."""
        return slug_of(self.name)

    @property
    def prefix(self) -> str:
        """`mcp__composio__` of an app's tool; the agent's own for its own tools."""
        return prefix_of(self.name)

    @property
    def is_composio(self) -> bool:
        return self.prefix == COMPOSIO

    def is_repeatable(self, spec: ToolSpec | None) -> bool:
        """Whether making the call once more, after it may have run, changes nothing.

        A name that nobody knows (no `spec`) does nothing. Otherwise all that it would do has to be
        reading, by name, whether it is called directly or in a batch.
        """
        return spec is None or spec.is_repeatable or all(each.reads for each in self.actions)


def opened(call: ToolCall) -> OpenedCall:
    """The call with its actions."""
    prefix = prefix_of(call.name)
    whole = Action(tool=slug_of(call.name), arguments=call.arguments)
    actions: list[Action] = []
    for action in _actions(whole, MAX_DEPTH):
        is_reading = bool(canonical(action.tool)) and reads(f"{prefix}{action.tool}")
        actions.append(replace(action, reads=is_reading))
    return OpenedCall(call=call, actions=tuple(actions), is_batch=is_batch(whole.tool))


def is_batch(slug: str) -> bool:
    """Whether the tool runs others."""
    return canonical(slug).removeprefix("COMPOSIO_") in _BATCHES


def batch_results(result: JsonObject) -> list[object] | None:
    """The results of a batch's entries; None where there are none."""
    results = as_object(result.get("data")).get("results")
    return results if is_list(results) else None


def _actions(call: Action, depth: int) -> list[Action]:
    if not canonical(call.tool):
        return [_unreadable(call.arguments)]
    if not is_batch(call.tool):
        return [call]
    entries = _read_json(call.arguments.get("tools"))
    if not depth or not is_list(entries) or not entries or _has_more(call.arguments):
        return [_unreadable(call.arguments)]
    actions: list[Action] = []
    for entry in entries:
        actions += _actions(_entry(entry, call.account), depth - 1)
    return actions


def _has_more(batch: JsonObject) -> bool:
    """Whether an unknown field could hold further tools."""
    unknown = [value for name, value in batch.items() if name not in _OF_A_BATCH]
    return any(isinstance(_read_json(value), list | dict) for value in unknown)


def _entry(entry: object, outer_account: str) -> Action:
    if not is_object(entry):
        return _unreadable({"entry": entry})
    slug = _slug(entry)
    arguments = _arguments(entry)
    account = entry.get(_ACCOUNT) or outer_account
    if not slug or arguments is None or not isinstance(account, str):
        return _unreadable(entry)
    return Action(tool=slug, arguments=arguments, account=account)


def _slug(fields: JsonObject) -> str:
    """Empty where there is none, or two that differ: one would be judged and the other be run."""
    slugs = [fields[name] for name in _SLUGS if fields.get(name) is not None]
    if not slugs or not isinstance(slugs[0], str):
        return ""
    return slugs[0] if slugs.count(slugs[0]) == len(slugs) else ""


def _arguments(fields: JsonObject) -> JsonObject | None:
    written = fields.get(_ARGUMENTS)
    arguments = _read_json({} if written is None else written)
    if not is_object(arguments):
        return None
    more = {name: value for name, value in fields.items() if name not in _OF_AN_ENTRY}
    if more:
        return {_ARGUMENTS: arguments, **more}
    return arguments


def _unreadable(entry: JsonObject) -> Action:
    return Action(tool="", arguments=entry)


def _read_json(value: object) -> object:
    """A value that may be written as JSON in a string; a string without JSON stays itself."""
    if not isinstance(value, str):
        return value
    try:
        inner: object = json.loads(value, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError):
        return value
    return value if is_nested_too_deeply(inner) else inner


def _without_doubles(pairs: list[tuple[str, Any]]) -> JsonObject:
    """Refuses two values under one name: nobody knows which of them the other side takes."""
    names = dict(pairs)
    if len(names) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return names


MAX_SOURCES = 20
MAX_URL_CHARS = 1_000
MAX_TITLE_CHARS = 200
_DEPTH = 9
"""A search that a batch carries lies so deep."""


def sources_in(text: str) -> tuple[Source, ...]:
    """The pages that a result names: found with a title, or read by a tool that says so.

    A result in any other form than JSON, or of which only a part is here, names none.
    """
    sources: dict[str, Source] = {}
    for item in objects(parse_result(text), _DEPTH):
        source = _source(item)
        if source is not None:
            sources.setdefault(source.url, source)
        if len(sources) == MAX_SOURCES:
            break
    return tuple(sources.values())


def _source(item: JsonObject) -> Source | None:
    url = text_in(item, "link", "url")
    title = text_in(item, "title")
    status = item.get("status")
    if not url.startswith(("http://", "https://")) or len(url) > MAX_URL_CHARS:
        return None
    is_hit = bool(title) and status is None
    if not is_hit and status != "success":
        return None
    return Source(url=url, title=" ".join(title.split())[:MAX_TITLE_CHARS])
