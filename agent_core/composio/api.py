"""A Tool Router session for each person, and its tools as an MCP server.

Sessions are made by the worker (`worker.py`), one a person: its id and address are stored, so the
next start connects to it again without asking for it. Sessions that nobody uses are deleted.

Files that a result names by address land in the session, as Composio's own client does it for those
who call it directly; over MCP nobody does. A result that is too large to come directly stays in the
remote workbench, and the model learns how it is fetched.
"""

import asyncio
import json
import re
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from agent_core.clock import UtcClock
from agent_core.composio.worker import OPTIONS, WISHES, ComposioSession, ComposioWorker, is_person
from agent_core.errors import ComposioRefusedError
from agent_core.ids import ToolCallId, UserId
from agent_core.json_values import (
    as_object,
    digest_of_json,
    mended,
    parse_result,
    text_in,
    values_in,
)
from agent_core.mcp import (
    TOO_LARGE,
    HttpServer,
    HubLimits,
    McpServer,
    MonotonicTime,
    Pins,
    PooledServer,
)
from agent_core.messages import JsonObject, ToolCall
from agent_core.sessions import Preferences
from agent_core.tools import OnProgress, ToolContext, ToolOutput, Toolset, batch_results

SERVER_NAME = "composio"
_MAX_PEOPLE = 500
"""Who are connected to its tools at a time."""
_UNKNOWN_SESSION = 404
_STORED = "composio"
"""The scope of stored sessions, by person."""
UNUSED_AFTER = timedelta(days=30)
"""A session whose person has asked for nothing in so long is deleted."""


class ComposioSessions:
    """Everybody's sessions, in memory and stored."""

    def __init__(self, worker: ComposioWorker, stored: Preferences, clock: UtcClock) -> None:
        self.worker = worker
        self._stored = stored
        self._clock = clock
        self._known: dict[UserId, ComposioSession] = {}
        self._locks = defaultdict[UserId, asyncio.Lock](asyncio.Lock)
        made_with = [OPTIONS, WISHES, worker.base_url, worker.api_key]
        self._kind = digest_of_json(made_with)
        """Sessions of other options, another Composio or another project are not used again."""

    async def of(self, user: UserId, *, lost: ComposioSession | None = None) -> ComposioSession:
        """The person's session: the known or stored one, or a new one, made once for all who ask.

        One that Composio does not know any more is `lost`: it is not given again.
        """
        async with self._locks[user]:
            session = self._known.get(user)
            if session is None or session == lost:
                session = await self._stored_or_new(user, lost)
            self._known[user] = session
            record = {**asdict(session), "kind": self._kind, "used_on": self._day()}
            await self._stored.put(_STORED, user, json.dumps(record))
            return session

    async def prepare(self, user: UserId) -> None:
        """Start the worker for a person who has no session, before the first turn asks for one."""
        if is_person(user) and not await self._record(user):
            await self.worker.warm()

    def address_of(self, user: UserId) -> str:
        """The MCP address of the session that the person has now, without what may be secret in it.

        Empty where there is none.
        """
        if user not in self._known:
            return ""
        parts = urlsplit(self._known[user].mcp_url)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, parts.path, "", ""))

    async def ask(self, user: UserId, tool: str, **arguments: object) -> Mapping[str, Any]:
        """The answer to a call in the person's session, which is made anew where it is forgotten.

        Nothing was done in a session that Composio does not know, so only that is sent again.
        """
        session = await self.of(user)
        try:
            return await self.worker.ask(tool, session_id=session.id, **arguments)
        except ComposioRefusedError as error:
            if error.status != _UNKNOWN_SESSION:
                raise
        session = await self.of(user, lost=session)
        return await self.worker.ask(tool, session_id=session.id, **arguments)

    async def delete_unused(self) -> None:
        """Delete the sessions of people who have asked for nothing in a while."""
        last_day = self._day(ago=UNUSED_AFTER)
        for user, value in (await self._stored.of(_STORED)).items():
            record = json.loads(value)
            if record["used_on"] < last_day:
                await self.worker.delete_session(record["id"])
                self._known.pop(UserId(user), None)
                await self._stored.put(_STORED, user, "")

    async def _stored_or_new(self, user: UserId, lost: ComposioSession | None) -> ComposioSession:
        record = await self._record(user)
        if record.get("kind") == self._kind:
            session = ComposioSession(id=record["id"], mcp_url=record["mcp_url"])
            if session != lost:
                return session
        session = await self.worker.create_session(user)
        if record and lost is None:
            await self.worker.delete_session(record["id"])
        return session

    async def _record(self, user: UserId) -> JsonObject:
        return json.loads(await self._stored.get(_STORED, user) or "{}")

    def _day(self, *, ago: timedelta = timedelta()) -> str:
        moment = self._clock() - ago
        return moment.date().isoformat()


