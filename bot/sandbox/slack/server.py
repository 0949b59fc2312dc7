"""The stand-in's HTTP server: Web API, uploads, downloads, response URLs, sockets."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from aiohttp import hdrs, web

from bot.sandbox.slack.arguments import Arguments, read_arguments
from bot.sandbox.slack.backend import SlackBackend
from bot.sandbox.slack.limits import (
    POSTS_OF_A_CHANNEL,
    POSTS_OF_THE_TEAM,
    STATUS_UPDATES,
    STREAM_APPENDS,
    TIER_2,
    TIER_4,
    UNLIMITED,
    RateLimiter,
)
from bot.sandbox.slack.methods import agents, chat, conversations, files, streams
from bot.sandbox.slack.methods.call import Method, MethodCall
from bot.sandbox.slack.records import ApiCall
from bot.sandbox.slack.wire import ApiError, JsonObject

MAX_BODY_BYTES = 2**31
ANY_METHOD = "*"
_SIGN_IN_PAGE = "<!DOCTYPE html><html><head><title>Sign in | Slack</title></head></html>"
_FAULT_PAGE = "<!DOCTYPE html><html><body><h1>Something went wrong</h1></body></html>"
_WRITE = ("chat:write",)
_ASSISTANT = ("assistant:write",)
_READ = ("channels:read", "groups:read", "im:read", "mpim:read")
_HISTORY = ("channels:history", "groups:history", "im:history", "mpim:history")
_OPEN = ("im:write", "mpim:write")
_REACT = ("reactions:write",)
_USERS = ("users:read",)
_UPLOAD = ("files:write",)


def _open_socket(call: MethodCall) -> JsonObject:
    """Give out the address of a socket, good for one connection."""
    ticket = call.backend.sockets.issue_ticket()
    base = call.backend.base_url.replace("http", "ws", 1)
    return {"url": f"{base}/link/?ticket={ticket}"}


METHODS: Mapping[str, Method] = {
    "agents.sessions.rename": Method(agents.rename_session, _WRITE),
    "agents.sessions.setStatus": Method(agents.set_session_status, _WRITE),
    "apps.connections.open": Method(_open_socket, access="app"),
    "assistant.threads.setStatus": Method(agents.set_thread_status, _WRITE, STATUS_UPDATES),
    "assistant.threads.setSuggestedPrompts": Method(
        agents.set_suggested_prompts, _ASSISTANT, TIER_4
    ),
    "auth.test": Method(conversations.test_auth, rate=UNLIMITED),
    "bots.info": Method(conversations.bot_info, _USERS),
    "chat.appendStream": Method(streams.append, _WRITE, STREAM_APPENDS),
    "chat.delete": Method(chat.delete, _WRITE),
    "chat.getPermalink": Method(chat.get_permalink, rate=UNLIMITED),
    "chat.postEphemeral": Method(chat.post_ephemeral, _WRITE, TIER_4),
    "chat.postMessage": Method(chat.post_message, _WRITE, POSTS_OF_A_CHANNEL),
    "chat.startStream": Method(streams.start, _WRITE, TIER_2),
    "chat.stopStream": Method(streams.stop, _WRITE, TIER_2),
    "chat.update": Method(chat.update, _WRITE),
    "conversations.history": Method(conversations.history, _HISTORY),
    "conversations.info": Method(conversations.channel_info, _READ),
    "conversations.members": Method(conversations.members, _READ, TIER_4),
    "conversations.open": Method(conversations.open_direct, _OPEN),
    "conversations.replies": Method(conversations.replies, _HISTORY),
    "files.completeUploadExternal": Method(files.complete_upload, _UPLOAD, TIER_4),
    "files.getUploadURLExternal": Method(files.get_upload_url, _UPLOAD, TIER_4),
    "files.delete": Method(files.delete, _UPLOAD),
    "files.info": Method(files.info, ("files:read",), TIER_4),
    "reactions.add": Method(chat.add_reaction, _REACT),
    "reactions.remove": Method(chat.remove_reaction, _REACT, TIER_2),
    "users.conversations": Method(conversations.channels_of_bot, _READ),
    "users.info": Method(conversations.user_info, _USERS, TIER_4),
    "views.open": Method(agents.open_view, rate=TIER_4),
    "views.publish": Method(agents.publish_view, rate=TIER_4),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiFault:
    """How the next calls of a method fail.

    `hang_s` delays the call; `drop_after_accept` does the work and cuts the connection. An answer
    of status 429 asks for one second by default, and has no such header for "".
    """

    times: int = 1
    status: int = 200
    error: str | None = None
    retry_after_s: int | str | None = None
    drop_after_accept: bool = False
    html: bool = False
    hang_s: float = 0.0

    def raise_answer(self) -> None:
        """Raise the answer that replaces the method's own, if there is one."""
        if self.error is None and self.status == 200 and not self.html:
            return
        error = self.error or "internal_error"
        pause = self.retry_after_s
        if self.status == 429:
            error = self.error or "ratelimited"
            pause = 1 if pause is None else pause
        headers: dict[str, str] = {}
        if pause not in (None, ""):
            headers["Retry-After"] = str(pause)
        raise ApiError(error, status=self.status, headers=headers)


