"""The toolkits and tools of `tools.yaml`, and which of them serve a use case."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml
from jsonschema import Draft202012Validator

Data = dict[str, Any]
_FILE = Path(__file__).with_name("tools.yaml")
SEARCH = "composio_search"
META = "composio"
NO_TOOL = "Tool {} not found. Use COMPOSIO_SEARCH_TOOLS to find the slugs there are."
NO_TOOLKIT = "Toolkit {!r} is not part of this sandbox, so it cannot be connected."


class ToolError(Exception):
    """A tool's refusal, in the app's own words; the call changed nothing."""


def as_data(value: object) -> Data:
    """A JSON object; an empty one in the place of anything else."""
    return cast("Data", value) if isinstance(value, dict) else {}


def make_id(prefix: str) -> str:
    """An id that nobody can guess."""
    return f"{prefix}_{secrets.token_hex(10)}"


@cache
def read_tools() -> Data:
    """The content of `tools.yaml`."""
    return yaml.load(_FILE.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool by its slug, as `tools.yaml` describes it."""

    slug: str
    toolkit: str
    about: Data

    @property
    def schema(self) -> Data:
        """The JSON Schema of its arguments."""
        return {
            "type": "object",
            "properties": self.about["input"],
            "required": self.about.get("needs", []),
            "additionalProperties": False,
        }

    @property
    def reads_only(self) -> bool:
        return "readOnlyHint" in self.about["tags"]

    @property
    def words(self) -> frozenset[str]:
        """Words of a use case that it serves."""
        return _words(self.about.get("words", ""))

    def check(self, arguments: Mapping[str, Any]) -> Data:
        """The arguments with the tool's own values for those that are left out.

        Raises ToolError where they do not fit the schema; it names each that is at fault.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        validator: Any = Draft202012Validator(self.schema)
        faults = [
            f"{fault.json_path[2:]} {fault.message}" for fault in validator.iter_errors(given)
        ]
        if faults:
            raise ToolError(f"Invalid arguments for {self.slug}: {'; '.join(faults)}")
        fields: Data = self.about["input"]
        defaults = {name: field["default"] for name, field in fields.items() if "default" in field}
        return defaults | given


def toolkits() -> Mapping[str, Data]:
    """Every app by its slug."""
    return read_tools()["toolkits"]


@cache
def app_tools() -> Mapping[str, Tool]:
    """The tools of all apps by slug."""
    return {
        slug: Tool(slug, toolkit, about)
        for toolkit, kit in toolkits().items()
        for slug, about in kit["tools"].items()
    }


@cache
def meta_tools() -> Mapping[str, Tool]:
    """The tools that find and run those of all apps."""
    return {slug: Tool(slug, META, about) for slug, about in read_tools()["meta"].items()}


def needs_account(toolkit: str) -> bool:
    """Whether an app's tools run with somebody's account."""
    return not toolkits()[toolkit].get("no_auth", False)


def tools_for(use_case: str) -> list[Tool]:
    """The tools that serve a use case, the best first.

    One that names a thing of somebody's account has the tools of that app alone; any other has the
    search tools.
    """
    words = _words(use_case)
    kit = SEARCH
    for app, about in toolkits().items():
        if words & _words(about.get("things", "")):
            kit = app
    own = [tool for tool in app_tools().values() if tool.toolkit == kit]
    if not any(words & tool.words for tool in own):
        return []
    return sorted(own, key=lambda tool: len(words & tool.words), reverse=True)


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]+", text.casefold()))
