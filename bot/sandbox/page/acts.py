"""The door for acts: finds the act by name, checks its fields, does it as one of the people."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from aiohttp import web
from pydantic import ValidationError

from bot.sandbox.page import bodies, pressing, talking
from bot.sandbox.page.features import Features
from bot.sandbox.page.person import Person, Refused
from bot.sandbox.page.requests import read_sent
from bot.sandbox.page.scene import Scene
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.slack.wire import JsonObject

B = TypeVar("B", bound=bodies.Body)
Doing = Callable[[Scene, JsonObject], Awaitable[JsonObject]]


def _act(body: type[B], act: Callable[[Scene, B], Awaitable[JsonObject]]) -> Doing:
    """The act on fields as they came. Raises Refused for fields that cannot be read."""

    async def do(scene: Scene, fields: JsonObject) -> JsonObject:
        try:
            read = body.model_validate(fields)
        except ValidationError as error:
            raise Refused(_explain(error)) from None
        return await act(scene, read)

    return do


ACTS: Mapping[str, Doing] = {
    "say": _act(bodies.Say, talking.say),
    "edit": _act(bodies.Edit, talking.edit),
    "delete": _act(bodies.Message, talking.delete),
    "react": _act(bodies.React, talking.react),
    "invite": _act(bodies.Invite, talking.invite),
    "open_home": _act(bodies.OpenHome, talking.open_home),
    "stop": _act(bodies.Stop, talking.stop),
    "click": _act(bodies.Click, pressing.click),
    "click_view": _act(bodies.ClickView, pressing.click_view),
    "submit_view": _act(bodies.SubmitView, pressing.submit_view),
    "close_view": _act(bodies.CloseView, pressing.close_view),
    "slash": _act(bodies.Slash, pressing.slash),
    "message_shortcut": _act(bodies.UseMessageShortcut, pressing.message_shortcut),
}


class Acts:
    """Answers `{"ok": true, ...}`, or 400 with a plain sentence."""

    def __init__(self, slack: SlackStandIn, features: Features) -> None:
        self._slack = slack
        self._features = features

    async def handle(self, request: web.Request) -> web.StreamResponse:
        try:
            done = await self._do(request)
        except Refused as refused:
            return web.json_response({"ok": False, "error": str(refused)}, status=400)
        return web.json_response({"ok": True, **done})

    async def _do(self, request: web.Request) -> JsonObject:
        act = ACTS.get(request.match_info["name"])
        if act is None:
            raise Refused("There is no such act.")
        sent = await read_sent(request)
        person = Person.find(self._slack, sent.fields.get("as"))
        scene = Scene(person=person, features=self._features, files=sent.files)
        return await act(scene, sent.fields)


def _explain(error: ValidationError) -> str:
    """The first fault as a sentence."""
    fault = error.errors(include_url=False, include_context=False)[0]
    field = ".".join(str(part) for part in fault["loc"][:1])
    if fault["type"] == "missing":
        return f"The act needs “{field}”."
    return f"“{field}” cannot be read: {fault['msg'][:1].lower()}{fault['msg'][1:]}."
