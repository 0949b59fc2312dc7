"""What a person does at the page: each act by its name, with the fields that its function takes."""

import json
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

from bot.sandbox.slack import Delivery, SlackStandIn
from bot.sandbox.slack.actions import UnfilledError
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.limits import MAX_POST_TEXT
from bot.sandbox.slack.wire import JsonObject, as_object

MAX_BYTES = 64 * 2**20


class Refused(Exception):
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
        raise Refused("The app did not answer within 3 seconds.")
    raise Refused("The app is not connected, so nobody answered.")


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
    "slash": lambda slack, me, said: _answered(slack.slash(me, **said)),
}


async def handle_act(slack: SlackStandIn, request: web.Request) -> web.StreamResponse:
    """Answers `{"ok": true, ...}`, or 400 with a plain sentence."""
    try:
        name, fields = request.match_info["name"], await _read(request)
        if name in ("say", "edit"):
            fields["text"] = _typed(slack, fields["text"])
        done = await ACTS[name](slack, fields.pop("as"), fields)
    except Refused as refused:
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
        raise Refused(f"A message has at most {MAX_POST_TEXT:,} characters, yours {len(text):,}.")
    return slack.typed(text)


async def _read(request: web.Request) -> JsonObject:
    """The fields of an act: JSON, or a form with files beside it."""
    try:
        if request.content_type == "application/json":
            return await request.json()
        form = await request.post()
    except web.HTTPRequestEntityTooLarge:
        raise Refused(f"That is too much: at most {MAX_BYTES // 2**20} MB go at once.") from None
    files = [part for part in form.getall("file") if isinstance(part, web.FileField)]
    read = tuple((file.filename, file.file.read(), file.content_type) for file in files)
    return {**json.loads(str(form["body"])), "files": read}
