"""Who is who in the workspace, remembered for a while."""

from collections import OrderedDict
from dataclasses import dataclass

from bot.slack_api.api import SlackApi
from bot.slack_api.records import Person

TTL_S = 300.0
MAX_PEOPLE = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    person: Person | None
    until_s: float


class People:
    """Users by id, asked for once per TTL, so that a deactivated user is noticed in time."""

    def __init__(
        self, api: SlackApi, *, ttl_s: float = TTL_S, max_people: int = MAX_PEOPLE
    ) -> None:
        self._api = api
        self._ttl_s = ttl_s
        self._max_people = max_people
        self._known: OrderedDict[str, _Known] = OrderedDict()

    async def person(self, user: str) -> Person | None:
        """The user, or None if Slack does not know or show them.

        Raises:
            SlackError: Slack could not be asked.
        """
        now = self._api.clock.seconds()
        known = self._known.get(user)
        if known is None or known.until_s <= now:
            known = _Known(person=await self._api.person(user), until_s=now + self._ttl_s)
            self._keep(user, known)
        return known.person

    async def names(self, users: set[str]) -> dict[str, str]:
        """Names of those users that Slack knows."""
        found = [await self.person(user) for user in sorted(users)]
        return {person.id: person.name for person in found if person is not None}

    def _keep(self, user: str, known: _Known) -> None:
        self._known[user] = known
        self._known.move_to_end(user)
        if len(self._known) > self._max_people:
            self._known.popitem(last=False)
