"""The card of a connection, and the links that its asker alone sees. Pure but for `fresh_links`.

A link for connecting an account is for one person's eyes: it is in no post that others see, in no
log, and in nothing that the bot keeps.
"""

from collections.abc import Awaitable, Callable, Sequence

from agent_core.errors import AskRefused
from agent_core.events import AuthEnded, AuthRequired
from agent_core.ids import AskId, UserId
from agent_core.messages import JsonObject
from agent_core.words import Words
from bot import clicks
from bot.clicks import ConnectionClick
from bot.presenter.ask_buttons import consent_button
from bot.presenter.tools import app_name, app_names
from bot.render import (
    PostDraft,
    card,
    local_time,
    mention,
)

ConnectLink = Callable[[AskId, UserId, str], Awaitable[str]]
"""Gives a person a fresh link for an app. Raises `AskRefused` where they get none."""


def connection_draft(event: AuthRequired, words: Words) -> PostDraft:
    """The card while the accounts are waited for."""
    text = words(
        "consent-to-connect",
        who=mention(event.asker),
        what=app_names(event.toolkits, words("consent-conjunction")),
        when=local_time(event.deadline),
    )
    link = ConnectionClick(kind="consent.link", ask=event.ask, apps=event.toolkits)
    skip = ConnectionClick(kind="consent.skip", ask=event.ask, apps=event.toolkits)
    return card(text, consent_button(link, words), consent_button(skip, words))


def connection_ended_draft(event: AuthEnded, words: Words) -> PostDraft:
    """The card once the accounts are connected, or are not waited for any more."""
    text = words(
        f"consent-ended-{event.outcome}",
        n=len(event.toolkits),
        who=mention(event.asker),
        what=app_names(event.toolkits, words("consent-conjunction")),
    )
    return card(text)


async def fresh_links(
    connect_link: ConnectLink,
    ask: AskId,
    asker: UserId,
    toolkits: Sequence[str],
    words: Words,
) -> PostDraft:
    """What the asker alone sees: for each app a button that opens its link.

    An app that gives none now does not cost the others. Raises AskRefused where they get none.
    """
    links: dict[str, str] = {}
    for toolkit in toolkits:
        try:
            links[toolkit] = await connect_link(ask, asker, toolkit)
        except AskRefused as refused:
            if refused.why != "no_link":
                raise
    if not links:
        raise AskRefused("no_link")
    buttons: list[JsonObject] = []
    for number, (toolkit, url) in enumerate(links.items(), start=1):
        label = words("consent-connect", what=app_name(toolkit))
        click = ConnectionClick(kind="consent.open", ask=ask, apps=(toolkit,))
        buttons.append(
            {
                **clicks.button(
                    label,
                    click,
                    "primary",
                    number=number,
                ),
                "url": url,
            }
        )
    check = ConnectionClick(kind="consent.check", ask=ask, apps=tuple(links))
    buttons.append(consent_button(check, words))
    apps = app_names(tuple(links), words("consent-conjunction"))
    return card(words("consent-link", what=apps), *buttons)
