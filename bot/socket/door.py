"""Where connections come from: `apps.connections.open`, then a WebSocket to the address given."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack_api import OPEN_SOCKET, Clock, SlackUnavailable, ask, web_client
from bot.socket.connection import Acknowledge, Connection, Timing

OPEN_LIMIT_S = 10.0
MAX_FRAME_BYTES = 16 * 2**20

NewSession = Callable[[], aiohttp.ClientSession]


def _new_session() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None))


class Door:
    """Opens connections with an app-level token, by the way that `like` takes: address and proxy.

    Each one gets an HTTP session of its own, so nothing that broke is used again.
    """

    def __init__(
        self,
        app_token: str,
        like: AsyncWebClient,
        acknowledge: Acknowledge,
        *,
        clock: Clock,
        timing: Timing,
        new_session: NewSession = _new_session,
    ) -> None:
        self._app_token = app_token
        self._like = like
        self._acknowledge = acknowledge
        self._clock = clock
        self._timing = timing
        self._new_session = new_session

    async def open(self) -> Connection:
        """A connection that Slack has greeted and that listens.

        Raises:
            SlackError: it did not come about; the kind says whether that passes.
        """
        async with AsyncExitStack() as unfinished:
            session = await unfinished.enter_async_context(self._new_session())
            client = web_client(self._app_token, base_url=self._like.base_url, session=session)
            client.proxy = self._like.proxy
            opened = await ask(client, OPEN_SOCKET)
            connection = Connection(
                await self._dial(session, str(opened.get("url", ""))),
                session,
                self._acknowledge,
                clock=self._clock,
                timing=self._timing,
            )
            await connection.begin()
            unfinished.pop_all()
        return connection

    async def _dial(
        self, session: aiohttp.ClientSession, address: str
    ) -> aiohttp.ClientWebSocketResponse:
        try:
            async with asyncio.timeout(OPEN_LIMIT_S):
                return await session.ws_connect(
                    address,
                    autoping=False,
                    proxy=self._like.proxy,
                    ssl=self._like.ssl or True,
                    max_msg_size=MAX_FRAME_BYTES,
                )
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError, RuntimeError) as error:
            raise SlackUnavailable(OPEN_SOCKET, detail=type(error).__name__) from error
