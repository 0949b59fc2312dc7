"""The page's HTTP server on loopback: access, static files, the team's files, acts."""

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from bot.sandbox.loopback import LOOPBACK, refused, serve
from bot.sandbox.page.feed import actors, serve_page
from bot.sandbox.slack import Delivery, SlackStandIn
from bot.sandbox.slack.blocks import UnfilledError
from bot.sandbox.slack.methods.call import MAX_POST_TEXT
from bot.sandbox.slack.wire import ApiError, JsonObject, as_object

STATIC = Path(__file__).parent / "static"
SHARED = Path(__file__).parents[2] / "console" / "static" / "shared"
"""Static files that this page shares with the live view; no code of the product."""
PAGE_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
)
"""Nothing comes from elsewhere."""
FOREIGN_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"
)
"""A file of the team may be looked at, never run."""
HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}
MAX_BYTES = 64 * 2**20


class ActRefused(Exception):
    """The act cannot be done; the message is a sentence for the person."""


async def _click(slack: SlackStandIn, me: str, **fields: Any) -> Delivery:
    """Use an element of a post, or of a modal or App Home."""
    if "view_id" in fields:
        return await slack.click_view(me, **fields)
    return await slack.click(me, **fields)


async def _delete(slack: SlackStandIn, _me: str, *, channel: str, ts: str) -> None:
    await slack.delete(channel, ts)


async def _invite_bot(slack: SlackStandIn, _me: str, *, channel: str) -> None:
    await slack.invite(channel, slack.bot_user_id)


async def _close_view(slack: SlackStandIn, _me: str, *, view_id: str) -> None:
    await slack.close_view(view_id)


async def _submit_view(
    slack: SlackStandIn, me: str, *, view_id: str, values: Mapping[str, str]
) -> JsonObject:
    """Submit a modal; `errors` by block id when the form or the app does not accept it."""
    entered = {name: value or None for name, value in values.items()}
    try:
        delivery = await slack.submit_view(me, view_id, entered)
    except UnfilledError as error:
        return {"errors": dict.fromkeys(error.blocks, "Please fill in this field.")}
    _check_answered(delivery)
    answer = delivery.answer or {}
    return {"errors": answer.get("errors", {})}


def _check_answered(delivery: Delivery) -> None:
    """Raises ActRefused where the app has not acknowledged a gesture."""
    if not delivery.reached_socket:
        raise ActRefused("The app is not connected, so nobody answered.")
    if delivery.acked_at_s is None:
        raise ActRefused("The app did not answer within 3 seconds.")


ACTS: Mapping[str, Callable[..., Awaitable[object]]] = {
    "say": SlackStandIn.say,
    "edit": SlackStandIn.edit,
    "delete": _delete,
    "react": SlackStandIn.react,
    "invite": _invite_bot,
    "open_home": SlackStandIn.open_home,
    "stop": SlackStandIn.stop_session,
    "click": _click,
    "submit_view": _submit_view,
    "close_view": _close_view,
    "shortcut": SlackStandIn.shortcut,
    "slash": SlackStandIn.slash,
}
"""By the name of the act: called with the stand-in, the acting person, and the act's fields."""


async def handle_act(slack: SlackStandIn, request: web.Request) -> web.StreamResponse:
    """Answers `{"ok": true, ...}`, or 400 with a plain sentence."""
    name = request.match_info["name"]
    try:
        fields = await _read(request)
        if name in ("say", "edit"):
            fields["text"] = _typed(slack, fields["text"])
        person = fields.pop("as")
        result = await ACTS[name](slack, person, **fields)
        if isinstance(result, Delivery):
            _check_answered(result)
    except ActRefused as refused:
        sentence = str(refused)
    except ApiError as error:
        sentence = f"Slack refuses what the app answered: {error.code}."
    except LookupError:
        sentence = "That is not there any more."
    else:
        answer = as_object(result) or {}
        return web.json_response({"ok": True, **answer})
    return web.json_response({"ok": False, "error": sentence}, status=400)


def _typed(slack: SlackStandIn, text: str) -> str:
    if len(text) > MAX_POST_TEXT:
        raise ActRefused(
            f"A message has at most {MAX_POST_TEXT:,} characters, yours {len(text):,}."
        )
    return slack.typed(text)


async def _read(request: web.Request) -> JsonObject:
    """The fields of an act, in a form with files beside them."""
    try:
        form = await request.post()
    except web.HTTPRequestEntityTooLarge:
        raise ActRefused(f"That is too much: at most {MAX_BYTES // 2**20} MB go at once.") from None
    fields = json.loads(str(form["body"]))
    parts = [part for part in form.getall("file", ()) if isinstance(part, web.FileField)]
    if parts:
        fields["files"] = [(part.filename, part.file.read(), part.content_type) for part in parts]
    return fields


class SandboxPage:
    """Serves a stand-in's team to browsers of this machine; an asynchronous context manager.

    Entering it raises OSError where the port cannot be had.
    """

    def __init__(self, slack: SlackStandIn, *, port: int = 0) -> None:
        self._slack = slack
        self._port = port
        self._open = AsyncExitStack()
        self._app = web.Application(middlewares=[_only_the_page], client_max_size=MAX_BYTES)
        self._app.on_response_prepare.append(_add_headers)
        router = self._app.router
        router.add_get("/", _send_index)
        router.add_static("/static/shared", SHARED)
        router.add_static("/static", STATIC)
        router.add_get("/events", partial(serve_page, slack), allow_head=False)
        router.add_get("/files/{file_id}", self._send_file)
        router.add_post("/acts/{name}", partial(handle_act, slack))

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self._port}/"

    async def __aenter__(self) -> Self:
        for person in actors(self._slack.state):
            self._slack.dm_id(person)
        self._port = await self._open.enter_async_context(serve(self._app, port=self._port))
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._open.aclose()

    async def _send_file(self, request: web.Request) -> web.StreamResponse:
        """A file of the team by its id."""
        file = self._slack.state.files.get(request.match_info["file_id"])
        if file is None:
            return web.Response(status=404, text="There is no such file.")
        disposition = "attachment" if request.query.get("download") == "1" else "inline"
        name = quote(file.name, safe="", errors="replace")
        mimetype, _, _ = file.mimetype.partition(";")
        headers = {
            "Content-Disposition": f"{disposition}; filename*=UTF-8''{name}",
            "Content-Type": f"{mimetype}; charset=utf-8",
        }
        if mimetype != "application/pdf":  # which browsers show in a program of their own
            headers["Content-Security-Policy"] = FOREIGN_POLICY
        return web.Response(body=file.content, headers=headers)


async def _send_index(_request: web.Request) -> web.StreamResponse:
    return web.FileResponse(STATIC / "index.html")


@web.middleware
async def _only_the_page(request: web.Request, handler: Handler) -> web.StreamResponse:
    is_reading = request.method in (hdrs.METH_GET, hdrs.METH_HEAD)
    if not is_reading and hdrs.ORIGIN not in request.headers:
        return refused("Only the page itself may act.")
    return await handler(request)


async def _add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Forbids the browser to cache, and other sites to read or frame the page."""
    for name, value in HEADERS.items():
        response.headers[name] = value
    response.headers.setdefault("Content-Security-Policy", PAGE_POLICY)
