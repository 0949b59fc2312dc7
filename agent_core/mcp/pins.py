"""Pins of tool definitions, taken at first sight: a tool that differs later is off until accepted.

A known server adds nothing by itself: a changed name is a new tool, and waits as well. A tool that
asks for keys, passwords or private files is off from the start. That is a short list of patterns,
no judge of character: a definition that they do not match may be bad all the same.
"""

import json
import logging
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from mcp_types import Tool

from agent_core.json_values import as_object, digest_of_json
from agent_core.mcp.config import WORKSPACE
from agent_core.messages import JsonObject
from agent_core.sessions import NOT_ACCEPTED, Pin, Proposal, ToolPins
from agent_core.tools import canonical, fault_of_schema, full_name

logger = logging.getLogger(__name__)

_VETTED = "composio"
_PARTS = ("description", "input_schema", "annotations")

_KEYS = (
    r"(?:api key|private key|ssh key|secret key|access key|signing key|password|passwd|passphrase"
    r"|secrets?|credentials?|(?:access|auth|bearer|session|refresh) token|session cookies?"
    r"|seed phrase)"
)
_FILES = (
    r"(?:id (?:rsa|dsa|ecdsa|ed25519)|ssh id|ssh config|aws credentials|etc (?:passwd|shadow)"
    r"|dot env|env file|keychain)"
)
_HAND_OVER = r"(?:read|cat|open|load|include|pass|send|paste|attach|append|copy|upload|put)"

