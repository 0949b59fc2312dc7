"""What the service knows: people's accounts, sessions and calls; and its meta tools over them.

An account belongs to one user id, which is the only border between people.
"""

import asyncio
import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from bot.sandbox.composio.apps import Apps, Caller
from bot.sandbox.composio.catalogue import (
    NO_TOOL,
    NO_TOOLKIT,
    Data,
    Tool,
    ToolError,
    app_tools,
    as_data,
    make_id,
    meta_tools,
    needs_account,
    toolkits,
    tools_for,
)
from bot.sandbox.composio.workbench import FILES, Storage, Workbench
from bot.sandbox.web import PageLoader, SearchEngine, no_pages

AccountStatus = Literal["INITIATED", "ACTIVE", "FAILED", "EXPIRED"]
_LINK_LIFE = timedelta(minutes=10)
LINK_PATH = "/link/"
OUTPUT = ".composio/output"
MAX_PREVIEW_CHARS = 2_000


@dataclass(slots=True, kw_only=True)
class ConnectedAccount:
    """One person's account of one app."""

    id: str
    user_id: str
    toolkit: str
    created_at: datetime
    link_token: str
    identity: str
    """The address that the app knows the person by."""
    status: AccountStatus = "INITIATED"

    def as_json(self) -> Data:
        return {
            "id": self.id,
            "user_id": self.user_id,
            "status": self.status,
            "toolkit": {"slug": self.toolkit},
            "created_at": self.created_at.isoformat(),
        }

    def finish(self, *, allowed: bool, identity: str = "") -> None:
        """Set the status by the person's decision behind the link."""
        self.status = "ACTIVE" if allowed else "FAILED"
        self.identity = identity or self.identity


class AccountStore:
    """All accounts of all people, queried for one user id at a time.

    `name` gives the name of a user id's person, where there is one.
    """

    def __init__(
        self,
        clock: Callable[[], datetime],
        name: Callable[[str], str | None],
    ) -> None:
        self.name = name
        self._clock = clock
        self._all: list[ConnectedAccount] = []

    def begin(self, user_id: str, toolkit: str) -> ConnectedAccount:
        """A new account that waits for its link to be followed, for ten minutes."""
        account = ConnectedAccount(
            id=make_id("ca"),
            user_id=user_id,
            toolkit=toolkit,
            created_at=self._clock(),
            link_token=make_id("lk"),
            identity=_make_identity(user_id, self.name(user_id)),
        )
        self._all.append(account)
        return account

    def expire(self, user_id: str, toolkit: str) -> None:
        """The app no longer takes the tokens of a person's active accounts."""
        for account in self.active(user_id, toolkit):
            account.status = "EXPIRED"

    def remove(self, account_id: str) -> None:
        """Forget an account."""
        self._all = [account for account in self._all if account.id != account_id]

    def waiting(self, token: str) -> ConnectedAccount | None:
        """The account whose link has this token, until somebody decided or its time is over."""
        for account in self.all():
            if account.link_token == token and account.status == "INITIATED":
                return account
        return None

    def all(self) -> list[ConnectedAccount]:
        """Every account as it is by now: a link that nobody followed in time has expired."""
        for account in self._all:
            age = self._clock() - account.created_at
            if account.status == "INITIATED" and age >= _LINK_LIFE:
                account.status = "EXPIRED"
        return self._all

    def active(self, user_id: str, toolkit: str) -> list[ConnectedAccount]:
        """A person's usable accounts of an app, the newest first."""
        usable: list[ConnectedAccount] = []
        for account in reversed(self.all()):
            is_own = account.user_id == user_id and account.toolkit == toolkit
            if is_own and account.status == "ACTIVE":
                usable.append(account)
        return usable


def _make_identity(user_id: str, name: str | None) -> str:
    """The address that an account of a person has: by name, else by the parts of the user id."""
    team, _, user = user_id.rpartition(":")
    words = (name or f"{user}.{team}").casefold().split()
    address = re.sub(r"[^\w.-]|_", "", ".".join(words))
    return f"{address}@example.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class RouterSession:
    """One person's session as it was made."""

    user_id: str
    tools: Sequence[str]
    """The slugs that it lists, and that may be called over MCP."""
    direct_chars: float
    """Of a batch's results that come directly; longer ones are left in the workbench."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedToolCall:
    """One tool call that reached the stand-in."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppExecution:
    """One app tool that ran for a person."""

    user_id: str
    """Whose session the call named."""
    slug: str
    arguments: Mapping[str, Any]
    account_user_id: str | None
    """Whom the account belongs to; None for a toolkit that needs none."""
    identity: str
    at: datetime
    reads_only: bool
    error: str | None
    """The app's refusal; a call that was refused changed nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What a tool call gives back: data, or an error, or both where only a part went wrong."""

    data: Data = field(default_factory=dict[str, Any])
    """Empty where the tool itself was not reached, as without an account."""
    error: str | None = None

    def as_json(self) -> Data:
        return {
            "data": self.data,
            "error": self.error,
            "successful": self.error is None,
        }


