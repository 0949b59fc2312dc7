"""Makes the fleet out of the shipped catalogue, the operator's file and what this machine has."""

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from agent_core.messages import JsonObject
from agent_core.tools.fleet.entries import CATALOGUE, Entry, read_entries, read_entry
from agent_core.tools.fleet.expansion import Expansion
from agent_core.tools.fleet.servers import Access, FleetServer, Transport
from agent_core.tools.servers import HttpServer, StdioServer

RESERVED = frozenset({"local_toolkit", "composio"})
"""Names of our own toolsets, which no file may take over."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*(?:_[A-Za-z0-9-]+)*")
_MAX_NAME_CHARS = 40
_HTTP_TYPES = frozenset({"http", "streamable-http", "streamable_http", "streamablehttp"})
_ADDED_TO = ("env", "headers")
"""Whose single entries an operator's entry adds or replaces."""
_LOCATIONS = ("command", "url", "serverUrl")


def _find(program: str, path: str | None) -> str | None:
    return shutil.which(program, path=path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What decides whether a server is ready: variables, and where programs are found."""

    environment: Mapping[str, str] = field(repr=False)
    find: Callable[[str, str | None], str | None] = _find
    """A program's path by its name and a PATH, None for the bot's own."""


def read_fleet(path: Path | None, surroundings: Surroundings) -> tuple[FleetServer, ...]:
    """Every server of the catalogue and of the operator's file, those that are off included.

    An entry of the operator replaces the shipped one of its name; one that says neither `command`
    nor `url` changes the rest of it and turns it on.

    Raises:
        SettingsError: the file is not there or is broken. What is wrong with one entry turns that
            server off.
    """
    shipped = read_entries(CATALOGUE)
    own = {} if path is None else read_entries(path)
    base = Path.cwd() if path is None else path.resolve().parent
    return tuple(
        _server(name, _merged(shipped.get(name), own.get(name)), surroundings, base)
        for name in {**shipped, **own}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    raw: Any
    is_shipped: bool
    is_named: bool
    """In the operator's file."""


def _merged(shipped: Any, own: Any) -> _Wanted:
    if own is None:
        return _Wanted(raw=shipped, is_shipped=True, is_named=False)
    if shipped is None or not isinstance(own, dict) or any(key in own for key in _LOCATIONS):
        return _Wanted(raw=own, is_shipped=False, is_named=True)
    changes = cast("JsonObject", own)
    for key in _ADDED_TO:
        if isinstance(changes.get(key), dict):
            changes = changes | {key: shipped.get(key, {}) | changes[key]}
    return _Wanted(raw=shipped | changes, is_shipped=True, is_named=True)


def _fault_of_name(name: str) -> str:
    if name in RESERVED:
        return "its name is that of the bot's own tools"
    if len(name) > _MAX_NAME_CHARS or not _NAME.fullmatch(name):
        return (
            "its name may have at most 40 letters, digits and hyphens, "
            "with single underscores between them"
        )
    return ""


def _server(name: str, wanted: _Wanted, surroundings: Surroundings, base: Path) -> FleetServer:
    entry = _fault_of_name(name) or read_entry(wanted.raw)
    if isinstance(entry, str):
        return FleetServer(
            name=name,
            transport="unknown",
            config=None,
            off=f"{entry}.",
            is_ready=False,
            is_shipped=wanted.is_shipped,
        )
    transport = _transport(entry)
    expansion = Expansion(surroundings.environment, has_workspace=entry.scope == "session")
    config = _config(name, entry, transport, expansion, base)
    reasons = [*_faults(entry, transport), *_lacks(entry, config, expansion, surroundings)]
    is_ready = not reasons
    if is_ready and (choice := _why_not_wanted(name, entry, wanted)):
        reasons = [choice]
    return FleetServer(
        name=name,
        transport=transport,
        config=config,
        off=f"{'; '.join(reasons)}." if reasons else "",
        is_ready=is_ready,
        scope=entry.scope,
        access=_access(entry),
        is_shipped=wanted.is_shipped,
    )


def _why_not_wanted(name: str, entry: Entry, wanted: _Wanted) -> str:
    if entry.disabled:
        return "it is disabled in the file"
    if entry.opt_in and not wanted.is_named:
        switch = json.dumps({"mcpServers": {name: {}}})
        return (
            f"all that it needs is there; to turn it on, write {switch} "
            "into the file that MCP_SERVERS_FILE names"
        )
    return ""


def _transport(entry: Entry) -> Transport:
    kind = entry.type.lower()
    if kind == "sse":
        return "sse"
    if kind in _HTTP_TYPES or (not kind and entry.url and not entry.command):
        return "http"
    if kind == "stdio" or (not kind and entry.command and not entry.url):
        return "stdio"
    return "unknown"


def _config(
    name: str, entry: Entry, transport: Transport, expansion: Expansion, base: Path
) -> StdioServer | HttpServer | None:
    match transport:
        case "stdio" if entry.command:
            env = expansion.fill_all(entry.env)
            return StdioServer(
                name=name,
                command=expansion.fill(entry.command),
                args=tuple(expansion.fill(argument) for argument in entry.args),
                env={name: value for name, value in env.items() if value},
                cwd=base / Path(expansion.fill(entry.cwd)).expanduser() if entry.cwd else None,
                call_timeout_s=entry.timeout,
            )
        case "http" if entry.url:
            return HttpServer(
                name=name,
                url=expansion.fill(entry.url),
                headers=expansion.fill_all(entry.headers),
                call_timeout_s=entry.timeout,
            )
        case _:
            return None


def _faults(entry: Entry, transport: Transport) -> Iterator[str]:
    """What is wrong with the entry itself."""
    match transport:
        case "sse":
            yield "it speaks the old SSE transport, which is not supported; see whether it has http"
        case "unknown" if entry.command and entry.url:
            yield "it has both a command and a url, and no type that says which is meant"
        case "unknown" if entry.type:
            yield f"its type {entry.type[:40]!r} is not known; there are stdio and http"
        case "unknown":
            yield "it has neither a command nor a url"
        case "stdio" if not entry.command:
            yield "it has no command"
        case "http" if not entry.url:
            yield "it has no url"
        case _:
            return


def _lacks(
    entry: Entry,
    config: StdioServer | HttpServer | None,
    expansion: Expansion,
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


def _access(entry: Entry) -> Access:
    return Access(agents=_set(entry.agents), channels=_set(entry.channels), users=_set(entry.users))


def _set(names: list[str] | None) -> frozenset[str] | None:
    return None if names is None else frozenset(names)
