"""Operator's view of an installation: workspaces' root, database, services, MCP servers, audit.

The commands `bot check`, `bot audit` and `bot mcp` (`bot.operator`) use it, beside a running bot or
without one.
"""

import asyncio
import difflib
import errno
import json
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from mcp.client.stdio import get_default_environment
from pydantic_settings import BaseSettings
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from agent_core.clock import machine_time
from agent_core.composio import SERVER_NAME
from agent_core.database_errors import reason_of
from agent_core.durable.dbos_turns import check_sqlite
from agent_core.errors import SessionError, SettingsError, ToolServerError
from agent_core.ids import UserId
from agent_core.json_values import digest_of_json
from agent_core.mcp import (
    FleetServer,
    HttpServer,
    HubLimits,
    ListedTool,
    McpServer,
    Pins,
    ServerConfig,
    stored_form,
    suspicion_of,
)
from agent_core.messages import JsonObject, Message, Text
from agent_core.models import ModelRequest, whole_reply
from agent_core.models.anthropic import AnthropicModel
from agent_core.observers.blacklist import Blacklist, BlacklistEntry
from agent_core.programs import Interpreter
from agent_core.runtime.build import (
    composio_worker,
    configured_fleet,
    local_toolkit,
    model_connection,
)
from agent_core.runtime.erasure import Erasure
from agent_core.runtime.scopes import scope_settings
from agent_core.scoped_settings import EffectiveSettings
from agent_core.sessions import (
    AuditLog,
    Database,
    ErasureStore,
    Overview,
    Pin,
    Preferences,
    ToolPins,
    operator_act,
)
from agent_core.sessions.migrations import NEWEST, file_of, revision_of
from agent_core.settings import CoreSettings

MIN_FREE_BYTES = 20 * 1024**2
"""Below this a start is refused: the databases could hardly grow, and no report would fit."""

