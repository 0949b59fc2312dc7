"""A server's tools as it describes them: which a model can be told of, and their digests."""

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mcp_types import Tool

from agent_core.messages import JsonObject
from agent_core.tools.schemas import fault_of_schema

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """A tool as its server describes it, found usable."""

    name: str
    description: str
    input_schema: JsonObject
    annotations: JsonObject
    """What the server says of the tool's effects, in the names of the protocol."""
    held: str = ""
    """Why the tool is turned off, as a sentence for people; empty when it is not."""

    @property
    def is_read_only(self) -> bool:
        return self.annotations.get("readOnlyHint") is True

    @property
    def is_idempotent(self) -> bool:
        return self.annotations.get("idempotentHint") is True

    @property
    def definition(self) -> JsonObject:
        """All that is pinned, as it is stored."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.input_schema,
            "annotations": self.annotations,
        }


def digest_of(definition: JsonObject) -> str:
    """SHA-256 of the canonical JSON, in hex; the order of keys makes no difference."""
    text = json.dumps(definition, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def told_off(name: str, held: str) -> str:
    """What the model is told that calls a tool which is turned off."""
    return f"The tool {name} is turned off, and only an operator can turn it on. {held}"


def usable_tools(server: str, listed: list[Tool]) -> Mapping[str, ListedTool]:
    """The tools that a model can be told of, by name; the first of two with one name."""
    tools: dict[str, ListedTool] = {}
    for tool in listed:
        fault = "its name is taken" if tool.name in tools else fault_of_schema(tool.input_schema)
        if fault:
            logger.warning("%s: tool %s is left out: %s", server, tool.name, fault)
            continue
        tools[tool.name] = ListedTool(
            name=tool.name,
            description=tool.description or tool.title or "",
            input_schema=tool.input_schema,
            annotations=_annotations(tool),
        )
    return MappingProxyType(tools)


def _annotations(tool: Tool) -> JsonObject:
    if tool.annotations is None:
        return {}
    return tool.annotations.model_dump(mode="json", by_alias=True, exclude_none=True)
