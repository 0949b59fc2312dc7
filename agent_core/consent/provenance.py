"""Which addresses a session has literally seen, and who named them: people, searches, others."""

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote

from agent_core.consent.addresses import TOO_MANY, Key, key_of, keys_in
from agent_core.consent.leaf_values import texts_in
from agent_core.consent.taint import finds_pages, is_record_of_search
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, TurnId, child_run
from agent_core.messages import AttachedFile, Message, Part, Text, ToolCall, ToolResult
from agent_core.tools import opened
from agent_core.workspaces.layout import DOWNLOADS, EXTRACTED_ARTICLES, SEARCH_RESULTS, TOOL_RESULTS

_LOCAL = "mcp__local_toolkit__"
_FETCHING = f"{_LOCAL}crawl_parallel"
_READING_FILES = f"{_LOCAL}read_local_file"
_OF_THE_MODEL = (
    *("Task", "fork", "run_python", "wait"),
    *(f"{_LOCAL}{tool}" for tool in ("write_local_file", "list_local_files", "write_report")),
)
"""What these come back with are words of a model: of a sub-agent, of its own program, or names of
its own files."""
_OF_A_CHILD = re.compile(r"root\.\S+, which you started, ")
"""So a message begins that tells a run what a child of it came to."""

_MAX_WORDS_CHARS = 12_000
"""A longer message is a document that somebody has pasted."""
_MOST = 32
"""Of addresses that are found in one piece without a blank."""
_MOST_WRITTEN = 256
"""The same of what people and models write."""

_SAYING = ("Task", "fork")
_RECORD_FOLDERS = tuple(
    f"{each}/" for each in (DOWNLOADS, SEARCH_RESULTS, TOOL_RESULTS, EXTRACTED_ARTICLES)
)
"""Directories in which the model cannot write."""


SessionMessage = tuple[TurnId, RunId, Message]
"""A message with the turn and the run that it belongs to."""


class _MessagePosition(NamedTuple):
    """Where something stands. Runs of one turn go side by side, turns one after another."""

    turn: TurnId
    run: RunId
    number: int
    """Of the message, among all."""


class _ToolText(NamedTuple):
    """A text that a tool came back with."""

    text: str
    at: _MessagePosition
    call: ToolCall


class AddressProvenance:
    """The addresses that somebody else than a model has written, found in one scan of all texts.

    A result counts for an address only if the model had not named it before, in the call itself or
    in whatever is kept somewhere: tools repeat what they are asked, and give back what they store.
    Neither do a sub-agent's words count, nor files that the model can write.

    Args:
        messages: Of all runs of the session.
        workspace: The session's directory.
        words: What people wrote to the bot, and nothing else: no earlier posts, no file.
    """

    def __init__(
        self, messages: Sequence[SessionMessage], workspace: Path, words: Sequence[str] = ()
    ) -> None:
        self.by_people: set[Key] = set()
        self.by_searches: set[Key] = set()
        self.by_others: set[Key] = set()
        """By pages, mails and files, and by posts and files that came with a message."""
        self._texts: list[tuple[str, AbstractSet[Key]]] = []
        for text in words:
            if len(text) <= _MAX_WORDS_CHARS:
                self._add(self.by_people, text, keys_in(text, bare=True, most=_MOST_WRITTEN))
        for _, run, message in messages:
            if run == ROOT_RUN and message.role == "user":  # a sub-agent is told by a model
                for part in message.parts:
                    if isinstance(part, Text | AttachedFile) and not _OF_A_CHILD.match(part.text):
                        self._add(self.by_others, part.text, keys_in(part.text, most=_MOST))
        records = _SessionTexts(messages)
        for found in records.found:
            if not _is_of_the_model(found.call, workspace):
                place = self._place_of(found.call, workspace)
                is_search = place is self.by_searches
                keys = records.new(found, keys_in(found.text, most=_MOST), is_search=is_search)
                self._add(place, found.text, keys)

    def has(self, address: str) -> bool:
        """What stands behind `#` may reach a page's own code: it must have been seen as well."""
        key = key_of(address)
        if "#" in address:
            return any(key in keys and address in text for text, keys in self._texts)
        return key in self.by_people or key in self.by_searches or key in self.by_others

    def _add(self, place: set[Key], text: str, keys: AbstractSet[Key]) -> None:
        place |= keys
        self._texts.append((text, keys))

    def _place_of(self, call: ToolCall, workspace: Path) -> set[Key]:
        if call.name == "ask_user":
            return self.by_people
        made = opened(call)
        if call.name == _READING_FILES:
            is_search = is_record_of_search(_inside(call, workspace))
        else:
            is_search = all(finds_pages(made.prefix, each.tool) for each in made.actions)
        return self.by_searches if is_search else self.by_others


