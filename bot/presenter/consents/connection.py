"""Connecting an account as posts: what everybody sees, and what the asker alone sees. Pure."""

from collections.abc import Mapping

from agent_core.events import AuthEnded, AuthRequired
from agent_core.ids import ConsentId, UserId
from agent_core.messages import JsonObject
from bot.presenter.consents.apps import app_name, app_names
from bot.presenter.consents.buttons import buttons, connection_value, link_button
from bot.presenter.consents.words import Words
from bot.render import Draft, local_time
from bot.threads import parse_user


def waiting_draft(event: AuthRequired, words: Words) -> Draft:
    """What everybody sees; it holds no link."""
    what = app_names(event.toolkits, words.conjunction)
    who, when = _mention(event.asker), local_time(event.deadline)
    text = words.to_connect.format(who=who, what=what, when=when)
    value = connection_value(event.consent, event.toolkits)
    return Draft(text=text, blocks=(_section(text), buttons(("link", "skip"), words, value)))


def ended_draft(event: AuthEnded, words: Words) -> Draft:
    """What that post becomes."""
    forms = {
        "connected": words.connected,
        "skipped": words.skipped,
        "expired": words.not_in_time,
        "overtaken": words.left_off,
    }[event.outcome]
    what = app_names(event.toolkits, words.conjunction)
    text = words.count(forms, len(event.toolkits), who=_mention(event.asker), what=what)
    return Draft(text=text, blocks=(_section(text),))


def link_draft(consent: ConsentId, links: Mapping[str, str], words: Words) -> Draft:
    """What the asker alone sees: for each app a button that opens its link."""
    toolkits = tuple(links)
    text = words.link.format(what=app_names(toolkits, words.conjunction))
    opening = [
        link_button(number, words.connect.format(what=app_name(toolkit)), url)
        for number, (toolkit, url) in enumerate(links.items(), start=1)
    ]
    row = buttons(("check",), words, connection_value(consent, toolkits))
    row["elements"] = [*opening, *row["elements"]]
    return Draft(text=text, blocks=(_section(text), row))


def _section(text: str) -> JsonObject:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _mention(user: UserId) -> str:
    return f"<@{parse_user(user)[1]}>"
