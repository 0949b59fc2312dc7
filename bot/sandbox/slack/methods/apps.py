"""apps.*: opening a socket."""

from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.rates import TIER_3
from bot.sandbox.slack.wire import JsonObject


def open_connection(call: Call) -> JsonObject:
    """Give out the address of a socket, good for one connection."""
    ticket = call.workspace.sockets.issue_ticket()
    base = call.base_url.replace("http", "ws", 1)
    return {"url": f"{base}/link/?ticket={ticket}&app_id={call.app.id}"}


METHODS: Methods = {
    "apps.connections.open": Method(run=open_connection, rate=TIER_3, access="app"),
}