CHECKER = UserId("bot:check")
"""As whom Composio is asked: nobody, so no person's accounts are touched."""
SQLITE = f"SQLite {sqlite3.sqlite_version}"
BUSY_PATIENCE_S = 5.0
"""How long a database may be locked by somebody who writes to it."""
_MAX_REPLY_TOKENS = 16
_ASKED_OF_POSTGRES = text(
    "SELECT current_setting('server_version'), "
    "(has_database_privilege(current_database(), 'CREATE') OR to_regnamespace('dbos') IS NOT NULL)"
    " AND (coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)"
    " OR to_regclass('turns') IS NOT NULL)"
)
TRY_LIMITS = HubLimits(connect_timeout_s=300.0, list_timeout_s=30.0)
"""A first start may install the server's package."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """A root that can be used."""

    path: Path
    """Absolute."""
    exists: bool
    free_bytes: int


def examine_root(root: Path, *, make: bool = False, min_free_bytes: int = MIN_FREE_BYTES) -> Root:
    """Try the root, or where it would be made; unless it is to be made, nothing stays behind.

    Raises:
        SettingsError: a plain sentence on why it cannot be used and what to do.
    """
    path = root.resolve()
    try:
        if make and not path.exists():
            path.mkdir(parents=True, exist_ok=True)
        return _tried(path, min_free_bytes)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise SettingsError(
                f"The disk of the workspaces' root {path} is full ({error.strerror}; at least "
                f"{MIN_FREE_BYTES // 1024**2} MB are needed). Make room, or set WORKSPACES_ROOT "
                "to a directory on another disk."
            ) from error
        raise SettingsError(
            f"The workspaces' root {path} cannot be written ({error.strerror}). Set "
            "WORKSPACES_ROOT to a directory that the bot may write to."
        ) from error


def _tried(path: Path, min_free_bytes: int) -> Root:
    existing = next(parent for parent in (path, *path.parents) if parent.exists())
    if not existing.is_dir():
        raise OSError(errno.ENOTDIR, f"{existing} is a file")
    free_bytes = shutil.disk_usage(existing).free
    if free_bytes < min_free_bytes:
        raise OSError(errno.ENOSPC, f"{free_bytes // 1024**2} MB are free")
    with tempfile.TemporaryFile(dir=existing) as file:
        file.write(b"\0" * 4096)
        file.flush()
        os.fsync(file.fileno())
    return Root(path=path, exists=existing == path, free_bytes=free_bytes)


async def ask_model(settings: CoreSettings, name: str) -> None:
    """Have one word of a model.

    Raises:
        ModelError: it does not answer.
        SettingsError: there is no key.
    """
    connection = model_connection(settings)
    request = ModelRequest(
        system="",
        messages=(Message(role="user", parts=(Text(text="Reply with the word OK."),)),),
        max_tokens=_MAX_REPLY_TOKENS,
    )
    try:
        await whole_reply(AnthropicModel(name, connection), request)
    finally:
        await connection.close()


async def list_composio_tools(settings: CoreSettings) -> tuple[str, ...]:
    """The tools of a session at Composio, which is deleted afterwards.

    Raises:
        ToolServerError: there is no session, or it lists none.
    """
    worker = composio_worker(settings)
    try:
        session = await worker.create_session(CHECKER)
        headers = {"x-api-key": worker.api_key}
        try:
            return await _list_tools(
                HttpServer(name=SERVER_NAME, url=session.mcp_url, headers=headers)
            )
        finally:
            await worker.delete_session(session.id)
    finally:
        await worker.close()


async def list_toolkit(settings: CoreSettings) -> tuple[str, ...]:
    """The tools of the local toolkit, started as the bot starts it but in a directory of its own.

    Raises:
        ToolServerError: it does not start or list.
    """
    with tempfile.TemporaryDirectory() as root:
        return await _list_tools(local_toolkit(settings, Path(root)))


async def examine_browser(settings: CoreSettings) -> JsonObject:
    """The toolkit's browser, started once: `path` or "", `problem` or "", `sandboxed` and `prints`.

    Raises:
        ToolServerError: the toolkit gave no answer.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "mcp_local.browser",
        env=get_default_environment() | {"CRAWL_BROWSER": settings.crawl_browser},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    answer, _ = await process.communicate()
    if process.returncode:
        raise ToolServerError("the local toolkit cannot be asked for its browser")
    return json.loads(answer)


def _no_installation(missing: object) -> SettingsError:
    return SettingsError(
        f"No bot has run here yet: {missing} is not there. Go to the bot's directory, or set "
        "WORKSPACES_ROOT and DATABASE_URL as the bot has them."
    )


def _blacklist(settings: CoreSettings) -> Blacklist:
    root = settings.workspaces_root.resolve()
    if not root.is_dir():
        raise _no_installation(root)
    return Blacklist(root)


def blacklisted(settings: CoreSettings) -> list[BlacklistEntry]:
    """Pages and hosts that failed for good in the last days, the newest first."""
    return _blacklist(settings).entries()


async def clear_blacklist(settings: CoreSettings, name: str) -> int:
    """Forget a host with its pages, a page, or all with ""; how many records there were.

    Raises:
        SettingsError: the file cannot be written.
    """
    try:
        count = _blacklist(settings).clear(name)
    except OSError as error:
        raise SettingsError(f"The blacklist cannot be written ({error.strerror}).") from error
    async with _current(settings) as database:
        if database is not None:
            await AuditLog(database).audit(operator_act(f"clear the blacklist {name}"))
    return count


def examine_python() -> str:
    """Why the agents' programs cannot run on this machine; empty where they can."""
    return Interpreter().fault


@asynccontextmanager
async def kept_of(settings: CoreSettings) -> AsyncGenerator[Erasure]:
    """Holds on what bots have stored, and its erasure; raises as `stored`."""
    async with stored(settings) as database:
        yield Erasure(database, ErasureStore(database), settings.durable_url, machine_time)


