"""The stand-in's HTTP server: Web API, uploads, downloads, response URLs, sockets."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from aiohttp import hdrs, web
from aiohttp.typedefs import Middleware

from bot.sandbox.slack.backend import SlackBackend
from bot.sandbox.slack.methods import METHODS, RATES, MethodCall, Rate
from bot.sandbox.slack.records import ApiCall
from bot.sandbox.slack.state import SandboxClock
from bot.sandbox.slack.wire import ApiError, JsonObject

MAX_BODY_BYTES = 2**31
SOCKETS = "apps.connections.open"
"""The only method that wants the app's token."""
_SIGN_IN_PAGE = "<!DOCTYPE html><html><head><title>Sign in | Slack</title></head></html>"
_GONE_PAGE = "<!DOCTYPE html><html><body><h1>Something went wrong</h1></body></html>"


class RateLimiter:
    """Buckets by name, as the generic cell rate algorithm counts them by the stand-in's clock."""

    def __init__(self, clock: SandboxClock) -> None:
        self._clock = clock
        self._paid_until_s: dict[str, float] = {}
        """When the calls so far are worked off at the sustained rate."""

    def take(self, name: str, rate: Rate) -> int:
        """Count one call. Returns 0, or after how many whole seconds the caller may come back."""
        now_s = self._clock.now()
        step_s = 60 / rate.per_minute
        paid_until_s = max(now_s, self._paid_until_s.get(name, now_s))
        wait_s = paid_until_s - now_s - (rate.burst - 1) * step_s
        if wait_s > 0:
            return math.ceil(wait_s)
        self._paid_until_s[name] = paid_until_s + step_s
        return 0


class SlackServer:
    """Answers the client libraries. Every call of the Web API ends up in the state."""

    def __init__(self, backend: SlackBackend, limiter: RateLimiter | None) -> None:
        self._backend = backend
        self._limiter = limiter

    def build_app(self, middlewares: Sequence[Middleware]) -> web.Application:
        app = web.Application(middlewares=middlewares, client_max_size=MAX_BODY_BYTES)
        router = app.router
        router.add_route(hdrs.METH_ANY, "/api/{method}", self._handle_call)
        router.add_post("/upload/v1/{file}", self._handle_upload)
        router.add_get("/files-pri/{file}/{name}", self._handle_download)
        router.add_post("/actions/{ts}", self._handle_response)
        router.add_get("/link/", self._backend.sockets.handle)
        return app

    async def _handle_call(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["method"]
        started_s = time.perf_counter()
        status = 200
        headers = {"x-oauth-scopes": ",".join(self._backend.state.app.scopes)}
        arguments = await read_arguments(request)
        try:
            body = self._answer(request, name, arguments)
        except ApiError as error:
            body = error.body
            status = error.status
            headers.update(error.headers)
        duration_s = time.perf_counter() - started_s
        call = ApiCall(
            method=name,
            args=arguments,
            at_s=self._backend.state.clock.now(),
            duration_ms=duration_s * 1000,
            ok=body["ok"],
            error=body.get("error"),
            status=status,
            retry_after_s=int(headers.get("Retry-After", 0)),
        )
        self._backend.state.keep(call)
        return web.json_response(body, status=status, headers=headers)

    def _answer(self, request: web.Request, name: str, arguments: JsonObject) -> JsonObject:
        if name not in METHODS:
            raise ApiError("unknown_method")
        app = self._backend.state.app
        token = app.app_token if name == SOCKETS else app.bot_token
        if _read_token(request) != token:
            raise ApiError("invalid_auth")
        method = METHODS[name]
        call = MethodCall(arguments, self._backend)
        call.check(method.needs)
        if self._limiter is not None:
            self._check_rate(self._limiter, name, call)
        return {"ok": True, **method.run(call)}

    def _check_rate(self, limiter: RateLimiter, name: str, call: MethodCall) -> None:
        """Posts are counted for the team, and for each channel as well."""
        rates = {name: METHODS[name].rate}
        if name == "chat.postMessage":
            rates[f"{name} {call.text('channel')}"] = "posts_of_a_channel"
        for bucket, rate in rates.items():
            wait_s = limiter.take(bucket, RATES[rate])
            if wait_s:
                headers = {"Retry-After": str(wait_s)}
                raise ApiError("ratelimited", status=429, headers=headers)

    async def _handle_upload(self, request: web.Request) -> web.StreamResponse:
        content = await request.read()
        uploads = self._backend.state.uploads
        upload = uploads.get(request.match_info["file"])
        if upload is None:
            return web.Response(status=400, text="upload refused")
        uploads[upload.id] = replace(upload, content=content)
        return web.Response(text=f"OK - {len(content)}")

    async def _handle_response(self, request: web.Request) -> web.StreamResponse:
        """A `response_url`, with which the app only deletes an ephemeral post."""
        state = self._backend.state
        order = await request.json()
        post = state.ephemerals.get(request.match_info["ts"])
        if post is None or order != {"delete_original": True}:
            return web.Response(status=404, text="expired_url")
        state.drop(post)
        return web.Response(text="ok")

    async def _handle_download(self, request: web.Request) -> web.StreamResponse:
        """The bytes for a token that may read them; otherwise the page that Slack shows instead."""
        state = self._backend.state
        file = state.files.get(request.match_info["file"])
        is_bot = _read_token(request) == state.app.bot_token
        if file is None or not is_bot or "files:read" not in state.app.scopes:
            return web.Response(text=_SIGN_IN_PAGE, content_type="text/html")
        if file.is_deleted:
            return web.Response(status=404, text=_GONE_PAGE, content_type="text/html")
        return web.Response(body=file.content, content_type=file.mimetype)


def _read_token(request: web.Request) -> str:
    return request.headers.get("Authorization", "").removeprefix("Bearer ")


async def read_arguments(request: web.Request) -> JsonObject:
    """Everything the request carries, the body winning over the query."""
    values: JsonObject = dict(request.query)
    if request.content_type != "application/json":
        values.update(await request.post())
    elif request.can_read_body:
        values.update(await request.json())
    return values
