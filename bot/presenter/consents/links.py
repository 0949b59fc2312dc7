"""Links for connecting accounts, on their way from the core to one person's eyes.

A link is in no post that others see, in no log, and in nothing that the bot keeps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agent_core.errors import ConsentRefused
from agent_core.ids import ConsentId, UserId
from agent_core.prompts.language import Language
from bot.presenter.consents.connection import link_draft
from bot.presenter.consents.words import WORDS
from bot.slack_api import SlackApi
from bot.threads import parse_user


class Links(Protocol):
    """Where links come from, the core's `Consents`."""

    async def connect_link(self, consent: ConsentId, by: UserId, toolkit: str) -> str:
        """A fresh link. Raises `ConsentRefused` where `by` gets none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ear:
    """Where one person is told something that nobody else hears."""

    user: UserId
    channel: str
    thread_ts: str
    language: Language


class LinkWhisperer:
    """Tells a person their links."""

    def __init__(self, api: SlackApi, links: Links) -> None:
        self._api = api
        self._links = links

    async def tell(self, ear: Ear, consent: ConsentId, toolkits: Sequence[str]) -> None:
        """Show a fresh link for each app to this person alone.

        Raises:
            ConsentRefused: They get none.
            SlackError: Slack did not show it.
        """
        found = await self._find(ear.user, consent, toolkits)
        draft = link_draft(consent, found, WORDS[ear.language])
        await self._api.post_ephemeral(
            ear.channel,
            parse_user(ear.user)[1],
            draft.text,
            blocks=draft.blocks,
            thread_ts=ear.thread_ts,
        )

    async def _find(
        self, by: UserId, consent: ConsentId, toolkits: Sequence[str]
    ) -> dict[str, str]:
        """Those that can be had; an app that gives none now does not cost the others."""
        found: dict[str, str] = {}
        for toolkit in toolkits:
            try:
                found[toolkit] = await self._links.connect_link(consent, by, toolkit)
            except ConsentRefused as refused:
                if refused.why != "no_link":
                    raise
        if not found:
            raise ConsentRefused("There is no link for any of the apps.", why="no_link")
        return found
