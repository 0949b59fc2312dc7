"""Which addresses a session has literally seen: written by people, or found by tools."""

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote

from agent_core.consent.addresses import made_up
from agent_core.consent.leaves import texts_in
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, TurnId, child_run
from agent_core.messages import AttachedFile, Message, Part, Text, ToolCall, ToolResult
from agent_core.tools.actions import opened
from agent_core.workspaces.layout import (
    DOWNLOADS,
    EXTRACTED_ARTICLES,
    SEARCH_RESULTS,
    TOOL_RESULTS,
)

_LOCAL = "mcp__local_toolkit__"
_FETCHING = f"{_LOCAL}crawl_parallel"
_READING_FILES = f"{_LOCAL}read_local_file"
_OF_THE_MODEL = (
    "Task",
    *(f"{_LOCAL}{tool}" for tool in ("write_local_file", "list_local_files", "write_report")),
)
"""What these come back with are words of a model: of a sub-agent, or names of its own files."""

_RECORDS = (DOWNLOADS, SEARCH_RESULTS, TOOL_RESULTS, EXTRACTED_ARTICLES)
"""Directories in which the model cannot write."""


Said = tuple[TurnId, RunId, Message]
"""A message with the turn and the run that it belongs to."""


class _Place(NamedTuple):
    """Where something stands. Runs of one turn go side by side, turns one after another."""

    turn: TurnId
    run: RunId
    number: int
    """Of the message, among all."""


class _Found(NamedTuple):
    """A text that a tool came back with."""

    text: str
    at: _Place
    call: ToolCall


def never_seen(
    addresses: Sequence[str], messages: Sequence[Said], workspace: Path
) -> tuple[str, ...]:
    """The addresses that nobody but a model has written.

    A result counts for an address only if the model had not named it before, in the call itself or
    in whatever is kept somewhere: tools repeat what they are asked, and give back what they store.
    Neither do a sub-agent's words count, nor files that the model can write. What stands behind
    `#` may reach a page's own code, so it must have been seen with the rest.
    """
    said = [text for _, run, message in messages for text in _said(run, message)]
    records = _Records(messages)
    usable = [each for each in records.found if not _is_of_the_model(each.call, workspace)]
    return tuple(
        address
        for address in addresses
        if not any(_holds(text, address) for text in said)
        and not any(_is_found(address, each, records) for each in usable)
    )


def _said(run: RunId, message: Message) -> Iterator[str]:
    """What people wrote and attached. A sub-agent is told by a model what to do."""
    if run == ROOT_RUN and message.role == "user":
        yield from (part.text for part in message.parts if isinstance(part, Text | AttachedFile))


class _Records:
    """What tools came back with, and what models wrote that may be read again."""

    def __init__(self, messages: Sequence[Said]) -> None:
        self.found: list[_Found] = []
        self.kept: list[tuple[str, _Place]] = []
        """Texts that a model wrote where they may be read again."""
        self._calls: dict[tuple[TurnId, RunId, ToolCallId], tuple[ToolCall, int]] = {}
        for number, (turn, run, message) in enumerate(messages):
            at = _Place(turn, run, number)
            for part in message.parts:
                self._note(part, at, message.role)

    def kept_until(self, found: _Found) -> Iterator[str]:
        """What was kept, or may have been, when something was found."""
        return (text for text, at in self.kept if self._is_older(at, found.at))

    def _note(self, part: Part, at: _Place, role: str) -> None:
        if isinstance(part, ToolCall):
            self._calls[at.turn, at.run, part.id] = (part, at.number)
            self.kept += [(text, at) for text in _kept_of(part)]
        elif isinstance(part, ToolResult):
            if begun := self._calls.get((at.turn, at.run, part.call_id)):
                self.found.append(_Found(part.text, at, begun[0]))
        elif isinstance(part, Text) and role == "assistant":
            self.kept.append((part.text, at))

    def _is_older(self, kept: _Place, found: _Place) -> bool:
        """Whether something may have been kept before something else was found."""
        if kept.turn != found.turn or kept.run == found.run:
            return kept.number < found.number
        if (begun := self._began(kept.run, found)) is not None:
            return begun < found.number
        if (begun := self._began(found.run, kept)) is not None:
            return kept.number <= begun
        return True

    def _began(self, child: RunId, parent: _Place) -> int | None:
        """Where in the parent's run the call stands that began a run, or a run above it."""
        for (turn, run, call), (_, number) in self._calls.items():
            name = child_run(run, call)
            if (turn, run) == (parent.turn, parent.run) and f"{child}.".startswith(f"{name}."):
                return number
        return None


def _kept_of(call: ToolCall) -> Iterator[str]:
    """What a call may put where it can be read again; looking for something puts it nowhere."""
    if call.name != _FETCHING and not all(each.reads for each in opened(call).actions):
        yield from texts_in(call.arguments)


def _is_of_the_model(call: ToolCall, workspace: Path) -> bool:
    if call.name != _READING_FILES:
        return call.name in _OF_THE_MODEL
    path = str(call.arguments.get("path", "")).removeprefix(f"{workspace}/")
    parts = PurePosixPath(path).parts
    return ".." in parts or parts[:1] not in [(each,) for each in _RECORDS]


def _is_found(address: str, found: _Found, records: _Records) -> bool:
    if not _holds(found.text, address):
        return False
    written = [*texts_in(found.call.arguments), *records.kept_until(found)]
    written += [unquote(text) for text in written if "%" in text]
    return bool(made_up((address,), written))


def _holds(text: str, address: str) -> bool:
    return not made_up((address,), (text,)) and ("#" not in address or address in text)
