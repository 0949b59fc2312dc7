"""The Anthropic model, on the official SDK; also through gateways that speak the same API.

What the SDK and its HTTP client raise becomes an error of the core here, and nowhere else. Read
`anthropic_messages.py` for the bodies of requests and replies.
"""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from agent_core.errors import (
    ModelError,
    ModelRejected,
    ModelUnavailable,
    RequestTooLarge,
    SettingsError,
)
from agent_core.json_values import as_object, load_strictly
from agent_core.messages import JsonObject
from agent_core.models import AWAY_S, Item, ModelRequest, Silent
from agent_core.models.anthropic_messages import ReplyAssembly, request_body
from agent_core.models.sdk import load_sdk
from agent_core.prices import Prices, read_prices

if TYPE_CHECKING:
    import anthropic

PUBLIC_URL = "https://api.anthropic.com"
OLDER_VERSION = "2023-06-01"
"""What gateways accept that do not know the SDK's own version yet."""
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_CONNECT_TIMEOUT_S = 10.0
_WRITE_TIMEOUT_S = 60.0
_HOPELESS_KINDS = frozenset(
    {"authentication_error", "billing_error", "invalid_request_error", "not_found_error"}
    | {"permission_error"}
)
"""Of errors in mid-stream, which have no status of their own."""
_PASSING_STATUSES = frozenset({408, 409, 429, 499})
_FIRST_SERVER_ERROR = 500
_OK = 200
_CONTENT_TOO_LARGE = 413
_TOO_LONG = ("prompt is too long", "exceed context limit")


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
        silent_s: How long nothing may come of a call, not even a ping, before that is told.
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
        silent_s: float = AWAY_S,
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
        self.silent_s = silent_s
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
        """The SDK's client; the first call imports the SDK in a thread (0.4 s)."""
        async with self._opening:
            if self._client is None:
                await asyncio.to_thread(load_sdk)
                self._client = self._open()
            return self._client

    async def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def events(self, body: JsonObject) -> AsyncGenerator[JsonObject]:
        """The events of one streamed reply, as the provider wrote them.

        Not the SDK's parsed events: those reorder the fields of a block and lose kinds that they do
        not know, and its accumulator makes arguments that were cut look whole. Closing the
        generator ends the request.

        Raises:
            ModelError: as `_mapped_errors` has it; an `error` event as what it means.
        """
        await self.client()  # so that the SDK is loaded, which `_mapped_errors` needs
        deadline = asyncio.get_running_loop().time() + self._call_timeout_s
        with _mapped_errors():
            async with ending_at(deadline):
                stream = await self._request(body)
            async with stream:
                raw = stream.raw_events(stream.response)
                while True:
                    async with ending_at(deadline):
                        sse = await anext(raw, None)
                    if sse is None:
                        return
                    event = as_object(load_strictly(sse.data)) if sse.data else {}
                    if event.get("type") == "error":
                        raise _stream_error(event)
                    yield event

    async def _request(self, body: JsonObject) -> "anthropic.AsyncStream[object]":
        import anthropic

        try:
            return await self._send(body, self._version)
        except anthropic.BadRequestError as error:
            is_refused = "version" in str(error).lower()
            if not (is_refused and self.is_gateway and self._version is None):
                raise
        stream = await self._send(body, OLDER_VERSION)
        self._version = OLDER_VERSION
        return stream

    async def _send(self, body: JsonObject, version: str | None) -> "anthropic.AsyncStream[object]":
        import anthropic

        client = await self.client()
        headers = {"anthropic-version": version} if version else None
        # Not by `client.messages`, which loads the types of all requests and replies.
        return await client.post(
            "/v1/messages",
            body={**body, "stream": True},
            options={"headers": headers} if headers else {},
            cast_to=object,
            stream=True,
            stream_cls=anthropic.AsyncStream[object],
        )

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
    prices: Prices = field(default_factory=read_prices)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Item | Silent, None]:
        """As `Model.stream`: deltas of the answer's text and of calls, then the whole reply."""
        assembly = ReplyAssembly()
        may_cite = not self.connection.is_gateway
        body = request_body(self.name, request, may_cite=may_cite)
        async with aclosing(self.connection.events(body)) as events:
            # A task, as the wait for the first event goes on behind the Silent.
            beginning = asyncio.create_task(anext(events, None))
            try:
                await asyncio.wait({beginning}, timeout=self.connection.silent_s)
                if not beginning.done():
                    yield Silent()
                assembly.take(await beginning or {})
            finally:
                beginning.cancel()
                await asyncio.wait({beginning})
            async for event in events:
                if piece := assembly.take(event):
                    yield piece
        reply = assembly.reply()
        yield replace(reply, usage=self.prices.priced(reply.usage, reply.model or self.name))


@contextmanager
def _mapped_errors() -> Generator[None]:
    """Within it, whatever the SDK or its transport raises becomes a ModelError."""
    import anthropic
    import httpx2

    try:
        yield
    except anthropic.APIStatusError as error:
        raise _error_for(
            error.api_message or error.message,
            status=error.status_code,
            kind=error.type or "",
            code=error.error_code or "",
            wait_s=_wanted_wait_s(error.response.headers.get("retry-after", "")),
        ) from error
    except (anthropic.APITimeoutError, httpx2.TimeoutException) as error:
        raise ModelUnavailable("The model did not answer in time.", kind="timeout") from error
    except (anthropic.APIConnectionError, httpx2.HTTPError, httpx2.StreamError, OSError) as error:
        raise ModelUnavailable(f"The connection broke: {error}", kind="connection") from error
    except (anthropic.APIResponseValidationError, ValueError) as error:
        raise ModelUnavailable("The model's answer cannot be read.", kind="malformed") from error
    except anthropic.AnthropicError as error:
        raise ModelRejected(str(error), kind=type(error).__name__) from error


def _stream_error(event: JsonObject) -> ModelError:
    """What an `error` event in mid-stream means; it comes under the status 200 of its stream."""
    error = as_object(event.get("error"))
    return _error_for(
        str(error.get("message") or "an error in mid-stream"),
        status=_OK,
        kind=str(error.get("type") or ""),
        code=str(as_object(error.get("details")).get("error_code") or ""),
    )


def _error_for(
    message: str,
    *,
    status: int,
    kind: str,
    code: str,
    wait_s: float | None = None,
) -> ModelError:
    name = code or kind
    text = f"The model's provider said {status} {name}: {message}"
    is_too_large = status == _CONTENT_TOO_LARGE or kind == "request_too_large"
    if is_too_large or any(words in message.lower() for words in _TOO_LONG):
        return RequestTooLarge(text, status=status, kind=name)
    if status == _OK:
        may_pass = kind not in _HOPELESS_KINDS
    else:
        may_pass = status in _PASSING_STATUSES or status >= _FIRST_SERVER_ERROR
    if code == "enforced_spend_limit_reached" or not may_pass:
        return ModelRejected(text, status=status, kind=name)
    return ModelUnavailable(text, retry_after_s=wait_s, status=status, kind=name)


def _wanted_wait_s(retry_after: str) -> float | None:
    """The wait that the provider asks for in seconds; None without one."""
    with suppress(ValueError):
        return max(float(retry_after), 0.0)
    return None
