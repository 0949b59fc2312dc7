"""The meta tools, and the one way from a call to an app: with the person's own account or not."""

import asyncio
import difflib
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from bot.sandbox.composio.accounts import Account, Accounts
from bot.sandbox.composio.apps import Apps, Caller
from bot.sandbox.composio.catalogue import SEARCH, Catalogue, Tool, read_tools
from bot.sandbox.composio.files import MOUNT, RemoteFiles, Storage
from bot.sandbox.composio.records import (
    Call,
    Data,
    Execution,
    Faults,
    Outcome,
    ToolError,
    as_data,
    make_id,
)
from bot.sandbox.composio.search import SearchEngine
from bot.sandbox.composio.sessions import Session
from bot.sandbox.composio.workbench import Workbench

LINK_PATH = "/link/"
_OUTPUT = f"{MOUNT}/.composio/output"
_PREVIEW_CHARS = 300
_PREVIEW_ITEMS = 3


class Service:
    """What the service knows, and the tools that a session may use over it.

    Args:
        engine: Searches the web.
        clock: What time it is.
        name: The name of a user id's person, where there is one.
    """

    def __init__(
        self,
        engine: SearchEngine,
        clock: Callable[[], datetime],
        name: Callable[[str], str | None],
    ) -> None:
        self.origin = ""
        """Where it is reached, once it listens."""
        self.faults = Faults()
        self.sessions: dict[str, Session] = {}
        self.accounts = Accounts(clock, name)
        self.storage = Storage()
        self.remote = RemoteFiles()
        self.catalogue = Catalogue()
        self.apps = Apps(self.storage, self.remote, clock, lambda: self.origin, self.faults)
        self.calls: list[Call] = []
        self.executions: list[Execution] = []
        self._engine = engine
        self._clock = clock
        self._workbench = Workbench(self.remote, self.storage, lambda: self.origin)
        self._meta = {
            "COMPOSIO_SEARCH_TOOLS": self._search,
            "COMPOSIO_GET_TOOL_SCHEMAS": self._get_schemas,
            "COMPOSIO_MULTI_EXECUTE_TOOL": self._run_batch,
            "COMPOSIO_MANAGE_CONNECTIONS": self._manage_connections,
            "COMPOSIO_REMOTE_WORKBENCH": self._run_code,
            "COMPOSIO_REMOTE_BASH_TOOL": self._refuse_bash,
        }

    async def close(self) -> None:
        """End what runs, and remove the remote files."""
        await self._engine.close()
        await self._workbench.close()
        self.remote.close()

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
            is_there = slug in self.catalogue.usable(session)
            return await self._run_app(session, slug, arguments) if is_there else None
        if slug not in self.catalogue.offered(session):
            return None
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
        tool = self.catalogue.usable(session).get(slug)
        if tool is None:
            return Outcome(error=self.catalogue.explain_absence(slug), has_run=False)
        if error := self.faults.item_errors.get(slug):
            return Outcome(error=error, has_run=False)
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
        """The app's answer or its refusal, which the faults may give in its place."""
        if refusal := self.faults.refusals.get(tool.slug):
            return Outcome(data={"message": refusal}, error=refusal)
        try:
            given = tool.check(arguments)
        except ToolError as error:
            return Outcome(error=str(error), has_run=False)
        try:
            match tool.slug:
                case "COMPOSIO_SEARCH_WEB":
                    data = await self._engine.web(given)
                case "COMPOSIO_SEARCH_NEWS":
                    data = await self._engine.news(given)
                case slug:
                    data = self.apps.tools[slug](caller, given)
        except ToolError as error:
            return Outcome(data={"message": str(error)}, error=str(error))
        return Outcome(data=data)

    async def _search(self, session: Session, given: Data) -> Outcome:
        """The tools for each use case with their schemas and the state of their accounts."""
        cases = [str(query["use_case"]) for query in given["queries"]]
        found = [self.catalogue.tools_for(session, case) for case in cases]
        best = [tools[0].slug for tools in found if tools]
        every = {tool.slug: tool for tools in found for tool in tools}
        full = {slug for slug, tool in every.items() if tool.toolkit == SEARCH} | set(best)
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
                "tool_schemas": {
                    slug: tool.as_schema(full=slug in full) for slug, tool in every.items()
                },
                "toolkit_connection_statuses": [self._status(session, kit) for kit in toolkits],
                "time_info": {
                    "current_time_utc": f"{now:%Y-%m-%dT%H:%M:%S}Z",
                    "current_time_utc_epoch_seconds": int(now.timestamp()),
                },
                "session": _task(given["session"].get("id")),
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

    async def _get_schemas(self, session: Session, given: Data) -> Outcome:
        tools, wanted = self.catalogue.usable(session), list[str](given["tool_slugs"])
        missing = [slug for slug in wanted if slug not in tools]
        return Outcome(
            data={
                "success": not missing,
                "tool_schemas": {slug: tools[slug].as_schema() for slug in wanted if slug in tools},
                "not_found": missing,
                "suggestions": {one: difflib.get_close_matches(one, tools) for one in missing},
            }
        )

    async def _run_batch(self, session: Session, given: Data) -> Outcome:
        """One result for each item in the order asked; a failed item does not stop the others."""

        async def run(item: Data) -> Outcome:
            slug, arguments = item["tool_slug"], as_data(item.get("arguments"))
            return await self._run_app(session, slug, arguments, item.get("account"))

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run(item)) for item in given["tools"]]
        outcomes = [task.result() for task in tasks]
        paths: list[str] = []
        results: list[Data] = []
        for place, (item, outcome) in enumerate(zip(given["tools"], outcomes, strict=True)):
            slug = item["tool_slug"]
            response: Data = {**outcome.as_json(), "log_id": make_id("log")}
            if given["sync_response_to_workbench"] or self._is_too_long(session, outcome):
                paths.append(self._save(session, slug, outcome))
                response["data_preview"] = _shorten(response.pop("data"))
            shown = response if outcome.has_run else None
            result = {"index": place, "tool_slug": slug, "response": shown, "error": outcome.error}
            results.append(result)
        failed = sum(not outcome.successful for outcome in outcomes)
        saved = {
            "file_path": next(iter(paths), None),
            "file_paths": paths,
            "message": f"The full responses were saved in the remote sandbox: {', '.join(paths)}",
        }
        data = {
            "results": results,
            "total_count": len(results),
            "success_count": len(results) - failed,
            "error_count": failed,
            "session": _task(given.get("session_id")),
            "remote_file_info": saved if paths else None,
        }
        error = f"{failed} out of {len(results)} tools failed" if failed else None
        return Outcome(data=data, error=error)

    def _is_too_long(self, session: Session, outcome: Outcome) -> bool:
        """The stand-in has no limit of its own: a session or a test sets it."""
        limit = session.option("workbench", "auto_offload_threshold")
        limit = self.faults.preview_above_chars or limit
        return limit is not None and len(json.dumps(outcome.as_json())) > limit

    def _save(self, session: Session, slug: str, outcome: Outcome) -> str:
        path = f"{_OUTPUT}/{slug}_{secrets.token_hex(4)}.json"
        text = json.dumps(outcome.as_json(), ensure_ascii=False)
        self.remote.of(session.user_id).put(path, text.encode())
        return path

    async def _manage_connections(self, session: Session, given: Data) -> Outcome:
        """For each toolkit: active, initiated with a link, or failed with the reason."""
        results = {
            slug: {"toolkit": slug, **self._connect(session, slug, renew=given["reinitiate_all"])}
            for slug in dict.fromkeys(map(str.casefold, given["toolkits"]))
        }
        states = [result["status"] for result in results.values()]
        summary = {f"{each}_connections": states.count(each) for each in ("active", "initiated")}
        failed = states.count("failed")
        data = {
            "message": "Share each link with the person it is for, and only with them.",
            "results": results,
            "summary": {"total_toolkits": len(results), "failed_connections": failed, **summary},
            "session": _task(given.get("session_id")),
        }
        error = f"{failed} out of {len(results)} toolkits failed" if failed else None
        return Outcome(data=data, error=error)

    def _connect(self, session: Session, slug: str, *, renew: bool) -> Data:
        if slug not in self.catalogue.toolkits or not session.allows(slug):
            why = self.catalogue.explain_missing(slug)
            return {"status": "failed", "has_active_connection": False, "error_message": why}
        active = self.accounts.active(session.user_id, slug)
        if not self.catalogue.needs_account(slug) or (active and not renew):
            who = active[0].as_person() if active else {}
            return {"status": "active", "has_active_connection": True, "current_user_info": who}
        for account in active:
            self.accounts.change(account, "INACTIVE")
        account = self.accounts.begin(session.user_id, slug)
        return {
            "status": "initiated",
            "has_active_connection": False,
            "auth_config_id": f"ac_{slug}",
            "connected_account_id": account.id,
            "created_at": account.created_at.isoformat(),
            "redirect_url": self.link_of(account),
            "instruction": "Share this link with the user. It lives for ten minutes, works once.",
            "was_reinitiated": bool(active),
        }

    async def _run_code(self, session: Session, given: Data) -> Outcome:
        async def run_tool(slug: str, arguments: Mapping[str, Any]) -> Outcome:
            if session.option("workbench", "enable_tool_execution") is False:
                return Outcome(error="Tools cannot be run from this session's workbench.")
            return await self._run_app(session, slug, arguments)

        ran = await self._workbench.run(session.user_id, given["code_to_execute"], run_tool)
        return Outcome(data={**ran, "session": _task(given.get("session_id"))})

    async def _refuse_bash(self, _session: Session, _given: Data) -> Outcome:
        raise ToolError(
            "There is no shell in this sandbox, so the command was not run. "
            "Use COMPOSIO_REMOTE_WORKBENCH with Python instead."
        )


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


def _shorten(value: object) -> object:
    """The same shape with long texts and long lists cut."""
    match value:
        case str():
            return value if len(value) <= _PREVIEW_CHARS else f"{value[:_PREVIEW_CHARS]}…"
        case list():
            return [_shorten(item) for item in cast("list[object]", value)[:_PREVIEW_ITEMS]]
        case dict():
            return {key: _shorten(item) for key, item in as_data(cast("object", value)).items()}
        case _:
            return value


def _task(task_id: str | None) -> Data:
    """The id that ties the calls of one task together."""
    return {"id": task_id or secrets.token_hex(2), "generate_id": task_id is None}
