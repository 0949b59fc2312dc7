"""The page's own server on loopback: who may talk to it, its files and the team's, its port."""

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Self
from urllib.parse import quote

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from bot.sandbox.loopback import LOOPBACK, refused, serve
from bot.sandbox.page.feed import actors, serve_page
from bot.sandbox.slack import Delivery, SlackStandIn
from bot.sandbox.slack.actions import UnfilledError
from bot.sandbox.slack.limits import MAX_POST_TEXT
from bot.sandbox.slack.wire import ApiError, JsonObject, as_object

STATIC = Path(__file__).parent / "static"
SHARED = Path(__file__).parents[2] / "console" / "static" / "shared"
"""What this page has in common with the live view's: no code of the product, only files."""
PAGE_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
)
"""Nothing comes from elsewhere."""
FOREIGN_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What a file of the team holds may be looked at, never run."""
HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}
MAX_BYTES = 64 * 2**20


class ActRefused(Exception):
    """What was asked cannot be done; the message is a sentence for the person."""


async def _click(slack: SlackStandIn, me: str, used: JsonObject) -> None:
    """Use an element of a post, or of a modal or App Home."""
    use = slack.click_view if "view_id" in used else slack.click
    await _answered(use(me, **used))


async def _submit_view(slack: SlackStandIn, me: str, form: JsonObject) -> JsonObject:
    """Submit a modal; `errors` by block id when the form or the app does not accept it."""
    entered = {name: value or None for name, value in form["values"].items()}
    try:
        delivery = await _answered(slack.submit_view(me, form["view_id"], entered))
    except UnfilledError as error:
        return {"errors": dict.fromkeys(error.blocks, "Please fill in this field.")}
    return {"errors": (delivery.answer or {}).get("errors") or {}}


async def _answered(gesture: Awaitable[Delivery]) -> Delivery:
    """The delivery of a gesture that the app has acknowledged. Raises Refused."""
    delivery = await gesture
    if delivery.acked_at_s is not None:
        return delivery
    if delivery.reached_socket:
        raise ActRefused("The app did not answer within 3 seconds.")
    raise ActRefused("The app is not connected, so nobody answered.")


ACTS: Mapping[str, Callable[[SlackStandIn, str, JsonObject], Awaitable[object]]] = {
    "say": lambda slack, me, said: slack.say(me, **said),
    "edit": lambda slack, me, post: slack.edit(me, **post),
    "delete": lambda slack, _me, post: slack.delete(**post),
    "react": lambda slack, me, reaction: slack.react(me, **reaction),
    "invite": lambda slack, _me, place: slack.invite(place["channel"], slack.bot_user_id),
    "open_home": lambda slack, me, shown: slack.open_home(me, **shown),
    "stop": lambda slack, me, thread: slack.stop_session(me, **thread),
    "click": _click,
    "submit_view": _submit_view,
    "close_view": lambda slack, _me, view: slack.close_view(**view),
    "shortcut": lambda slack, me, used: _answered(slack.shortcut(me, **used)),
    "slash": lambda slack, me, said: _answered(slack.slash(me, **said)),
}


async def handle_act(slack: SlackStandIn, request: web.Request) -> web.StreamResponse:
    """Answers `{"ok": true, ...}`, or 400 with a plain sentence."""
    try:
        name, fields = request.match_info["name"], await _read(request)
        if name in ("say", "edit"):
            fields["text"] = _typed(slack, fields["text"])
        done = await ACTS[name](slack, fields.pop("as"), fields)
    except ActRefused as refused:
        sentence = str(refused)
    except ApiError as error:
        sentence = f"Slack refuses what the app answered: {error.code}."
    except LookupError:
        sentence = "That is not there any more."
    else:
        return web.json_response({"ok": True, **(as_object(done) or {})})
    return web.json_response({"ok": False, "error": sentence}, status=400)


def _typed(slack: SlackStandIn, text: str) -> str:
    if len(text) > MAX_POST_TEXT:
        raise ActRefused(
            f"A message has at most {MAX_POST_TEXT:,} characters, yours {len(text):,}."
        )
    return slack.typed(text)


async def _read(request: web.Request) -> JsonObject:
    """The fields of an act: JSON, or a form with files beside it."""
    try:
        if request.content_type == "application/json":
            return await request.json()
        form = await request.post()
    except web.HTTPRequestEntityTooLarge:
        raise ActRefused(f"That is too much: at most {MAX_BYTES // 2**20} MB go at once.") from None
    files = [part for part in form.getall("file") if isinstance(part, web.FileField)]
    read = tuple((file.filename, file.file.read(), file.content_type) for file in files)
    return {**json.loads(str(form["body"])), "files": read}


class SandboxPage:
    """Serves a stand-in's team to browsers of this machine; an asynchronous context manager.

    A port that is taken gives way to any other.
    """

    def __init__(self, slack: SlackStandIn, *, port: int = 0) -> None:
        self._slack = slack
        self._port = port
        self._open = AsyncExitStack()
        self._app = app = web.Application(middlewares=[_only_the_page], client_max_size=MAX_BYTES)
        app.on_response_prepare.append(_add_headers)
        app.router.add_get("/", _send_index)
        app.router.add_static("/static/shared", SHARED)
        app.router.add_static("/static", STATIC)
        app.router.add_get("/events", partial(serve_page, slack), allow_head=False)
        app.router.add_get("/files/{file_id}/{name:(?s:.*)}", self._send_file)
        app.router.add_post("/acts/{name}", partial(handle_act, slack))

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
        """A file of the team by its id; the name in the address is for people."""
        file = self._slack.state.files.get(request.match_info["file_id"])
        if file is None:
            return web.Response(status=404, text="There is no such file.")
        disposition = "attachment" if request.query.get("download") == "1" else "inline"
        name = quote(file.name, safe="", errors="replace")
        headers = {"Content-Disposition": f"{disposition}; filename*=UTF-8''{name}"}
        headers["Content-Type"] = f"{file.mimetype.partition(';')[0]}; charset=utf-8"
        if file.mimetype != "application/pdf":  # which browsers show in a program of their own
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
    """Nothing is kept by the browser, read by other sites or shown inside of them."""
    for name, value in HEADERS.items():
        response.headers[name] = value
    response.headers.setdefault("Content-Security-Policy", PAGE_POLICY)
