"""The names of apps and of what they do, as people write them. Pure."""

import re

from bot.render import limits, one_line

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
