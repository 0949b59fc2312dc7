"""Connected accounts: whose they are, which app they belong to, and which app a tool needs."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from cachetools import TTLCache

from agent_core.composio.api import ComposioSessions
from agent_core.errors import ComposioRefusedError, ToolServerError
from agent_core.ids import UserId
from agent_core.json_values import as_object, digest_of_json, text_in

logger = logging.getLogger(__name__)

_ACTIVE = "ACTIVE"
_ACTIVE_FOR_S = 20.0
"""How long an account that was active is taken for active."""
_MAX_ACTIVE = 10_000
_UNKNOWN = (400, 404, 405, 410)
_PINNED = ("description", "input_parameters", "version")
_NAMES = ("email", "emailAddress", "email_address", "login", "username", "name", "display_name")

_Item = Mapping[str, Any]
"""An account as Composio lists it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppTool:
    """A tool of an app, as Composio describes it."""

    toolkit: str
    needs_account: bool | None
    """None where Composio does not know the tool, or does not say."""
    schema_digest: str
    """Of its description and input schema; empty where Composio does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A person's connected account of an app."""

    id: str
    toolkit: str
    identity: str
    """Such as an address; the id where Composio does not say more."""


class Accounts:
    """Accounts at the service. `clock` gives seconds that only grow.

    Each question raises ToolServerError where Composio cannot be asked.
    """

    def __init__(self, sessions: ComposioSessions, clock: Callable[[], float]) -> None:
        self._sessions = sessions
        self._worker = sessions.worker
        self.prepare = sessions.prepare
        self.delete_unused = sessions.delete_unused
        self._tools: dict[str, AppTool] = {}
        self._active: TTLCache[tuple[UserId, str], Account] = TTLCache(
            _MAX_ACTIVE, _ACTIVE_FOR_S, timer=clock
        )
        self._identities: dict[str, str] = {}

    async def tool(self, slug: str, *, afresh: bool = False) -> AppTool:
        """A tool of an app; remembered once Composio described it, unless asked afresh."""
        tool = self._tools.get(slug)
        if afresh or tool is None or not tool.schema_digest:
            tool = await self._describe(slug)
            self._tools[slug] = tool
        return tool

    async def active(self, user: UserId, toolkit: str, *, afresh: bool = False) -> Account | None:
        """The person's own account of an app; None where it is missing, expired or inactive."""
        known = self._active.get((user, toolkit))
        if known and not afresh:
            return known
        self._active.pop((user, toolkit), None)
        items = await self._listed(user, toolkit_slugs=[toolkit])
        mine = [item for item in items if _toolkit_of(item) == toolkit]
        if not mine:
            return None
        newest = max(mine, key=lambda item: text_in(item, "created_at"))
        account = await self._account(user, newest)
        self._active[user, toolkit] = account
        return account

    async def of(self, user: UserId) -> list[Account]:
        """All of the person's active accounts, by app."""
        items = await self._listed(user)
        items.sort(key=_toolkit_of)
        return [await self._account(user, item) for item in items]

    async def remove(self, user: UserId, account: str) -> Account | None:
        """Delete an account of the person's for good; None where it is not theirs."""
        for item in await self._listed(user):
            if item.get("id") == account:
                removed = await self._account(user, item)
                await self._worker.ask("delete_account", nanoid=account)
                self._active.pop((user, removed.toolkit), None)
                return removed
        return None

    async def link(self, user: UserId, toolkit: str) -> str:
        """A new link, by which this person connects an account. It is nobody else's business."""
        made = await self._sessions.ask(user, "link_account", toolkit=toolkit)
        url = str(made.get("redirect_url") or "")
        if not urlsplit(url).hostname:
            raise ToolServerError(f"Composio gave no link to connect {toolkit}.")
        return url

    async def _listed(self, user: UserId, **filters: list[str]) -> list[_Item]:
        """The filters are not relied on: another person's account must never pass."""
        wanted = {"user_ids": [user], "statuses": [_ACTIVE], "limit": 100, **filters}
        answer = await self._worker.ask("list_accounts", **wanted)
        items = map(as_object, answer.get("items") or [])
        return [item for item in items if _is_active(item, user)]

    async def _account(self, user: UserId, item: _Item) -> Account:
        return Account(
            id=str(item.get("id")),
            toolkit=_toolkit_of(item),
            identity=await self._identity(user, item),
        )

    async def _describe(self, slug: str) -> AppTool:
        record: _Item = {}
        try:
            record = await self._worker.ask("describe_tool", slug=slug)
        except ComposioRefusedError as error:
            if error.status not in _UNKNOWN:
                raise
        toolkit = _toolkit_of(record) or slug.partition("_")[0].casefold()
        if not record:
            return AppTool(toolkit=toolkit, needs_account=None, schema_digest="")
        definition = {key: record.get(key) for key in _PINNED}
        return AppTool(
            toolkit=toolkit,
            needs_account=record.get("no_auth") is not True,
            schema_digest=digest_of_json(definition),
        )

    async def _identity(self, user: UserId, item: _Item) -> str:
        """Who the account belongs to, in the app's own words; its id until they are known."""
        account = str(item.get("id"))
        if account not in self._identities:
            other = text_in(item, "alias", "word_id") or account
            name = text_in(item.get("user_info"), *_NAMES)
            if not name:
                try:
                    name = await self._current_user(user, _toolkit_of(item))
                except ToolServerError:
                    return other
            self._identities[account] = name or other
        return self._identities[account]

    async def _current_user(self, user: UserId, toolkit: str) -> str:
        answer = await self._sessions.ask(
            user,
            "run_meta_tool",
            slug="COMPOSIO_MANAGE_CONNECTIONS",
            arguments={"toolkits": [toolkit]},
        )
        data = as_object(answer.get("data"))
        results = as_object(data.get("results"))
        result = as_object(results.get(toolkit))
        return text_in(result.get("current_user_info"), *_NAMES)


def _is_active(item: _Item, user: UserId) -> bool:
    is_theirs = item.get("user_id") == user
    status = text_in(item, "status").upper()
    return is_theirs and status == _ACTIVE and item.get("is_disabled") is not True


def _toolkit_of(item: _Item) -> str:
    return text_in(item.get("toolkit"), "slug").casefold()


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
