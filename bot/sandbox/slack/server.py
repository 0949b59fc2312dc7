"""The HTTP face of the stand-in: the Web API's envelope, uploads, downloads, the socket's door."""

import time
from collections.abc import Mapping

from aiohttp import hdrs, web

from bot.sandbox.slack.arguments import Arguments, read_arguments
from bot.sandbox.slack.errors import ApiError, missing_scope, rate_limited
from bot.sandbox.slack.faults import Fault, Faults
from bot.sandbox.slack.methods.method import Call, Method
from bot.sandbox.slack.rates import POSTS_OF_THE_TEAM, RateLimiter
from bot.sandbox.slack.records import ApiCall, File
from bot.sandbox.slack.wire import JsonObject
from bot.sandbox.slack.workspace import Workspace

MAX_BODY_BYTES = 2**31
_SIGN_IN_PAGE = "<!DOCTYPE html><html><head><title>Sign in | Slack</title></head></html>"
_FAULT_PAGE = "<!DOCTYPE html><html><body><h1>Something went wrong</h1></body></html>"


class Server:
    """Answers what the client libraries send. Every call of the Web API ends up in the state."""

    def __init__(
        self,
        workspace: Workspace,
        methods: Mapping[str, Method],
        faults: Faults,
        limiter: RateLimiter | None,
    ) -> None:
        self._workspace = workspace
        self._methods = methods
        self._faults = faults
        self._limiter = limiter

    def build_app(self) -> web.Application:
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_route(hdrs.METH_ANY, "/api/{method}", self._handle_call)
        app.router.add_post("/upload/v1/{ticket}", self._handle_upload)
        app.router.add_get("/files-pri/{team}-{file}/{name}", self._handle_download)
        app.router.add_get("/files-pri/{team}-{file}/download/{name}", self._handle_download)
        app.router.add_get("/link/", self._workspace.sockets.handle)
        app.router.add_post("/respond/{key}", self._workspace.response_urls.handle)
        return app

    async def _handle_call(self, request: web.Request) -> web.StreamResponse:
        method, started = request.match_info["method"], time.perf_counter()
        fault = self._faults.next_for(method)
        arguments: JsonObject = {}
        try:
            arguments = await read_arguments(request)
            await self._hang(fault)
            body, status, headers = self._answer(request, method, arguments, fault), 200, {}
        except ApiError as error:
            body, status, headers = error.body, error.status, error.headers
        is_dropped = fault is not None and fault.drop_after_accept
        self._note_call(method, arguments, started, body, 0 if is_dropped else status)
        if is_dropped and request.transport is not None:
            request.transport.close()
        if fault and fault.html:
            return web.Response(text=_FAULT_PAGE, content_type="text/html", status=status)
        return web.json_response(body, status=status, headers=headers | self._scope_headers(method))

    async def _hang(self, fault: Fault | None) -> None:
        if fault and fault.hang_s:
            await self._workspace.clock.sleep_until(self._workspace.clock.now() + fault.hang_s)

    def _answer(
        self, request: web.Request, name: str, arguments: JsonObject, fault: Fault | None
    ) -> JsonObject:
        if fault and fault.is_answer:
            raise _ordered_error(fault)
        method = self._methods.get(name)
        if method is None:
            raise ApiError("unknown_method", fields={"req_method": name})
        call = Call(Arguments(arguments), self._workspace)
        self._check_token(method, _read_token(request, arguments))
        if not call.app.has_any_scope(*method.scopes):
            raise missing_scope(",".join(method.scopes), call.app.scopes)
        self._check_rate(name, method, call.args)
        return {"ok": True, **method.run(call)}

    def _check_token(self, method: Method, token: str) -> None:
        if method.access == "anyone":
            return
        if not token:
            raise ApiError("not_authed")
        app = self._workspace.app
        kinds = {app.bot_token: "bot", app.app_token: "app", app.config_token: "config"}
        if token not in kinds or token in self._workspace.revoked_tokens:
            raise ApiError("token_revoked" if token in kinds else "invalid_auth")
        if kinds[token] != method.access:
            raise ApiError("not_allowed_token_type")

    def _check_rate(self, name: str, method: Method, args: Arguments) -> None:
        if self._limiter is None:
            return
        bucket, wait_s = name, 0
        if method.rate.per_channel:
            wait_s = self._limiter.take(name, POSTS_OF_THE_TEAM)
            bucket = f"{name} {args.text('channel')}"
        if wait_s := wait_s or self._limiter.take(bucket, method.rate):
            raise rate_limited(wait_s)

    def _note_call(
        self, method: str, arguments: JsonObject, started: float, body: JsonObject, status: int
    ) -> None:
        self._workspace.state.note_call(
            ApiCall(
                method=method,
                args=Arguments(arguments).values,
                at_s=self._workspace.clock.now(),
                duration_ms=(time.perf_counter() - started) * 1000,
                ok=body["ok"],
                error=body.get("error"),
                status=status,
            )
        )

    def _scope_headers(self, name: str) -> dict[str, str]:
        method = self._methods.get(name)
        accepted = ",".join(method.scopes) if method else ""
        scopes = ",".join(self._workspace.app.scopes)
        return {"x-oauth-scopes": scopes, "x-accepted-oauth-scopes": accepted}

    async def _handle_upload(self, request: web.Request) -> web.StreamResponse:
        content, fault = await _read_upload(request), self._faults.next_for("upload")
        await self._hang(fault)
        if fault and fault.is_answer:
            return web.Response(status=fault.status, text="upload failed")
        if not self._workspace.uploads.receive(request.match_info["ticket"], content):
            return web.Response(status=400, text="upload refused")
        return web.Response(text=f"OK - {len(content)}")

    async def _handle_download(self, request: web.Request) -> web.StreamResponse:
        """The bytes for a token that may read them; otherwise the page that Slack shows instead."""
        file = self._workspace.state.files.get(request.match_info["file"])
        if not self._may_read(request, file) or file is None:
            return web.Response(text=_SIGN_IN_PAGE, content_type="text/html")
        if file.id in self._workspace.state.deleted_files:
            return web.Response(status=404)
        content_type = file.mimetype or "application/octet-stream"
        return web.Response(body=file.content, content_type=content_type)

    def _may_read(self, request: web.Request, file: File | None) -> bool:
        app, state = self._workspace.app, self._workspace.state
        has_token = _read_token(request, {}) == app.bot_token
        if file is None or not has_token or not app.has_any_scope("files:read"):
            return False
        channels = [state.channels[share.channel] for share in file.shares]
        return file.user == app.bot_user_id or any(app.is_member(c) for c in channels)


def _read_token(request: web.Request, arguments: JsonObject) -> str:
    header = request.headers.get("Authorization", "")
    return header.removeprefix("Bearer ").strip() or str(arguments.get("token") or "")


def _ordered_error(fault: Fault) -> ApiError:
    retry_after_s = fault.retry_after_s or (1 if fault.status == 429 else None)
    headers = {"Retry-After": str(retry_after_s)} if retry_after_s else {}
    return ApiError(fault.error_code, status=fault.status, headers=headers)


async def _read_upload(request: web.Request) -> bytes:
    if request.content_type != "multipart/form-data":
        return await request.read()
    fields = await request.post()
    for field in fields.values():
        if isinstance(field, web.FileField):
            return field.file.read()
    return b""
