"""Makes the fleet out of the shipped catalogue, the operator's file and what this machine has.

The file is the JSON that most MCP hosts know. What is wrong with one entry turns that server off
with the reason; `${VAR}` and `${VAR:-default}` are filled in from the environment.
"""

import difflib
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from agent_core.errors import SettingsError
from agent_core.messages import JsonObject
from agent_core.tools.servers import (
    WORKSPACE,
    Access,
    FleetServer,
    HttpServer,
    Scope,
    StdioServer,
    Transport,
)

RESERVED = frozenset({"local_toolkit", "composio"})
"""Names of our own toolsets, which no file may take over."""
CATALOGUE = Path(__file__).with_name("catalogue.json")
MAX_TIMEOUT_S = 3600

_ROOTS = ("mcpServers", "servers")
_OURS = ("agents", "channels", "users", "scope", "timeout", "disabled", "needs", "optIn")
_CLOSE = 0.75
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*(?:_[A-Za-z0-9-]+)*")
_MAX_NAME_CHARS = 40
_HTTP_TYPES = frozenset({"http", "streamable-http", "streamable_http", "streamablehttp"})
_ADDED_TO = ("env", "headers")
"""Whose single entries an operator's entry adds or replaces."""
_LOCATIONS = ("command", "url", "serverUrl")
_PLACE = re.compile(r"\$\{([^}]*)\}")
_VARIABLE = re.compile(r"(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)

_Config = StdioServer | HttpServer


def _find(program: str, path: str | None) -> str | None:
    return shutil.which(program, path=path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What decides whether a server is ready: variables, and where programs are found."""

    environment: Mapping[str, str] = field(repr=False)
    find: Callable[[str, str | None], str | None] = _find
    """A program's path by its name and a PATH, None for the bot's own."""


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
    agents: frozenset[str] | None = None
    channels: frozenset[str] | None = None
    users: frozenset[str] | None = None
    scope: Scope = "bot"
    timeout: float = Field(default=120, gt=0, le=MAX_TIMEOUT_S)
    """Seconds that one call may take."""
    disabled: bool = False
    needs: Needs = Field(default_factory=Needs)
    opt_in: bool = Field(default=False, validation_alias="optIn")
    """The server is off until the operator's file names it."""


def read_fleet(path: Path | None, surroundings: Surroundings) -> tuple[FleetServer, ...]:
    """Every server of the catalogue and of the operator's file, those that are off included.

    An entry of the operator replaces the shipped one of its name; one that says neither `command`
    nor `url` changes the rest of it and turns it on.

    Raises:
        SettingsError: the file is not there or is broken. What is wrong with one entry turns that
            server off.
    """
    shipped = _read_file(CATALOGUE)
    own = {} if path is None else _read_file(path)
    base = Path.cwd() if path is None else path.resolve().parent
    servers: list[FleetServer] = []
    for name in {**shipped, **own}:
        raw, is_shipped = _merged(shipped.get(name), own.get(name))
        entry = _fault_of_name(name) or _read_entry(raw)
        if isinstance(entry, Entry):
            server = _server(name, entry, surroundings, base, is_named=name in own)
        else:
            off = f"{entry}."
            server = FleetServer(
                name=name, transport="unknown", config=None, off=off, is_ready=False
            )
        servers.append(replace(server, is_shipped=is_shipped))
    return tuple(servers)


def _merged(shipped: Any, own: Any) -> tuple[Any, bool]:
    """The entry, and whether it is the catalogue's, changed by the operator or not."""
    if own is None:
        return shipped, True
    if shipped is None or not isinstance(own, dict) or any(key in own for key in _LOCATIONS):
        return cast("object", own), False
    changes = cast("JsonObject", own)
    for key in _ADDED_TO:
        if isinstance(changes.get(key), dict):
            changes = changes | {key: shipped.get(key, {}) | changes[key]}
    return shipped | changes, True


def _fault_of_name(name: str) -> str:
    if name in RESERVED:
        return "its name is that of the bot's own tools"
    if len(name) > _MAX_NAME_CHARS or not _NAME.fullmatch(name):
        return (
            "its name may have at most 40 letters, digits and hyphens, "
            "with single underscores between them"
        )
    return ""


def _server(
    name: str, entry: Entry, surroundings: Surroundings, base: Path, *, is_named: bool
) -> FleetServer:
    expansion = _Expansion(surroundings.environment, has_workspace=entry.scope == "session")
    transport, reach = _reach(name, entry, expansion, base)
    config = None if isinstance(reach, str) else reach
    reasons = [reach] if isinstance(reach, str) else []
    reasons += _lacks(entry, config, expansion, surroundings)
    is_ready = not reasons
    if is_ready and entry.disabled:
        reasons = ["it is disabled in the file"]
    elif is_ready and entry.opt_in and not is_named:
        switch = json.dumps({"mcpServers": {name: {}}})
        reasons = [
            f"all that it needs is there; to turn it on, write {switch} "
            "into the file that MCP_SERVERS_FILE names"
        ]
    return FleetServer(
        name=name,
        transport=transport,
        config=config,
        off=f"{'; '.join(reasons)}." if reasons else "",
        is_ready=is_ready,
        scope=entry.scope,
        access=Access(agents=entry.agents, channels=entry.channels, users=entry.users),
    )


def _reach(
    name: str, entry: Entry, expansion: "_Expansion", base: Path
) -> tuple[Transport, _Config | str]:
    """By what transport the server is reached, and how; or what is wrong with the entry."""
    kind = entry.type.lower()
    if not kind and bool(entry.command) == bool(entry.url):
        fault = "it has both a command and a url, and no type that says which is meant"
        return "unknown", fault if entry.url else "it has neither a command nor a url"
    match "http" if kind in _HTTP_TYPES else kind or ("http" if entry.url else "stdio"):
        case "http":
            config = HttpServer(
                name=name,
                url=expansion.fill(entry.url),
                headers=expansion.fill_all(entry.headers),
                call_timeout_s=entry.timeout,
            )
            return "http", config if entry.url else "it has no url"
        case "stdio":
            env = expansion.fill_all(entry.env)
            config = StdioServer(
                name=name,
                command=expansion.fill(entry.command),
                args=tuple(expansion.fill(argument) for argument in entry.args),
                env={name: value for name, value in env.items() if value},
                cwd=base / Path(expansion.fill(entry.cwd)).expanduser() if entry.cwd else None,
                call_timeout_s=entry.timeout,
            )
            return "stdio", config if entry.command else "it has no command"
        case "sse":
            fault = (
                "it speaks the old SSE transport, which is not supported; see whether it has http"
            )
            return "sse", fault
        case _:
            fault = f"its type {entry.type[:40]!r} is not known; there are stdio and http"
            return "unknown", fault


def _lacks(
    entry: Entry,
    config: _Config | None,
    expansion: "_Expansion",
    surroundings: Surroundings,
) -> Iterator[str]:
    """What the entry needs and this machine does not have."""
    unset = dict(expansion.unset)
    unset.update({n: None for n in entry.needs.variables if not surroundings.environment.get(n)})
    for name in unset:
        hint = entry.needs.variables.get(name, "")
        yield f"{name} is not set{f' ({hint})' if hint else ''}"
    if expansion.strange:
        yield f"{', '.join(expansion.strange)} cannot be filled in"
    if isinstance(config, HttpServer) and not unset and not _is_web_address(config.url):
        yield "its url is no http address"
    if isinstance(config, StdioServer):
        programs = {config.command: "", **entry.needs.programs}
        path = config.env.get("PATH")
        for program, hint in programs.items():
            if program and not surroundings.find(program, path):
                yield f"the program {program} is not found{f' ({hint})' if hint else ''}"


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


class _Expansion:
    """Fills in variables, and collects what stands in the way. An empty variable counts as unset.

    Attributes:
        unset: The variables that are needed and not set, in the order of their first use.
        strange: Places that are no variables, such as `${input:token}`.
    """

    def __init__(self, environment: Mapping[str, str], *, has_workspace: bool) -> None:
        self._environment = environment
        self._has_workspace = has_workspace
        self.unset: dict[str, None] = {}
        self.strange: dict[str, None] = {}

    def fill(self, text: str) -> str:
        """The text with its variables; `${WORKSPACE}` stays where sessions fill it in."""
        return _PLACE.sub(self._value, text)

    def fill_all(self, texts: Mapping[str, str]) -> dict[str, str]:
        """The same names with filled texts."""
        return {name: self.fill(text) for name, text in texts.items()}

    def _value(self, place: re.Match[str]) -> str:
        whole, inside = place.group(), place.group(1)
        if whole == WORKSPACE and self._has_workspace:
            return whole
        found = _VARIABLE.fullmatch(inside)
        if found is None:
            self.strange[whole] = None
            return whole
        name, default = found.group(1), found.group(2)
        value = self._environment.get(name, "") or default
        if value is None:
            self.unset[name] = None
            return ""
        return value


def _read_entry(raw: Any) -> Entry | str:
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


def _read_file(path: Path) -> dict[str, Any]:
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
            place = max(text.rfind(json.dumps(twin)), 0)
            raise json.JSONDecodeError(f"{twin[:64]!r} is there twice", text, place)
        return dict(pairs)

    try:
        document: Any = json.loads(text, object_pairs_hook=no_twins)
    except RecursionError as error:
        raise json.JSONDecodeError("it is nested too deeply", text, 0) from error
    if isinstance(document, dict):
        for root in _ROOTS:
            servers = cast("JsonObject", document).get(root)
            if isinstance(servers, dict):
                return cast("JsonObject", servers)
    start = next((text.find(f'"{root}"') for root in _ROOTS if f'"{root}"' in text), 0)
    raise json.JSONDecodeError('there is no object "mcpServers" with the servers', text, start)
