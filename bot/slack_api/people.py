"""Who is who in the workspace, remembered for a while."""

import asyncio
from weakref import WeakValueDictionary

from cachetools import TTLCache

from bot.slack_api.api import SlackApi
from bot.slack_api.records import Person

TTL_S = 300.0
MAX_PEOPLE = 2_000


class People:
    """Users by id, asked for once per TTL, so that a deactivated user is noticed in time."""

    def __init__(
        self, api: SlackApi, *, ttl_s: float = TTL_S, max_people: int = MAX_PEOPLE
    ) -> None:
        self._api = api
        self._known: TTLCache[str, Person | None] = TTLCache(
            max_people, ttl_s, timer=api.clock.seconds
        )
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def person(self, user: str) -> Person | None:
        """The user, or None if Slack does not know or show them. Many who ask at once ask once.

        Raises:
            SlackError: Slack could not be asked.
        """
        async with self._asking.setdefault(user, asyncio.Lock()):
            try:
                return self._known[user]
            except KeyError:
                self._known[user] = person = await self._api.person(user)
                return person

    async def names(self, users: set[str]) -> dict[str, str]:
        """Names of those users that Slack knows."""
        found = [await self.person(user) for user in sorted(users)]
        return {person.id: person.name for person in found if person is not None}
