"""Whose accounts a call at Composio would use, and what is known of the tools that it names."""

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast
from urllib.parse import quote, urlsplit

from agent_core.errors import ComposioRefusedError, ToolServerError
from agent_core.ids import UserId
from agent_core.tools.composio_api import ComposioApi

logger = logging.getLogger(__name__)

_ACTIVE_FOR_S = 20.0
"""How long an account that was found active is taken for it."""
_ACTIVE = "ACTIVE"
_UNKNOWN = (400, 404, 405, 410)
_NAMES = ("email", "emailAddress", "email_address", "login", "username", "name", "display_name")


@dataclass(frozen=True, slots=True, kw_only=True)
class AppTool:
    """A tool of an app, as Composio describes it."""

    slug: str
    toolkit: str
    needs_account: bool | None
    """None where Composio does not know the tool, or does not tell."""
    schema_digest: str
    """Of its description and input schema; empty where Composio does not tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A person's connected account of an app."""

    id: str
    toolkit: str
    identity: str
    """Such as an address; the id where Composio does not tell more."""


class Accounts(Protocol):
    """Raises ToolServerError where Composio cannot be asked."""

    async def tool(self, slug: str, *, afresh: bool = False) -> AppTool:
        """What is known of a tool."""
        ...

    async def active(self, user: UserId, toolkit: str, *, afresh: bool = False) -> Account | None:
        """The person's own account of an app; None where it is missing, expired or inactive."""
        ...

    async def link(self, user: UserId, toolkit: str) -> str:
        """A new link, by which this person connects an account. It is nobody else's business."""
        ...


class ComposioAccounts:
    """Accounts at the service. `clock` gives seconds that only grow."""

    def __init__(self, api: ComposioApi, clock: Callable[[], float]) -> None:
        self._api = api
        self._clock = clock
        self._tools: dict[str, AppTool] = {}
        self._active: dict[tuple[UserId, str], tuple[float, Account]] = {}
        self._identities: dict[str, str] = {}

    async def tool(self, slug: str, *, afresh: bool = False) -> AppTool:
        found = None if afresh else self._tools.get(slug)
        if found is None or not found.schema_digest:
            found = self._tools[slug] = await self._describe(slug)
        return found

    async def active(self, user: UserId, toolkit: str, *, afresh: bool = False) -> Account | None:
        found = self._active.get((user, toolkit))
        if found and not afresh and self._clock() - found[0] < _ACTIVE_FOR_S:
            return found[1]
        self._active.pop((user, toolkit), None)
        account = await self._find(user, toolkit)
        if account is not None:
            self._active[user, toolkit] = (self._clock(), account)
        return account

    async def link(self, user: UserId, toolkit: str) -> str:
        made = _object(await self._api.post_in_session(user, "link", {"toolkit": toolkit}))
        url = str(made.get("redirect_url") or "")
        if not urlsplit(url).hostname:
            raise ToolServerError(f"Composio gave no link to connect {toolkit}.")
        return url

    async def _describe(self, slug: str) -> AppTool:
        try:
            path = f"/tools/{quote(slug, safe='')}"
            record = _object(await self._api.get(path, {"toolkit_versions": "latest"}))
        except ComposioRefusedError as error:
            if error.status not in _UNKNOWN:
                raise
            record = {}
        toolkit = str(_object(record.get("toolkit")).get("slug") or slug.partition("_")[0])
        told = {key: record.get(key) for key in ("description", "input_parameters", "version")}
        text = json.dumps(told, sort_keys=True, separators=(",", ":"))
        return AppTool(
            slug=slug,
            toolkit=toolkit.casefold(),
            needs_account=record.get("no_auth") is not True if record else None,
            schema_digest=hashlib.sha256(text.encode()).hexdigest() if record else "",
        )

    async def _find(self, user: UserId, toolkit: str) -> Account | None:
        query = {"user_ids": [user], "toolkit_slugs": [toolkit], "statuses": [_ACTIVE]}
        listed = _object(await self._api.get("/connected_accounts", query)).get("items")
        items = [_object(item) for item in cast("list[object]", listed or [])]
        mine = [item for item in items if _is_active(item, user, toolkit)]
        if not mine:
            return None
        newest = max(mine, key=lambda item: str(item.get("created_at") or ""))
        account = str(newest.get("id"))
        return Account(
            id=account, toolkit=toolkit, identity=await self._identity(user, toolkit, newest)
        )

    async def _identity(self, user: UserId, toolkit: str, item: Mapping[str, Any]) -> str:
        """Who the account belongs to, in the app's own words."""
        account = str(item.get("id"))
        if account not in self._identities:
            other = str(item.get("alias") or item.get("word_id") or account)
            try:
                name = _name_in(item.get("user_info")) or await self._ask_identity(user, toolkit)
            except ToolServerError:
                return other
            self._identities[account] = name or other
        return self._identities[account]

    async def _ask_identity(self, user: UserId, toolkit: str) -> str:
        body = {"slug": "COMPOSIO_MANAGE_CONNECTIONS", "arguments": {"toolkits": [toolkit]}}
        answer = _object(await self._api.post_in_session(user, "execute_meta", body))
        results = _object(_object(answer.get("data")).get("results"))
        return _name_in(_object(results.get(toolkit)).get("current_user_info"))


def _is_active(item: Mapping[str, Any], user: UserId, toolkit: str) -> bool:
    """Filters in the query are not relied on: an account of another person must never pass."""
    slug = str(_object(item.get("toolkit")).get("slug") or "").casefold()
    is_on = str(item.get("status")).upper() == _ACTIVE and item.get("is_disabled") is not True
    return is_on and slug == toolkit and str(item.get("user_id") or "") == user


def _name_in(info: object) -> str:
    fields = _object(info)
    return next((str(fields[name]) for name in _NAMES if fields.get(name)), "")


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


async def are_connected(accounts: Accounts, user: UserId, toolkits: Sequence[str]) -> bool:
    """Whether the person has all of these accounts, looked up now; False where nobody knows."""
    try:
        for toolkit in toolkits:
            if await accounts.active(user, toolkit, afresh=True) is None:
                return False
    except ToolServerError as error:
        logger.info("whether accounts are connected is not known: %s", error)
        return False
    return True