_IN_NAMES = re.compile(rf"\b(?:{_KEYS}|{_FILES}|system prompt)\b")
_IN_TEXTS = re.compile(
    rf"\b(?:{_HAND_OVER}\w*(?: \w+){{0,6}} (?:{_KEYS}|{_FILES}|system prompt)"
    r"|(?:do not|don t|never|without) (?:tell|mention|inform|show)\w*(?: \w+){0,3} user)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """A tool as its server describes it, found usable."""

    name: str
    description: str
    input_schema: JsonObject
    annotations: JsonObject
    """What the server says of the tool's effects, in the names of the protocol."""
    off: str = ""
    """Why the tool is turned off, as a sentence for people; empty when it is not."""

    @property
    def definition(self) -> JsonObject:
        """All that is pinned, as it is stored."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.input_schema,
            "annotations": self.annotations,
        }


class Pins:
    """Compares what servers list with what was accepted; one object for all servers of a process.

    `awaited` are servers with tools that this bot asks them to list: to be new is no fault of them.
    The first definitions of Composio's tools are taken as they are; their changes are not.
    """

    def __init__(
        self,
        store: ToolPins,
        *,
        awaited: Collection[tuple[str, str]] = (),
    ) -> None:
        self._store = store
        self._awaited = awaited

    async def judge(
        self,
        server: str,
        tools: Sequence[ListedTool],
        workspace: Path | None = None,
    ) -> list[ListedTool]:
        """The same tools, those turned off with the reason. A server's first ones are pinned.

        `workspace` is the session's directory where the server has one process for each session:
        its name in a definition makes no difference.
        """
        definitions = {tool.name: stored_form(tool, workspace) for tool in tools}
        pins = await self._store.load(server)
        new = [name for name in definitions if name not in pins]
        if new:
            is_first = not pins
            rows = [self._new_pin(server, definitions[name], is_first=is_first) for name in new]
            await self._store.add(rows)
            pins = await self._store.load(server)
        proposals: dict[str, Proposal | None] = {}
        for name, definition in definitions.items():
            proposal = _proposal(pins[name], definition)
            if proposal != pins[name].proposal:
                proposals[name] = proposal
                pins[name] = replace(pins[name], proposal=proposal)
        await self._store.propose(server, proposals)
        for name in (*new, *proposals):
            if reason := why_off(pins[name]):
                logger.warning(
                    "%s: tool %s is turned off: %s",
                    server,
                    name,
                    reason,
                )
        return [replace(tool, off=why_off(pins[tool.name])) for tool in tools]

    async def refuse(self, server: str, reasons: Mapping[str, str]) -> None:
        """Have operators told of the tools that cannot be offered."""
        await self._store.refuse(server, reasons)

    async def known(self, server: str, workspace: Path | None = None) -> list[ListedTool]:
        """The tools that the server had when it was last seen; it need not be running."""
        tools: list[ListedTool] = []
        for pin in (await self._store.load(server)).values():
            definition = pin.definition
            if not definition and pin.proposal:
                definition = pin.proposal.definition
            if workspace is not None:
                definition = _swapped(definition, WORKSPACE, str(workspace))
            tools.append(ListedTool(**definition, off=why_off(pin)))
        return tools

    def _new_pin(self, server: str, definition: JsonObject, *, is_first: bool) -> Pin:
        tool = definition["name"]
        reason = ""
        if not is_first and (server, tool) not in self._awaited:
            reason = "it is new on a server whose tools were accepted before"
        elif server != _VETTED:
            reason = suspicion_of(definition)
        digest = digest_of_json(definition)
        proposal = Proposal(digest=digest, definition=definition, reason=reason)
        return Pin(
            server=server,
            tool=tool,
            digest=NOT_ACCEPTED if reason else digest,
            definition={} if reason else definition,
            proposal=proposal if reason else None,
        )


def why_off(pin: Pin) -> str:
    """Why a tool is off, as one sentence that says what to do; empty when it is not."""
    if pin.proposal is None:
        return ""
    return (
        f"It is off because {pin.proposal.reason}. Look at it and accept it with: "
        f"bot mcp accept {pin.server} {pin.tool}"
    )


def _proposal(pin: Pin, definition: JsonObject) -> Proposal | None:
    """The definition as one that waits to be accepted; None where it is the accepted one."""
    digest = digest_of_json(definition)
    if digest == pin.digest:
        return None
    if pin.proposal is not None and pin.proposal.digest == digest:
        return pin.proposal
    reason = "it changed before it was accepted"
    if pin.is_accepted:
        changed = [part for part in _PARTS if definition[part] != pin.definition.get(part)]
        names = " and ".join(changed).replace("_", " ")
        reason = f"its {names} changed since it was accepted"
    return Proposal(digest=digest, definition=definition, reason=reason)


def stored_form(tool: ListedTool, workspace: Path | None) -> JsonObject:
    """The definition that is hashed and stored."""
    if workspace is None:
        return tool.definition
    return _swapped(tool.definition, str(workspace), WORKSPACE)


def _swapped(definition: JsonObject, old: str, new: str) -> JsonObject:
    """With one text in place of another, wherever it stands."""
    text = json.dumps(definition, ensure_ascii=False)
    return json.loads(text.replace(_inside_json(old), _inside_json(new)))


def _inside_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def usable_tools(server: str, listed: Sequence[Tool]) -> tuple[list[ListedTool], dict[str, str]]:
    """The tools that can be offered to a model, the first of two whose names look alike.

    Beside them why others are left out, by their names in quotes, in which no sign is hidden.
    """
    tools: dict[str, ListedTool] = {}
    refused: dict[str, str] = {}
    for tool in listed:
        name = canonical(full_name(server, tool.name)) if canonical(tool.name) else ""
        fault = _fault_of_name(tool, name, tools) or fault_of_schema(tool.input_schema)
        if fault:
            logger.warning(
                "%s: tool %a is left out: %s",
                server,
                tool.name[:128],
                fault,
            )
            refused[ascii(tool.name[:128])] = fault
            continue
        wire = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
        tools[name] = ListedTool(
            name=tool.name,
            description=tool.description or tool.title or "",
            input_schema=tool.input_schema,
            annotations=wire.get("annotations", {}),
        )
    return list(tools.values()), refused


def _fault_of_name(tool: Tool, name: str, others: Mapping[str, ListedTool]) -> str:
    if not name:
        return "its name has signs other than plain letters and digits"
    if name not in others:
        return ""
    twin = others[name].name
    return "its name is taken" if tool.name == twin else f"its name looks like that of {twin}"


def suspicion_of(definition: JsonObject) -> str:
    """What is suspicious about a definition, as the end of "It is off because …"; "" if nothing."""
    if match := _IN_TEXTS.search(_plain(definition["description"])):
        return f"its description says “{match.group()}”"
    for name, text in _parameters(definition["input_schema"]):
        if _IN_NAMES.search(_plain(name)):
            return f"its parameter {name[:64]} asks for a secret"
        if match := _IN_TEXTS.search(_plain(text)):
            return f"its parameter {name[:64]} says “{match.group()}”"
    return ""


def _plain(text: str) -> str:
    """Small letters, one space for everything that is no letter or digit, and .env as words."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text.replace(".env", " dot env "))
    return re.sub(r"[\W_]+", " ", spaced).lower()


def _parameters(schema: object) -> Iterator[tuple[str, str]]:
    """Every parameter's name and description, also of objects inside."""
    if isinstance(schema, list):
        for each in cast("list[object]", schema):
            yield from _parameters(each)
        return
    for key, value in as_object(schema).items():
        if key == "properties":
            for name, parameter in as_object(value).items():
                fields = as_object(parameter)
                texts = (fields.get("title"), fields.get("description"))
                yield name, ". ".join(text for text in texts if isinstance(text, str))
        yield from _parameters(value)
