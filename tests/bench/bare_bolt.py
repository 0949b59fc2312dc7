"""A Bolt app that does nothing with what it hears, to compare with: the least that Bolt costs.

`python -m tests.bench.bare_bolt BOT_TOKEN APP_TOKEN API_URL` listens until it is ended. Its
acknowledgements say `ANSWER`, by which they are told from the bot's.
"""

import asyncio
import logging
import sys
from typing import Any

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

ANSWER = "bare"


async def acknowledge() -> BoltResponse:
    """A middleware that ends every payload's way."""
    return BoltResponse(status=200, body=ANSWER)


async def listen(bot_token: str, app_token: str, api_url: str) -> None:
    bolt = AsyncApp(client=AsyncWebClient(token=bot_token, base_url=api_url))
    app: Any = bolt  # Bolt's decorators are not typed
    app.use(acknowledge)
    handler: Any = AsyncSocketModeHandler(bolt, app_token)
    await handler.connect_async()
    await asyncio.Event().wait()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(listen(*sys.argv[1:]))
