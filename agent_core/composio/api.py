"""Composio's REST API, a Tool Router session for each person, and its tools as an MCP server.

Plain HTTP requests: Composio's own packages take seconds and 100 MB to import (they bring OpenAI's
SDK), and `composio` itself reports each call to its telemetry. Few of its endpoints are used.

Files that a result names by address land in the session, as Composio's own client does it for those
who call it directly; over MCP nobody does. A result that is too large to come directly stays in the
remote workbench, and the model learns how it is fetched.
"""

import asyncio
import json
import logging
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import httpx2

from agent_core.errors import ComposioRefusedError, ToolServerError
from agent_core.ids import ToolCallId, UserId
from agent_core.json_values import as_object, mended, parse_result, text_in, values_in
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
from agent_core.tools import OnProgress, ToolContext, ToolOutput, Toolset, batch_results

logger = logging.getLogger(__name__)

DEFAULT_BASE_URL = "https://backend.composio.dev"
SERVER_NAME = "composio"
_MAX_PEOPLE = 500
"""Who are connected to its tools at a time."""
API = "/api/v3.1"
_DEFAULT_PORTS = {"http": 80, "https": 443}
_TIMEOUT_S = 15.0
_SESSION = "/tool_router/session"
_UNKNOWN_SESSION = 404
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_OPTIONS: Mapping[str, Any] = {
    # What a person would have to approve must not be done by code in Composio's workbench, and a
    # call must not take a working connection away.
    "manage_connections": {
        "enable": True,
        "enable_wait_for_connections": False,
        "enable_connection_removal": False,
    },
    "workbench": {
        "enable": True,
        "enable_proxy_execution": False,
        "enable_tool_execution": False,
    },
    "proxy_execute": {"enable": False},
}
PRELOADED = ("COMPOSIO_SEARCH_WEB", "COMPOSIO_SEARCH_NEWS")
"""What a session is asked to list beside its meta tools, so that no search has to be found first.
One that does not list them runs them inside of COMPOSIO_MULTI_EXECUTE_TOOL, like all app tools."""
DIRECT_CHARS = 5_000_000
"""Of a result that comes directly; a longer one is left in the remote workbench."""
_WISHES: Mapping[str, Any] = {
    "preload": {"tools": list(PRELOADED)},
    "workbench": {**_OPTIONS["workbench"], "auto_offload_threshold": DIRECT_CHARS},
}
"""Options that not every account may have; all works without them."""
_NOT_GRANTED = frozenset({400, 402, 403, 404, 409, 422})


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposioSession:
    """A person's Tool Router session."""

    id: str
    mcp_url: str


