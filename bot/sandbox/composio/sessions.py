"""Sessions of the tool router, and the record of what was called in them."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

SHOWN_AS_ASKED = frozenset({"auth_configs", "connected_accounts", "multi_account"})
"""Fields that a session's config repeats as they were asked for."""


def _read_list(value: object) -> object:
    """A bare list means the allow list."""
    return {"enable": cast("list[object]", value)} if isinstance(value, list) else value


class Filter(BaseModel):
    """An allow list or a deny list."""

    model_config = ConfigDict(extra="forbid")
    enable: list[str] | None = None
    disable: list[str] | None = None
    tags: list[str] | None = None
    require_approval: list[str] | None = None

    def allows(self, name: str) -> bool:
        if self.enable is not None:
            return name in self.enable
        return name not in (self.disable or [])

    def allows_tags(self, tags: Sequence[str]) -> bool:
        wanted = self.enable if self.tags is None else self.tags
        fits = wanted is None or bool(set(wanted) & set(tags))
        return fits and not set(self.disable or []) & set(tags)

    def as_response(self) -> dict[str, list[str]]:
        """The filter as a session's config names it (the past tense of the request)."""
        named = {"enabled": self.enable, "disabled": self.disable}
        return {key: value for key, value in named.items() if value is not None}


AnyFilter = Annotated[Filter, BeforeValidator(_read_list)]


class SessionRequest(BaseModel):
    """The body that creates a session. A key that Composio does not know is refused."""

    model_config = ConfigDict(extra="forbid")
    user_id: str = Field(min_length=1)
    toolkits: AnyFilter = Filter()
    tools: dict[str, AnyFilter] = {}
    tags: AnyFilter | None = None
    auth_configs: dict[str, str] = {}
    connected_accounts: dict[str, list[str]] = {}
    manage_connections: Any = None
    multi_account: Any = None
    workbench: Any = None
    sandbox: Any = None
    proxy_execute: Any = None
    instant: Any = None
    preload: Any = None
    search: Any = None
    execute: Any = None
    session_preset: str | None = None
    hooks: Any = None
    experimental: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One person's access to tools, as the tool router keeps it."""

    id: str
    user_id: str
    request: SessionRequest
    config_version: int = 1

    def allows(self, toolkit: str) -> bool:
        return self.request.toolkits.allows(toolkit)

    def allows_tool(self, toolkit: str, slug: str, tags: Sequence[str]) -> bool:
        """Whether an app tool may be used; lists of a toolkit's tools beat tags."""
        if not self.allows(toolkit):
            return False
        own = self.request.tools.get(toolkit)
        if own is not None and own.tags is None:
            return own.allows(slug)
        rule = own or self.request.tags
        return rule is None or rule.allows_tags(tags)

    def has(self, feature: str) -> bool:
        """Whether `manage_connections` or `workbench` is on, as it is unless turned off."""
        value: object = getattr(self.request, feature)
        if feature == "workbench" and value is None:
            value = self.request.sandbox
        return value is not False and read_option(value, "enable") is not False

    @property
    def preloaded(self) -> frozenset[str]:
        """The app tools that are offered by name beside the meta tools."""
        slugs: object = read_option(self.request.preload, "tools")
        return frozenset(cast("list[str]", slugs) if isinstance(slugs, list) else [])

    def patch(self, changes: Mapping[str, Any]) -> "Session":
        """The session with some fields replaced as a whole; a null field is as at first."""
        kept = self.request.model_dump(exclude_unset=True) | dict(changes)
        told = {key: value for key, value in kept.items() if value is not None}
        request = SessionRequest.model_validate(told)
        return replace(self, request=request, config_version=self.config_version + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call that reached the stand-in."""

    session_id: str
    user_id: str
    tool: str
    arguments: Mapping[str, Any]


def read_option(value: object, key: str) -> Any:
    """An option out of a field that may be a flag, an object or absent."""
    return cast("dict[str, Any]", value).get(key) if isinstance(value, dict) else None


def open_session(request: SessionRequest) -> Session:
    """A new session with an id of its own."""
    return Session(id=f"trs_{secrets.token_hex(6)}", user_id=request.user_id, request=request)


def stand_in_for(user_id: str) -> Session:
    """What a direct call, which has no session, may do: everything, as that user id."""
    return Session(id="", user_id=user_id, request=SessionRequest(user_id=user_id))
