"""users.*, and who one is: api.test, auth.test, team.info, bots.info."""

from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.messages import show_user
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.methods.paging import read_page
from bot.sandbox.slack.rates import TIER_2, TIER_3, TIER_4, UNLIMITED
from bot.sandbox.slack.records import User
from bot.sandbox.slack.wire import JsonObject


def _show(call: Call, user: User) -> JsonObject:
    shown = show_user(
        user,
        now_s=call.state.clock.now(),
        with_email="users:read.email" in call.app.scopes,
        with_locale=call.args.flag("include_locale"),
    )
    is_stranger = user.team_id != call.app.team_id
    return shown | ({"is_stranger": True} if is_stranger else {})


def info(call: Call) -> JsonObject:
    """One user."""
    user = call.state.users.get(call.args.required("user"))
    if user is None:
        raise ApiError("user_not_found")
    return {"user": _show(call, user)}


def list_users(call: Call) -> JsonObject:
    """Everyone in the team, bots included."""
    users = list(call.state.users.values())
    page, metadata = read_page(call.args, users, default=200, maximum=1000)
    return {
        "members": [_show(call, user) for user in page],
        "cache_ts": int(call.state.clock.now()),
        "response_metadata": metadata,
    }


def look_up_by_email(call: Call) -> JsonObject:
    """The user with an address."""
    email = call.args.required("email").lower()
    for user in call.state.users.values():
        if user.email == email:
            return {"user": _show(call, user)}
    raise ApiError("users_not_found")


def test_auth(call: Call) -> JsonObject:
    """Who the token belongs to."""
    bot = call.state.team.bot
    return {
        "url": "https://sandbox.slack.com/",
        "team": "Sandbox",
        "user": bot.name,
        "team_id": call.app.team_id,
        "user_id": bot.id,
        "bot_id": call.app.bot_id,
        "is_enterprise_install": False,
    }


def team_info(call: Call) -> JsonObject:
    """The team."""
    asked = call.args.text("team")
    if asked and asked != call.app.team_id:
        raise ApiError("team_not_found")
    team = {"id": call.app.team_id, "name": "Sandbox", "url": "https://sandbox.slack.com/"}
    return {"team": {**team, "domain": "sandbox", "email_domain": "sandbox.test", "icon": {}}}


def bot_info(call: Call) -> JsonObject:
    """A bot of the team, the app itself by default."""
    asked = call.args.text("bot") or call.app.bot_id
    for user in call.state.users.values():
        if user.bot_id == asked:
            bot = {"id": user.bot_id, "user_id": user.id, "app_id": user.app_id}
            return {"bot": {**bot, "name": user.name, "deleted": False, "icons": {}}}
    raise ApiError("bot_not_found")


def test_api(call: Call) -> JsonObject:
    """Give back what was sent; `error` makes it fail with that code."""
    if error := call.args.text("error"):
        raise ApiError(error, fields={"args": call.args.values})
    return {"args": call.args.values} if call.args.values else {}


METHODS: Methods = {
    "api.test": Method(run=test_api, rate=UNLIMITED, access="anyone"),
    "users.info": Method(run=info, scopes=("users:read",), rate=TIER_4),
    "users.list": Method(run=list_users, scopes=("users:read",), rate=TIER_2),
    "users.lookupByEmail": Method(run=look_up_by_email, scopes=("users:read.email",)),
    "auth.test": Method(run=test_auth, rate=UNLIMITED),
    "team.info": Method(run=team_info, scopes=("team:read",), rate=TIER_3),
    "bots.info": Method(run=bot_info, scopes=("users:read",), rate=TIER_3),
}