class ComposioApi:
    """The service itself, or whatever speaks its API at `base_url`. Nothing is sent twice."""

    def __init__(self, *, api_key: str, base_url: str = DEFAULT_BASE_URL) -> None:
        self.api_key = api_key
        self._base_url = base_url
        self._client: httpx2.AsyncClient | None = None
        self._wishes: Mapping[str, Any] = _WISHES
        self._making: dict[UserId, asyncio.Task[ComposioSession]] = {}

    async def of(self, user: UserId) -> ComposioSession:
        """The person's session; made at first need, once for all who ask at the same time."""
        making = self._making.get(user)
        if making is None or _has_failed(making):
            making = asyncio.create_task(self._create(user))
            self._making[user] = making
        return await asyncio.shield(making)

    def address_of(self, user: UserId) -> str:
        """The MCP address of the session that the person has now, without what may be secret in it.

        Empty where there is none.
        """
        making = self._making.get(user)
        if making is None or not making.done() or _has_failed(making):
            return ""
        parts = urlsplit(making.result().mcp_url)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, parts.path, "", ""))

    async def renew(self, user: UserId) -> ComposioSession:
        """A new session in the place of one that Composio does not know any more."""
        self._making.pop(user, None)
        return await self.of(user)

    async def ask(self, method: str, path: str, **sent: Any) -> Mapping[str, Any]:
        """The object at a path below `/api/v3.1`.

        Raises:
            ToolServerError: no answer, or a refusal.
        """
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                response = await self._opened().request(method, API + path, **sent)
        except TimeoutError:
            raise ToolServerError("Composio did not answer in time.") from None
        except httpx2.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise ToolServerError(f"Composio cannot be reached: {reason}") from error
        return self._answer(response)

    def _answer(self, response: httpx2.Response) -> Mapping[str, Any]:
        answer: object = None
        with suppress(ValueError):
            answer = response.json()
        body = as_object(answer)
        if response.is_success and isinstance(answer, dict):
            return body
        refusal = "Composio's answer is not what it should be."
        if not response.is_success:
            reason = as_object(body.get("error")).get("message") or body.get("error") or ""
            refusal = f"Composio refused: {response.status_code} {reason}".strip()
        # A key that the answer repeats would stand in the log.
        refusal = refusal.replace(self.api_key, "…")
        raise ComposioRefusedError(refusal, status=response.status_code, body=body)

    async def post_in_session(
        self,
        user: UserId,
        path: str,
        body: Mapping[str, Any],
    ) -> Mapping[str, Any]:
        """A POST to a path below the person's session, which is made anew where it is forgotten.

        Nothing was done in a session that Composio does not know, so only that is sent again.
        """
        session = await self.of(user)
        try:
            return await self.ask("POST", _path_in(session, path), json=body)
        except ComposioRefusedError as error:
            if error.status != _UNKNOWN_SESSION:
                raise
        session = await self.renew(user)
        return await self.ask("POST", _path_in(session, path), json=body)

    async def close(self) -> None:
        """Close the connections to the API."""
        if self._client is not None:
            await self._client.aclose()

    async def _create(self, user: UserId) -> ComposioSession:
        if not is_person(user):
            raise ToolServerError("Nobody asked, so no account can be used.")
        made = await self._made(user)
        url = as_object(made.get("mcp")).get("url")
        if not isinstance(url, str):
            raise ToolServerError("Composio named no MCP address for the session.")
        if origin(url) != origin(self._base_url):
            raise ToolServerError("Composio named an MCP address of another origin; refused.")
        return ComposioSession(id=str(made.get("session_id")), mcp_url=url)

    async def _made(self, user: UserId) -> Mapping[str, Any]:
        """Composio's description of a new session, with the wishes where it grants them."""
        body = {"user_id": user, **_OPTIONS}
        wishes = self._wishes  # another session may drop them meanwhile
        try:
            return await self.ask("POST", _SESSION, json={**body, **wishes})
        except ComposioRefusedError as error:
            if not wishes or error.status not in _NOT_GRANTED:
                raise
        made = await self.ask("POST", _SESSION, json=body)
        logger.warning("Composio does not grant sessions these: %s", wishes)
        self._wishes = {}
        return made

    def _opened(self) -> httpx2.AsyncClient:
        """The client; it follows no redirect.

        Another origin must neither learn who asks for what, nor answer in Composio's place.
        """
        if self._client is None:
            scheme, host, _ = origin(self._base_url)
            if scheme != "https" and host not in _LOOPBACK:
                raise ToolServerError(
                    "COMPOSIO_BASE_URL must be an https address: a key goes there."
                )
            self._client = httpx2.AsyncClient(
                base_url=self._base_url,
                headers={"x-api-key": self.api_key},
                timeout=_TIMEOUT_S,
                trust_env=host not in _LOOPBACK,  # a proxy cannot reach this machine's own ports
            )
        return self._client


def _has_failed(making: asyncio.Task[ComposioSession]) -> bool:
    return making.done() and (making.cancelled() or making.exception() is not None)


def _path_in(session: ComposioSession, path: str) -> str:
    return f"{_SESSION}/{quote(session.id, '')}/{path}"


def is_person(user: UserId) -> bool:
    """Whether an id names one person of one team, and nothing that several could share."""
    team, _, person = user.partition(":")
    return all(part and part.casefold() != "default" for part in (team, person))


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port of a URL, the scheme's usual port filled in."""
    parts = urlsplit(url)
    port = None
    with suppress(ValueError):
        port = parts.port
    scheme = parts.scheme.lower()
    host = (parts.hostname or "").lower()
    return scheme, host, port or _DEFAULT_PORTS.get(scheme)


def composio_server(
    api: ComposioApi,
    *,
    pins: Pins | None = None,
    limits: HubLimits | None = None,
    clock: MonotonicTime = time.monotonic,
) -> PooledServer:
    """Composio's tools, `mcp__composio__<SLUG>`, of each person's own session.

    A session is made when a person's first turn asks, and made anew when Composio does not know it
    any more. Where nobody asked, there are no tools.
    """
    limits = replace(limits or HubLimits(), max_connections=_MAX_PEOPLE)
    config = HttpServer(name=SERVER_NAME, url="", headers={"x-api-key": api.api_key})

    def make(user: str, _: Path) -> McpServer:
        async def locate(is_lost: bool) -> HttpServer:
            ask = api.renew if is_lost else api.of
            session = await ask(UserId(user))
            return replace(config, url=session.mcp_url)

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
