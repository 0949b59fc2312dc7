"""agents.sessions.* and assistant.threads.*: what an agent shows around its threads."""

from bot.sandbox.slack import limits
from bot.sandbox.slack.errors import ApiError, missing_field
from bot.sandbox.slack.messages import show_session_status
from bot.sandbox.slack.methods.chat import read_custom_author
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.rates import STATUS_UPDATES, TIER_3, TIER_4
from bot.sandbox.slack.records import Channel, SuggestedPrompts
from bot.sandbox.slack.wire import JsonArray, JsonObject, as_object

_NO_STOP_BUTTON = "missing_agent_session_stopped_event_subscription"


def _session_place(call: Call) -> tuple[Channel, str]:
    channel = call.joined_channel("channel_id")
    thread_ts = call.args.text("thread_ts")
    if not thread_ts:
        raise ApiError("thread_ts_required")
    return channel, thread_ts


def set_session_status(call: Call) -> JsonObject:
    """Set the status of a thread's agent session."""
    channel, thread_ts = _session_place(call)
    status, title = call.args.required("status"), call.args.text("title") or ""
    if len(title) > limits.MAX_TITLE:
        raise ApiError("invalid_arguments")
    read_custom_author(call)
    initiator = call.args.text("initiator_user_id")
    if initiator and initiator not in call.state.users:
        raise ApiError("user_not_found")
    session = call.workspace.sessions.set_status(
        channel.id, thread_ts, status, title=title, initiator=initiator
    )
    answer = show_session_status(session)
    if not call.app.is_subscribed("agent_session_stopped"):
        answer |= {
            "warning": _NO_STOP_BUTTON,
            "response_metadata": {"warnings": [_NO_STOP_BUTTON]},
        }
    return answer


def rename_session(call: Call) -> JsonObject:
    """Give an agent session another title."""
    channel, thread_ts = _session_place(call)
    title = call.args.text("title") or ""
    limits.check_title(title)
    is_known = call.workspace.sessions.find(channel.id, thread_ts) is not None
    if not is_known and call.state.find_post(channel.id, thread_ts) is None:
        raise ApiError("session_not_found")
    return {"title": call.workspace.sessions.set_title(channel.id, thread_ts, title).title}


def set_thread_status(call: Call) -> JsonObject:
    """Show a status line under a thread, or clear it."""
    channel, thread_ts = _thread(call)
    if not call.args.has("status"):
        raise missing_field("status")
    messages = [str(m) for m in call.args.json_array("loading_messages") or ()]
    if len(messages) > limits.MAX_LOADING_MESSAGES:
        raise ApiError("invalid_arguments")
    read_custom_author(call)
    call.workspace.sessions.set_status_line(
        channel.id, thread_ts, call.args.text("status") or "", tuple(messages)
    )
    return {}


def _thread(call: Call) -> tuple[Channel, str]:
    channel, thread_ts = call.joined_channel("channel_id"), call.args.required("thread_ts")
    post = call.state.find_post(channel.id, thread_ts)
    if post is None or post.is_reply:
        raise ApiError("invalid_thread_ts")
    return channel, thread_ts


def set_thread_title(call: Call) -> JsonObject:
    """Set the title of a thread's session."""
    channel, thread_ts = _thread(call)
    call.workspace.sessions.set_title(channel.id, thread_ts, call.args.required("title"))
    return {}


def set_suggested_prompts(call: Call) -> JsonObject:
    """Shown in the messages tab; with a `thread_ts` accepted and, as in Slack, not shown."""
    channel = call.joined_channel("channel_id")
    prompts = _read_prompts(call.args.json_array("prompts"))
    if not call.args.has("thread_ts"):
        title = call.args.text("title") or ""
        shown = SuggestedPrompts(channel=channel.id, title=title, prompts=prompts)
        call.state.set_prompts(shown)
    return {}


def _read_prompts(given: JsonArray | None) -> tuple[JsonObject, ...]:
    prompts = [as_object(prompt) or {} for prompt in given or ()]
    is_complete = all(prompt.get("title") and prompt.get("message") for prompt in prompts)
    if not 1 <= len(prompts) <= limits.MAX_PROMPTS or not is_complete:
        raise ApiError("invalid_arguments")
    return tuple(prompts)


METHODS: Methods = {
    "agents.sessions.setStatus": Method(
        run=set_session_status, scopes=("chat:write",), rate=TIER_3
    ),
    "agents.sessions.rename": Method(run=rename_session, scopes=("chat:write",), rate=TIER_3),
    "assistant.threads.setStatus": Method(
        run=set_thread_status, scopes=("chat:write",), rate=STATUS_UPDATES
    ),
    "assistant.threads.setTitle": Method(
        run=set_thread_title, scopes=("assistant:write",), rate=TIER_4
    ),
    "assistant.threads.setSuggestedPrompts": Method(
        run=set_suggested_prompts, scopes=("assistant:write",), rate=TIER_4
    ),
}
