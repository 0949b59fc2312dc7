"""The file of servers: the JSON that most MCP hosts know, and one entry of it."""

import difflib
import json
import re
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from agent_core.errors import SettingsError
from agent_core.messages import JsonObject

ROOTS = ("mcpServers", "servers")
CATALOGUE = Path(__file__).with_name("catalogue.json")
MAX_TIMEOUT_S = 3600

_OURS = ("agents", "channels", "users", "scope", "timeout", "disabled", "needs", "optIn")
_CLOSE = 0.75


class Needs(BaseModel):
    """What must be there before the server can work, each with how to get it."""

    model_config = ConfigDict(extra="forbid")

    programs: dict[str, str] = Field(default_factory=dict[str, str])
    """To be found on the PATH."""
    variables: dict[str, str] = Field(default_factory=dict[str, str])


class Entry(BaseModel):
    """One server as the file describes it; keys of other hosts are ignored."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    type: str = ""
    command: str = ""
    args: list[str] = Field(default_factory=list[str])
    env: dict[str, str] = Field(default_factory=dict[str, str])
    cwd: str = ""
    url: str = Field(default="", validation_alias=AliasChoices("url", "serverUrl"))
    headers: dict[str, str] = Field(default_factory=dict[str, str])
    agents: list[str] | None = None
    channels: list[str] | None = None
    users: list[str] | None = None
    scope: Literal["bot", "session"] = "bot"
    timeout: float = Field(default=120, gt=0, le=MAX_TIMEOUT_S)
    """Seconds that one call may take."""
    disabled: bool = False
    needs: Needs = Field(default_factory=Needs)
    opt_in: bool = Field(default=False, validation_alias="optIn")
    """The server is off until the operator's file names it."""


def read_entry(raw: Any) -> Entry | str:
    """The entry, or why it is none, as the end of "It is off: …"."""
    if not isinstance(raw, dict):
        return "its entry is no JSON object"
    keys = cast("JsonObject", raw)
    for key in keys:
        near = difflib.get_close_matches(key, _OURS, n=1, cutoff=_CLOSE)
        if near and key not in _OURS:
            return f"its key {key[:40]!r} is not known; is {near[0]!r} meant?"
    try:
        return Entry.model_validate(keys)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg']}"


def read_entries(path: Path) -> dict[str, Any]:
    """The raw entries of a file by name, in the order of the file.

    Raises:
        SettingsError: the file is not there or is not such a file; the message says line and why.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise SettingsError(f"The file of MCP servers {path} cannot be read: {reason}.") from error
    try:
        return _entries(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise SettingsError(
            f"The file of MCP servers {path} is broken at {place}: {error.msg}."
        ) from error


def _entries(text: str) -> dict[str, Any]:
    def no_twins(pairs: list[tuple[str, Any]]) -> JsonObject:
        names = [name for name, _ in pairs]
        twin = next((name for name in names if names.count(name) > 1), None)
        if twin is not None:
            raise json.JSONDecodeError(f"{twin[:64]!r} is there twice", text, _last(twin, text))
        return dict(pairs)

    try:
        document: Any = json.loads(text, object_pairs_hook=no_twins)
    except RecursionError as error:
        raise json.JSONDecodeError("it is nested too deeply", text, 0) from error
    if isinstance(document, dict):
        for root in ROOTS:
            servers = cast("JsonObject", document).get(root)
            if isinstance(servers, dict):
                return cast("JsonObject", servers)
    start = next((text.find(f'"{root}"') for root in ROOTS if f'"{root}"' in text), 0)
    raise json.JSONDecodeError('there is no object "mcpServers" with the servers', text, start)


def _last(name: str, text: str) -> int:
    """Where a name stands last in the text."""
    places = [found.start() for found in re.finditer(re.escape(json.dumps(name)), text)]
    return places[-1] if places else 0
