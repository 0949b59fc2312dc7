"""agents.conversations.*: code channels and the views in their tabs; canvases do not exist here."""

from bot.sandbox.slack import limits
from bot.sandbox.slack.blocks import check_message_blocks
from bot.sandbox.slack.errors import ApiError, missing_field
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.rates import TIER_2, TIER_3
from bot.sandbox.slack.records import Channel, CodeChannel
from bot.sandbox.slack.wire import JsonObject, without_none

_VIEW_TYPES = ("html", "diff", "block_kit", "canvas")


def create(call: Call) -> JsonObject:
    """Make a channel for a session; the same `session_id` gives the same channel again."""
    session_id = call.args.text("session_id") or ""
    for channel_id, code_channel in call.state.code_channels.items():
        if session_id and code_channel.session_id == session_id:
            return {"channel_id": channel_id}
    channel = _build_channel(call)
    call.state.set_channel(channel)
    call.state.code_channels[channel.id] = CodeChannel(session_id=session_id)
    return {"channel_id": channel.id}


def _build_channel(call: Call) -> Channel:
    """As private as the channel of its origin, and named unless it has one."""
    origin = call.visible_channel("origin_channel_id") if _has_origin(call) else None
    name = call.args.text("name") or ("session" if origin else call.args.required("name"))
    was_private = origin is not None and origin.kind == "group"
    return Channel(
        id=call.state.ids.fresh("C"),
        name=name.lower().replace(" ", "-")[:80],
        kind="group" if call.args.flag("is_private", default=was_private) else "channel",
        creator=call.app.bot_user_id,
        created_s=int(call.state.clock.now()),
        members=_first_members(call, origin),
    )


def _has_origin(call: Call) -> bool:
    given = [call.args.has(name) for name in ("origin_channel_id", "origin_message_ts")]
    if any(given) and not all(given):
        raise ApiError("invalid_arguments")
    return all(given)


def _first_members(call: Call, origin: Channel | None) -> tuple[str, ...]:
    """The bot and, for a session that a message began, its author."""
    if origin is None:
        return (call.app.bot_user_id,)
    post = call.post(origin, "origin_message_ts")
    return tuple(dict.fromkeys((call.app.bot_user_id, post.user)))


def _code_channel(call: Call, name: str = "channel_id") -> tuple[Channel, CodeChannel]:
    channel = call.visible_channel(name)
    code_channel = call.state.code_channels.get(channel.id)
    if code_channel is None:
        raise ApiError("not_agent_channel")
    return channel, code_channel


def archive(call: Call) -> JsonObject:
    """Archive a code channel."""
    channel, _ = _code_channel(call)
    if channel.is_archived:
        raise ApiError("already_archived")
    call.workspace.archive(channel, call.app.bot_user_id)
    return {"channel_id": channel.id}


def set_view(call: Call) -> JsonObject:
    """Show something in a tab; the same key changes the same view."""
    channel, code_channel = _code_channel(call)
    kind = call.args.text("type") or "html"
    if kind not in _VIEW_TYPES:
        raise ApiError("invalid_arguments")
    if kind == "canvas":
        raise ApiError("canvas_not_found")
    key = "" if kind == "diff" else call.args.required("view_key")  # A channel has one diff.
    _check_view_content(call, kind)
    known = code_channel.views.get(key)
    if known is None and len(code_channel.views) >= limits.MAX_VIEWS_OF_A_CODE_CHANNEL:
        raise ApiError("too_many_views")  # The cap is documented, its code is not.
    view = _next_version(call, key, known)
    code_channel.views[key] = view
    shown = {name: view[name] for name in ("view_id", "file_id", "content_version")}
    return {**shown, "canvas_id": None, "type": kind, "channel_id": channel.id}


def _next_version(call: Call, key: str, known: JsonObject | None) -> JsonObject:
    first: JsonObject = {
        "view_id": call.state.ids.fresh("T"),
        "view_key": key or None,
        "file_id": call.state.ids.fresh("F"),
        "content_version": 0,
        "date_added": int(call.state.clock.now()),
    }
    view = known or first
    version = view["content_version"] + 1
    label = call.args.text("name") or key or "Diff"
    return without_none({**view, "label": label, "content_version": version})


def _check_view_content(call: Call, kind: str) -> None:
    if kind == "block_kit":
        blocks = call.args.json_array("blocks", error="invalid_blocks_format")
        if blocks is None:
            raise missing_field("blocks")
        check_message_blocks(blocks)
    elif len(call.args.required("content").encode()) > limits.MAX_CODE_VIEW_BYTES:
        raise ApiError("content_too_large")


def list_views(call: Call) -> JsonObject:
    """All views of a channel, at most five."""
    _, code_channel = _code_channel(call)
    return {"views": list(code_channel.views.values())}


def remove_view(call: Call) -> JsonObject:
    """Take a view out of its tab, by exactly one of its key and its id."""
    channel, code_channel = _code_channel(call)
    key, view_id = call.args.text("view_key"), call.args.text("view_id")
    if bool(key) == bool(view_id):
        raise ApiError("invalid_arguments")
    for known_key, view in code_channel.views.items():
        if (key and known_key == key) or view["view_id"] == view_id:
            del code_channel.views[known_key]
            return {"channel_id": channel.id, "view_id": view["view_id"]}
    raise ApiError("view_not_found")


def set_commands(call: Call) -> JsonObject:
    """Register the slash commands that the agent has in this channel."""
    channel, code_channel = _code_channel(call)
    commands = call.args.json_array("commands")
    if commands is None:
        raise missing_field("commands")
    code_channel.commands = list(commands)
    return {"channel_id": channel.id}


def set_properties(call: Call) -> JsonObject:
    """Note what the channel is about."""
    channel, code_channel = _code_channel(call)
    for name in ("code_channel", "agent_resource"):
        if call.args.has(name):
            code_channel.properties[name] = call.args.json_object(name)
    return {"channel_id": channel.id}


def refuse_canvas(call: Call) -> JsonObject:
    """There are no canvases in this team."""
    _code_channel(call, "channel")
    raise ApiError("canvas_not_found")


_SCOPES = ("code_channels:manage",)
METHODS: Methods = {
    "agents.conversations.create": Method(run=create, scopes=_SCOPES, rate=TIER_2),
    "agents.conversations.archive": Method(run=archive, scopes=_SCOPES, rate=TIER_2),
    "agents.conversations.setView": Method(run=set_view, scopes=_SCOPES, rate=TIER_3),
    "agents.conversations.listViews": Method(run=list_views, scopes=_SCOPES, rate=TIER_3),
    "agents.conversations.removeView": Method(run=remove_view, scopes=_SCOPES, rate=TIER_3),
    "agents.conversations.setCommands": Method(run=set_commands, scopes=_SCOPES, rate=TIER_3),
    "agents.conversations.setProperties": Method(run=set_properties, scopes=_SCOPES, rate=TIER_3),
    "agents.conversations.getCanvas": Method(run=refuse_canvas, scopes=_SCOPES, rate=TIER_3),
    "agents.conversations.setCanvasContent": Method(run=refuse_canvas, scopes=_SCOPES, rate=TIER_3),
}
