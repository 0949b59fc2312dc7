"""Apps, accounts and decisions as people see them: names, deeds, buttons and forms. Pure.

A button carries the id of what is decided, and of a connection its apps; nothing else.
"""

import re
from typing import Literal

from agent_core.ids import ConsentId
from agent_core.messages import JsonObject
from agent_core.words import Words
from bot.render import limits, one_line

Button = Literal["approve", "approve_thread", "reject", "link", "skip", "check"]

PREFIX = "consent."
"""Of the names of all buttons and forms about approvals and connections."""
OPEN = "open"
REASON_CHARS = 1_000
LABEL_CHARS = 75

_STYLES: dict[Button, str] = {"approve": "primary", "reject": "danger", "link": "primary"}

_NAMES = {
    "airtable": "Airtable",
    "asana": "Asana",
    "bitbucket": "Bitbucket",
    "calendly": "Calendly",
    "clickup": "ClickUp",
    "confluence": "Confluence",
    "discord": "Discord",
    "docusign": "DocuSign",
    "dropbox": "Dropbox",
    "facebook": "Facebook",
    "figma": "Figma",
    "github": "GitHub",
    "gitlab": "GitLab",
    "gmail": "Gmail",
    "googlecalendar": "Google Calendar",
    "googledocs": "Google Docs",
    "googledrive": "Google Drive",
    "googlemeet": "Google Meet",
    "googlephotos": "Google Photos",
    "googlesheets": "Google Sheets",
    "googleslides": "Google Slides",
    "googletasks": "Google Tasks",
    "hubspot": "HubSpot",
    "intercom": "Intercom",
    "jira": "Jira",
    "linear": "Linear",
    "linkedin": "LinkedIn",
    "mailchimp": "Mailchimp",
    "microsoft_teams": "Microsoft Teams",
    "notion": "Notion",
    "one_drive": "OneDrive",
    "onedrive": "OneDrive",
    "outlook": "Outlook",
    "paypal": "PayPal",
    "quickbooks": "QuickBooks",
    "reddit": "Reddit",
    "salesforce": "Salesforce",
    "share_point": "SharePoint",
    "sharepoint": "SharePoint",
    "shopify": "Shopify",
    "slack": "Slack",
    "stripe": "Stripe",
    "todoist": "Todoist",
    "trello": "Trello",
    "twitter": "X (Twitter)",
    "whatsapp": "WhatsApp",
    "youtube": "YouTube",
    "zendesk": "Zendesk",
    "zoom": "Zoom",
}
_SPACING = re.compile(r"[\W_]+")
_SERVER = re.compile(r"^mcp__(\w+?)__")
_OF_APPS = ("composio", "rube")
"""Servers whose tools are those of many apps; which one is told elsewhere."""


def app_name(toolkit: str) -> str:
    """An app's name, safe to show; of one that we do not know, its words with capitals."""
    known = _NAMES.get(toolkit.strip().lower())
    if known is not None:
        return known
    words = " ".join(word[:1].upper() + word[1:] for word in _SPACING.split(toolkit) if word)
    return one_line(words, limits.PROGRESS_WORD_CHARS) or "…"


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
    return one_line(" ".join(words).capitalize(), limits.OPTION_CHARS) or "…"


def buttons(names: tuple[Button, ...], words: Words, value: str) -> JsonObject:
    """A row of buttons that carry the same value."""
    return {"type": "actions", "elements": [_button(name, words, value) for name in names]}


def link_button(number: int, label: str, url: str) -> JsonObject:
    """A button that opens an address; pressing it tells the bot nothing that it needs."""
    return {
        "type": "button",
        "action_id": f"{PREFIX}{OPEN}.{number}",
        "text": plain_text(label),
        "url": url,
        "style": "primary",
    }


def connection_value(consent: ConsentId, toolkits: tuple[str, ...]) -> str:
    """What the buttons of a connection carry; `read_value` reads it."""
    return f"{consent} {','.join(toolkits)}"


def read_value(value: str) -> tuple[ConsentId, tuple[str, ...]]:
    """The id and the apps; an approval's value has no apps."""
    consent, _, toolkits = value.partition(" ")
    return ConsentId(consent), tuple(filter(None, toolkits.split(",")))


def reason_form(consent: ConsentId, words: Words, *, language: str, place: str) -> JsonObject:
    """A modal for the reason of a rejection.

    Args:
        consent: What is rejected.
        words: Of the labels.
        language: Of what is said to the person afterwards.
        place: The thread where it was pressed, as a session's id.
    """
    return {
        "type": "modal",
        "callback_id": f"{PREFIX}reason",
        "private_metadata": f"{consent} {language} {place}",
        "title": plain_text(words("consent-reason-title"), 24),
        "submit": plain_text(words("consent-reason-title"), 24),
        "close": plain_text(words("consent-cancel"), 24),
        "blocks": [
            {
                "type": "input",
                "block_id": "reason",
                "optional": True,
                "label": plain_text(words("consent-reason-label")),
                "hint": plain_text(words("consent-reason-hint")),
                "element": {
                    "type": "plain_text_input",
                    "action_id": "reason",
                    "multiline": True,
                    "max_length": REASON_CHARS,
                },
            }
        ],
    }


def plain_text(text: str, max_chars: int = LABEL_CHARS) -> JsonObject:
    """A label, in which nothing is parsed."""
    return {"type": "plain_text", "text": text[:max_chars], "emoji": False}


def _button(name: Button, words: Words, value: str) -> JsonObject:
    style = {"style": _STYLES[name]} if name in _STYLES else {}
    return {
        "type": "button",
        "action_id": f"{PREFIX}{name}",
        "text": plain_text(words(f"consent-button-{name.replace('_', '-')}")),
        "value": value,
        **style,
    }
