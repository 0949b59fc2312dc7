"""Definitions of tools are pinned at first sight; what differs later is off until it is accepted.

A server that is known gets nothing in by itself: a changed name is a new tool, and waits as well.
"""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from agent_core.clock import machine_time
from agent_core.messages import JsonObject
from agent_core.sessions.pins import NOT_ACCEPTED, Pin, Proposal, ToolPins
from agent_core.tools.listed import ListedTool, digest_of
from agent_core.tools.suspicion import suspicion_of

logger = logging.getLogger(__name__)

WORKSPACE = "${WORKSPACE}"
"""Stands for the session's directory, in the file of servers and in stored definitions."""

_PARTS = {
    "description": "description",
    "input_schema": "input schema",
    "annotations": "annotations",
}

Tools = Mapping[str, ListedTool]


class Pins:
    """Compares what servers list with what was accepted; one object for all servers of a process.

    Args:
        vetted: Servers whose first definitions are taken as they are; their changes are not.
    """

    def __init__(
        self,
        store: ToolPins,
        *,
        now: Callable[[], datetime] = machine_time,
        vetted: tuple[str, ...] = ("composio",),
    ) -> None:
        self._store = store
        self._now = now
        self._vetted = vetted
        self._told: set[tuple[str, str, str]] = set()
        self._held: dict[str, dict[str, str]] = {}

    @property
    def held(self) -> Mapping[str, Mapping[str, str]]:
        """By server each tool that is off, with the reason, as of the last look."""
        return {server: dict(tools) for server, tools in self._held.items() if tools}

    async def judge(self, server: str, tools: Tools, workspace: Path | None = None) -> Tools:
        """The same tools, those turned off with the reason. A server's first ones are pinned.

        `workspace` is the session's directory where the server has one process for each session:
        its name in a definition makes no difference.
        """
        found = {name: stored_form(tool, workspace) for name, tool in tools.items()}
        pins = await self._store.load(server)
        if new := [name for name in found if name not in pins]:
            is_first = not pins
            await self._store.add(
                [self._new_pin(server, found[name], is_first=is_first) for name in new]
            )
            pins = await self._store.load(server)
        pins = await self._compare(server, found, pins)
        judged = {
            name: replace(tool, held=self._look_at(pins[name])) for name, tool in tools.items()
        }
        self._held[server] = {name: tool.held for name, tool in judged.items() if tool.held}
        return MappingProxyType(judged)

    async def known(self, server: str, workspace: Path | None = None) -> Tools:
        """The tools that the server had when it was last seen; it need not be running."""
        pins = await self._store.load(server)
        return MappingProxyType({name: self._remembered(pins[name], workspace) for name in pins})

    async def _compare(
        self, server: str, found: Mapping[str, JsonObject], pins: dict[str, Pin]
    ) -> dict[str, Pin]:
        """The pins as they are once every difference is written down."""
        proposals: dict[str, Proposal | None] = {}
        for name, definition in found.items():
            wanted = _wanted(pins[name], definition)
            if wanted != pins[name].proposal:
                proposals[name] = wanted
        await self._store.propose(server, proposals)
        return pins | {n: replace(pins[n], proposal=each) for n, each in proposals.items()}

    def _new_pin(self, server: str, definition: JsonObject, *, is_first: bool) -> Pin:
        name, reason = definition["name"], ""
        if not is_first:
            reason = "it is new on a server whose tools were accepted before"
        elif server not in self._vetted:
            reason = suspicion_of(definition)
        digest = digest_of(definition)
        proposal = Proposal(digest=digest, definition=definition, reason=reason)
        return Pin(
            server=server,
            tool=name,
            digest=NOT_ACCEPTED if reason else digest,
            definition={} if reason else definition,
            accepted_at=self._now(),
            proposal=proposal if reason else None,
        )

    def _look_at(self, pin: Pin) -> str:
        """Why the tool is off; logged when it is news."""
        reason = why_held(pin)
        if pin.proposal is not None:
            news = (pin.server, pin.tool, pin.proposal.digest)
            if news not in self._told:
                self._told.add(news)
                logger.warning("%s: tool %s is turned off: %s", pin.server, pin.tool, reason)
        return reason

    def _remembered(self, pin: Pin, workspace: Path | None) -> ListedTool:
        definition = pin.definition or (pin.proposal.definition if pin.proposal else {})
        if workspace is not None:
            definition = _swapped(definition, WORKSPACE, str(workspace))
        return ListedTool(**definition, held=why_held(pin))


def why_held(pin: Pin) -> str:
    """Why a tool is off, as one sentence that says what to do; empty when it is not."""
    if pin.proposal is None:
        return ""
    return (
        f"It is off because {pin.proposal.reason}. Look at it and accept it with: "
        f"bot mcp accept {pin.server} {pin.tool}"
    )


def _wanted(pin: Pin, definition: JsonObject) -> Proposal | None:
    """What should wait to be accepted, now that the tool is defined so."""
    digest = digest_of(definition)
    if digest == pin.digest:
        return None
    if pin.proposal is not None and pin.proposal.digest == digest:
        return pin.proposal
    return Proposal(digest=digest, definition=definition, reason=_difference(pin, definition))


def _difference(pin: Pin, definition: JsonObject) -> str:
    if not pin.is_accepted:
        return "it changed before it was accepted"
    parts = [words for key, words in _PARTS.items() if definition[key] != pin.definition.get(key)]
    return f"its {' and '.join(parts)} changed since it was accepted"


def stored_form(tool: ListedTool, workspace: Path | None) -> JsonObject:
    """The definition that is hashed and stored."""
    if workspace is None:
        return tool.definition
    return _swapped(tool.definition, str(workspace), WORKSPACE)


def _swapped(definition: JsonObject, old: str, new: str) -> JsonObject:
    """With one text in place of another, wherever it stands."""
    text = json.dumps(definition, ensure_ascii=False)
    inside_old, inside_new = (json.dumps(each, ensure_ascii=False)[1:-1] for each in (old, new))
    return json.loads(text.replace(inside_old, inside_new))
