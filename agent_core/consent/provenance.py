"""The provenance of addresses: which ones a session has literally seen, and who named them.

After text from outside was read, a page may be fetched only if somebody else than the model wrote
its address. Tools repeat what they are asked, and give back what they store, so a result counts for
an address only if no model had named it before.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote

from agent_core.consent.addresses import (
    TOO_MANY,
    AddressKey,
    key_of,
    keys_in,
)
from agent_core.consent.leaf_values import texts_in
from agent_core.consent.taint import finds_pages, is_record_of_search
from agent_core.ids import (
    ROOT_RUN,
    RunId,
    ToolCallId,
    TurnId,
    child_run,
    is_in_branch,
)
from agent_core.messages import (
    AttachedFile,
    Message,
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


SessionMessage = tuple[TurnId, RunId, Message]
"""A message with the turn and the run that it belongs to."""

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
            if self._is_by_model(result.call):
                continue
            seen = self._named_by(result.call)
            keys = keys_in(result.text, most=_MOST)
            new = texts.new(result, keys, is_search=seen is self.by_searches)
            self._add(seen, result.text, new)

    def has(self, address: str) -> bool:
        """What stands behind `#` may reach a page's own code: it must have been seen as well."""
        key = key_of(address)
        if "#" in address:
            return any(key in keys and address in text for text, keys in self._texts)
        named = (self.by_people, self.by_searches, self.by_others)
        return any(key in keys for keys in named)

    def _add(self, seen: set[AddressKey], text: str, keys: _Keys) -> None:
        seen |= keys
        self._texts.append((text, keys))

    def _named_by(self, call: ToolCall) -> set[AddressKey]:
        """Who names the addresses in a call's result."""
        if call.name == "ask_user":
            return self.by_people
        if call.name == _READING_FILES:
            path = self._path_of(call)
            return self.by_searches if is_record_of_search(path) else self.by_others
        made = opened(call)
        for action in made.actions:
            if not finds_pages(made.prefix, action.tool):
                return self.by_others
        return self.by_searches

    def _is_by_model(self, call: ToolCall) -> bool:
        if call.name != _READING_FILES:
            return call.name in _BY_MODEL
        path = self._path_of(call)
        return not path.startswith(_RECORD_FOLDERS)

    def _path_of(self, call: ToolCall) -> str:
        """The path in the session of a file that is read; empty where that is not sure."""
        named = str(call.arguments.get("path", ""))
        path = PurePosixPath(named.removeprefix(f"{self._workspace}/"))
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
        asked = set(_written_keys(texts_in(result.call.arguments)))
        new: set[AddressKey] = set()
        if TOO_MANY in asked or self._has_written(TOO_MANY, result.at, is_search):
            return new
        for key in keys - asked:
            if not self._has_written(key, result.at, is_search):
                new.add(key)
        return new

    def _has_written(self, key: AddressKey, found: _MessagePosition, is_search: bool) -> bool:
        for at in self._written.get(key, {}).values():
            if self._is_older(at, found, if_unsure=True):
                return True
        for at in self._spoken.get(key, {}).values():
            if self._is_older(at, found, if_unsure=not is_search):
                return True
        return False

    def _note(self, part: Part, at: _MessagePosition, role: str) -> None:
        match part:
            case ToolCall():
                self._calls[at.run_key, part.id] = (part, at.number)
                # Looking for something puts it nowhere where it could be read again.
                actions = opened(part).actions
                is_look = part.name == _FETCHING or all(each.reads for each in actions)
                if not is_look:
                    is_spoken = part.name in _DELEGATING
                    self._keep(texts_in(part.arguments), at, is_spoken=is_spoken)
            case ToolResult():
                begun = self._calls.get((at.run_key, part.call_id))
                if begun is not None:
                    call, _ = begun
                    self.results.append(_ToolText(part.text, at, call))
            case Text() if role == "assistant":
                self._keep([part.text], at, is_spoken=True)
            case _:
                pass

    def _keep(self, texts: Iterable[str], at: _MessagePosition, *, is_spoken: bool) -> None:
        kept = self._spoken if is_spoken else self._written
        for key in _written_keys(texts):
            mentions = kept.setdefault(key, {})
            mentions.setdefault(at.run_key, at)

    def _is_older(
        self,
        kept: _MessagePosition,
        found: _MessagePosition,
        *,
        if_unsure: bool,
    ) -> bool:
        """Whether a text was kept before another was found, in runs side by side too."""
        if kept.turn != found.turn or kept.run == found.run:
            return kept.number < found.number
        begun = self._began(kept.run, found.turn, found.run)
        if begun is not None:
            return begun < found.number
        begun = self._began(found.run, kept.turn, kept.run)
        if begun is not None:
            return kept.number <= begun
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


def _written_keys(texts: Iterable[str]) -> Iterator[AddressKey]:
    """All that could be taken for an address in what a model wrote, however it is escaped."""
    for text in texts:
        for spelling in {text, unquote(text)}:
            yield from keys_in(spelling, bare=True, most=_MOST_WRITTEN)
