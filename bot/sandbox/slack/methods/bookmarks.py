"""bookmarks.*: links in a channel's header."""

from bot.sandbox.slack import limits
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.rates import TIER_2, TIER_3
from bot.sandbox.slack.wire import JsonObject


def add(call: Call) -> JsonObject:
    """Add a link to a channel's header."""
    channel, title = call.joined_channel("channel_id"), call.args.required("title")
    if call.args.required("type") != "link":
        raise ApiError("invalid_bookmark_type")
    bookmarks = call.state.bookmarks.setdefault(channel.id, [])
    if len(bookmarks) >= limits.MAX_BOOKMARKS_OF_A_CHANNEL:
        raise ApiError("too_many_bookmarks")
    bookmark: JsonObject = {
        "id": call.state.ids.fresh("Bk"),
        "channel_id": channel.id,
        "title": title,
        "type": "link",
        "link": _read_link(call),
        "emoji": call.args.text("emoji") or "",
        "entity_id": None,
        "date_created": int(call.state.clock.now()),
        "date_updated": 0,
        "last_updated_by_user_id": call.app.bot_user_id,
        "app_id": call.app.id,
    }
    bookmarks.append(bookmark)
    return {"bookmark": bookmark}


def _read_link(call: Call) -> str:
    link = call.args.text("link") or ""
    if not link.startswith(("http://", "https://")):
        raise ApiError("invalid_link")
    return link


def edit(call: Call) -> JsonObject:
    """Change a bookmark's title, link or emoji."""
    bookmark = _find(call)
    if call.args.has("link"):
        bookmark["link"] = _read_link(call)
    for name in ("title", "emoji"):
        bookmark[name] = call.args.text(name) or bookmark[name]
    bookmark["date_updated"] = int(call.state.clock.now())
    return {"bookmark": bookmark}


def remove(call: Call) -> JsonObject:
    """Take a bookmark out of the header."""
    bookmark = _find(call)
    call.state.bookmarks[bookmark["channel_id"]].remove(bookmark)
    return {}


def _find(call: Call) -> JsonObject:
    channel, wanted = call.joined_channel("channel_id"), call.args.required("bookmark_id")
    for bookmark in call.state.bookmarks.get(channel.id, ()):
        if bookmark["id"] == wanted:
            return bookmark
    raise ApiError("not_found")


def list_bookmarks(call: Call) -> JsonObject:
    """The bookmarks of a channel."""
    channel = call.joined_channel("channel_id")
    return {"bookmarks": call.state.bookmarks.get(channel.id, [])}


METHODS: Methods = {
    "bookmarks.add": Method(run=add, scopes=("bookmarks:write",), rate=TIER_2),
    "bookmarks.edit": Method(run=edit, scopes=("bookmarks:write",), rate=TIER_2),
    "bookmarks.remove": Method(run=remove, scopes=("bookmarks:write",), rate=TIER_2),
    "bookmarks.list": Method(run=list_bookmarks, scopes=("bookmarks:read",), rate=TIER_3),
}
