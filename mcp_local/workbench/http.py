"""The wire to Composio's API and to the storage that it names: guarded, bounded, never retried."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from yarl import URL

from mcp_local.errors import FetchDenied, FetchError, RemoteError, RemoteRefused, Unreached
from mcp_local.fetch.client import Client, read_body
from mcp_local.fetch.guard import LookUp, SocketFactory, open_socket, system_look_up
from mcp_local.fetch.urls import Allowance, HostPattern, read_url
from mcp_local.settings import Settings

JsonObject = dict[str, Any]

MAX_FILE_BYTES = 25_000_000
"""The largest file that is moved."""

MAX_ANSWER_BYTES = 60_000_000
"""Of a JSON answer, which may carry a file as text."""

LIMIT_S = 280.0
"""For a whole piece of work; the bot waits a little longer."""

_EXCHANGE_S = 240.0
_NO = frozenset({400, 404, 409, 422})


@dataclass(frozen=True, slots=True)
class Wire:
    """Open connections that reach the API's own origin and public https addresses, nothing else."""

    client: Client
    allowance: Allowance
    api: URL
    key: str = field(repr=False)

    async def post(self, path: str, body: JsonObject) -> JsonObject:
        """The API's answer to a JSON body.

        Raises:
            RemoteRefused: The request itself was turned down.
            RemoteError: There is no answer, or none that is an object.
        """
        url = URL(f"{str(self.api).rstrip('/')}/api/v3.1/{path}")
        status, received = await self._exchange(
            "POST",
            url,
            headers={"x-api-key": self.key, "Content-Type": "application/json"},
            data=json.dumps(body).encode(),
            max_bytes=MAX_ANSWER_BYTES,
        )
        answer: JsonObject | None = None
        with suppress(ValueError, RecursionError):
            value: object = json.loads(received)
            if isinstance(value, dict):
                answer = cast("JsonObject", value)
        if not 200 <= status < 300:
            kind = RemoteRefused if status in _NO else RemoteError
            raise kind(self.without_key(sentence_for(status, answer)))
        if answer is None:
            raise RemoteError("Composio's answer is not the JSON that it promises.")
        return answer

    async def put(self, address: str, data: bytes, headers: Mapping[str, str]) -> None:
        """Store bytes at a presigned address. The key does not go there. Raises RemoteError."""
        target = self._storage(address)
        status, _ = await self._exchange("PUT", target, headers=headers, data=data)
        if not 200 <= status < 300:
            raise RemoteError(f"Composio's storage did not take the file (status {status}).")

    async def get(self, address: str) -> bytes:
        """The bytes at a presigned address. Raises RemoteError."""
        status, data = await self._exchange("GET", self._storage(address), headers={})
        if status != 200:
            raise RemoteError(f"Composio's storage did not give the file (status {status}).")
        return data

    def _storage(self, address: str) -> URL:
        """An address to dial: https to anything public, http to the API's own origin alone."""
        try:
            checked = read_url(address, self.allowance)
        except FetchDenied as error:
            raise RemoteError(f"Composio named a storage address that is {error}.") from None
        if checked.scheme != "https" and checked.origin() != self.api.origin():
            raise RemoteError("Composio named a storage address without https.")
        # A signature covers the address letter by letter, so it is sent as it came.
        exact = URL(address.strip(), encoded=True).with_fragment(None)
        if exact.origin() != checked.origin():
            raise RemoteError("Composio named a storage address that is not a proper one.")
        return exact

    async def _exchange(
        self,
        method: Literal["GET", "POST", "PUT"],
        url: URL,
        *,
        headers: Mapping[str, str],
        data: bytes | None = None,
        max_bytes: int = MAX_FILE_BYTES,
    ) -> tuple[int, bytes]:
        """Status and body of the answer."""
        try:
            async with (
                asyncio.timeout(_EXCHANGE_S),
                self.client.open(method, url, headers=headers, data=data) as response,
            ):
                return response.status, await read_body(response, max_bytes)
        except TimeoutError:
            raise RemoteError(
                "Composio took too long to answer; what was asked may have happened."
            ) from None
        except (Unreached, FetchDenied) as error:
            raise RemoteError(f"Composio could not be reached: {error}.") from error
        except FetchError as error:
            raise RemoteError(
                f"The exchange with Composio failed ({error}); what was asked may have happened."
            ) from error

    def without_key(self, sentence: str) -> str:
        """A sentence that quotes a service, fit to be shown."""
        return sentence.replace(self.key, "[key]")


@asynccontextmanager
async def open_wire(
    settings: Settings,
    *,
    limit_s: float = LIMIT_S,
    look_up: LookUp = system_look_up,
    make_socket: SocketFactory = open_socket,
) -> AsyncGenerator[Wire]:
    """Connections for one piece of work, which ends as a RemoteError after `limit_s`.

    `look_up` and `make_socket` are seams for tests.
    """
    api = api_address(settings)
    own = HostPattern(host=(api.raw_host or "").lower(), port=api.port)
    allowed = Allowance.from_settings(settings)
    allowance = Allowance(hosts=(own, *allowed.hosts), connections=allowed.connections)
    key = settings.composio_api_key.get_secret_value()
    try:
        async with (
            asyncio.timeout(limit_s),
            Client(allowance, look_up=look_up, make_socket=make_socket) as client,
        ):
            yield Wire(client, allowance, api, key)
    except TimeoutError:
        raise RemoteError(
            f"The file was not moved within {limit_s:g} s. Make it smaller and try again."
        ) from None


def api_address(settings: Settings) -> URL:
    """Where Composio is. Raises ValueError naming the setting if it is no web address."""
    try:
        url = URL(settings.composio_base_url)
        if url.scheme in {"http", "https"} and url.host and url.port and not url.query:
            return url
    except ValueError:
        pass
    raise ValueError("COMPOSIO_BASE_URL is no http or https address")


_MAX_WORDS_CHARS = 300
_BY_STATUS = {
    401: "Composio does not accept this bot's key. An operator must look at COMPOSIO_API_KEY",
    403: "Composio does not allow this to the bot's key",
    404: "Composio does not know this session or tool",
    413: "The file is too large for Composio in one answer",
    429: "Composio asks to come back in a minute",
}


def sentence_for(status: int, answer: dict[str, Any] | None) -> str:
    """What a status that is no success means, with the service's own words if it has any."""
    meaning = _BY_STATUS.get(status)
    if meaning is None:
        failed = "has an error of its own" if status >= 500 else "refused the request"
        meaning = f"Composio {failed} ({status})"
    words = service_words(answer or {})
    return f"{meaning}. It says: {words}" if words else f"{meaning}."


def service_words(answer: dict[str, Any]) -> str:
    """The service's own words in an answer, on one line and cut; empty without any."""
    error = answer.get("error") or answer.get("message")
    if isinstance(error, dict):
        error = cast("dict[str, Any]", error).get("message")
    words = " ".join(error.split()) if isinstance(error, str) else ""
    return words if len(words) <= _MAX_WORDS_CHARS else f"{words[:_MAX_WORDS_CHARS]}…"
