"""Sessions of the tool router, and the record of what was called in them."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class ToolkitFilter(BaseModel):
    """Which toolkits a session may use: an allow list or a deny list."""

    model_config = ConfigDict(extra="forbid")
    enable: list[str] | None = None
    disable: list[str] | None = None
    require_approval: list[str] | None = None

    def allows(self, toolkit: str) -> bool:
        if self.enable is not None:
            return toolkit in self.enable
        return toolkit not in (self.disable or [])

    def as_response(self) -> dict[str, list[str]]:
        """The filter as a session's config names it (the past tense of the request)."""
        named = {"enabled": self.enable, "disabled": self.disable}
        return {key: value for key, value in named.items() if value is not None}


class SessionRequest(BaseModel):
    """The body that creates a session. A key that Composio does not know is refused."""

    model_config = ConfigDict(extra="forbid")
    user_id: str = Field(min_length=1)
    toolkits: ToolkitFilter = ToolkitFilter()
    tools: dict[str, Any] = {}
    tags: Any = None
    auth_configs: dict[str, str] = {}
    connected_accounts: dict[str, list[str]] = {}
    manage_connections: Any = None
    multi_account: Any = None
    workbench: Any = None
    proxy_execute: Any = None
    instant: Any = None
    preload: Any = None
    search: Any = None
    execute: Any = None
    hooks: Any = None
    experimental: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One person's access to tools, as the tool router keeps it."""

    id: str
    user_id: str
    request: SessionRequest

    def allows(self, toolkit: str) -> bool:
        return self.request.toolkits.allows(toolkit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call that reached the stand-in."""

    session_id: str
    user_id: str
    tool: str
    arguments: Mapping[str, Any]


def open_session(request: SessionRequest) -> Session:
    """A new session with an id of its own."""
    return Session(id=f"trs_{secrets.token_hex(6)}", user_id=request.user_id, request=request)
