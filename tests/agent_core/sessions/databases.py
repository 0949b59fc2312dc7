"""A database for the length of a block, closed however the block ends."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from agent_core.sessions import Database


@asynccontextmanager
async def opened(url: str) -> AsyncGenerator[Database]:
    database = Database(url)
    try:
        await database.open()
        yield database
    finally:
        await database.close()
