"""MCP servers as they are configured: how each is reached, who may use it, what it may cost.

The fleet are further servers, from the shipped catalogue and the operator's file, which is the JSON
that most MCP hosts know. A fault in one entry turns that server off with the reason; `${VAR}` and
`${VAR:-default}` are filled in from the environment.
"""

import difflib
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator

from agent_core.errors import SettingsError
from agent_core.json_values import as_object, is_object
from agent_core.masking import with_texts
from agent_core.messages import JsonObject
from agent_core.tools import MAIN_AGENT, ToolContext

WORKSPACE = "${WORKSPACE}"
"""Stands for the session's directory, in the file of servers and in stored definitions."""
ANY = "*"

Scope = Literal["bot", "session"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ServerBase:
    name: str
    trusted: bool = False
    """Ours: it gets the session's directory, and its artifacts are believed."""
    call_timeout_s: float = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StdioServer(_ServerBase):
    """A server that we start as a child process. Comes from the operator, never from a chat."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Added to a short allow list (PATH, HOME, LANG and the like); nothing else is inherited."""
    cwd: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpServer(_ServerBase):
    """A server elsewhere, over streamable HTTP."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Sent to the origin of `url` alone."""


ServerConfig = StdioServer | HttpServer


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAccess:
    """Limits to agents, channels and people; None is no limit."""

    agents: frozenset[str] | None = None
    """Names of agents; None is the main agent alone."""
    channels: frozenset[str] | None = None
    """`channel`, or `team:channel` where several teams use the bot."""
    users: frozenset[str] | None = None
    """`user` or `team:user`."""

    def admits(self, context: ToolContext) -> bool:
        """Whether the server is offered to this agent when it works there for that person."""
        agents = frozenset({MAIN_AGENT}) if self.agents is None else self.agents
        person = context.asker.rpartition(":")[2]
        limits = (
            (agents, (context.agent,)),
            (self.channels, context.places),
            (self.users, (context.asker, person)),
        )
        return all(
            names is None or not names.isdisjoint((ANY, *own_names)) for names, own_names in limits
        )

    @property
    def in_words(self) -> str:
        """The limits for people, such as `channels C1 C2`; empty without any."""
        lines: list[str] = []
        for kind in ("agents", "channels", "users"):
            names: frozenset[str] | None = getattr(self, kind)
            if names is not None:
                listed = " ".join(sorted(names))
                lines.append(f"{kind} {listed or '(nobody)'}")
        return "; ".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetServer:
    """One server of the operator's file or the shipped catalogue."""

    name: str
    off: str = ""
    """Why it is off, as a sentence for the operator; empty when it is on."""
    transport: str = "unknown"
    config: ServerConfig | None = None
    """How to reach it; None where its entry does not say it, or something that it needs is missing.
    """
    scope: Scope = "bot"
    """`session`: a process for each session, which works in the session's directory."""
    access: ServerAccess = field(default_factory=ServerAccess)

    @property
    def is_on(self) -> bool:
        return not self.off

    def config_in(self, workspace: Path) -> ServerConfig:
        """How to reach it for the session of this directory; the server must be on."""
        config = self.config
        if config is None:
            raise ValueError(f"{self.name} is off: {self.off}")
        if self.scope == "bot" or isinstance(config, HttpServer):
            return config
        directory = str(workspace)
        return replace(
            config,
            args=tuple(argument.replace(WORKSPACE, directory) for argument in config.args),
            env={name: text.replace(WORKSPACE, directory) for name, text in config.env.items()},
            cwd=config.cwd or workspace,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HubLimits:
    """Bounds on what a server may cost."""

    connect_timeout_s: float = 30.0
    list_timeout_s: float = 10.0
    list_patience_s: float = 8.0
    """How long an agent waits for tools of the fleet never seen before; then they come later."""
    grace_s: float = 1.5
    """For a child process to leave by itself, and again after a polite signal."""
    max_restarts: int = 3
    """Within a minute; beyond that the server counts as down until the minute is over."""
    retry_after_s: float = 30.0
    """How long a failed start is remembered before the next attempt."""
    idle_after_s: float = 900.0
    """A connection of one session or person ends when it was not used for so long."""
    max_connections: int = 24
    """Of one server to sessions or people; beyond them the one that was idle longest ends."""


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
_PLACEHOLDER = re.compile(r"\$\{(?:env:)?([^}]*?)(?::-([^}]*))?\}")
_WEB_ADDRESS = re.compile(r"https?://[^/\s]+.*", re.IGNORECASE | re.DOTALL)


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
        if self.transport not in ("stdio", "http"):
            raise ValueError(f"its type {self.type[:40]!r} is not known; there are stdio and http")
        if self.transport == "stdio" and not self.command:
            raise ValueError("it has no command")
        if self.transport == "http" and not self.url:
            raise ValueError("it has no url")
        if self.command and self.url and not self.type:
            raise ValueError("it has a command and a url, and no type that says which is meant")
        return self

    def config(self, name: str, base: Path, variables: "_Variables") -> ServerConfig:
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
        raw = _merged(shipped.get(name), own.get(name))
        entry = _fault_of_name(name) or _read_entry(raw)
        if isinstance(entry, str):
            fleet.append(FleetServer(name=name, off=f"{entry}."))
            continue
        variables = _Variables(environment)
        config = entry.config(name, base, variables)
        lacks = list(_lacks(entry, config, variables))
        switch = _switched_off(name, entry, is_named=name in own)
        off = "; ".join(filter(None, [*lacks, switch]))
        server = FleetServer(
            name=name,
            off=off and f"{off}.",
            transport=entry.transport,
            config=None if lacks else config,
            scope=entry.scope,
            access=entry.access,
        )
        fleet.append(server)
    return tuple(fleet)


def _merged(shipped: Any, own: Any) -> Any:
    """The operator's entry, or the catalogue's, changed by the operator or not."""
    if own is None:
        return shipped
    if shipped is None or not is_object(own) or not own.keys().isdisjoint(_LOCATIONS):
        return own
    entry = shipped | own
    for key in _ADDED_TO:
        if isinstance(entry.get(key), dict):
            entry[key] = shipped.get(key, {}) | entry[key]
    return entry


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
        f"it is off until you ask for it: write {switch} into the file that MCP_SERVERS_FILE names"
    )


@dataclass
class _Variables:
    """Fills in variables, and collects those that are not there. An empty one counts as unset."""

    environment: Mapping[str, str]
    unset: dict[str, None] = field(default_factory=dict[str, None])
    """Needed and not set, in the order of their first use."""

    def fill(self, value: Any, *, kept: str) -> Any:
        """The value with its variables, however deep; the placeholder `kept` stays."""
        return with_texts(value, partial(_PLACEHOLDER.sub, partial(self._value, kept=kept)))

    def _value(self, placeholder: re.Match[str], kept: str) -> str:
        if placeholder[0] == kept:
            return kept
        name, default = placeholder.groups()
        value = self.environment.get(name) or default
        if value is None:
            self.unset[name] = None
        return value or ""


def _lacks(entry: ServerEntry, config: ServerConfig, variables: _Variables) -> Iterator[str]:
    """What the entry needs and this machine does not have."""
    missing = [name for name in entry.needs.variables if not variables.environment.get(name)]
    unset = dict.fromkeys([*variables.unset, *missing])
    for name in unset:
        yield f"{name} is not set{_hint(entry.needs.variables.get(name))}"
    if isinstance(config, HttpServer):
        if not unset and not _WEB_ADDRESS.fullmatch(config.url):
            yield "its url is no http address"
        return
    programs = {config.command: "", **entry.needs.programs}
    for program, hint in programs.items():
        if program and not shutil.which(program, path=config.env.get("PATH")):
            yield f"the program {program} is not found{_hint(hint)}"


def _hint(text: str | None) -> str:
    return f" ({text})" if text else ""


def _read_entry(raw: Any) -> ServerEntry | str:
    """The entry, or why it is none, as the end of "It is off: …"."""
    if not is_object(raw):
        return "its entry is no JSON object"
    for key in raw:
        near = difflib.get_close_matches(
            key,
            _OURS,
            n=1,
            cutoff=_CLOSE,
        )
        if near and key not in _OURS:
            return f"its key {key[:40]!r} is not known; is {near[0]!r} meant?"
    try:
        return ServerEntry.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        reason = first["msg"].removeprefix("Value error, ")
        return ": ".join([*map(str, first["loc"]), reason])


def _read_file(path: Path) -> JsonObject:
    """The raw entries of a file by name, in the order of the file."""
    try:
        document = as_object(json.loads(path.read_text(encoding="utf-8-sig")))
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(f"The file of MCP servers {path} cannot be read: {error}") from error
    for root in _ROOTS:
        servers = document.get(root)
        if is_object(servers):
            return servers
    raise SettingsError(f'The file of MCP servers {path} has no object "mcpServers".')
