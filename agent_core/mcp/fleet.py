"""Makes the fleet out of the shipped catalogue, the operator's file and what this machine has.

The file is the JSON that most MCP hosts know. What is wrong with one entry turns that server off
with the reason; `${VAR}` and `${VAR:-default}` are filled in from the environment.
"""

import difflib
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
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


class Needs(BaseModel):
    """What must be there before the server can work, each with how to get it."""

    model_config = ConfigDict(extra="forbid")

    programs: dict[str, str] = Field(default_factory=dict[str, str])
    """To be found on the PATH."""
    variables: dict[str, str] = Field(default_factory=dict[str, str])


class ServerEntry(BaseModel):
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

    @property
    def transport(self) -> str:
        kind = self.type.lower() or ("http" if self.url else "stdio")
        return "http" if kind in _HTTP_TYPES else kind

    @model_validator(mode="after")
    def _says_how_it_is_reached(self) -> Self:
        wanted = {"stdio": "command", "http": "url"}.get(self.transport)
        if self.transport == "sse":
            raise ValueError("it speaks the old SSE transport; see whether it has http")
        if wanted is None:
            raise ValueError(f"its type {self.type[:40]!r} is not known; there are stdio and http")
        if not getattr(self, wanted):
            raise ValueError(f"it has no {wanted}")
        if self.command and self.url and not self.type:
            raise ValueError("it has a command and a url, and no type that says which is meant")
        return self

    def config(self, name: str, base: Path, filling: "_Filling") -> StdioServer | HttpServer:
        """How to reach it; `base` is where its directory is looked for."""
        fill = partial(filling.fill, kept=WORKSPACE if self.scope == "session" else "")
        if self.transport == "http":
            return HttpServer(
                name=name,
                url=fill(self.url),
                headers=fill(self.headers),
                call_timeout_s=self.timeout,
            )
        return StdioServer(
            name=name,
            env={name: value for name, value in fill(self.env).items() if value},
            command=fill(self.command),
            args=tuple(fill(self.args)),
            cwd=base / Path(fill(self.cwd)).expanduser() if self.cwd else None,
            call_timeout_s=self.timeout,
        )


def read_fleet(path: Path | None, environment: Mapping[str, str]) -> tuple[FleetServer, ...]:
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
        filling = _Filling(environment)
        entry = _fault_of_name(name) or _read_entry(raw)
        server = FleetServer(name=name, off=f"{entry}.", is_shipped=is_shipped)
        if isinstance(entry, ServerEntry):
            config = entry.config(name, base, filling)
            lacks = "; ".join(_lacks(entry, config, filling))
            off = lacks or _switched_off(name, entry, is_named=name in own)
            server = replace(
                server,
                transport=entry.transport,
                config=config,
                is_ready=not lacks,
                off=off and f"{off}.",
                scope=entry.scope,
                access=ServerAccess(
                    agents=entry.agents, channels=entry.channels, users=entry.users
                ),
            )
        servers.append(server)
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


@dataclass(frozen=True, slots=True)
class _Filling:
    """Fills in variables, and collects what stands in the way. An empty variable counts as unset.

    `unset` are the variables that are needed and not set, in the order of their first use;
    `strange` are places that are no variables, such as `${input:token}`.
    """

    environment: Mapping[str, str]
    unset: dict[str, None] = field(default_factory=dict[str, None])
    strange: dict[str, None] = field(default_factory=dict[str, None])

    def fill(self, value: Any, *, kept: str) -> Any:
        """The value with its variables, however deep; the place `kept` stays."""

        def filled(text: str) -> str:
            return _PLACE.sub(lambda place: self._value(place, kept), text)

        return with_texts(value, filled)

    def _value(self, place: re.Match[str], kept: str) -> str:
        if place[0] == kept:
            return kept
        found = _VARIABLE.fullmatch(place[1])
        if found is None:
            self.strange[place[0]] = None
            return place[0]
        value = self.environment.get(found[1], "") or found[2]
        if value is None:
            self.unset[found[1]] = None
            return ""
        return value


def _lacks(
    entry: ServerEntry, config: StdioServer | HttpServer, filling: _Filling
) -> Iterator[str]:
    """What the entry needs and this machine does not have."""
    needed = (name for name in entry.needs.variables if not filling.environment.get(name))
    unset = dict.fromkeys((*filling.unset, *needed))
    for name in unset:
        yield f"{name} is not set{_hint(entry.needs.variables.get(name))}"
    if filling.strange:
        yield f"{', '.join(filling.strange)} cannot be filled in"
    if isinstance(config, HttpServer):
        if not unset and not _is_web_address(config.url):
            yield "its url is no http address"
        return
    for program, hint in {config.command: "", **entry.needs.programs}.items():
        if program and not shutil.which(program, path=config.env.get("PATH")):
            yield f"the program {program} is not found{_hint(hint)}"


def _hint(text: str | None) -> str:
    return f" ({text})" if text else ""


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def _read_entry(raw: Any) -> ServerEntry | str:
    """The entry, or why it is none, as the end of "It is off: …"."""
    if not isinstance(raw, dict):
        return "its entry is no JSON object"
    keys = cast("JsonObject", raw)
    for key in keys:
        near = difflib.get_close_matches(key, _OURS, n=1, cutoff=_CLOSE)
        if near and key not in _OURS:
            return f"its key {key[:40]!r} is not known; is {near[0]!r} meant?"
    try:
        return ServerEntry.model_validate(keys)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return ": ".join(filter(None, (place, first["msg"].removeprefix("Value error, "))))


def _read_file(path: Path) -> dict[str, Any]:
    """The raw entries of a file by name, in the order of the file."""
    try:
        return _entries(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise SettingsError(f"The file of MCP servers {path} cannot be read: {reason}.") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise SettingsError(
            f"The file of MCP servers {path} is broken at {place}: {error.msg}."
        ) from error


def _entries(text: str) -> dict[str, Any]:
    def no_twins(pairs: list[tuple[str, Any]]) -> JsonObject:
        names = [name for name, _ in pairs]
        for twin in names:
            if names.count(twin) > 1:
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
