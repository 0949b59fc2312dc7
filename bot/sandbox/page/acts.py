"""What a person does at the page: each act by its name, with the fields that its function takes."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from pydantic import ConfigDict, Field, ValidationError, validate_call
from pydantic_core import from_json

from bot.sandbox.page.person import Person, Refused
from bot.sandbox.slack import Delivery, SlackStandIn
from bot.sandbox.slack.actions import blocks_of_post, collect_state, find_element
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.limits import MAX_POST_TEXT
from bot.sandbox.slack.wire import JsonArray, JsonObject, as_object

MAX_BYTES = 64 * 2**20
MAX_FILES = 10
Command = Mapping[str, str]
"""A slash command as the app's manifest declares it: `command`, `description`, `usage_hint`."""
ReactionName = Annotated[str, Field(max_length=100, pattern=r"^[\w+'-]+(::skin-tone-[2-6])?$")]
_BROKEN_FORM = (ValueError, AssertionError, RuntimeError, LookupError, HttpProcessingError)
"""What aiohttp raises for a form that is not well formed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who acts, the files that they brought, and the commands that the app has."""

    person: Person
    commands: frozenset[str]
    files: tuple[tuple[str, bytes, str | None], ...] = ()

    @property
    def slack(self) -> SlackStandIn:
        return self.person.slack

    def typed(self, text: str) -> str:
        """The wire form of what was written. Raises Refused."""
        if len(text) > MAX_POST_TEXT:
            raise Refused(
                f"A message has at most {MAX_POST_TEXT:,} characters, yours {len(text):,}."
            )
        return self.slack.typed(text)


async def say(
    actor: Actor, *, channel: str, text: str = "", thread_ts: str | None = None
) -> JsonObject:
    """Post in a channel, or in a thread found by its root or any reply."""
    person, place = actor.person, actor.person.channel(channel)
    if place.is_read_only and place.creator != person.id:
        creator = actor.slack.state.users[place.creator]
        raise Refused(f"Only {creator.real_name} may post in #{place.name}.")
    if not text.strip() and not actor.files:
        raise Refused("There is nothing to say.")
    root_ts = person.post(place.id, thread_ts).root_ts if thread_ts else None
    words = actor.typed(text)
    ts = await actor.slack.say(person.id, place.id, words, thread_ts=root_ts, files=actor.files)
    return {"ts": ts}


async def edit(actor: Actor, *, channel: str, ts: str, text: str) -> None:
    """Give one's own post another text."""
    post = actor.person.lasting_post(channel, ts, own=True)
    if not text.strip() and not post.files:
        raise Refused("A message cannot be empty. It can be deleted.")
    await actor.slack.edit(actor.person.id, post.channel, post.ts, actor.typed(text))


async def delete(actor: Actor, *, channel: str, ts: str) -> None:
    """Delete one's own post."""
    post = actor.person.lasting_post(channel, ts, own=True)
    await actor.slack.delete(post.channel, post.ts)


async def react(
    actor: Actor, *, channel: str, ts: str, name: ReactionName, remove: bool = False
) -> None:
    """Add or take back a reaction; doing either twice changes nothing."""
    post = actor.person.lasting_post(channel, ts)
    change = actor.slack.unreact if remove else actor.slack.react
    await change(actor.person.id, post.channel, post.ts, name)


async def invite(actor: Actor, *, channel: str) -> None:
    """Bring the bot into a channel."""
    place, bot = actor.person.channel(channel), actor.slack.bot_user_id
    if place.is_direct:
        raise Refused("Nobody can be invited into a direct conversation.")
    if bot in place.members:
        raise Refused(f"The bot is in #{place.name} already.")
    await actor.slack.invite(actor.person.id, place.id, bot)


async def open_home(actor: Actor, *, tab: Literal["home", "messages"] = "home") -> None:
    """Open the app on one of its tabs; the app may then publish a view."""
    await actor.slack.open_home(actor.person.id, tab=tab)


async def stop(actor: Actor, *, channel: str, thread_ts: str) -> None:
    """Stop what the app does in a thread."""
    root = actor.person.post(channel, thread_ts)
    await actor.slack.stop_session(actor.person.id, root.channel, root.root_ts)


async def click(
    actor: Actor,
    *,
    channel: str,
    ts: str,
    action_id: str,
    block_id: str | None = None,
    value: str | None = None,
) -> None:
    """Use an element of a post."""
    post = actor.person.post(channel, ts)
    _check_element(blocks_of_post(post), action_id, block_id)
    place = (actor.person.id, post.channel, post.ts)
    await _answered(actor.slack.click(*place, action_id, value or None, block_id=block_id))


async def click_view(
    actor: Actor,
    *,
    view_id: str,
    action_id: str,
    block_id: str | None = None,
    value: str | None = None,
) -> None:
    """Use an element of a modal or of App Home."""
    view = actor.person.view(view_id)
    _check_element(view.body["blocks"], action_id, block_id)
    place = (actor.person.id, view.id)
    await _answered(actor.slack.click_view(*place, action_id, value or None, block_id=block_id))


