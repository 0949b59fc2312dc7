"""The meta tools, and the one way from a call to an app: with the person's own account or not."""

import asyncio
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from aiohttp import web

from bot.sandbox.composio.accounts import AccountStore, ConnectedAccount
from bot.sandbox.composio.apps import Apps, Caller
from bot.sandbox.composio.catalogue import (
    NO_TOOL,
    NO_TOOLKIT,
    SEARCH,
    Tool,
    app_tools,
    meta_tools,
    needs_account,
    read_tools,
    toolkits,
    tools_for,
)
from bot.sandbox.composio.files import HOME, RemoteFiles, Storage
from bot.sandbox.composio.records import (
    AppExecution,
    Data,
    ReceivedToolCall,
    RestError,
    RouterSession,
    ToolError,
    ToolOutcome,
    as_data,
    make_id,
)
from bot.sandbox.composio.search import SearchEngine
from bot.sandbox.web import PageLoader, no_pages

if TYPE_CHECKING:
    from pydantic_monty import AsyncMonty, AsyncMontySession

LINK_PATH = "/link/"
_NO_ACCOUNT = "No connection is needed: the tools can be used at once."
_NOT_CONNECTED = "No active connection for {}: connect it by COMPOSIO_MANAGE_CONNECTIONS."
OUTPUT = "/mnt/files/.composio/output"
MAX_PREVIEW_CHARS = 2_000
_MAX_CELL_S = 20.0
_MAX_MEMORY_BYTES = 256_000_000
_MAX_HOST_CALLS = 20_000
"""Reads and writes of files among them, over the life of a notebook."""


