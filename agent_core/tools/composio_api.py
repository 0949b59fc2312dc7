"""Makes Tool Router sessions at Composio, one for each person.

The `composio` package is synchronous and reports each call to its telemetry service; it can be told
not to, but only per context. `composio_client`, which it is built on and pins, is asynchronous,
speaks the same wire and has no telemetry. Its import takes seconds, hence in a thread when needed.
"""

import asyncio
import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import SplitResult, urlsplit

from agent_core.errors import ToolServerError
from agent_core.ids import UserId

if TYPE_CHECKING:
    import composio_client

DEFAULT_BASE_URL = "https://backend.composio.dev"
_DEFAULT_PORTS = {"http": 80, "https": 443}
_CREATE_TIMEOUT_S = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposioSession:
    """A person's Tool Router session."""

    id: str
    mcp_url: str


class Sessions(Protocol):
    """Makes sessions.

    Raises:
        ToolServerError: Composio did not make one, or wants our key at another origin.
    """

    async def create(self, user: UserId) -> ComposioSession: ...

    async def close(self) -> None: ...


class ComposioSessions:
    """Sessions at the real service, or at whatever speaks its API at `base_url`."""

    def __init__(self, *, api_key: str, base_url: str = DEFAULT_BASE_URL) -> None:
        self._api_key = api_key
        self._base_url = base_url
        self._client: composio_client.AsyncComposio | None = None

    async def create(self, user: UserId) -> ComposioSession:
        await self.warm_up()
        import composio_client as api

        if self._client is None:
            self._client = api.AsyncComposio(
                auth=api.ProjectAuth(self._api_key), base_url=self._base_url, max_retries=0
            )
        try:
            async with asyncio.timeout(_CREATE_TIMEOUT_S):
                made = await self._client.tool_router.session.create(
                    user_id=user,
                    manage_connections={"enable": True, "enable_wait_for_connections": False},
                )
        except TimeoutError:
            raise ToolServerError("Composio did not answer in time.") from None
        except api.APIStatusError as error:
            raise ToolServerError(f"Composio refused a session: {error}") from error
        except api.ComposioError as error:
            raise ToolServerError(f"Composio cannot be reached: {error}") from error
        return self._checked(made)

    def _checked(self, made: Any) -> ComposioSession:
        """The client hands over whatever JSON came, in whatever shape."""
        url = getattr(getattr(made, "mcp", None), "url", None)
        if not isinstance(url, str):
            raise ToolServerError("Composio named no MCP address for the session.")
        if origin(url) != origin(self._base_url):
            raise ToolServerError("Composio named an MCP address of another origin; refused.")
        return ComposioSession(id=str(made.session_id), mcp_url=url)

    async def warm_up(self) -> None:
        """Load the library, so that the first person need not wait for it."""
        await asyncio.to_thread(importlib.import_module, "composio_client")

    async def close(self) -> None:
        """Close the connections to the API."""
        if self._client is not None:
            await self._client.close()


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port of a URL, the scheme's usual port filled in."""
    parts: SplitResult = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    scheme = parts.scheme.lower()
    return scheme, (parts.hostname or "").lower(), port or _DEFAULT_PORTS.get(scheme)
