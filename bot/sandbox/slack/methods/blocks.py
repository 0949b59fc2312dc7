"""blocks.validate: Block Kit checked without being shown to anybody."""

from bot.sandbox.slack.blocks import find_message_problems, find_view_problems
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.problems import Problem
from bot.sandbox.slack.rates import TIER_4
from bot.sandbox.slack.wire import JsonObject

_FORMS = ("blocks", "message", "view")


def validate(call: Call) -> JsonObject:
    """Check exactly one of an array of blocks, a message and a view."""
    given = [name for name in _FORMS if call.args.has(name)]
    if len(given) != 1:
        messages = ["[ERROR] provide exactly one of blocks, message and view"]
        raise ApiError("invalid_arguments", messages=messages)
    if problems := _find_problems(call, given[0]):
        raise ApiError(f"invalid_{given[0]}", errors=[problem.show() for problem in problems])
    return {}


def _find_problems(call: Call, form: str) -> list[Problem]:
    if form == "blocks":
        blocks = call.args.json_array("blocks", error="invalid_blocks")
        return find_message_problems({"blocks": blocks})
    payload = call.args.json_object(form, error=f"invalid_{form}") or {}
    if form == "message":
        return find_message_problems(payload, "/message")
    return find_view_problems(payload, "home" if payload.get("type") == "home" else "modal")


METHODS: Methods = {"blocks.validate": Method(run=validate, rate=TIER_4, access="anyone")}
