"""The fleet: further MCP servers, from the shipped catalogue and the operator's file.

The file is the JSON that most MCP hosts know. A fault in one entry turns that server off with the
reason; `${VAR}` and `${VAR:-default}` are filled in from the environment.
"""

import difflib
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Self, cast
from urllib.parse import urlsplit

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator

from agent_core.errors import SettingsError
from agent_core.masking import with_texts
from agent_core.mcp.config import (
    WORKSPACE,
    FleetServer,
    HttpServer,
    Scope,
    ServerAccess,
    StdioServer,
)
from agent_core.messages import JsonObject
from agent_core.models.strict_json import as_object

RESERVED = frozenset({"local_toolkit", "composio"})
"""Names of our own tool servers, which no file may take over."""
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
_PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")
_VARIABLE = re.compile(r"(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)


class Needs(BaseModel):
    """What must be there before the server can work, each with how to get it."""

    model_config = ConfigDict(extra="forbid")

    programs: dict[str, str] = {}
    """To be found on the PATH."""
    variables: dict[str, str] = {}


class ServerEntry(BaseModel):
    """One server as the file describes it; keys of other hosts are ignored."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    type: str = ""
    command: str = ""
    args: list[str] = []
    env: dict[str, str] = {}
    cwd: str = ""
    url: str = Field(default="", validation_alias=AliasChoices("url", "serverUrl"))
    headers: dict[str, str] = {}
    agents: frozenset[str] | None = None
    channels: frozenset[str] | None = None
    users: frozenset[str] | None = None
    scope: Scope = "bot"
    timeout: float = Field(default=120, gt=0, le=MAX_TIMEOUT_S)
    """Seconds that one call may take."""
    disabled: bool = False
    needs: Needs = Needs()
    opt_in: bool = Field(default=False, validation_alias="optIn")
    """The server is off until the operator's file names it."""

    @property
    def transport(self) -> str:
        kind = self.type.lower() or ("http" if self.url else "stdio")
        return "http" if kind in _HTTP_TYPES else kind

    @property
    def access(self) -> ServerAccess:
        return ServerAccess(agents=self.agents, channels=self.channels, users=self.users)

    @model_validator(mode="after")
    def _says_how_it_is_reached(self) -> Self:
        if self.transport == "sse":
            raise ValueError("it speaks the old SSE transport; see whether it has http")
        if self.transport not in ("stdio", "http"):
            raise ValueError(f"its type {self.type[:40]!r} is not known; there are stdio and http")
        if self.transport == "stdio" and not self.command:
            raise ValueError("it has no command")
        if self.transport == "http" and not self.url:
            raise ValueError("it has no url")
        if self.command and self.url and not self.type:
            raise ValueError("it has a command and a url, and no type that says which is meant")
        return self

    def config(self, name: str, base: Path, variables: "_Variables") -> StdioServer | HttpServer:
        """How to reach it; a relative `cwd` is below `base`."""
        fill = partial(variables.fill, kept=WORKSPACE if self.scope == "session" else "")
        if self.transport == "http":
            return HttpServer(
                name=name,
                url=fill(self.url),
                headers=fill(self.headers),
                call_timeout_s=self.timeout,
            )
        return StdioServer(
            name=name,
            command=fill(self.command),
            args=tuple(fill(self.args)),
            env={key: value for key, value in fill(self.env).items() if value},
            cwd=base / Path(fill(self.cwd)).expanduser() if self.cwd else None,
            call_timeout_s=self.timeout,
        )


def read_fleet(path: Path | None, environment: Mapping[str, str]) -> tuple[FleetServer, ...]:
    """Every server of the catalogue and of the operator's file, those that are off included.

    An entry of the operator replaces the shipped one of its name; one that says neither `command`
    nor `url` changes the rest of it and turns it on.

    Raises:
        SettingsError: the file is not there or is broken. A fault in one entry turns that server
            off.
    """
    shipped = _read_file(CATALOGUE)
    own = _read_file(path) if path else {}
    base = path.resolve().parent if path else Path.cwd()
    fleet: list[FleetServer] = []
    for name in {**shipped, **own}:
        raw, is_shipped = _merged(shipped.get(name), own.get(name))
        server = FleetServer(name=name, is_shipped=is_shipped)
        entry = _fault_of_name(name) or _read_entry(raw)
        if isinstance(entry, str):
            fleet.append(replace(server, off=f"{entry}."))
            continue
        variables = _Variables(environment)
        config = entry.config(name, base, variables)
        lacks = "; ".join(_lacks(entry, config, variables))
        off = lacks or _switched_off(name, entry, is_named=name in own)
        server = replace(
            server,
            off=off and f"{off}.",
            transport=entry.transport,
            config=config,
            is_ready=not lacks,
            scope=entry.scope,
            access=entry.access,
        )
        fleet.append(server)
    return tuple(fleet)


def _merged(shipped: Any, own: Any) -> tuple[Any, bool]:
    """The entry, and whether it is the catalogue's, changed by the operator or not."""
    if own is None:
        return shipped, True
    changes = as_object(own)
    if shipped is None or changes != own or not changes.keys().isdisjoint(_LOCATIONS):
        return own, False
    entry = shipped | changes
    for key in _ADDED_TO:
        if isinstance(entry.get(key), dict):
            entry[key] = shipped.get(key, {}) | entry[key]
    return entry, True


def _fault_of_name(name: str) -> str:
    if name in RESERVED:
        return "its name is that of the bot's own tools"
    if len(name) > _MAX_NAME_CHARS or not _NAME.fullmatch(name):
        return (
            "its name may have at most 40 letters, digits and hyphens, "
            "with single underscores between them"
        )
    return ""


def _switched_off(name: str, entry: ServerEntry, *, is_named: bool) -> str:
    if entry.disabled:
        return "it is disabled in the file"
    if not entry.opt_in or is_named:
        return ""
    switch = json.dumps({"mcpServers": {name: {}}})
    return (
        f"all that it needs is there; to turn it on, write {switch} "
        "into the file that MCP_SERVERS_FILE names"
    )


@dataclass
class _Variables:
    """Fills in variables, and collects those that are not there. An empty one counts as unset."""

    environment: Mapping[str, str]

    def __post_init__(self) -> None:
        self.unset: dict[str, None] = {}
        """Needed and not set, in the order of their first use."""
        self.strange: dict[str, None] = {}
        """Placeholders that are no variables, such as `${input:token}`."""

    def fill(self, value: Any, *, kept: str) -> Any:
        """The value with its variables, however deep; the placeholder `kept` stays."""
        filled = partial(_PLACEHOLDER.sub, partial(self._value, kept=kept))
        return with_texts(value, filled)

    def _value(self, placeholder: re.Match[str], kept: str) -> str:
        text = placeholder[0]
        if text == kept:
            return text
        variable = _VARIABLE.fullmatch(placeholder[1])
        if variable is None:
            self.strange[text] = None
            return text
        name, default = variable.groups()
        value = self.environment.get(name) or default
        if value is None:
            self.unset[name] = None
        return value or ""


def _lacks(
    entry: ServerEntry, config: StdioServer | HttpServer, variables: _Variables
) -> Iterator[str]:
    """What the entry needs and this machine does not have."""
    unset = dict(variables.unset)
    for name in entry.needs.variables:
        if not variables.environment.get(name):
            unset[name] = None
    for name in unset:
        yield f"{name} is not set{_hint(entry.needs.variables.get(name))}"
    if variables.strange:
        yield f"{', '.join(variables.strange)} cannot be filled in"
    if isinstance(config, HttpServer):
        if not unset and not _is_web_address(config.url):
            yield "its url is no http address"
        return
    programs = {config.command: "", **entry.needs.programs}
    for program, hint in programs.items():
        if program and not shutil.which(program, path=config.env.get("PATH")):
            yield f"the program {program} is not found{_hint(hint)}"


def _hint(text: str | None) -> str:
    return f" ({text})" if text else ""


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _read_entry(raw: Any) -> ServerEntry | str:
    """The entry, or why it is none, as the end of "It is off: …"."""
    if not isinstance(raw, dict):
        return "its entry is no JSON object"
    keys = cast("JsonObject", raw)
    for key in keys:
        near = difflib.get_close_matches(
            key,
            _OURS,
            n=1,
            cutoff=_CLOSE,
        )
        if near and key not in _OURS:
            return f"its key {key[:40]!r} is not known; is {near[0]!r} meant?"
    try:
        return ServerEntry.model_validate(keys)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        field_name = ".".join(map(str, first["loc"]))
        reason = first["msg"].removeprefix("Value error, ")
        return f"{field_name}: {reason}" if field_name else reason


def _read_file(path: Path) -> JsonObject:
    """The raw entries of a file by name, in the order of the file."""
    try:
        return _entries(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        fault = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        fault = "cannot be read: it is no UTF-8 text"
    except json.JSONDecodeError as error:
        fault = f"is broken at line {error.lineno}, column {error.colno}: {error.msg}"
    raise SettingsError(f"The file of MCP servers {path} {fault}.")


def _entries(text: str) -> JsonObject:
    try:
        document = as_object(json.loads(text, object_pairs_hook=partial(_without_twins, text)))
    except RecursionError as error:
        raise json.JSONDecodeError("it is nested too deeply", text, 0) from error
    for root in _ROOTS:
        servers = document.get(root)
        if isinstance(servers, dict):
            return cast("JsonObject", servers)
    start = max(text.find(f'"{_ROOTS[0]}"'), 0)
    raise json.JSONDecodeError('there is no object "mcpServers" with the servers', text, start)


def _without_twins(text: str, pairs: list[tuple[str, Any]]) -> JsonObject:
    names: JsonObject = {}
    for name, value in pairs:
        if name in names:
            start = max(text.rfind(json.dumps(name)), 0)
            raise json.JSONDecodeError(f"{name[:64]!r} is there twice", text, start)
        names[name] = value
    return names
