"""Buttons of approvals and connections: each with the label and the style of its kind."""

from agent_core.messages import JsonObject
from agent_core.words import Words
from bot import clicks
from bot.clicks import ApprovalClick, ConnectionClick

_STYLES = {"consent.approve": "primary", "consent.reject": "danger", "consent.link": "primary"}


def consent_button(click: ApprovalClick | ConnectionClick, words: Words) -> JsonObject:
    """A button of an approval or a connection."""
    name = click.kind.partition(".")[2]
    label = words(f"consent-button-{name.replace('_', '-')}")
    return clicks.button(label, click, _STYLES.get(click.kind, ""))
