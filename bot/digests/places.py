"""Channels in which digests are told, and who may order something there."""

import re
from dataclasses import dataclass

from agent_core.ids import UserId
from bot.slack_api import Conversation, People, Person, SlackApi
from bot.threads import parse_user

_ID = re.compile(r"[CGD][A-Z0-9]{5,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """A person, as far as they matter for a schedule."""

    user: str
    person: Person | None

    @property
    def is_admin(self) -> bool:
        return self.person is not None and self.person.is_admin

    @property
    def is_here(self) -> bool:
        """Whether they still belong to the workspace."""
        return self.person is not None and not self.person.is_deactivated


class Places:
    """Asks Slack about channels and their members."""

    def __init__(self, api: SlackApi, people: People) -> None:
        self._channels = api.channels
        self._people = people

    async def find(self, name: str) -> Conversation | None:
        """The channel of an id, or of a name among those that the bot is in.

        Raises:
            SlackError: Slack could not be asked.
        """
        if is_channel_id(name):
            return await self._channels.about(name)
        mine = await self._channels.mine()
        wanted = name.lower()
        return next((place for place in mine if place.name.lower() == wanted), None)

    async def about(self, channel: str) -> Conversation | None:
        """A channel by its id.

        Raises:
            SlackError: Slack could not be asked.
        """
        return await self._channels.about(channel)

    async def is_in(self, user: str, channel: str) -> bool:
        """Whether a person is a member; in a direct conversation whoever writes there is one.

        Raises:
            SlackError: Slack could not be asked.
        """
        return channel.startswith("D") or user in await self._channels.members(channel)

    async def asker(self, who: UserId) -> Asker:
        """The person behind a core's id.

        Raises:
            SlackError: Slack could not be asked.
        """
        _, user = parse_user(who)
        return Asker(user=user, person=await self._people.person(user))


def is_channel_id(name: str) -> bool:
    """Whether a channel is named by its id."""
    return _ID.fullmatch(name) is not None