@asynccontextmanager
async def stored(settings: CoreSettings) -> AsyncGenerator[Database]:
    """What bots have stored.

    Raises:
        AgentError: no bot of this version ever ran here, or the database cannot be read.
    """
    async with _current(settings) as database:
        if database is None:
            raise _no_installation(settings.state_url.removeprefix("sqlite:///"))
        yield database


async def effective_settings(
    settings: CoreSettings, surface: BaseSettings, scope: str
) -> EffectiveSettings:
    """The settings that hold in a scope; a channel or thread without its team is the bot's team's.

    Raises:
        SettingsError: no bot ever ran here, or the file of channels' settings is wrong.
    """
    async with _stored(settings.state_url) as database:
        if database is None or not await _revision(database):
            raise _no_installation(settings.state_url.removeprefix("sqlite:///"))
        scopes = scope_settings(database, settings, surface)
        first = min(await Preferences(database).scopes(), default="")
        team = first.partition(":")[0]  # capitals come before the names of other scopes
        return await scopes.at(scope if scope.startswith(team) else f"{team}:{scope}")


async def fate_of(settings: CoreSettings, post: str) -> str:
    """What became of a post, as `Overview.fate`; raises as `stored`."""
    async with stored(settings) as database:
        return await Overview(database).fate(post)


async def examine_database(settings: CoreSettings, *, patience_s: float = BUSY_PATIENCE_S) -> str:
    """What kind of database it is and which version, such as `SQLite 3.45.1`.

    It is said, too, when the next start alters older tables. Nothing is changed: a missing SQLite
    file stays missing; one that somebody writes to is waited for.

    Raises:
        SessionError: it cannot be reached, read or written, or its tables are newer than the code.
        SettingsError: durable turns cannot work with this SQLite.
    """
    check_sqlite(settings.durable_url)
    version = await _examine(settings.state_url, patience_s, has_sessions=True)
    if settings.durable_url != settings.state_url:
        await _examine(settings.durable_url, patience_s, has_sessions=False)
    return version


async def _list_tools(config: ServerConfig) -> tuple[str, ...]:
    server = McpServer(config, HubLimits())
    try:
        return tuple(tool.name for tool in await server.tools())
    finally:
        await server.close()


async def _examine(url: str, patience_s: float, *, has_sessions: bool) -> str:
    async with _stored(url) as database:
        if database is None:
            return SQLITE
        try:
            return await asyncio.to_thread(_look_at, database.engine, patience_s, has_sessions)
        except SQLAlchemyError as error:
            address = database.url.render_as_string(hide_password=True)
            cause = getattr(error, "orig", None) or error
            reason = reason_of(error)
            raise SessionError(f"The database {address} cannot be used: {reason}.") from cause


def _look_at(engine: Engine, patience_s: float, has_sessions: bool) -> str:
    with engine.connect() as connection:
        connection.detach()  # closed in any case, also when nobody waits for this thread any more
        if connection.dialect.name == "sqlite":
            version = SQLITE
            connection.exec_driver_sql(f"PRAGMA busy_timeout={round(patience_s * 1_000)}")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            number, may_create = connection.execute(_ASKED_OF_POSTGRES).one()
            version = f"PostgreSQL {number}"
            if not may_create:
                raise SessionError(
                    f"In the database {engine.url.database} the user {engine.url.username} may "
                    "not make what is needed. Grant CREATE on the database and on its schema "
                    "public to that user."
                )
        if has_sessions and revision_of(connection) not in ("", NEWEST):
            return f"{version}; the next start brings its tables up to date"
        return version


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedTool:
    """A tool as its server lists it now."""

    name: str
    digest: str
    state: str
    """`accepted`, `off`, `refused`, or `new`: nothing is pinned yet, the first use does it."""
    reason: str
    """Why it is off, or will be with the first use; empty where agents get it."""


