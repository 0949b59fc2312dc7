"""assistant.search.*: what the team has said and filed, for an agent that is spoken to."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from bot.sandbox.slack import limits
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.messages import permalink
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.methods.paging import read_page
from bot.sandbox.slack.rates import TIER_2, TIER_3
from bot.sandbox.slack.records import Channel, ChannelKind, Post
from bot.sandbox.slack.text import unescape
from bot.sandbox.slack.wire import JsonObject, as_array

Channels = Sequence[Channel]
Words = Sequence[str]

_SCOPES = (
    "search:read.public", "search:read.private", "search:read.im", "search:read.mpim",
    "search:read.files", "search:read.users",
)  # fmt: skip
_PLACES: Mapping[str, tuple[ChannelKind, str]] = {
    "public_channel": ("channel", "search:read.public"),
    "private_channel": ("group", "search:read.private"),
    "im": ("im", "search:read.im"),
    "mpim": ("mpim", "search:read.mpim"),
}


def search_context(call: Call) -> JsonObject:
    """Messages, files, channels and users with all words of the query.

    A bot token searches as the person whose message brought the `action_token`.
    """
    words = _read_query(call)
    user = call.state.action_tokens.get(call.args.text("action_token") or "")
    if user is None:
        raise ApiError("invalid_action_token")
    wanted = _names(call, "content_types", tuple(_FINDERS)) or ("messages",)
    channels = _searchable(call, user)
    found = [(kind, shown) for kind in wanted for shown in _FINDERS[kind](call, channels, words)]
    page, metadata = read_page(call.args, found, default=20, maximum=limits.MAX_SEARCH_RESULTS)
    results = {kind: [shown for k, shown in page if k == kind] for kind in wanted}
    return {"results": results, "response_metadata": metadata}


def _read_query(call: Call) -> list[str]:
    query = (call.args.text("query") or "").strip()
    if not query:
        raise ApiError("missing_query")
    if len(query) > limits.MAX_SEARCH_QUERY:
        raise ApiError("query_too_long")
    return query.lower().split()


def _names(call: Call, name: str, known: Sequence[str]) -> tuple[str, ...]:
    """A list that comes as an array or with commas."""
    listed = as_array(call.args.values.get(name))
    names = call.args.names(name) if listed is None else tuple(map(str, listed))
    if any(given not in known for given in names):
        raise ApiError("invalid_arguments")
    return names


def _searchable(call: Call, user: str) -> list[Channel]:
    """Where the person may read and the app has the scope; elsewhere it is public channels."""
    wanted = _names(call, "channel_types", tuple(_PLACES)) or ("public_channel",)
    kinds = {kind for kind, scope in map(_PLACES.__getitem__, wanted) if scope in call.app.scopes}
    return [
        channel
        for channel in call.state.channels.values()
        if channel.kind in kinds and (channel.kind == "channel" or user in channel.members)
    ]


def _has_words(text: str, words: Words) -> bool:
    return all(word in text.lower() for word in words)


def _find_messages(call: Call, channels: Channels, words: Words) -> Iterator[JsonObject]:
    """Newest first, between `after` and `before`."""
    after_s = call.args.number("after", 0)
    before_s = call.args.number("before", 10**11)
    posts = [post for channel in channels for post in call.state.posts_of(channel.id)]
    for post in sorted(posts, key=lambda post: post.ts, reverse=True):
        in_time = after_s <= float(post.ts) < before_s
        if in_time and _has_words(unescape(post.text), words):
            yield _show_message(call, post)


def _show_message(call: Call, post: Post) -> JsonObject:
    author, channel = call.state.users.get(post.user), call.state.channels[post.channel]
    shown: JsonObject = {
        "author_name": author.real_name if author else "",
        "author_user_id": post.user,
        "team_id": call.app.team_id,
        "channel_id": post.channel,
        "channel_name": channel.name,
        "message_ts": post.ts,
        "content": post.text,
        "is_author_bot": post.bot_id is not None,
        "permalink": permalink(post),
    }
    if call.args.flag("include_context_messages"):
        shown["context_messages"] = _around(call, post)
    return shown


def _around(call: Call, post: Post) -> JsonObject:
    """The neighbours in the channel, which Slack adds on request."""
    posts = call.state.posts_of(post.channel)
    at = posts.index(post)
    brief = [{"user_id": p.user, "text": p.text, "ts": p.ts} for p in posts]
    return {"before": brief[max(0, at - 2) : at], "after": brief[at + 1 : at + 3]}


def _find_files(call: Call, channels: Channels, words: Words) -> Iterator[JsonObject]:
    if not call.app.has_any_scope("search:read.files"):
        return
    ids = {channel.id for channel in channels}
    for file in call.state.files.values():
        is_shared = any(share.channel in ids for share in file.shares)
        if is_shared and file.id not in call.state.deleted_files and _has_words(file.title, words):
            yield {
                "file_id": file.id,
                "title": file.title,
                "file_type": file.filetype,
                "uploader_user_id": file.user,
                "date_created": file.created_s,
            }


def _find_channels(_: Call, channels: Channels, words: Words) -> Iterator[JsonObject]:
    for channel in channels:
        if _has_words(channel.name, words):
            yield {"channel_id": channel.id, "name": channel.name, "topic": channel.topic}


def _find_users(call: Call, _: Channels, words: Words) -> Iterator[JsonObject]:
    if not call.app.has_any_scope("search:read.users"):
        return
    for user in call.state.users.values():
        if _has_words(f"{user.name} {user.real_name}", words):
            yield {"user_id": user.id, "full_name": user.real_name, "is_bot": user.is_bot}


_FINDERS: Mapping[str, Callable[[Call, Channels, Words], Iterator[JsonObject]]] = {
    "messages": _find_messages,
    "files": _find_files,
    "channels": _find_channels,
    "users": _find_users,
}


def search_info(_: Call) -> JsonObject:
    """Whether the team has the search by meaning; here the words are compared."""
    return {"is_ai_search_enabled": False}


METHODS: Methods = {
    "assistant.search.context": Method(run=search_context, scopes=_SCOPES, rate=TIER_3),
    "assistant.search.info": Method(run=search_info, scopes=_SCOPES, rate=TIER_2),
}
