"""Apps, accounts and decisions as people see them: names, deeds, buttons and forms. Pure.

A button carries the id of what is decided, and of a connection its apps; nothing else.
"""

import re
from typing import Literal

from agent_core.ids import ConsentId
from agent_core.messages import JsonObject
from agent_core.runtime import name_of_app
from agent_core.words import Words
from bot.render import button, entry, foreign_line, limits, modal, plain_text

Button = Literal["approve", "approve_thread", "edit", "reject", "details", "link", "skip", "check"]

PREFIX = "consent."
"""Of the names of all buttons and forms about approvals and connections."""
OPEN = "open"
REASON_CHARS = 1_000

_STYLES: dict[Button, str] = {"approve": "primary", "reject": "danger", "link": "primary"}

_SPACING = re.compile(r"[\W_]+")
_SERVER = re.compile(r"^mcp__(\w+?)__")
_OF_APPS = ("composio", "rube")
"""Servers whose tools are those of many apps; which one is told elsewhere."""


def app_name(toolkit: str) -> str:
    """An app's name, safe to show."""
    return foreign_line(name_of_app(toolkit), limits.PROGRESS_WORD_CHARS) or "…"


def app_names(toolkits: tuple[str, ...], conjunction: str) -> str:
    """Several names as part of a sentence: `Gmail, Slack and GitHub`."""
    *others, last = [app_name(toolkit) for toolkit in toolkits] or ["…"]
    return f"{', '.join(others)} {conjunction} {last}" if others else last


def server_name(tool: str) -> str:
    """The server of a tool's full name, as people write it; empty where that says nothing."""
    named = _SERVER.match(tool)
    return app_name(named[1]) if named and named[1] not in _OF_APPS else ""


def deed(tool: str, toolkit: str) -> str:
    """What a tool does, from its name: `GMAIL_SEND_EMAIL` of `gmail` is `Send email`."""
    words = [word for word in _SPACING.split(_SERVER.sub("", tool).lower()) if word]
    of_app = [word for word in _SPACING.split(toolkit.lower()) if word]
    for prefix in (of_app, ["".join(of_app)]):
        if of_app and words[: len(prefix)] == prefix and len(words) > len(prefix):
            words = words[len(prefix) :]
            break
    return foreign_line(" ".join(words).capitalize(), limits.OPTION_CHARS) or "…"


def consent_button(name: Button, words: Words, value: str) -> JsonObject:
    """One of our buttons."""
    label = words(f"consent-button-{name.replace('_', '-')}")
    return button(f"{PREFIX}{name}", label, value, _STYLES.get(name, ""))


def link_button(number: int, label: str, url: str, value: str) -> JsonObject:
    """A button that opens an address, and tells the bot that it was opened."""
    opening = button(f"{PREFIX}{OPEN}.{number}", label, value, "primary")
    return {**opening, "url": url}


def connection_value(consent: ConsentId, toolkits: tuple[str, ...]) -> str:
    """What the buttons of a connection carry; `read_value` reads it."""
    return f"{consent} {','.join(toolkits)}"


def read_value(value: str) -> tuple[ConsentId, tuple[str, ...]]:
    """The id and the apps; an approval's value has no apps."""
    consent, _, toolkits = value.partition(" ")
    return ConsentId(consent), tuple(filter(None, toolkits.split(",")))


def reason_form(words: Words, about: str) -> JsonObject:
    """A modal for the reason of a rejection; `about` says of what, and where it was pressed."""
    element = {"type": "plain_text_input", "multiline": True, "max_length": REASON_CHARS}
    label, hint = words("consent-reason-label"), plain_text(words("consent-reason-hint"))
    title = words("consent-reason-title")
    return modal(
        f"{PREFIX}reason",
        title,
        title,
        words("consent-cancel"),
        private_metadata=about,
        blocks=[entry("reason", label, element, optional=True, hint=hint)],
    )