def composio_server(
    sessions: ComposioSessions,
    *,
    pins: Pins | None = None,
    limits: HubLimits | None = None,
    clock: MonotonicTime = time.monotonic,
) -> PooledServer:
    """Composio's tools, `mcp__composio__<SLUG>`, of each person's own session.

    A session is found or made when a person's first turn asks, and made anew when Composio does not
    know it any more. Where nobody asked, there are no tools.
    """
    limits = replace(limits or HubLimits(), max_connections=_MAX_PEOPLE)
    headers = {"x-api-key": sessions.worker.api_key}
    config = HttpServer(name=SERVER_NAME, url="", headers=headers)

    def make(user: str, _: Path) -> McpServer:
        located: ComposioSession | None = None

        async def locate(is_lost: bool) -> HttpServer:
            nonlocal located
            located = await sessions.of(UserId(user), lost=located if is_lost else None)
            return replace(config, url=located.mcp_url)

        return McpServer(
            config,
            limits,
            clock,
            locate=locate,
            pins=pins,
        )

    return PooledServer(
        SERVER_NAME,
        key=lambda context: context.asker if is_person(context.asker) else None,
        make=make,
        limits=limits,
    )


_ADDRESS = "s3url"
_MAX_FILES = 10
_REMOTE = re.compile(r"(?:/mnt/files|/home/user)/[^\s\"'`<>|)\]}]*[^\s\"'`<>|)\]}.,:;!?]")
_LEFT_REMOTE = ('"data_preview"', '"remote_file_info"')
"""One of these is in a result that Composio left in the remote workbench."""
_APPS_OWN = ("data", "data_preview", "results", "response", "arguments")
"""An app's words, or what holds them: a path in there is not Composio's."""
_FETCH = "This is a part. The whole is a file of the remote workbench: fetch it with {calls}."
_REFUSED_AS_LARGE = ("HTTP 413", TOO_LARGE)
_ADVICE = (
    "[More came than can be taken directly. A call that only reads can be made again as an entry "
    "of COMPOSIO_MULTI_EXECUTE_TOOL with `sync_response_to_workbench` true: what comes of it is "
    "then a file of the remote workbench, which workbench_download fetches.]"
)


@dataclass(frozen=True, slots=True)
class AppFiles:
    """After a call of Composio's tools: fetches the files that the result names."""

    tools: Toolset
    save: str
    """The full name of the tool that saves a file."""

    async def __call__(
        self,
        output: ToolOutput,
        call: ToolCall,
        context: ToolContext,
        progress: OnProgress,
    ) -> ToolOutput:
        if output.is_error:
            is_too_large = any(sign in output.text for sign in _REFUSED_AS_LARGE)
            return replace(output, text=f"{output.text}\n\n{_ADVICE}") if is_too_large else output
        if any(sign in output.text for sign in _LEFT_REMOTE):
            text = await asyncio.to_thread(_naming_the_whole, output.text)
            output = replace(output, text=text)
        if _ADDRESS not in output.text:
            return output
        files = await asyncio.to_thread(_files_in, output.text)
        notes: list[str] = []
        for number, (url, name) in enumerate(files[:_MAX_FILES], 1):
            saving = ToolCall(
                id=ToolCallId(f"{call.id}:file{number}"),
                name=self.save,
                arguments={_ADDRESS: url, "name": name},
            )
            saved = await self.tools.run(saving, context, progress)
            lost = "A file that this result names was not saved: " if saved.is_error else ""
            notes.append(f"[{lost}{saved.text}]")
        if len(files) > _MAX_FILES:
            notes.append(f"[Only the first {_MAX_FILES} of {len(files)} files were saved.]")
        return replace(output, text="\n\n".join([output.text, *notes]))


def _files_in(text: str) -> list[tuple[str, str]]:
    """Address and name of each file that a result names, once.

    JSON within texts is not read: a mail may hold JSON, and its sender would choose the addresses.
    """
    names: dict[str, str] = {}
    for _, each in values_in(parse_result(text)):
        if url := text_in(each, _ADDRESS):
            names[url] = text_in(
                each,
                "name",
                "filename",
                "file_name",
            )
    return list(names.items())


def _naming_the_whole(text: str) -> str:
    """The result with a field that says how the whole of it is fetched, where it is a part."""
    try:
        result = as_object(json.loads(text))
    except (ValueError, RecursionError):
        return text
    paths = dict.fromkeys(_REMOTE.findall(_words_of_composio(result)))
    if not paths:
        return text
    calls = ", ".join(f'workbench_download(remote_path="{path}")' for path in paths)
    result["whole_result"] = _FETCH.format(calls=calls)
    return mended(json.dumps(result, ensure_ascii=False))


def _words_of_composio(result: JsonObject) -> str:
    """Composio's own fields around the results of apps, as JSON."""
    entries = [as_object(entry) for entry in batch_results(result) or ()]
    around = [result, *entries]
    around += [as_object(entry.get("response")) for entry in entries]
    data = as_object(result.get("data"))
    if entries or "data_preview" in data:
        around.append(data)
    own: list[tuple[str, object]] = []
    for fields in around:
        own += [field for field in fields.items() if field[0] not in _APPS_OWN]
    return json.dumps(own, ensure_ascii=False)
