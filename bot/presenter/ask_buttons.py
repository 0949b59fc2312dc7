"""Buttons of Asks: their names, and the values by which a click names its Ask."""

from typing import Literal

from agent_core.ids import AskId
from agent_core.messages import JsonObject
from agent_core.words import Words
from bot.render import button

ConsentButton = Literal[
    "approve", "approve_thread", "edit", "reject", "details", "link", "skip", "check"
]

CONSENTS = "consent."
"""Of the names of all buttons and forms about approvals and connections."""
QUESTIONS = "question."
"""The same of questions."""
OPEN = "open"
"""Of a button that opens a link."""
_STYLES: dict[ConsentButton, str] = {"approve": "primary", "reject": "danger", "link": "primary"}


def consent_button(name: ConsentButton, words: Words, value: str) -> JsonObject:
    """A button of an approval or a connection."""
    label = words(f"consent-button-{name.replace('_', '-')}")
    return button(f"{CONSENTS}{name}", label, value, _STYLES.get(name, ""))


def ask_value(ask: AskId, more: object = "") -> str:
    """What a button carries: its Ask, and the number of an option or the names of apps."""
    return f"{ask} {more}".strip()


def read_value(value: str) -> tuple[AskId, str]:
    """The Ask of a button, and what else it carries."""
    ask, _, more = value.partition(" ")
    return AskId(ask), more
