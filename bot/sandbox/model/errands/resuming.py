"""Going on with an order that stopped because an account was not connected."""

import re
from dataclasses import replace

from bot.sandbox.model.conversation import Conversation, Exchange
from bot.sandbox.model.intent import is_bare_continuation, request_in
from bot.sandbox.model.orders import read_request

CONNECTED = re.compile(
    r"^\W*(?:(?:i(?:'m| am|'ve| have)?|it(?:'s| is)?|ich (?:bin|habe)|ist)\s+)?(?:now\s+|jetzt\s+)?"
    r"(?:done|connected|fertig|erledigt|verbunden|try again|noch ?mal)\b[^\n]{0,40}$",
    re.IGNORECASE,
)


def resume(conversation: Conversation) -> Conversation:
    """The conversation with the stopped order as what is asked now, where a word says to go on.

    The calls that asked for the account are left out, so that it is asked for once more.
    """
    asked = conversation.asked
    if not conversation.earlier or not (is_bare_continuation(asked) or CONNECTED.search(asked)):
        return conversation
    stopped = conversation.earlier[-1]
    if not _waits_for_account(stopped):
        return conversation
    kept = tuple(call for call in stopped.calls if call.purpose != "manage_connections")
    tried = tuple(call for call in stopped.attempted if call.purpose != "manage_connections")
    now = replace(
        conversation.now,
        asked=stopped.asked,
        calls=kept + conversation.now.calls,
        attempted=tried + conversation.now.attempted,
        interjected=stopped.interjected + conversation.now.interjected,
    )
    return replace(conversation, exchanges=(*conversation.earlier[:-1], now))


def _waits_for_account(exchange: Exchange) -> bool:
    """Whether the last thing done for an order was to ask for an account."""
    last = exchange.attempted[-1] if exchange.attempted else None
    has_order = bool(read_request(request_in(exchange.words)).orders)
    return has_order and last is not None and last.purpose == "manage_connections"
