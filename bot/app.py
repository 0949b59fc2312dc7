"""The composition root: every object of the running bot is made here."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime

import aiohttp

from agent_core.runtime import Runtime, build_runtime
from agent_core.settings import CoreSettings
from bot.front import FrontDoor, WorkspaceFiles
from bot.ingress import Rules, connect_socket, create_app, register
from bot.presenter import Signs
from bot.presenting import Presenting
from bot.settings import BotSettings
from bot.slack_api import SlackApi, web_client

logger = logging.getLogger(__name__)

DRAIN_PATIENCE_S = 10.0


@asynccontextmanager
async def running_bot(settings: BotSettings, core: CoreSettings) -> AsyncGenerator[Runtime, None]:
    """A bot that listens; what was left unfinished goes on. Leaving the context stops it."""
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30))
        )
        client = web_client(
            settings.slack_bot_token.get_secret_value(),
            base_url=settings.slack_api_url,
            session=session,
        )
        api = SlackApi(client)
        identity = await api.identify()
        runtime = await stack.enter_async_context(build_runtime(core))
        signs = Signs(api)
        presenting = Presenting(runtime, api, signs)
        stack.push_async_callback(presenting.close)
        app = create_app(client, identity)
        ingress = register(
            app,
            FrontDoor(runtime, presenting),
            ledger=runtime,
            files=WorkspaceFiles(runtime, api, lambda: datetime.now(UTC)),
            api=api,
            signs=signs,
            rules=Rules(
                identity=identity,
                teams=settings.allowed_teams,
                channels=settings.allowed_channels,
                users=settings.allowed_users,
            ),
        )
        await presenting.resume()
        # Begun before the socket is open, so that new posts stay behind older ones of their thread.
        replays = asyncio.create_task(ingress.replay_all(await runtime.unsettled()), name="replay")
        stack.push_async_callback(_stop, replays)
        handler = await connect_socket(app, settings.slack_app_token.get_secret_value())
        logger.info("listening as %s in team %s", identity.bot_user, identity.team)
        try:
            yield runtime
        finally:
            await handler.close_async()
            try:
                async with asyncio.timeout(DRAIN_PATIENCE_S):
                    await ingress.drain()
            except TimeoutError:
                logger.warning("stopped while messages were still being handed over")


async def _stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
