"""What a check of an installation asks of the core: each thing tried once, as the bot would use it.

Every function raises an AgentError where the thing cannot be used. Nothing stays behind on this
machine; at Composio a session does, as after every other one.
"""

import asyncio
import sqlite3
import tempfile
from contextlib import aclosing
from importlib import import_module
from pathlib import Path

from sqlalchemy import URL, Connection, NullPool, create_engine, make_url, text
from sqlalchemy.exc import SQLAlchemyError

from agent_core.database_errors import reason_of
from agent_core.durable.dbos_turns import check_sqlite
from agent_core.errors import SessionError
from agent_core.ids import UserId
from agent_core.messages import Message, Text
from agent_core.models import ModelRequest
from agent_core.models.anthropic import AnthropicModel
from agent_core.runtime.build import composio_api, local_toolkit
from agent_core.sessions.migrations import examine_schema, file_of, require_usable
from agent_core.settings import CoreSettings
from agent_core.tools.composio import SERVER_NAME
from agent_core.tools.server import McpServer
from agent_core.tools.servers import HttpServer, HubLimits, ServerConfig

CHECKER = UserId("bot:check")
"""As whom Composio is asked: nobody, so no person's accounts are touched."""

BUSY_PATIENCE_S = 5.0
"""How long a database may be locked by somebody who writes to it."""

_CONNECT_TIMEOUT_S = 10
_MAX_REPLY_TOKENS = 16
_ASKED_OF_POSTGRES = text(
    "SELECT current_setting('server_version'), "
    "(has_database_privilege(current_database(), 'CREATE') OR to_regnamespace('dbos') IS NOT NULL)"
    " AND (coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)"
    " OR to_regclass('turns') IS NOT NULL)"
)


async def load_libraries() -> None:
    """Import what the checks will need, which takes long, so that none of them waits for it."""
    await asyncio.to_thread(import_module, "anthropic.resources.messages")


async def ask_model(settings: CoreSettings, name: str) -> None:
    """Have one word of a model.

    Raises:
        ModelError: it does not answer.
        SettingsError: there is no key.
    """
    model = AnthropicModel(
        name,
        api_key=settings.anthropic_api_key.get_secret_value(),
        auth_token=settings.bearer,
        base_url=settings.model_base_url,
        version=settings.anthropic_version or None,
    )
    request = ModelRequest(
        system="",
        messages=(Message(role="user", parts=(Text(text="Reply with the word OK."),)),),
        max_tokens=_MAX_REPLY_TOKENS,
    )
    try:
        async with aclosing(model.stream(request)) as stream:
            async for _ in stream:
                continue
    finally:
        await model.close()


async def list_composio_tools(settings: CoreSettings) -> tuple[str, ...]:
    """The tools of a session at Composio.

    Raises:
        ToolServerError: there is no session, or it lists none.
    """
    key = settings.composio_api_key.get_secret_value()
    api = composio_api(settings)
    try:
        session = await api.of(CHECKER)
        return await _list_tools(
            HttpServer(name=SERVER_NAME, url=session.mcp_url, headers={"x-api-key": key})
        )
    finally:
        await api.close()


async def list_toolkit(settings: CoreSettings) -> tuple[str, ...]:
    """The tools of the local toolkit, started as the bot starts it but in a directory of its own.

    Raises:
        ToolServerError: it does not start or list.
    """
    with tempfile.TemporaryDirectory() as root:
        return await _list_tools(local_toolkit(settings, Path(root)))


async def examine_database(settings: CoreSettings, *, patience_s: float = BUSY_PATIENCE_S) -> str:
    """What kind of database it is and which version, such as `SQLite 3.45.1`.

    It is said, too, when the next start alters older tables. Nothing is changed: a missing SQLite
    file stays missing; one that somebody writes to is waited for.

    Raises:
        SessionError: it cannot be reached, read or written, or its tables are newer than the code.
        SettingsError: durable turns cannot work with this SQLite.
    """
    check_sqlite(settings.durable_url)
    urls = dict.fromkeys((settings.state_url, settings.durable_url))
    found = [
        await asyncio.to_thread(_examine, url, patience_s, has_sessions=url == settings.state_url)
        for url in urls
    ]
    return found[0]


async def _list_tools(config: ServerConfig) -> tuple[str, ...]:
    server = McpServer(config, HubLimits())
    try:
        return tuple(await server.tools())
    finally:
        await server.close()


def _examine(url: str, patience_s: float, *, has_sessions: bool) -> str:
    address = make_url(url)
    place = address.render_as_string(hide_password=True)
    try:
        if address.get_backend_name() == "sqlite":
            return _examine_sqlite(address, patience_s, has_sessions=has_sessions)
        return _examine_postgres(address)
    except (SQLAlchemyError, sqlite3.Error) as error:
        cause = getattr(error, "orig", None) or error
        raise SessionError(f"The database {place} cannot be used: {reason_of(error)}.") from cause


def _examine_sqlite(address: URL, patience_s: float, *, has_sessions: bool) -> str:
    version = f"SQLite {sqlite3.sqlite_version}"
    path = Path(address.database or "").resolve()
    if not path.exists():
        return version

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(
            f"{path.as_uri()}?mode=rw", uri=True, timeout=patience_s, isolation_level=None
        )

    engine = create_engine(address, creator=connect, poolclass=NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA schema_version")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        return f"{version}{_examine_tables(connection)}" if has_sessions else version


def _examine_postgres(address: URL) -> str:
    engine = create_engine(
        address.set(drivername="postgresql+psycopg"),
        connect_args={"connect_timeout": _CONNECT_TIMEOUT_S},
        poolclass=NullPool,
    )
    with engine.connect() as connection:
        version, may_create = connection.execute(_ASKED_OF_POSTGRES).one()
        if not may_create:
            raise SessionError(
                f"In the database {address.database} the user {address.username} may not make "
                "what is needed. Grant CREATE on the database and on its schema public to that "
                "user."
            )
        return f"PostgreSQL {version}{_examine_tables(connection)}"


def _examine_tables(connection: Connection) -> str:
    url = connection.engine.url
    state = examine_schema(connection)
    require_usable(state, url.render_as_string(hide_password=True), file_of(url))
    return "; the next start brings its tables up to date" if state.kind == "older" else ""
