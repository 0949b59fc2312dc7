"""Composio's worker in the test's own process: the same server, over HTTP."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from agent_core.composio import ComposioSessions, ComposioWorker
from agent_core.mcp import McpServer, PooledServer
from agent_core.sessions import Database, Preferences
from tests.agent_core.mcp.conftest import QUICK
from tests.agent_core.mcp.loopback import served


class Day:
    """The clock of stored sessions."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 28, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, days: int) -> None:
        self.now += timedelta(days=days)


@asynccontextmanager
async def worker_at(base_url: str, api_key: str) -> AsyncGenerator[ComposioWorker]:
    """A worker that asks the service at `base_url`.

    The package is loaded here, not by every process that lists the tests: that takes seconds.
    """
    from mcp_local.composio_worker import build_server, open_composio

    composio: Any = open_composio(api_key=api_key, base_url=base_url)
    async with served(build_server(composio), trusted=True) as config:
        process = PooledServer(
            config.name,
            key=lambda _: config.name,
            make=lambda _key, _workspace: McpServer(config, QUICK),
            limits=QUICK,
        )
        worker = ComposioWorker(process, api_key=api_key, base_url=base_url)
        try:
            yield worker
        finally:
            await worker.close()
            composio.client.close()


@asynccontextmanager
async def sessions_at(
    base_url: str, api_key: str, database: Database, clock: Day | None = None
) -> AsyncGenerator[ComposioSessions]:
    """People's sessions at the service, as a process has them that has just been started."""
    async with worker_at(base_url, api_key) as worker:
        yield ComposioSessions(worker, Preferences(database), clock or Day())
