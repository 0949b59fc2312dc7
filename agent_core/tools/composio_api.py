"""Composio's REST side: a Tool Router session for each person, and the accounts they connected.

The `composio` package is synchronous and reports each call to its telemetry service; it can be told
not to, but only per context. `composio_client`, which it is built on and pins, is asynchronous,
speaks the same wire and has no telemetry. Its import takes seconds, hence in a thread when needed.
"""

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.parse import SplitResult, quote, urlsplit

from agent_core.errors import ComposioRefusedError, ToolServerError
from agent_core.ids import UserId

if TYPE_CHECKING:
    import composio_client

DEFAULT_BASE_URL = "https://backend.composio.dev"
API = "/api/v3.1"
_DEFAULT_PORTS = {"http": 80, "https": 443}
_TIMEOUT_S = 15.0
_UNKNOWN_SESSION = 404
_NO_DETOURS: Any = {"follow_redirects": False}
"""Another origin must neither learn who asks for what, nor answer in Composio's place."""
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


class Sessions(Protocol):
    """Whose session is whose.

    Raises:
        ToolServerError: Composio did not make one, or wants our key at another origin.
    """

    async def of(self, user: UserId) -> ComposioSession:
        """The person's session; made at first need, then kept."""
        ...

    async def renew(self, user: UserId) -> ComposioSession:
        """A new one in the place of one that Composio does not know any more."""
        ...

    async def close(self) -> None: ...


class ComposioApi:
    """The service itself, or whatever speaks its API at `base_url`. Nothing is sent twice."""

    def __init__(self, *, api_key: str, base_url: str = DEFAULT_BASE_URL) -> None:
        self._api_key = api_key
        self.base_url = base_url
        self._client: composio_client.AsyncComposio | None = None
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
        return await self._ask(
            lambda client: client.get(API + path, query=dict(query or {}), options=_NO_DETOURS)
        )

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """What a POST to a path below `/api/v3.1` comes to; raises as `get` does."""
        return await self._ask(
            lambda client: client.post(API + path, body=dict(body), options=_NO_DETOURS)
        )

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

    async def warm_up(self) -> None:
        """Load the library, so that the first person need not wait for it."""
        await asyncio.to_thread(importlib.import_module, "composio_client")

    async def close(self) -> None:
        """Close the connections to the API."""
        if self._client is not None:
            await self._client.close()

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

    async def _ask(
        self, request: Callable[["composio_client.AsyncComposio"], Awaitable[Any]]
    ) -> Any:
        await self.warm_up()
        import composio_client as api

        if self._client is None:
            self._client = api.AsyncComposio(
                auth=api.ProjectAuth(self._api_key), base_url=self.base_url, max_retries=0
            )
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                return await request(self._client)
        except TimeoutError:
            raise ToolServerError("Composio did not answer in time.") from None
        except api.APIStatusError as error:
            refusal = f"Composio refused: {error}".replace(self._api_key, "…")
            raise ComposioRefusedError(
                refusal, status=error.status_code, body=error.body
            ) from None  # a key that the answer repeats would stand in the log
        except api.APIResponseValidationError as error:
            strange = "Composio's answer is not what it should be."
            raise ComposioRefusedError(strange, status=error.status_code) from error
        except api.ComposioError as error:
            raise ToolServerError(f"Composio cannot be reached: {error}") from error


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
