"""apps.*: opening a socket, and manifests with an app configuration token."""

import secrets

from bot.sandbox.slack.errors import ApiError, missing_field
from bot.sandbox.slack.manifest import find_manifest_problems
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.problems import Problem
from bot.sandbox.slack.rates import TIER_1, TIER_3
from bot.sandbox.slack.wire import JsonObject


def open_connection(call: Call) -> JsonObject:
    """Give out the address of a socket, good for one connection."""
    ticket = call.workspace.sockets.issue_ticket()
    base = call.base_url.replace("http", "ws", 1)
    return {"url": f"{base}/link/?ticket={ticket}&app_id={call.app.id}"}


def validate_manifest(call: Call) -> JsonObject:
    """Say whether a manifest would be taken, and if not, what is wrong with it."""
    _check_manifest(call)
    return {"errors": []}


def create_app(call: Call) -> JsonObject:
    """Make an app of a manifest. It is not installed: the stand-in has one installed app."""
    _check_manifest(call)
    app_id = call.state.ids.fresh("A")
    names = ("client_id", "client_secret", "verification_token", "signing_secret")
    return {
        "app_id": app_id,
        "credentials": {name: secrets.token_hex(12) for name in names},
        "oauth_authorize_url": f"https://slack.com/oauth/v2/authorize?client_id={app_id}",
    }


def _check_manifest(call: Call) -> None:
    if not call.args.has("manifest"):
        raise missing_field("manifest")
    manifest = call.args.json_object("manifest", error="invalid_manifest")
    if problems := find_manifest_problems(manifest or {}):
        raise _invalid_manifest(problems)


def _invalid_manifest(problems: list[Problem]) -> ApiError:
    return ApiError("invalid_manifest", errors=[problem.show() for problem in problems])


METHODS: Methods = {
    "apps.connections.open": Method(run=open_connection, rate=TIER_3, access="app"),
    "apps.manifest.validate": Method(run=validate_manifest, rate=TIER_3, access="config"),
    "apps.manifest.create": Method(run=create_app, rate=TIER_1, access="config"),
}