class Workbench:
    """Everybody's notebooks: names and files stay between calls, each person's on their own.

    Monty's worker processes run the code: there is no network, and no file but the person's own.
    """

    def __init__(self, remote: RemoteFiles) -> None:
        self._remote = remote
        self._open = AsyncExitStack()
        self._pool: AsyncMonty | None = None
        self._notebooks: dict[str, AsyncMontySession] = {}
        self._running = asyncio.Lock()

    async def run(self, user_id: str, code: str) -> Data:
        """What the code printed and returned; of code that failed the data says so."""
        from pydantic_monty import CollectString, MontyError, MountDir

        printed, error, value = CollectString(), "", None
        async with self._running:
            notebook = await self._notebook(user_id)
            mounts = [
                MountDir(host_path=local, virtual_path=root, mode="read-write")
                for root, local in self._remote.roots(user_id).items()
            ]
            try:
                value = await notebook.feed_run(
                    code, print_callback=printed, mount=mounts, cwd=HOME
                )
            except MontyError as raised:
                inner = raised.exception()
                error = f"{type(inner).__name__}: {inner}"
                if isinstance(inner, TimeoutError | MemoryError):
                    del self._notebooks[user_id]  # its heap is in no known state
            finally:
                for mount in mounts:
                    mount.close()
        return {
            "results": "" if value is None else repr(value),
            "stdout": printed.output,
            "stderr": error,
            "error": error or None,
        }

    async def close(self) -> None:
        await self._open.aclose()

    async def _notebook(self, user_id: str) -> "AsyncMontySession":
        from pydantic_monty import AsyncMonty

        if self._pool is None:
            self._pool = await self._open.enter_async_context(AsyncMonty())
        if user_id not in self._notebooks:
            checkout = self._pool.checkout(
                limits={
                    "max_feed_duration_secs": _MAX_CELL_S,
                    "max_memory": _MAX_MEMORY_BYTES,
                    "max_suspensions": _MAX_HOST_CALLS,
                }
            )
            self._notebooks[user_id] = await self._open.enter_async_context(checkout)
        return self._notebooks[user_id]


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
        self.remote = RemoteFiles()
        self.apps = Apps(self.storage, self.remote, clock, lambda: self.base_url)
        self.calls: list[ReceivedToolCall] = []
        """Every tool call that came in."""
        self.executions: list[AppExecution] = []
        """Every app tool that ran, in order."""
        self.search = SearchEngine(pages, clock)
        self.workbench = Workbench(self.remote)
        self._clock = clock
        self._meta = {
            "COMPOSIO_SEARCH_TOOLS": self._search,
            "COMPOSIO_MULTI_EXECUTE_TOOL": self._run_batch,
            "COMPOSIO_MANAGE_CONNECTIONS": self._manage_connections,
            "COMPOSIO_REMOTE_WORKBENCH": self._run_code,
        }

    def session_of(self, request: web.Request) -> RouterSession:
        """The session that a request names. Raises RestError."""
        session = self.sessions.get(request.match_info["session_id"])
        if session is None:
            raise RestError(404, "ToolRouterV2_SessionNotFound", "Session not found")
        return session

    def link_of(self, account: ConnectedAccount) -> str:
        """The address behind which the person decides."""
        return f"{self.base_url}{LINK_PATH}{account.link_token}"

    async def execute(
        self, session: RouterSession, slug: str, arguments: Mapping[str, Any]
    ) -> ToolOutcome:
        """The outcome of a call of an app's tool or a meta tool."""
        self.calls.append(ReceivedToolCall(user_id=session.user_id, tool=slug, arguments=arguments))
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
            return ToolOutcome(error=NO_TOOL.format(slug), has_run=False)
        account = None
        identity = ""
        if needs_account(tool.toolkit):
            active = self.accounts.active(user_id, tool.toolkit)
            fitting = [one for one in active if account_id in {None, one.id}]
            if not fitting:
                missing = f"No active connected account found for toolkit: {tool.toolkit}"
                return ToolOutcome(error=missing, has_run=False)
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
        kits: dict[str, Data] = {}
        for position, query in enumerate(given["queries"], start=1):
            case = query["use_case"]
            fitting = tools_for(case)
            result = {
                "index": position,
                "use_case": case,
                "error": None,
                **_describe(fitting),
            }
            results.append(result)
            for tool in fitting:
                schemas[tool.slug] = {
                    "tool_slug": tool.slug,
                    "toolkit": tool.toolkit,
                    "description": tool.about["description"],
                    "hasFullSchema": True,
                    "input_schema": tool.schema,
                }
                kits[tool.toolkit] = self._status(session.user_id, tool.toolkit)
        best = [slug for result in results for slug in result["primary_tool_slugs"]]
        guidance = [read_tools()["no_tool"]]
        if best:
            run = f"Run {' or '.join(best)} with COMPOSIO_MULTI_EXECUTE_TOOL; several queries fit."
            guidance = [run, read_tools()["next_steps"]]
        return ToolOutcome(
            data={
                "results": results,
                "tool_schemas": schemas,
                "toolkit_connection_statuses": list(kits.values()),
                "session": {"id": secrets.token_hex(2)},
                "next_steps_guidance": guidance,
            }
        )

    def _status(self, user_id: str, slug: str) -> Data:
        """Whether the person has connected a toolkit, as the search for tools tells it."""
        status: Data = {
            "toolkit": slug,
            "description": toolkits()[slug]["description"],
            "has_active_connection": True,
        }
        active = self.accounts.active(user_id, slug)
        if not needs_account(slug):
            status["status_message"] = _NO_ACCOUNT
        elif active:
            status["status_message"] = f"Connected as {active[0].identity}."
            status["current_user_info"] = active[0].as_person()
        else:
            status["status_message"] = _NOT_CONNECTED.format(slug)
            status["has_active_connection"] = False
        return status

    async def _run_batch(self, session: RouterSession, given: Data) -> ToolOutcome:
        """One result for each item in the order asked; a failed item does not stop the others."""
        user_id = session.user_id

        async def run(item: Data) -> ToolOutcome:
            return await self._run_app(
                user_id,
                slug=item["tool_slug"],
                arguments=as_data(item.get("arguments")),
                account_id=item.get("account"),
            )

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run(item)) for item in given["tools"]]
        outcomes = [task.result() for task in tasks]
        results: list[Data] = []
        for index, (item, outcome) in enumerate(zip(given["tools"], outcomes, strict=True)):
            result: Data = {
                "index": index,
                "tool_slug": item["tool_slug"],
                "response": None,
                "error": outcome.error,
            }
            if outcome.has_run:
                result["response"] = {**outcome.as_json(), "log_id": make_id("log")}
            results.append(result)
        failed = sum(outcome.error is not None for outcome in outcomes)
        is_long = len(json.dumps(results, ensure_ascii=False)) > session.direct_chars
        file = None
        if is_long or given["sync_response_to_workbench"]:
            file = self._leave(user_id, results)
        data = {"remote_file_info": file, "results": results}
        error = f"{failed} out of {len(results)} tools failed" if failed else None
        return ToolOutcome(data=data, error=error)

    def _leave(self, user_id: str, results: list[Data]) -> Data:
        """Write results into a file of the workbench; what is left of them is a preview."""
        number = 1 + len(list(self.remote.local(user_id, OUTPUT).glob("*")))
        path = f"{OUTPUT}/multi_execute_{number}.json"
        file = self.remote.local(user_id, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(results, ensure_ascii=False), encoding="utf-8")
        for response in filter(None, (result["response"] for result in results)):
            whole = json.dumps(response.pop("data"), ensure_ascii=False)
            response["data_preview"] = whole[:MAX_PREVIEW_CHARS]
        return {"file_path": path, "message": f"The full response was saved to {path}"}

    async def _manage_connections(self, session: RouterSession, given: Data) -> ToolOutcome:
        """For each toolkit: active, initiated with a link, or failed with the reason."""
        user_id = session.user_id
        results = {
            slug: {"toolkit": slug, **self._connect(user_id, slug, renew=given["reinitiate_all"])}
            for slug in dict.fromkeys(map(str.casefold, given["toolkits"]))
        }
        failed = sum(result["status"] == "failed" for result in results.values())
        message = "Share each link with the person it is for, and only with them."
        data: Data = {"message": message, "results": results}
        error = f"{failed} out of {len(results)} toolkits failed" if failed else None
        return ToolOutcome(data=data, error=error)

    def _connect(self, user_id: str, slug: str, *, renew: bool) -> Data:
        if slug not in toolkits():
            return {
                "status": "failed",
                "has_active_connection": False,
                "error_message": NO_TOOLKIT.format(slug),
            }
        active = self.accounts.active(user_id, slug)
        if not needs_account(slug) or (active and not renew):
            return {
                "status": "active",
                "has_active_connection": True,
                "current_user_info": active[0].as_person() if active else {},
            }
        for account in active:
            account.status = "INACTIVE"
        account = self.accounts.begin(user_id, slug)
        return {
            "status": "initiated",
            "has_active_connection": False,
            "redirect_url": self.link_of(account),
            "instruction": "Share this link with the user. It lives for ten minutes, works once.",
        }

    async def _run_code(self, session: RouterSession, given: Data) -> ToolOutcome:
        return ToolOutcome(data=await self.workbench.run(session.user_id, given["code_to_execute"]))


def _describe(tools: Sequence[Tool]) -> Data:
    """What one result of a search says of the tools, or that there is none."""
    kind = "nothing"
    if tools:
        kind = "search" if tools[0].toolkit == SEARCH else "app"
    slugs = [tool.slug for tool in tools]
    return {
        "primary_tool_slugs": slugs[:1],
        "related_tool_slugs": slugs[1:],
        "toolkits": sorted({tool.toolkit for tool in tools}),
        **read_tools()["advice"][kind],
    }
