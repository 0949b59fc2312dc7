"""The provenance of addresses: which ones a session has literally seen, and who named them.

After text from outside was read, a page may be fetched only if somebody else than the model wrote
its address: else the text could have the model write what it knows into one. Tools repeat what they
are asked, and give back what they store, so a result counts for an address only if no model had
named it before.
"""

import html
import re
from collections.abc import Hashable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import NamedTuple, cast
from urllib.parse import unquote, urlsplit

from cachetools import LRUCache, cached

from agent_core.consent.results import SessionMessage, finds_pages, is_record_of_search
from agent_core.ids import (
    ROOT_RUN,
    RunId,
    ToolCallId,
    TurnId,
    child_run,
    is_in_branch,
)
from agent_core.json_values import json_in, leaves_of, names_in, texts_in
from agent_core.messages import (
    AttachedFile,
    Part,
    Text,
    ToolCall,
    ToolResult,
)
from agent_core.tools import opened
from agent_core.workspaces.layout import (
    DOWNLOADS,
    EXTRACTED_ARTICLES,
    SEARCH_RESULTS,
    TOOL_RESULTS,
)

MAX_ADDRESS_CHARS = 8_192

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ADDRESS_NAME = re.compile(r"(URLS?|URIS?|HREF|LINKS?|SITES?|DOMAIN|HOST)$", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_WITH_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{1,20}://\S+", re.IGNORECASE)
_WITHOUT_SCHEME = re.compile(r"(//|([\w-]+\.)+([A-Za-z][\w-]+|(?<=\d\.)\d+)(:\d+)?[/?#])\S*")
_TOKEN = re.compile(r"[^\s<>\"`|\\\x00-\x1f\x7f]+")
_HOST = re.compile(r"((?<=//)[\w.-]+|(?<![\w.@%-])(?:[\w-]+\.)+[\w-]+)(?::\d*)?")
_BEHIND_HOST = tuple("/?#")
_TRAILING = ".,;:!?)]}>*_\\'\""
_BAD = re.compile(r"[\s\\\x00-\x1f\x7f<>\"]")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_ESCAPED = (("\\/", "/"), ("\\u0026", "&"), ("\\u003d", "="), ("\\u003D", "="))
_MAX_TRAILING = 6
"""Signs of the prose behind an address, such as `**).`"""

_CACHED_TEXTS = 1_000
"""A session's texts are looked through again for each call."""
_CACHED_HOSTS = 4_096

AddressKey = tuple[str, str]
"""Host with port, and the rest."""
TOO_MANY: AddressKey = ("", "")
"""Among the keys of a text that has more than are looked for: any could stand in it."""


def addresses_in(arguments: object) -> tuple[str, ...]:
    """Every address in nested arguments, once each, in order.

    Under a name such as `urls` a text is one as a whole, whatever it looks like; elsewhere all that
    begins with a scheme is. A text that holds JSON there is looked into.
    """
    return tuple(dict.fromkeys(_addresses(arguments)))


def _digest_of(text: str, *, most: int, bare: bool = False) -> Hashable:
    digest = blake2b(text.encode("utf-8", "surrogatepass")).digest()
    return digest, bare, most


@cached(LRUCache(_CACHED_TEXTS), key=_digest_of, lock=Lock())
def keys_in(text: str, *, most: int, bare: bool = False) -> frozenset[AddressKey]:
    """Every address in a text, whole and letter by letter, in one scan.

    Overlooked is what makes no difference to who is asked for what: http for https, upper case in
    the host, the default port, a slash at the end, the fragment, and how a text escapes its signs.
    Signs behind an address may be its own or the prose's, so an address has several readings.

    Args:
        text: Anything.
        most: How many addresses are looked for in a piece without a blank; a piece with more
            of them is there to keep us busy. So the time is linear in the text.
        bare: Names of hosts alone count too: `news.example`, but also `notes.md`.
    """
    keys: set[AddressKey] = set()
    for escaped, sign in _ESCAPED:
        text = text.replace(escaped, sign)
    if "&" in text:
        text = html.unescape(text)
    for match in _TOKEN.finditer(text):
        token = match[0]
        hosts = _HOST.finditer(token)
        for host in islice(hosts, most):
            keys.update(_keys_at(host, token, bare=bare))
        if next(hosts, None):
            keys.add(TOO_MANY)
    return frozenset(keys)


def _keys_at(host: re.Match[str], token: str, *, bare: bool) -> Iterator[AddressKey]:
    """The readings of an address whose host stands there in a piece without a blank."""
    begins, ends = host.span()
    rest = token[ends : begins + MAX_ADDRESS_CHARS]
    if rest.startswith(_BEHIND_HOST):
        key = key_of(host[0])
        if key is not None:
            for reading in _readings(rest):
                yield key[0], _rest_of(reading)
        return
    has_port = ":" in host[0]
    is_behind_scheme = token.endswith("//", 0, begins)
    if not rest.startswith("@") and (bare or has_port or is_behind_scheme):
        for reading in _readings(host[0]):
            key = key_of(reading)
            if key is not None:
                yield key


def _addresses(arguments: object) -> Iterator[str]:
    for name in names_in(arguments):
        yield from _in_prose(name)
    for path, value in leaves_of(arguments):
        text = value.strip() if isinstance(value, str) else ""
        words = _WORD.findall(" ".join(path))
        is_address = any(map(_ADDRESS_NAME.search, words))
        if not text or not is_address:
            yield from _in_prose(text)
            continue
        inside = json_in(text)
        if isinstance(inside, list | dict):
            yield from _addresses({"url": cast("object", inside)})
        else:
            yield text


def _in_prose(text: str) -> Iterator[str]:
    """In a sentence the signs behind an address are the sentence's; alone they are its own."""
    if _WITHOUT_SCHEME.fullmatch(text) or _WITH_SCHEME.fullmatch(text):
        yield text
        return
    for match in _WITH_SCHEME.finditer(text):
        yield match[0].rstrip(_TRAILING)


def _readings(token: str) -> Iterator[str]:
    """What an address may be, without the signs at its end that may be the prose's."""
    yield token
    for bracket in ")]":  # of Markdown, with more of the text directly behind it
        if bracket in token:
            yield token.partition(bracket)[0]
    for _ in range(_MAX_TRAILING):
        if token[-1:] not in _TRAILING:
            return
        token = token[:-1]
        yield token


@lru_cache(maxsize=_CACHED_HOSTS)
def key_of(address: str) -> AddressKey | None:
    """Host with port, and the rest; None for what different readers would read differently."""
    if len(address) > MAX_ADDRESS_CHARS or _BAD.search(address):
        return None
    if not _SCHEME.match(address):
        address = f"//{address.removeprefix('//')}"
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    host = parts.hostname
    if not host or "@" in parts.netloc or parts.scheme not in ("", "http", "https"):
        return None
    if port is not None and port != _DEFAULT_PORTS.get(parts.scheme, 443):
        host = f"{host}:{port}"
    return host, _rest_of(f"{parts.path}?{parts.query}")


def _rest_of(text: str) -> str:
    """Path and query, without the fragment and a slash at the path's end."""
    without_fragment, _, _ = text.partition("#")
    path, _, query = without_fragment.partition("?")
    path = path.rstrip("/")
    return f"{path}?{query}" if query else path


_LOCAL = "mcp__local_toolkit__"
_FETCHING = f"{_LOCAL}crawl_parallel"
_READING_FILES = f"{_LOCAL}read_local_file"
_BY_MODEL = frozenset(
    {
        "Task",
        "fork",
        "run_python",
        "wait",
        f"{_LOCAL}write_local_file",
        f"{_LOCAL}list_local_files",
        f"{_LOCAL}write_report",
    }
)
"""What these come back with are words of a model: of a sub-agent, of its own program, or names of
its own files."""
_CHILD_RESULT = re.compile(r"root\.\S+, which you started, ")
"""So a message begins that tells a run what a child of it came to."""

_MAX_WORDS_CHARS = 12_000
"""A longer message is a document that somebody has pasted."""
_MOST = 32
"""Of addresses that are found in one piece without a blank."""
_MOST_WRITTEN = 256
"""The same of what people and models write."""

_DELEGATING = ("Task", "fork")
_RECORD_FOLDERS = (
    f"{DOWNLOADS}/",
    f"{SEARCH_RESULTS}/",
    f"{TOOL_RESULTS}/",
    f"{EXTRACTED_ARTICLES}/",
)
"""Directories in which the model cannot write."""


_RunKey = tuple[TurnId, RunId]
_Keys = AbstractSet[AddressKey]


class _MessagePosition(NamedTuple):
    """Where a text stands. Runs of one turn go side by side, turns one after another."""

    turn: TurnId
    run: RunId
    number: int
    """Of the message, among all."""

    @property
    def run_key(self) -> _RunKey:
        return self.turn, self.run


_Mentions = dict[AddressKey, dict[_RunKey, _MessagePosition]]
"""By run where an address was first mentioned."""


class _ToolText(NamedTuple):
    """A text that a tool came back with."""

    text: str
    at: _MessagePosition
    call: ToolCall


class AddressProvenance:
    """The addresses that somebody else than a model has written, found in one scan of all texts.

    A sub-agent's words do not count, nor do files that the model can write.

    Args:
        messages: Of all runs of the session.
        workspace: The session's directory.
        words: What people wrote to the bot, and nothing else: no earlier posts, no file.
    """

    def __init__(
        self,
        messages: Sequence[SessionMessage],
        workspace: Path,
        words: Sequence[str] = (),
    ) -> None:
        self.by_people: set[AddressKey] = set()
        self.by_searches: set[AddressKey] = set()
        self.by_others: set[AddressKey] = set()
        """By pages, mails and files, and by posts and files that came with a message."""
        self._workspace = workspace
        self._texts: list[tuple[str, _Keys]] = []
        for text in words:
            if len(text) <= _MAX_WORDS_CHARS:
                keys = keys_in(text, bare=True, most=_MOST_WRITTEN)
                self._add(self.by_people, text, keys)
        for text in _texts_with_messages(messages):
            keys = keys_in(text, most=_MOST)
            self._add(self.by_others, text, keys)
        texts = _SessionTexts(messages)
        for result in texts.results:
            origin = self._named_by(result.call)
            if origin is not None:
                keys = keys_in(result.text, most=_MOST)
                new = texts.new(result, keys, is_search=origin is self.by_searches)
                self._add(origin, result.text, new)

    def has(self, address: str) -> bool:
        """What stands behind `#` may reach a page's own code: it must have been seen as well."""
        key = key_of(address)
        if "#" in address:
            return any(key in keys and address in text for text, keys in self._texts)
        origins = (self.by_people, self.by_searches, self.by_others)
        return any(key in keys for keys in origins)

    def _add(self, origin: set[AddressKey], text: str, keys: _Keys) -> None:
        origin |= keys
        self._texts.append((text, keys))

    def _named_by(self, call: ToolCall) -> set[AddressKey] | None:
        """Whoever names the addresses in a call's result; None for a model."""
        if call.name in _BY_MODEL:
            return None
        if call.name == "ask_user":
            return self.by_people
        if call.name == _READING_FILES:
            path = self._path_of(call)
            if not path.startswith(_RECORD_FOLDERS):
                return None
            return self.by_searches if is_record_of_search(path) else self.by_others
        made = opened(call)
        is_search = all(finds_pages(made.prefix, action.tool) for action in made.actions)
        return self.by_searches if is_search else self.by_others

    def _path_of(self, call: ToolCall) -> str:
        """The path in the session of a file that is read; empty where that is not sure."""
        argument = str(call.arguments.get("path", ""))
        path = PurePosixPath(argument.removeprefix(f"{self._workspace}/"))
        if ".." in path.parts:
            return ""
        return path.as_posix()


class _SessionTexts:
    """What tools came back with, and what models wrote that may be read again."""

    def __init__(self, messages: Sequence[SessionMessage]) -> None:
        self.results: list[_ToolText] = []
        self._written: _Mentions = {}
        """Where a model first wrote an address to where it may be read again, by run."""
        self._spoken: _Mentions = {}
        """The same to people or to another run: no search finds it there meanwhile."""
        self._calls: dict[tuple[_RunKey, ToolCallId], tuple[ToolCall, int]] = {}
        self._began = cache(self._find_beginning)
        for number, (turn, run, message) in enumerate(messages):
            at = _MessagePosition(turn, run, number)
            for part in message.parts:
                self._note(part, at, message.role)

    def new(self, result: _ToolText, keys: _Keys, *, is_search: bool) -> _Keys:
        """Addresses that no model had written before the tool came back with them."""
        asked = set(_written_keys(result.call.arguments))
        new: set[AddressKey] = set()
        if TOO_MANY in asked or self._has_written(TOO_MANY, result.at, is_search):
            return new
        for key in keys - asked:
            if not self._has_written(key, result.at, is_search):
                new.add(key)
        return new

    def _has_written(self, key: AddressKey, result: _MessagePosition, is_search: bool) -> bool:
        for mentions, if_unsure in ((self._written, True), (self._spoken, not is_search)):
            for at in mentions.get(key, {}).values():
                if self._is_older(at, result, if_unsure=if_unsure):
                    return True
        return False

    def _note(self, part: Part, at: _MessagePosition, role: str) -> None:
        match part:
            case ToolCall():
                self._calls[at.run_key, part.id] = (part, at.number)
                # Looking for something puts it nowhere where it could be read again.
                actions = opened(part).actions
                if part.name != _FETCHING and not all(each.reads for each in actions):
                    self._keep(part.arguments, at, is_spoken=part.name in _DELEGATING)
            case ToolResult():
                begun = self._calls.get((at.run_key, part.call_id))
                if begun is not None:
                    call, _ = begun
                    self.results.append(_ToolText(part.text, at, call))
            case Text() if role == "assistant":
                self._keep(part.text, at, is_spoken=True)
            case _:
                pass

    def _keep(self, written: object, at: _MessagePosition, *, is_spoken: bool) -> None:
        mentions = self._spoken if is_spoken else self._written
        for key in _written_keys(written):
            mentions.setdefault(key, {}).setdefault(at.run_key, at)

    def _is_older(
        self,
        mention: _MessagePosition,
        result: _MessagePosition,
        *,
        if_unsure: bool,
    ) -> bool:
        """Whether a model wrote an address before a result named it, in runs side by side too."""
        if mention.turn != result.turn or mention.run == result.run:
            return mention.number < result.number
        begun = self._began(mention.run, result.turn, result.run)
        if begun is not None:
            return begun < result.number
        begun = self._began(result.run, mention.turn, mention.run)
        if begun is not None:
            return mention.number <= begun
        return if_unsure

    def _find_beginning(self, child: RunId, turn: TurnId, parent: RunId) -> int | None:
        """Where in the parent's run the call stands that began a run, or a run above it."""
        for (run_key, call), (_, number) in self._calls.items():
            if run_key != (turn, parent):
                continue
            if is_in_branch(child, child_run(parent, call)):
                return number
        return None


def _texts_with_messages(messages: Sequence[SessionMessage]) -> Iterator[str]:
    """Posts and files that came with people's messages; a sub-agent is told by a model."""
    for _, run, message in messages:
        if run != ROOT_RUN or message.role != "user":
            continue
        for part in message.parts:
            if not isinstance(part, Text | AttachedFile):
                continue
            if not _CHILD_RESULT.match(part.text):
                yield part.text


def _written_keys(written: object) -> Iterator[AddressKey]:
    """All that could be taken for an address in what a model wrote, however it is escaped."""
    for text in texts_in(written):
        for spelling in {text, unquote(text)}:
            yield from keys_in(spelling, bare=True, most=_MOST_WRITTEN)
