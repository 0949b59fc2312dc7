"""views.*: modals and App Home."""

from bot.sandbox.slack.errors import ApiError, missing_field
from bot.sandbox.slack.messages import show_view
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.rates import TIER_4
from bot.sandbox.slack.wire import JsonObject


def _body(call: Call) -> JsonObject:
    body = call.args.json_object("view")
    if body is None:
        raise missing_field("view")
    return body


def _user_of_trigger(call: Call) -> str:
    trigger_id = call.args.text("trigger_id") or call.args.text("interactivity_pointer")
    if not trigger_id:
        raise missing_field("trigger_id")
    return call.workspace.triggers.exchange(trigger_id)


def open_view(call: Call) -> JsonObject:
    """Open a modal for the person whose gesture gave the trigger."""
    body = _body(call)
    return {"view": show_view(call.state, call.workspace.modals.open(_user_of_trigger(call), body))}


def push_view(call: Call) -> JsonObject:
    """Lay a modal on top of the person's open one."""
    body = _body(call)
    return {"view": show_view(call.state, call.workspace.modals.push(_user_of_trigger(call), body))}


def update_view(call: Call) -> JsonObject:
    """Replace the content of a view."""
    modals, args = call.workspace.modals, call.args
    view = modals.find(args.text("view_id"), args.text("external_id"))
    updated = modals.update(view, _body(call), expected_hash=args.text("hash"))
    return {"view": show_view(call.state, updated)}


def publish_view(call: Call) -> JsonObject:
    """Set a person's App Home."""
    user = call.args.required("user_id")
    if not call.app.is_home_enabled:
        raise ApiError("not_enabled")
    if user not in call.state.users:
        raise ApiError("missing_profile_id")
    view = call.workspace.modals.publish(user, _body(call), expected_hash=call.args.text("hash"))
    return {"view": show_view(call.state, view)}


METHODS: Methods = {
    "views.open": Method(run=open_view, rate=TIER_4),
    "views.push": Method(run=push_view, rate=TIER_4),
    "views.update": Method(run=update_view, rate=TIER_4),
    "views.publish": Method(run=publish_view, rate=TIER_4),
}
