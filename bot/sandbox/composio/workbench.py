"""COMPOSIO_REMOTE_WORKBENCH: each person's notebook, whose Python runs in Monty."""

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from bot.sandbox.composio.files import HOME, RemoteFiles
from bot.sandbox.composio.records import Data

if TYPE_CHECKING:
    from pydantic_monty import AsyncMonty, AsyncMontySession

_MAX_CELL_S = 20.0
_MAX_MEMORY_BYTES = 256_000_000
_MAX_HOST_CALLS = 20_000
"""Reads and writes of files among them, over the life of a notebook."""


class Workbench:
    """Everybody's notebooks: names and files stay between calls, each person's on their own.

    Monty's worker processes run the code: there is no network, and no file but the person's own.
    """

    def __init__(self, remote: RemoteFiles) -> None:
        self._remote = remote
        self._open = AsyncExitStack()
        self._pool: AsyncMonty | None = None
        self._notebooks: dict[str, AsyncMontySession] = {}
        self._running = asyncio.Lock()

    async def run(self, user_id: str, code: str) -> Data:
        """What the code printed and returned; of code that failed the data says so."""
        from pydantic_monty import CollectString, MontyError, MountDir

        printed, error, value = CollectString(), "", None
        async with self._running:
            notebook = await self._notebook(user_id)
            mounts = [
                MountDir(host_path=local, virtual_path=root, mode="read-write")
                for root, local in self._remote.roots(user_id).items()
            ]
            try:
                value = await notebook.feed_run(
                    code,
                    print_callback=printed,
                    mount=mounts,
                    cwd=HOME,
                )
            except MontyError as raised:
                inner = raised.exception()
                error = f"{type(inner).__name__}: {inner}"
                if isinstance(inner, TimeoutError | MemoryError):
                    del self._notebooks[user_id]  # its heap is in no known state
            finally:
                for mount in mounts:
                    mount.close()
        return {
            "results": "" if value is None else repr(value),
            "stdout": printed.output,
            "stderr": error,
            "error": error or None,
        }

    async def close(self) -> None:
        """End all notebooks."""
        await self._open.aclose()

    async def _notebook(self, user_id: str) -> "AsyncMontySession":
        from pydantic_monty import AsyncMonty

        if self._pool is None:
            self._pool = await self._open.enter_async_context(AsyncMonty())
        if user_id not in self._notebooks:
            checkout = self._pool.checkout(
                limits={
                    "max_feed_duration_secs": _MAX_CELL_S,
                    "max_memory": _MAX_MEMORY_BYTES,
                    "max_suspensions": _MAX_HOST_CALLS,
                }
            )
            self._notebooks[user_id] = await self._open.enter_async_context(checkout)
        return self._notebooks[user_id]
