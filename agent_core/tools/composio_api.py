"""Composio's REST side: a Tool Router session for each person, and the accounts they connected.

Plain HTTP requests: Composio's own packages take seconds and 100 MB to import (they bring OpenAI's
SDK), and `composio` itself reports each call to its telemetry. What is used of the wire is small.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import SplitResult, quote, urlsplit

import httpx2

from agent_core.errors import ComposioRefusedError, ToolServerError
from agent_core.ids import UserId

DEFAULT_BASE_URL = "https://backend.composio.dev"
API = "/api/v3.1"
_DEFAULT_PORTS = {"http": 80, "https": 443}
_TIMEOUT_S = 15.0
_UNKNOWN_SESSION = 404
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_OPTIONS: Mapping[str, Any] = {
    # What a person would have to approve must not be done by code in Composio's workbench, and a
    # call must not take a working connection away.
    "manage_connections": {
        "enable": True,
        "enable_wait_for_connections": False,
        "enable_connection_removal": False,
    },
    "workbench": {
        "enable": True,
        "enable_proxy_execution": False,
        "enable_tool_execution": False,
    },
    "proxy_execute": {"enable": False},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposioSession:
    """A person's Tool Router session."""

    id: str
    mcp_url: str


class ComposioApi:
    """The service itself, or whatever speaks its API at `base_url`. Nothing is sent twice."""

    def __init__(self, *, api_key: str, base_url: str = DEFAULT_BASE_URL) -> None:
        self._api_key = api_key
        self.base_url = base_url
        self._client: httpx2.AsyncClient | None = None
        self._making: dict[UserId, asyncio.Task[ComposioSession]] = {}

    async def of(self, user: UserId) -> ComposioSession:
        """The person's session; made at first need, once for all who ask at the same time."""
        making = self._making.get(user)
        if making is None or (making.done() and (making.cancelled() or making.exception())):
            making = self._making[user] = asyncio.create_task(self._create(user))
        return await asyncio.shield(making)

    async def renew(self, user: UserId) -> ComposioSession:
        """A new session in the place of one that Composio does not know any more."""
        self._making.pop(user, None)
        return await self.of(user)

    async def get(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        """The JSON at a path below `/api/v3.1`.

        Raises:
            ToolServerError: no answer, or a refusal.
        """
        wanted = {
            name: ",".join(map(str, cast("list[object]", value)))
            if isinstance(value, list)
            else value
            for name, value in (query or {}).items()
        }
        return await self._ask("GET", path, params=wanted)

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """What a POST to a path below `/api/v3.1` comes to; raises as `get` does."""
        return await self._ask("POST", path, json=dict(body))

    async def post_in_session(self, user: UserId, path: str, body: Mapping[str, Any]) -> Any:
        """A POST to a path below the person's session, which is made anew where it is forgotten.

        Nothing was done in a session that Composio does not know, so only that is sent again.
        """
        try:
            return await self._post_in(await self.of(user), path, body)
        except ComposioRefusedError as error:
            if error.status != _UNKNOWN_SESSION:
                raise
        return await self._post_in(await self.renew(user), path, body)

    async def close(self) -> None:
        """Close the connections to the API."""
        if self._client is not None:
            await self._client.aclose()

    async def _post_in(self, session: ComposioSession, path: str, body: Mapping[str, Any]) -> Any:
        return await self.post(f"/tool_router/session/{quote(session.id, safe='')}/{path}", body)

    async def _create(self, user: UserId) -> ComposioSession:
        if not is_person(user):
            raise ToolServerError("Nobody asked, so no account can be used.")
        made = await self.post("/tool_router/session", {"user_id": user, **_OPTIONS})
        fields = cast("dict[str, Any]", made) if isinstance(made, dict) else {}
        mcp: object = fields.get("mcp")
        url = cast("dict[str, object]", mcp).get("url") if isinstance(mcp, dict) else None
        if not isinstance(url, str):
            raise ToolServerError("Composio named no MCP address for the session.")
        if origin(url) != origin(self.base_url):
            raise ToolServerError("Composio named an MCP address of another origin; refused.")
        return ComposioSession(id=str(fields.get("session_id")), mcp_url=url)

    async def _ask(self, method: str, path: str, **sent: Any) -> Any:
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                response = await self._opened().request(method, API + path, **sent)
        except TimeoutError:
            raise ToolServerError("Composio did not answer in time.") from None
        except httpx2.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise ToolServerError(f"Composio cannot be reached: {reason}") from error
        body = _json_of(response)
        if not response.is_success:
            # A key that the answer repeats would stand in the log.
            refusal = f"{response.status_code} {_message_in(body)}".replace(self._api_key, "…")
            raise ComposioRefusedError(
                f"Composio refused: {refusal.strip()}", status=response.status_code, body=body
            )
        if body is None:
            strange = "Composio's answer is not what it should be."
            raise ComposioRefusedError(strange, status=response.status_code)
        return body

    def _opened(self) -> httpx2.AsyncClient:
        """The client; it follows no redirect.

        Another origin must neither learn who asks for what, nor answer in Composio's place.
        """
        if self._client is None:
            scheme, host, _ = origin(self.base_url)
            if scheme != "https" and host not in _LOOPBACK:
                raise ToolServerError(
                    "COMPOSIO_BASE_URL must be an https address: a key goes there."
                )
            self._client = httpx2.AsyncClient(
                base_url=self.base_url,
                headers={"x-api-key": self._api_key},
                timeout=_TIMEOUT_S,
                trust_env=host not in _LOOPBACK,  # a proxy cannot reach this machine's own ports
            )
        return self._client


def _json_of(response: httpx2.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None


def _message_in(body: Any) -> str:
    error: Any = cast("dict[str, Any]", body).get("error") if isinstance(body, dict) else None
    told = cast("dict[str, Any]", error).get("message") if isinstance(error, dict) else error
    return str(told or "")


def is_person(user: UserId) -> bool:
    """Whether an id names one person of one team, and nothing that several could share."""
    team, _, person = user.partition(":")
    return all(part and part.casefold() != "default" for part in (team, person))


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port of a URL, the scheme's usual port filled in."""
    parts: SplitResult = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    scheme = parts.scheme.lower()
    return scheme, (parts.hostname or "").lower(), port or _DEFAULT_PORTS.get(scheme)
