"""The Anthropic model, on the official SDK; also through gateways that speak the same API."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from agent_core.errors import ModelRejected, ModelUnavailable, SettingsError
from agent_core.messages import JsonObject
from agent_core.models import Delta, ModelRequest, Reply
from agent_core.models.anthropic_errors import mapped_errors, stream_error
from agent_core.models.anthropic_messages import ReplyAssembly, request_body
from agent_core.models.strict_json import load_strictly

if TYPE_CHECKING:
    import anthropic
    from anthropic.types import RawMessageStreamEvent

PUBLIC_URL = "https://api.anthropic.com"
OLDER_VERSION = "2023-06-01"
"""What gateways accept that do not know the SDK's own version yet."""
_BAD_REQUEST = 400
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_CONNECT_TIMEOUT_S = 10.0
_WRITE_TIMEOUT_S = 60.0


class AnthropicConnection:
    """One client for one key and server, shared by all models of it. Made at first use.

    Args:
        api_key: Goes as a bearer token; to a gateway as `x-api-key` too.
        auth_token: A bearer token instead of a key. Exactly one of the two is needed.
        base_url: A gateway that speaks this API; None is Anthropic itself.
        version: The `anthropic-version` header; None is the SDK's own. A gateway that refuses it is
            asked again with an older one, which is then kept.
        idle_timeout_s: How long a stream may be silent before it counts as broken.
        call_timeout_s: How long one call may take in all; a stream can ping for ever.
    """

    def __init__(
        self,
        *,
        api_key: str = "",
        auth_token: str = "",
        base_url: str | None = None,
        version: str | None = None,
        idle_timeout_s: float = 90.0,
        call_timeout_s: float = 900.0,
    ) -> None:
        if bool(api_key) == bool(auth_token):
            raise SettingsError(
                "The model needs one credential: "
                "set either ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN."
            )
        self._api_key = api_key
        self._auth_token = auth_token
        self._base_url = base_url or PUBLIC_URL
        self._version = version
        self._idle_timeout_s = idle_timeout_s
        self._call_timeout_s = call_timeout_s
        self._client: anthropic.AsyncAnthropic | None = None
        self._opening = asyncio.Lock()

    @property
    def is_gateway(self) -> bool:
        """Whether the server is not Anthropic's own."""
        return self._host != urlsplit(PUBLIC_URL).hostname

    @property
    def _host(self) -> str:
        return urlsplit(self._base_url).hostname or ""

    async def client(self) -> "anthropic.AsyncAnthropic":
        """The SDK's client; the first call imports the SDK in a thread (1.4 s)."""
        async with self._opening:
            if self._client is None:
                await asyncio.to_thread(import_module, "anthropic.resources.messages")
                self._client = self._open()
            return self._client

    async def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def events(self, body: JsonObject) -> AsyncGenerator[tuple[JsonObject, str]]:
        """The events of one streamed reply, each with the request's id, as the provider wrote them.

        Not the SDK's parsed events: those reorder the fields of a block and lose kinds that they do
        not know, and its accumulator makes arguments that were cut look whole. Closing the
        generator ends the request.

        Raises:
            ModelError: as mapped by `anthropic_errors`; an `error` event as what it means.
        """
        await self.client()  # so that the SDK is loaded, which `mapped_errors` needs
        deadline = asyncio.get_running_loop().time() + self._call_timeout_s
        with mapped_errors():
            async with ending_at(deadline):
                stream = await self._request(body)
            async with stream:
                request_id = stream.response.headers.get("request-id", "")
                raw = stream.raw_events(stream.response)
                while True:
                    async with ending_at(deadline):
                        sse = await anext(raw, None)
                    if sse is None:
                        return
                    try:
                        event: object = load_strictly(sse.data) if sse.data else None
                    except ValueError as error:
                        text = "The model's answer cannot be read."
                        raise ModelUnavailable(text, kind="malformed") from error
                    if not isinstance(event, dict):
                        continue
                    event = cast("JsonObject", event)
                    if event.get("type") == "error":
                        raise stream_error(event, request_id)
                    yield event, request_id

    async def _request(self, body: JsonObject) -> "anthropic.AsyncStream[RawMessageStreamEvent]":
        try:
            with mapped_errors():
                return await self._send(body, self._version)
        except ModelRejected as error:
            is_refused = error.status == _BAD_REQUEST and "version" in str(error).lower()
            if not (is_refused and self.is_gateway and self._version is None):
                raise
        stream = await self._send(body, OLDER_VERSION)
        self._version = OLDER_VERSION
        return stream

    async def _send(
        self, body: JsonObject, version: str | None
    ) -> "anthropic.AsyncStream[RawMessageStreamEvent]":
        client = await self.client()
        headers = {"anthropic-version": version} if version else None
        return await client.messages.create(**body, stream=True, extra_headers=headers)

    def _open(self) -> "anthropic.AsyncAnthropic":
        import anthropic
        import httpx2

        credentials: dict[str, Any] = (
            {"api_key": self._api_key} if self._api_key else {"auth_token": self._auth_token}
        )
        for_gateways = self._api_key and self.is_gateway
        return anthropic.AsyncAnthropic(
            **credentials,
            base_url=self._base_url,
            default_headers={"x-api-key": self._api_key} if for_gateways else None,
            timeout=anthropic.Timeout(
                self._idle_timeout_s, connect=_CONNECT_TIMEOUT_S, write=_WRITE_TIMEOUT_S
            ),
            max_retries=0,  # our rules are in `retry`
            # A proxy of the environment cannot reach this machine's own ports.
            http_client=(httpx2.AsyncClient(trust_env=False) if self._host in _LOOPBACK else None),
        )


@asynccontextmanager
async def ending_at(deadline: float) -> AsyncGenerator[None]:
    """Within it, a wait ends at the loop's time `deadline`, as a ModelUnavailable."""
    try:
        async with asyncio.timeout_at(deadline):
            yield
    except TimeoutError as error:
        raise ModelUnavailable("The model's reply had no end.", kind="overlong") from error


@dataclass(frozen=True, slots=True)
class AnthropicModel:
    """A Claude model, or what a gateway offers under the same API. One request a call, no retry."""

    name: str
    connection: AnthropicConnection

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta | Reply, None]:
        """As `Model.stream`: deltas of the answer's text, then the whole reply."""
        assembly = ReplyAssembly()
        async with aclosing(self.connection.events(request_body(self.name, request))) as events:
            async for event, request_id in events:
                if text := assembly.take(event, request_id):
                    yield Delta(text=text)
        yield assembly.reply()
