"""The meta tools, and the one way from a call to an app: with the person's own account or not."""

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from bot.sandbox.composio.accounts import Account, Accounts
from bot.sandbox.composio.apps import Apps, Caller
from bot.sandbox.composio.catalogue import SEARCH, Catalogue, Tool, read_tools
from bot.sandbox.composio.files import RemoteFiles, Storage
from bot.sandbox.composio.records import (
    Call,
    Data,
    Execution,
    Outcome,
    Session,
    ToolError,
    as_data,
)
from bot.sandbox.composio.search import PageSource, SearchEngine
from bot.sandbox.composio.workbench import Workbench

LINK_PATH = "/link/"


class Service:
    """What the service knows, and the tools that a session may use over it.

    Args:
        pages: What its search finds: the pages themselves, or a coroutine function that brings them
            (`SmallWeb.ready`), awaited at the first search.
        clock: What time it is.
        name: The name of a user id's person, from which their accounts' addresses are made.
    """

    def __init__(
        self,
        pages: PageSource,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        name: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        self.origin = ""
        """Where it is reached, once it listens."""
        self.api_key = f"ak_sandbox_{secrets.token_hex(8)}"
        self.sessions: dict[str, Session] = {}
        self.accounts = Accounts(clock, name)
        self.storage = Storage()
        self.remote = RemoteFiles()
        self.catalogue = Catalogue()
        self.apps = Apps(self.storage, self.remote, clock, lambda: self.origin)
        self.calls: list[Call] = []
        """Every tool call that came in."""
        self.executions: list[Execution] = []
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

    def link_of(self, account: Account) -> str:
        """The address behind which the person decides."""
        return f"{self.origin}{LINK_PATH}{account.link_token}"

    async def execute(
        self, session: Session, slug: str, arguments: Mapping[str, Any]
    ) -> Outcome | None:
        """The outcome of a call, or None where the session has no tool of that name."""
        self.calls.append(
            Call(session_id=session.id, user_id=session.user_id, tool=slug, arguments=arguments)
        )
        meta = self.catalogue.meta.get(slug)
        if meta is None:
            is_there = slug in self.catalogue.tools
            return await self._run_app(session, slug, arguments) if is_there else None
        try:
            return await self._meta[slug](session, meta.check(arguments))
        except ToolError as refusal:
            return Outcome(error=str(refusal))

    async def _run_app(
        self,
        session: Session,
        slug: str,
        arguments: Mapping[str, Any],
        named: str | None = None,
    ) -> Outcome:
        """What an app's tool gives back. `named` is the id of one of several accounts."""
        tool = self.catalogue.tools.get(slug)
        if tool is None:
            return Outcome(error=self.catalogue.explain_absence(slug), has_run=False)
        account = None
        if self.catalogue.needs_account(tool.toolkit):
            active = self.accounts.active(session.user_id, tool.toolkit)
            account = next((one for one in active if named in {None, one.id}), None)
            if account is None:
                missing = f"No active connected account found for toolkit: {tool.toolkit}"
                return Outcome(error=missing, has_run=False)
        identity = account.identity if account else ""
        outcome = await self._outcome(tool, Caller(session.user_id, identity), arguments)
        execution = Execution(
            user_id=session.user_id,
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

    async def _outcome(self, tool: Tool, caller: Caller, arguments: Mapping[str, Any]) -> Outcome:
        """The app's answer or its refusal."""
        try:
            given = tool.check(arguments)
        except ToolError as error:
            return Outcome(error=str(error), has_run=False)
        try:
            match tool.slug:
                case "COMPOSIO_SEARCH_WEB":
                    data = await self.search.web(given)
                case "COMPOSIO_SEARCH_NEWS":
                    data = await self.search.news(given)
                case slug:
                    data = self.apps.tools[slug](caller, given)
        except ToolError as error:
            return Outcome(data={"message": str(error)}, error=str(error))
        return Outcome(data=data)

    async def _search(self, session: Session, given: Data) -> Outcome:
        """The tools for each use case with their schemas and the state of their accounts."""
        cases = [str(query["use_case"]) for query in given["queries"]]
        found = [self.catalogue.tools_for(case) for case in cases]
        best = [tools[0].slug for tools in found if tools]
        every = {tool.slug: tool for tools in found for tool in tools}
        apps = filter(None, map(self.catalogue.app_for, cases))
        toolkits = dict.fromkeys([*(tool.toolkit for tool in every.values()), *apps])
        run = f"Run {' or '.join(best)} with COMPOSIO_MULTI_EXECUTE_TOOL; several queries fit."
        told, now = read_tools(), self._clock()
        return Outcome(
            data={
                "results": [
                    {"index": place, "use_case": case, "error": None, **_describe(tools)}
                    for place, (case, tools) in enumerate(zip(cases, found, strict=True), 1)
                ],
                "tool_schemas": {slug: tool.as_schema() for slug, tool in every.items()},
                "toolkit_connection_statuses": [self._status(session, kit) for kit in toolkits],
                "time_info": {"current_time_utc": f"{now:%Y-%m-%dT%H:%M:%S}Z"},
                "session": {"id": given["session"].get("id") or secrets.token_hex(2)},
                "next_steps_guidance": [run, told["next_steps"]] if best else [told["no_tool"]],
            }
        )

    def _status(self, session: Session, slug: str) -> Data:
        """Whether the person has connected a toolkit, as the search for tools tells it."""
        kit = self.catalogue.toolkits.get(slug)
        active = self.accounts.active(session.user_id, slug)
        is_free = kit is not None and not self.catalogue.needs_account(slug)
        message = f"No active connection for {slug}: connect it by COMPOSIO_MANAGE_CONNECTIONS."
        if kit is None:
            message = self.catalogue.explain_missing(slug)
        elif is_free:
            message = "No connection is needed: the tools can be used at once."
        elif active:
            message = f"Connected as {active[0].identity}."
        return {
            "toolkit": slug,
            "description": kit["description"] if kit else "An app that is not here.",
            "has_active_connection": is_free or bool(active),
            "status_message": message,
            **({"current_user_info": active[0].as_person()} if active else {}),
        }

    async def _run_batch(self, session: Session, given: Data) -> Outcome:
        """One result for each item in the order asked; a failed item does not stop the others."""

        async def run(item: Data) -> Outcome:
            slug, arguments = item["tool_slug"], as_data(item.get("arguments"))
            return await self._run_app(session, slug, arguments, item.get("account"))

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run(item)) for item in given["tools"]]
        outcomes = [task.result() for task in tasks]
        results = [
            {
                "index": place,
                "tool_slug": item["tool_slug"],
                "response": outcome.as_json() if outcome.has_run else None,
                "error": outcome.error,
            }
            for place, (item, outcome) in enumerate(zip(given["tools"], outcomes, strict=True))
        ]
        failed = sum(not outcome.successful for outcome in outcomes)
        data = {"results": results, "success_count": len(results) - failed, "error_count": failed}
        error = f"{failed} out of {len(results)} tools failed" if failed else None
        return Outcome(data=data, error=error)

    async def _manage_connections(self, session: Session, given: Data) -> Outcome:
        """For each toolkit: active, initiated with a link, or failed with the reason."""
        results = {
            slug: {"toolkit": slug, **self._connect(session, slug, renew=given["reinitiate_all"])}
            for slug in dict.fromkeys(map(str.casefold, given["toolkits"]))
        }
        failed = sum(result["status"] == "failed" for result in results.values())
        message = "Share each link with the person it is for, and only with them."
        data: Data = {"message": message, "results": results}
        error = f"{failed} out of {len(results)} toolkits failed" if failed else None
        return Outcome(data=data, error=error)

    def _connect(self, session: Session, slug: str, *, renew: bool) -> Data:
        if slug not in self.catalogue.toolkits:
            why = self.catalogue.explain_missing(slug)
            return {"status": "failed", "has_active_connection": False, "error_message": why}
        active = self.accounts.active(session.user_id, slug)
        if not self.catalogue.needs_account(slug) or (active and not renew):
            who = active[0].as_person() if active else {}
            return {"status": "active", "has_active_connection": True, "current_user_info": who}
        for account in active:
            account.status = "INACTIVE"
        account = self.accounts.begin(session.user_id, slug)
        return {
            "status": "initiated",
            "has_active_connection": False,
            "redirect_url": self.link_of(account),
            "instruction": "Share this link with the user. It lives for ten minutes, works once.",
        }

    async def _run_code(self, session: Session, given: Data) -> Outcome:
        return Outcome(data=await self.workbench.run(session.user_id, given["code_to_execute"]))


def _describe(tools: Sequence[Tool]) -> Data:
    """What one result of a search says of the tools, or that there is none."""
    slugs = [tool.slug for tool in tools]
    kind = "nothing" if not tools else "search" if tools[0].toolkit == SEARCH else "app"
    return {
        "primary_tool_slugs": slugs[:1],
        "related_tool_slugs": slugs[1:],
        "toolkits": sorted({tool.toolkit for tool in tools}),
        **read_tools()["advice"][kind],
    }