async def try_server(settings: CoreSettings, name: str) -> list[TriedTool]:
    """Start a server, list its tools, end it.

    What differs from what was accepted waits to be accepted afterwards, as after a use. Of a
    server that was never used nothing is pinned.

    Raises:
        SettingsError: there is no such server, or it lacks something.
        ToolServerError: it does not start or list.
    """
    server = _ready(configured_fleet(settings), name)
    with tempfile.TemporaryDirectory() as directory:
        workspace = Path(directory)
        running = McpServer(server.config_in(workspace), TRY_LIMITS)
        try:
            tools = await running.tools()
        finally:
            await running.close()
        own = workspace if server.scope == "session" else None
        is_known = False
        async with _pins(settings) as pins:
            if pins and await pins.load(name):
                is_known = True
                tools = await Pins(pins).judge(name, tools, own)
        tried = [_tried_tool(tool, own, is_known=is_known) for tool in tools]
        for refused, reason in running.refused.items():
            tried.append(TriedTool(name=refused, digest="-", state="refused", reason=reason))
        return tried


def _tried_tool(tool: ListedTool, own: Path | None, *, is_known: bool) -> TriedTool:
    definition = stored_form(tool, own)
    if is_known:
        reason = tool.off
        state = "off" if reason else "accepted"
    else:
        reason = suspicion_of(definition)
        state = "new"
    return TriedTool(
        name=tool.name,
        digest=digest_of_json(definition),
        state=state,
        reason=reason,
    )


async def proposals(settings: CoreSettings) -> Sequence[Pin]:
    """The definitions that wait to be accepted: until then their tools are off."""
    async with _pins(settings) as pins:
        return await pins.waiting() if pins else []


async def refused_tools(settings: CoreSettings) -> Sequence[tuple[str, str, str]]:
    """Server, name and reason of each tool that was listed last and cannot be offered."""
    async with _pins(settings) as pins:
        return await pins.refused() if pins else []


async def accept(settings: CoreSettings, proposed: Sequence[Pin]) -> list[str]:
    """Accept what these pins propose; returns the tools' names.

    What changed since then is left out. A running bot notices it at the next need.
    """
    async with _pins(settings) as pins:
        return await pins.accept(proposed) if pins else []


def difference(pin: Pin) -> list[str]:
    """What accepting a proposal would change, as the lines of a diff."""
    new = {} if pin.proposal is None else pin.proposal.definition
    lines = difflib.unified_diff(
        _lines(pin.definition),
        _lines(new),
        fromfile="accepted",
        tofile="now",
        lineterm="",
        n=2,
    )
    return list(lines)


def _lines(definition: JsonObject) -> list[str]:
    """A line for each value; a description keeps its own lines."""
    if not definition:
        return []
    text = json.dumps(definition, ensure_ascii=False, indent=2, sort_keys=True)
    return text.replace("\\n", "\\n\n").splitlines()


def _ready(servers: Sequence[FleetServer], name: str) -> FleetServer:
    server = next((each for each in servers if each.name == name), None)
    if server is None:
        names = ", ".join(each.name for each in servers)
        raise SettingsError(f"There is no MCP server {name}. There are: {names}.")
    if server.config is None:
        raise SettingsError(f"The MCP server {name} is off: {server.off}")
    return server


@asynccontextmanager
async def _pins(settings: CoreSettings) -> AsyncGenerator[ToolPins | None]:
    """The pins that bots have stored; None where no bot of this version has stored anything.

    Raises:
        AgentError: the database cannot be read.
    """
    async with _current(settings) as database:
        yield ToolPins(database) if database else None


@asynccontextmanager
async def _current(settings: CoreSettings) -> AsyncGenerator[Database | None]:
    """The database; None where no bot of this version has stored anything."""
    async with _stored(settings.state_url) as database:
        is_current = database and await _revision(database) == NEWEST
        yield database if is_current else None


async def _revision(database: Database) -> str:
    return await database.run(revision_of, patience_s=BUSY_PATIENCE_S)


@asynccontextmanager
async def _stored(url: str) -> AsyncGenerator[Database | None]:
    """A database as it is; None where its file is not there."""
    database = Database(url)
    file = file_of(database.url)
    try:
        yield database if file is None or file.exists() else None
    finally:
        await database.close()
