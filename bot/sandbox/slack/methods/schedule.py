"""chat.scheduleMessage and its relatives."""

from dataclasses import replace

from bot.sandbox.slack import limits
from bot.sandbox.slack.content import read_content
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.messages import show_post
from bot.sandbox.slack.methods.chat import build_post
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.methods.paging import read_page
from bot.sandbox.slack.rates import TIER_3
from bot.sandbox.slack.records import Post
from bot.sandbox.slack.wire import JsonObject

_WINDOW_S = 300
_MAX_IN_WINDOW = 30


def schedule(call: Call) -> JsonObject:
    """Post later. As Slack warns, a scheduled post with metadata is never posted."""
    channel = call.posting_channel()
    post_at_s = _read_post_at(call, channel.id)
    post = build_post(call, channel, read_content(call.args, call.state.ids))
    scheduled_id = call.state.ids.fresh("Q")
    entry = {"id": scheduled_id, "channel_id": channel.id, "post_at": post_at_s, "text": post.text}
    call.state.scheduled[scheduled_id] = entry
    if post.metadata is None:
        call.workspace.background.start(_post_later(call, scheduled_id, post, post_at_s))
    shown = show_post(call.state, post)
    del shown["ts"]
    return {
        "channel": channel.id,
        "scheduled_message_id": scheduled_id,
        "post_at": post_at_s,
        "message": shown,
    }


def _read_post_at(call: Call, channel: str) -> int:
    post_at_s, now_s = call.args.number("post_at", 0), call.state.clock.now()
    if post_at_s <= 0:
        raise ApiError("invalid_time")
    if post_at_s <= now_s:
        raise ApiError("time_in_past")
    if post_at_s > now_s + limits.MAX_SCHEDULE_AHEAD_S:
        raise ApiError("time_too_far")
    same_window = [
        entry
        for entry in call.state.scheduled.values()
        if entry["channel_id"] == channel
        and entry["post_at"] // _WINDOW_S == post_at_s // _WINDOW_S
    ]
    if len(same_window) >= _MAX_IN_WINDOW:
        raise ApiError("restricted_too_many")
    return post_at_s


async def _post_later(call: Call, scheduled_id: str, post: Post, at_s: int) -> None:
    await call.state.clock.sleep_until(at_s)
    if call.state.scheduled.pop(scheduled_id, None) is not None:
        call.workspace.add_post(replace(post, ts=call.state.ids.fresh_ts()))


def delete(call: Call) -> JsonObject:
    """Call a scheduled post off."""
    scheduled_id = call.args.required("scheduled_message_id")
    entry = call.state.scheduled.get(scheduled_id)
    if entry is None or entry["channel_id"] != call.args.required("channel"):
        raise ApiError("invalid_scheduled_message_id")
    del call.state.scheduled[scheduled_id]
    return {}


def list_scheduled(call: Call) -> JsonObject:
    """The posts that are still to come."""
    channel = call.args.text("channel")
    entries = [e for e in call.state.scheduled.values() if channel in (None, e["channel_id"])]
    page, metadata = read_page(call.args, entries, default=100, maximum=1000)
    return {"scheduled_messages": list(page), "response_metadata": metadata}


METHODS: Methods = {
    "chat.scheduleMessage": Method(run=schedule, scopes=("chat:write",), rate=TIER_3),
    "chat.deleteScheduledMessage": Method(run=delete, scopes=("chat:write",), rate=TIER_3),
    "chat.scheduledMessages.list": Method(run=list_scheduled, rate=TIER_3),
}