class SlackServer:
    """Answers the client libraries. Every call of the Web API ends up in the state."""

    def __init__(self, backend: SlackBackend, limiter: RateLimiter | None) -> None:
        self._backend = backend
        self._limiter = limiter
        self.faults: dict[str, list[ApiFault]] = {}
        """Unused faults by method, `ANY_METHOD` or "upload"."""

    def build_app(self) -> web.Application:
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        router = app.router
        router.add_route(hdrs.METH_ANY, "/api/{method}", self._handle_call)
        router.add_post("/upload/v1/{ticket}", self._handle_upload)
        router.add_get("/files-pri/{team}-{file}/{name}", self._handle_download)
        router.add_post("/actions/{ts}", self._handle_response)
        router.add_get("/link/", self._backend.sockets.handle)
        return app

    async def _next_fault(self, method: str) -> ApiFault:
        """The fault of this call: one of its times is used up, its delay waited out."""
        queue = self.faults.get(method) or self.faults.get(ANY_METHOD)
        if not queue:
            return ApiFault()
        fault = queue.pop(0)
        if fault.times > 1:
            queue.insert(0, replace(fault, times=fault.times - 1))
        if fault.hang_s:
            clock = self._backend.state.clock
            end_s = clock.now() + fault.hang_s
            await clock.sleep_until(end_s)
        return fault

    async def _handle_call(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["method"]
        started_s = time.perf_counter()
        status = 200
        headers = {"x-oauth-scopes": ",".join(self._backend.app.scopes)}
        arguments: JsonObject = {}
        fault = ApiFault()
        try:
            arguments = await read_arguments(request)
            fault = await self._next_fault(name)
            fault.raise_answer()
            body = self._answer(request, name, arguments)
        except ApiError as error:
            body = error.body
            status = error.status
            headers.update(error.headers)
        pause = headers.get("Retry-After", "")
        duration_s = time.perf_counter() - started_s
        call = ApiCall(
            method=name,
            args=Arguments(arguments).values,
            at_s=self._backend.state.clock.now(),
            duration_ms=duration_s * 1000,
            ok=body["ok"],
            error=body.get("error"),
            status=0 if fault.drop_after_accept else status,
            retry_after_s=int(pause) if pause.isdecimal() else 0,
        )
        self._backend.state.keep(call)
        if fault.drop_after_accept and request.transport is not None:
            request.transport.close()
        if fault.html:
            return web.Response(text=_FAULT_PAGE, content_type="text/html", status=status)
        return web.json_response(body, status=status, headers=headers)

    def _answer(self, request: web.Request, name: str, arguments: JsonObject) -> JsonObject:
        if name not in METHODS:
            raise ApiError("unknown_method")
        method = METHODS[name]
        call = MethodCall(Arguments(arguments), self._backend)
        token = _read_token(request, arguments)
        self._check_token(method, token)
        call.need_scope(*method.scopes)
        self._check_rate(name, method, call.args)
        return {"ok": True, **method.run(call)}

    def _check_token(self, method: Method, token: str) -> None:
        if not token:
            raise ApiError("not_authed")
        app = self._backend.app
        kinds = {app.bot_token: "bot", app.app_token: "app"}
        if token not in kinds:
            raise ApiError("invalid_auth")
        if token in self._backend.revoked_tokens:
            raise ApiError("token_revoked")
        if kinds[token] != method.access:
            raise ApiError("not_allowed_token_type")

    def _check_rate(self, name: str, method: Method, args: Arguments) -> None:
        if self._limiter is None:
            return
        bucket = name
        wait_s = 0
        if method.rate.per_channel:
            wait_s = self._limiter.take(name, POSTS_OF_THE_TEAM)
            bucket = f"{name} {args.text('channel')}"
        wait_s = wait_s or self._limiter.take(bucket, method.rate)
        if wait_s:
            headers = {"Retry-After": str(wait_s)}
            raise ApiError("ratelimited", status=429, headers=headers)

    async def _handle_upload(self, request: web.Request) -> web.StreamResponse:
        content = await request.read()
        try:
            fault = await self._next_fault("upload")
            fault.raise_answer()
        except ApiError as error:
            return web.Response(status=error.status, text="upload failed")
        uploads = self._backend.state.uploads
        ticket = request.match_info["ticket"]
        upload = uploads.get(ticket)
        size = len(content)
        if upload is None or size != upload.length_bytes:
            return web.Response(status=400, text="upload refused")
        uploads[ticket] = replace(upload, content=content)
        return web.Response(text=f"OK - {size}")

    async def _handle_response(self, request: web.Request) -> web.StreamResponse:
        """A `response_url`, with which the app only deletes an ephemeral post."""
        state = self._backend.state
        order = await request.json()
        post = state.ephemerals.get(request.match_info["ts"])
        if post is None or order != {"delete_original": True}:
            return web.Response(status=404, text="expired_url")
        state.remove_ephemeral(post)
        return web.Response(text="ok")

    async def _handle_download(self, request: web.Request) -> web.StreamResponse:
        """The bytes for a token that may read them; otherwise the page that Slack shows instead."""
        backend = self._backend
        app = backend.app
        file = backend.state.files.get(request.match_info["file"])
        is_bot = _read_token(request, {}) == app.bot_token
        may_read = is_bot and "files:read" in app.scopes
        if file is None or not may_read or not backend.can_read(file):
            return web.Response(text=_SIGN_IN_PAGE, content_type="text/html")
        if file.is_deleted:
            return web.Response(status=404, text=_FAULT_PAGE, content_type="text/html")
        return web.Response(body=file.content, content_type=file.mimetype)


def _read_token(request: web.Request, arguments: JsonObject) -> str:
    header = request.headers.get("Authorization", "")
    token = header.removeprefix("Bearer ").strip()
    return token or str(arguments.get("token") or "")
