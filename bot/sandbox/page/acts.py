"""What a person does at the page: each act by its name, with the fields that its function takes."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Literal

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from pydantic import ConfigDict, Field, ValidationError, validate_call
from pydantic_core import from_json

from bot.sandbox.page.person import Person, Refused
from bot.sandbox.slack import Delivery, SlackStandIn
from bot.sandbox.slack.actions import blocks_of_post, collect_state, find_element
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.limits import MAX_POST_TEXT
from bot.sandbox.slack.wire import JsonObject, as_object

MAX_BYTES = 64 * 2**20
MAX_FILES = 10
Files = tuple[tuple[str, bytes, str | None], ...]
"""Name, bytes and type of each."""
ReactionName = Annotated[str, Field(max_length=100, pattern=r"^[\w+'-]+(::skin-tone-[2-6])?$")]
_BROKEN_FORM = (ValueError, AssertionError, RuntimeError, LookupError, HttpProcessingError)
"""What aiohttp raises for a form that is not well formed."""


async def say(
    person: Person,
    *,
    channel: str,
    text: str = "",
    thread_ts: str | None = None,
    files: Files = (),
) -> JsonObject:
    """Post in a channel, or in a thread found by its root or any reply."""
    slack, place = person.slack, person.channel(channel)
    if place.is_read_only and place.creator != person.id:
        creator = slack.state.users[place.creator]
        raise Refused(f"Only {creator.real_name} may post in #{place.name}.")
    if not text.strip() and not files:
        raise Refused("There is nothing to say.")
    root_ts = person.post(place.id, thread_ts).root_ts if thread_ts else None
    words = _typed(person, text)
    ts = await slack.say(person.id, place.id, words, thread_ts=root_ts, files=files)
    return {"ts": ts}


def _typed(person: Person, text: str) -> str:
    if len(text) > MAX_POST_TEXT:
        raise Refused(f"A message has at most {MAX_POST_TEXT:,} characters, yours {len(text):,}.")
    return person.slack.typed(text)


async def edit(person: Person, *, channel: str, ts: str, text: str) -> None:
    """Give one's own post another text."""
    post = person.lasting_post(channel, ts, own=True)
    if not text.strip() and not post.files:
        raise Refused("A message cannot be empty. It can be deleted.")
    await person.slack.edit(person.id, post.channel, post.ts, _typed(person, text))


async def delete(person: Person, *, channel: str, ts: str) -> None:
    """Delete one's own post."""
    post = person.lasting_post(channel, ts, own=True)
    await person.slack.delete(post.channel, post.ts)


async def react(
    person: Person, *, channel: str, ts: str, name: ReactionName, remove: bool = False
) -> None:
    """Add or take back a reaction; doing either twice changes nothing."""
    post = person.lasting_post(channel, ts)
    change = person.slack.unreact if remove else person.slack.react
    await change(person.id, post.channel, post.ts, name)


async def invite(person: Person, *, channel: str) -> None:
    """Bring the bot into a channel."""
    place, bot = person.channel(channel), person.slack.bot_user_id
    if place.is_direct:
        raise Refused("Nobody can be invited into a direct conversation.")
    if bot in place.members:
        raise Refused(f"The bot is in #{place.name} already.")
    await person.slack.invite(person.id, place.id, bot)


async def open_home(person: Person, *, tab: Literal["home", "messages"] = "home") -> None:
    """Open the app on one of its tabs; the app may then publish a view."""
    await person.slack.open_home(person.id, tab=tab)


async def stop(person: Person, *, channel: str, thread_ts: str) -> None:
    """Stop what the app does in a thread."""
    root = person.post(channel, thread_ts)
    await person.slack.stop_session(person.id, root.channel, root.root_ts)


async def click(
    person: Person,
    *,
    action_id: str,
    block_id: str | None = None,
    value: str | None = None,
    view_id: str | None = None,
    channel: str = "",
    ts: str = "",
) -> None:
    """Use an element of a post, or of a modal or App Home."""
    view = person.view(view_id) if view_id else None
    post = None if view else person.post(channel, ts)
    blocks = blocks_of_post(post) if post else view.body["blocks"] if view else []
    try:
        find_element(blocks, action_id, block_id)
    except KeyError:
        raise Refused("That button or field is gone.") from None
    used = (action_id, value or None)
    if post:
        place = (person.id, post.channel, post.ts)
        await _answered(person.slack.click(*place, *used, block_id=block_id))
    elif view:
        await _answered(person.slack.click_view(person.id, view.id, *used, block_id=block_id))


async def submit_view(
    person: Person, *, view_id: str, values: dict[str, str | None] | None = None
) -> JsonObject:
    """Submit a modal; `errors` by block id when the form or the app does not accept it."""
    view = person.modal(view_id)
    entered = {name: value or None for name, value in (values or {}).items()}
    inputs = [block for block in view.body["blocks"] if block["type"] == "input"]
    if missing := [block["block_id"] for block in inputs if _is_missing(block, entered)]:
        return {"errors": dict.fromkeys(missing, "Please fill in this field.")}
    try:
        collect_state(view.body["blocks"], entered)
    except KeyError:
        raise Refused("That choice is not offered.") from None
    try:
        delivery = await _answered(person.slack.submit_view(person.id, view.id, entered))
    except ApiError as error:
        raise Refused(f"Slack refuses the view that the app answered: {error.code}.") from error
    answer = delivery.answer or {}
    is_refused = answer.get("response_action") == "errors"
    return {"errors": as_object(answer.get("errors")) or {}} if is_refused else {}


async def close_view(person: Person, *, view_id: str, every: bool = False) -> None:
    """Close a modal, or all of them; whether the app hears it is no matter for the person."""
    view = person.modal(view_id)
    await person.slack.close_view(person.id, view.id, all_views=every)


async def slash(person: Person, *, channel: str, command: str, text: str = "") -> None:
    """Run a slash command."""
    place = person.channel(channel)
    try:
        await _answered(person.slack.slash(person.id, place.id, command, text))
    except ApiError as error:
        raise Refused(f"Slack refuses the message that the app answered: {error.code}.") from error


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
_ALL_OF_APP = (click, submit_view, close_view, slash)
_CHECKED = ConfigDict(strict=True, arbitrary_types_allowed=True)
ACTS: Mapping[str, Callable[..., Awaitable[JsonObject | None]]] = {
    act.__name__: validate_call(config=_CHECKED)(act) for act in (*_ALL, *_ALL_OF_APP)
}


class Acts:
    """The door for acts: answers `{"ok": true, ...}`, or 400 with a plain sentence."""

    def __init__(self, slack: SlackStandIn) -> None:
        self._slack = slack

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
        fields.pop("as")
        try:
            return await act(person, **fields | ({"files": files} if files else {}))
        except ValidationError as error:
            raise Refused(_explain(error)) from None


def _explain(error: ValidationError) -> str:
    """The first fault as a sentence."""
    fault = error.errors(include_url=False, include_context=False)[0]
    if fault["type"] == "missing_keyword_only_argument":
        return f"The act needs “{fault['loc'][0]}”."
    return f"“{fault['loc'][0]}” cannot be read: {fault['msg'][:1].lower()}{fault['msg'][1:]}."


async def _read(request: web.Request) -> tuple[JsonObject, Files]:
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