async def submit_view(
    actor: Actor, *, view_id: str, values: dict[str, str | None] | None = None
) -> JsonObject:
    """Submit a modal; `errors` by block id when the form or the app does not accept it."""
    view = actor.person.modal(view_id)
    entered = {name: value or None for name, value in (values or {}).items()}
    inputs = [block for block in view.body["blocks"] if block["type"] == "input"]
    if missing := [block["block_id"] for block in inputs if _is_missing(block, entered)]:
        return {"errors": dict.fromkeys(missing, "Please fill in this field.")}
    try:
        collect_state(view.body["blocks"], entered)
    except KeyError:
        raise Refused("That choice is not offered.") from None
    try:
        delivery = await _answered(actor.slack.submit_view(actor.person.id, view.id, entered))
    except ApiError as error:
        raise Refused(f"Slack refuses the view that the app answered: {error.code}.") from error
    answer = delivery.answer or {}
    is_refused = answer.get("response_action") == "errors"
    return {"errors": as_object(answer.get("errors")) or {}} if is_refused else {}


async def close_view(actor: Actor, *, view_id: str, every: bool = False) -> None:
    """Close a modal, or all of them; whether the app hears it is no matter for the person."""
    view = actor.person.modal(view_id)
    await actor.slack.close_view(actor.person.id, view.id, all_views=every)


async def slash(actor: Actor, *, channel: str, command: str, text: str = "") -> None:
    """Run a slash command that the app has declared."""
    place = actor.person.channel(channel)
    if command not in actor.commands:
        raise Refused(f"{command} is not a command of the app.")
    try:
        await _answered(actor.slack.slash(actor.person.id, place.id, command, text))
    except ApiError as error:
        raise Refused(f"Slack refuses the message that the app answered: {error.code}.") from error


def _check_element(blocks: JsonArray, action_id: str, block_id: str | None) -> None:
    try:
        find_element(blocks, action_id, block_id)
    except KeyError:
        raise Refused("That button or field is gone.") from None


def _is_missing(block: JsonObject, entered: Mapping[str, str | None]) -> bool:
    element: JsonObject = block["element"]
    first = element.get("initial_value")
    return not block.get("optional") and entered.get(element["action_id"], first) is None


async def _answered(gesture: Awaitable[Delivery]) -> Delivery:
    """The delivery of a gesture that the app has acknowledged. Raises Refused."""
    try:
        delivery = await gesture
    except KeyError:
        raise Refused("That is not offered.") from None
    if delivery.acked_at_s is not None:
        return delivery
    if delivery.reached_socket:
        raise Refused("The app did not answer within 3 seconds.")
    raise Refused("The app is not connected, so nobody answered.")


_ALL = (say, edit, delete, react, invite, open_home, stop)
_ALL_OF_APP = (click, click_view, submit_view, close_view, slash)
_CHECKED = ConfigDict(strict=True, arbitrary_types_allowed=True)
ACTS: Mapping[str, Callable[..., Awaitable[JsonObject | None]]] = {
    act.__name__: validate_call(config=_CHECKED)(act) for act in (*_ALL, *_ALL_OF_APP)
}


class Acts:
    """The door for acts: answers `{"ok": true, ...}`, or 400 with a plain sentence."""

    def __init__(self, slack: SlackStandIn, commands: frozenset[str]) -> None:
        self._slack = slack
        self._commands = commands

    async def handle(self, request: web.Request) -> web.StreamResponse:
        try:
            done = await self._do(request)
        except Refused as refused:
            return web.json_response({"ok": False, "error": str(refused)}, status=400)
        return web.json_response({"ok": True, **(done or {})})

    async def _do(self, request: web.Request) -> JsonObject | None:
        act = ACTS.get(request.match_info["name"])
        if act is None:
            raise Refused("There is no such act.")
        fields, files = await _read(request)
        person = Person.find(self._slack, fields.get("as"))
        actor = Actor(person=person, commands=self._commands, files=files)
        taken = inspect.signature(act).parameters
        known = {name: value for name, value in fields.items() if name in taken and name != "actor"}
        try:
            return await act(actor, **known)
        except ValidationError as error:
            raise Refused(_explain(error)) from None


def _explain(error: ValidationError) -> str:
    """The first fault as a sentence."""
    fault = error.errors(include_url=False, include_context=False)[0]
    if fault["type"] == "missing_keyword_only_argument":
        return f"The act needs “{fault['loc'][0]}”."
    return f"“{fault['loc'][0]}” cannot be read: {fault['msg'][:1].lower()}{fault['msg'][1:]}."


async def _read(request: web.Request) -> tuple[JsonObject, tuple[Any, ...]]:
    """The fields of an act as JSON, and the files that came with them in a form."""
    try:
        if request.content_type == "application/json":
            return _parse(await request.read()), ()
        if request.content_type != "multipart/form-data":
            raise Refused("An act is sent as JSON, or as a form with files.")
        form = await request.post()
    except web.HTTPRequestEntityTooLarge:
        raise Refused(f"That is too much: at most {MAX_BYTES // 2**20} MB go at once.") from None
    except _BROKEN_FORM:
        raise Refused("That is no form that can be read.") from None
    files = [part for part in form.getall("file", []) if isinstance(part, web.FileField)]
    if len(files) > MAX_FILES:
        raise Refused(f"A message has at most {MAX_FILES} files.")
    body = form.get("body", "{}")
    names = [file.filename.replace("\\", "/").rpartition("/")[2] or "file" for file in files]
    read = tuple(
        (name, file.file.read(), file.content_type) for name, file in zip(names, files, strict=True)
    )
    return _parse(body if isinstance(body, str) else "{}"), read


def _parse(body: bytes | str) -> JsonObject:
    try:
        fields = as_object(from_json(body, allow_inf_nan=False))
    except ValueError:
        raise Refused("That is no JSON that can be read.") from None
    if fields is None:
        raise Refused("An act is a JSON object.")
    return fields