class _SessionTexts:
    """What tools came back with, and what models wrote that may be read again."""

    def __init__(self, messages: Sequence[SessionMessage]) -> None:
        self.found: list[_ToolText] = []
        self._kept: dict[tuple[Key, bool], dict[tuple[TurnId, RunId], _MessagePosition]] = {}
        """Where a model first wrote an address to where it may be read again, by run; and whether
        it only said so, to people or to another run: no search finds that meanwhile."""
        self._calls: dict[tuple[TurnId, RunId, ToolCallId], tuple[ToolCall, int]] = {}
        self._began = cache(self._find_beginning)
        for number, (turn, run, message) in enumerate(messages):
            at = _MessagePosition(turn, run, number)
            for part in message.parts:
                self._note(part, at, message.role)

    def new(self, found: _ToolText, keys: AbstractSet[Key], *, is_search: bool) -> AbstractSet[Key]:
        """Those that no model had written before they were found."""
        asked = set(_written((*texts_in(found.call.arguments),)))
        if TOO_MANY in asked or self._has_kept(TOO_MANY, found.at, is_search):
            return set[Key]()
        return {key for key in keys - asked if not self._has_kept(key, found.at, is_search)}

    def _has_kept(self, key: Key, found: _MessagePosition, is_search: bool) -> bool:
        return any(
            self._is_older(at, found, if_unsure=not (is_said and is_search))
            for is_said in (True, False)
            for at in self._kept.get((key, is_said), {}).values()
        )

    def _note(self, part: Part, at: _MessagePosition, role: str) -> None:
        if isinstance(part, ToolCall):
            self._calls[at.turn, at.run, part.id] = (part, at.number)
            # Looking for something puts it nowhere where it could be read again.
            if part.name != _FETCHING and not all(each.reads for each in opened(part).actions):
                is_said = part.name in _SAYING
                self._keep(_written(texts_in(part.arguments)), at, is_said=is_said)
        elif isinstance(part, ToolResult):
            if begun := self._calls.get((at.turn, at.run, part.call_id)):
                self.found.append(_ToolText(part.text, at, begun[0]))
        elif isinstance(part, Text) and role == "assistant":
            self._keep(_written((part.text,)), at, is_said=True)

    def _keep(self, keys: Iterator[Key], at: _MessagePosition, *, is_said: bool) -> None:
        for key in keys:
            self._kept.setdefault((key, is_said), {}).setdefault((at.turn, at.run), at)

    def _is_older(
        self, kept: _MessagePosition, found: _MessagePosition, *, if_unsure: bool
    ) -> bool:
        """Whether something was kept before something else was found, in runs side by side too."""
        if kept.turn != found.turn or kept.run == found.run:
            return kept.number < found.number
        if (begun := self._began(kept.run, found.turn, found.run)) is not None:
            return begun < found.number
        if (begun := self._began(found.run, kept.turn, kept.run)) is not None:
            return kept.number <= begun
        return if_unsure

    def _find_beginning(self, child: RunId, turn: TurnId, parent: RunId) -> int | None:
        """Where in the parent's run the call stands that began a run, or a run above it."""
        for (other, run, call), (_, number) in self._calls.items():
            name = child_run(run, call)
            if (other, run) == (turn, parent) and f"{child}.".startswith(f"{name}."):
                return number
        return None


def _written(texts: Iterable[str]) -> Iterator[Key]:
    """All that could be taken for an address in what a model wrote, however it is escaped."""
    for text in texts:
        for spelling in {text, unquote(text)}:
            yield from keys_in(spelling, bare=True, most=_MOST_WRITTEN)


def _is_of_the_model(call: ToolCall, workspace: Path) -> bool:
    if call.name != _READING_FILES:
        return call.name in _OF_THE_MODEL
    return not _inside(call, workspace).startswith(_RECORD_FOLDERS)


def _inside(call: ToolCall, workspace: Path) -> str:
    """The path in the session of a file that is read; empty where that is not sure."""
    path = PurePosixPath(str(call.arguments.get("path", "")).removeprefix(f"{workspace}/"))
    return "" if ".." in path.parts else path.as_posix()