class Service:
    """What the service knows, and the tools that a session may use over it.

    Its search finds the `pages` that are loaded at the first search. `name` gives the name of a
    user id's person, of whose accounts' addresses it is a part.
    """

    def __init__(
        self,
        pages: PageLoader = no_pages,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        name: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        self.base_url = ""
        """Where it is reached, once it listens."""
        self.api_key = f"ak_sandbox_{secrets.token_hex(8)}"
        self.sessions: dict[str, RouterSession] = {}
        self.preload: Literal["granted", "ignored"] = "granted"
        """What becomes of a session's wish to list tools of apps."""
        self.accounts = AccountStore(clock, name)
        self.storage = Storage()
        self.apps = Apps(self.storage, clock, lambda: self.base_url)
        self.calls: list[ReceivedToolCall] = []
        """Every tool call that came in."""
        self.executions: list[AppExecution] = []
        """Every app tool that ran, in order."""
        self.search = SearchEngine(pages)
        self.workbench = Workbench()
        self._clock = clock
        self._meta = {
            "COMPOSIO_SEARCH_TOOLS": self._search,
            "COMPOSIO_MULTI_EXECUTE_TOOL": self._run_batch,
            "COMPOSIO_MANAGE_CONNECTIONS": self._manage_connections,
            "COMPOSIO_REMOTE_WORKBENCH": self._run_code,
        }

    def link_of(self, account: ConnectedAccount) -> str:
        """The address behind which the person decides."""
        return f"{self.base_url}{LINK_PATH}{account.link_token}"

    async def execute(
        self, session: RouterSession, slug: str, arguments: Mapping[str, Any]
    ) -> ToolOutcome:
        """The outcome of a call of an app's tool or a meta tool."""
        self.calls.append(ReceivedToolCall(tool=slug, arguments=arguments))
        tool = meta_tools().get(slug)
        if tool is None:
            return await self._run_app(session.user_id, slug, arguments)
        try:
            return await self._meta[slug](session, tool.check(arguments))
        except ToolError as refusal:
            return ToolOutcome(error=str(refusal))

    async def _run_app(
        self,
        user_id: str,
        slug: str,
        arguments: Mapping[str, Any],
        account_id: str | None = None,
    ) -> ToolOutcome:
        """What an app's tool gives back, with one of several accounts where its id is given."""
        tool = app_tools().get(slug)
        if tool is None:
            return ToolOutcome(error=NO_TOOL.format(slug))
        account = None
        identity = ""
        if needs_account(tool.toolkit):
            active = self.accounts.active(user_id, tool.toolkit)
            fitting = [one for one in active if account_id in {None, one.id}]
            if not fitting:
                missing = f"No active connected account found for toolkit: {tool.toolkit}"
                return ToolOutcome(error=missing)
            account = fitting[0]
            identity = account.identity
        try:
            data = await self._data(tool, Caller(user_id, identity), tool.check(arguments))
            outcome = ToolOutcome(data=data)
        except ToolError as error:
            outcome = ToolOutcome(data={"message": str(error)}, error=str(error))
        execution = AppExecution(
            user_id=user_id,
            slug=slug,
            arguments=arguments,
            account_user_id=account.user_id if account else None,
            identity=identity,
            at=self._clock(),
            reads_only=tool.reads_only,
            error=outcome.error,
        )
        self.executions.append(execution)
        return outcome

    async def _data(self, tool: Tool, caller: Caller, given: Data) -> Data:
        match tool.slug:
            case "COMPOSIO_SEARCH_WEB":
                return await self.search.web(given)
            case "COMPOSIO_SEARCH_NEWS":
                return await self.search.news(given)
            case slug:
                return self.apps.tools[slug](caller, given)

    async def _search(self, session: RouterSession, given: Data) -> ToolOutcome:
        """The tools for each use case with their schemas and the state of their accounts."""
        results: list[Data] = []
        schemas: dict[str, Data] = {}
        statuses: dict[str, Data] = {}
        for query in given["queries"]:
            fitting = tools_for(query["use_case"])
            slugs = [tool.slug for tool in fitting]
            result = {
                "use_case": query["use_case"],
                "primary_tool_slugs": slugs[:1],
                "related_tool_slugs": slugs[1:],
            }
            results.append(result)
            for tool in fitting:
                statuses[tool.toolkit] = self._status(session.user_id, tool.toolkit)
                schemas[tool.slug] = {
                    "tool_slug": tool.slug,
                    "toolkit": tool.toolkit,
                    "description": tool.about["description"],
                    "input_schema": tool.schema,
                }
        data: Data = {
            "results": results,
            "tool_schemas": schemas,
            "toolkit_connection_statuses": list(statuses.values()),
        }
        return ToolOutcome(data=data)

    def _status(self, user_id: str, slug: str) -> Data:
        """Whether the person has connected a toolkit."""
        active = self.accounts.active(user_id, slug)
        return {
            "toolkit": slug,
            "has_active_connection": bool(active) or not needs_account(slug),
            "current_user_info": {"email": active[0].identity} if active else {},
        }

    async def _run_batch(self, session: RouterSession, given: Data) -> ToolOutcome:
        """One result for each item in the order asked; a failed item does not stop the others."""

        async def run(index: int, item: Data) -> Data:
            slug = item["tool_slug"]
            outcome = await self._run_app(
                session.user_id,
                slug=slug,
                arguments=as_data(item.get("arguments")),
                account_id=item.get("account"),
            )
            return {
                "index": index,
                "tool_slug": slug,
                "response": outcome.as_json() if outcome.data else None,
                "error": outcome.error,
            }

        async with asyncio.TaskGroup() as group:
            runs = enumerate(given["tools"])
            tasks = [group.create_task(run(index, item)) for index, item in runs]
        results = [task.result() for task in tasks]
        failed = sum(result["error"] is not None for result in results)
        is_long = len(json.dumps(results, ensure_ascii=False)) > session.direct_chars
        file = None
        if is_long or given["sync_response_to_workbench"]:
            file = self._leave(session.user_id, results)
        data = {"remote_file_info": file, "results": results}
        error = f"{failed} out of {len(results)} tools failed" if failed else None
        return ToolOutcome(data=data, error=error)

    def _leave(self, user_id: str, results: list[Data]) -> Data:
        """Write results into a file of the workbench; what is left of them is a preview."""
        folder = self.workbench.roots(user_id)[FILES] / OUTPUT
        folder.mkdir(parents=True, exist_ok=True)
        name = f"multi_execute_{len(list(folder.iterdir())) + 1}.json"
        (folder / name).write_text(json.dumps(results, ensure_ascii=False), encoding="utf-8")
        path = f"{FILES}/{OUTPUT}/{name}"
        for response in filter(None, (result["response"] for result in results)):
            whole = json.dumps(response.pop("data"), ensure_ascii=False)
            response["data_preview"] = whole[:MAX_PREVIEW_CHARS]
        return {"file_path": path, "message": f"The full response was saved to {path}"}

    async def _manage_connections(self, session: RouterSession, given: Data) -> ToolOutcome:
        """For each toolkit: active, initiated with a link, or failed with the reason."""
        slugs = map(str.casefold, given["toolkits"])
        results = {slug: self._connect(session.user_id, slug) for slug in slugs}
        message = "Share each link with the person it is for, and only with them."
        return ToolOutcome(data={"message": message, "results": results})

    def _connect(self, user_id: str, slug: str) -> Data:
        if slug not in toolkits():
            error = NO_TOOLKIT.format(slug)
            return {"toolkit": slug, "status": "failed", "error_message": error}
        status = self._status(user_id, slug)
        if status["has_active_connection"]:
            return {**status, "status": "active"}
        account = self.accounts.begin(user_id, slug)
        return {
            **status,
            "status": "initiated",
            "redirect_url": self.link_of(account),
            "instruction": "Share this link with the user. It lives for ten minutes, works once.",
        }

    async def _run_code(self, session: RouterSession, given: Data) -> ToolOutcome:
        return ToolOutcome(data=await self.workbench.run(session.user_id, given["code_to_execute"]))
