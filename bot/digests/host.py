"""Slack as the place where schedules are told: what stands against one, and what went wrong."""

import logging
from collections.abc import Awaitable, Callable

from agent_core.ids import UserId
from agent_core.runtime import Obstacle
from agent_core.schedules.schedule import Order, Schedule
from bot.digests import posts
from bot.digests.desk import language_of
from bot.digests.places import Places
from bot.digests.words import WORDS
from bot.slack_api import SlackApi, SlackError, SlackRefused
from bot.threads import parse_session, parse_user

CLEAR_FOR_S = 60.0
TELL_AGAIN_S = (2.0, 10.0, 30.0)

logger = logging.getLogger(__name__)


class DigestHost:
    """The `Host` of the core's timekeeper.

    Where nothing stands against a channel and an owner, nothing is asked for a minute: many digests
    are due at the same moment, and Slack bears few questions.
    """

    def __init__(self, api: SlackApi, places: Places) -> None:
        self._api = api
        self._places = places
        self._clear_until_s: dict[tuple[str, UserId], float] = {}

    async def obstacle(self, schedule: Schedule) -> Obstacle | None:
        """Looked for before each run.

        Raises:
            SlackError: Slack could not be asked.
        """
        order, now_s = schedule.order, self._api.clock.seconds()
        key = (order.place, order.owner)
        if self._clear_until_s.get(key, 0.0) > now_s:
            return None
        obstacle = await self._find(order)
        if obstacle is None:
            self._clear_until_s[key] = now_s + CLEAR_FOR_S
        return obstacle

    async def _find(self, order: Order) -> Obstacle | None:
        place = await self._places.about(order.place)
        if place is None:
            return "not_in_place"  # Slack says the same of private channels and of deleted ones
        if place.is_archived:
            return "place_closed"
        if not place.is_member and place.kind != "im":
            return "not_in_place"
        owner = await self._places.asker(order.owner)
        if not owner.is_here or not await self._places.is_in(owner.user, order.place):
            return "owner_left"
        return None

    async def tell_trouble(self, schedule: Schedule) -> None:
        """In the thread where it was ordered, and to its owner: the rest of the team is spared.

        What Slack does not take is left: the list of digests says the same. Of failures in a row
        only the first is told, and that it is paused.
        """
        if schedule.status == "active" and schedule.failures > 1:
            return
        text, order = _trouble(schedule), schedule.order
        op = f"{schedule.id}:trouble:{schedule.status}:{schedule.reason}:{schedule.failures}"
        origin = parse_session(order.origin)
        team, user = parse_user(order.owner)
        await self._insist(lambda: self._api.post(origin, text, op_id=op))
        if not origin.channel.startswith("D"):  # else the owner has just read it
            since, direct = origin.root_ts, f"{op}:direct"
            await self._insist(
                lambda: self._api.post_direct(team, user, text, op_id=direct, since=since)
            )

    async def _insist(self, tell: Callable[[], Awaitable[object]]) -> None:
        for wait_s in (*TELL_AGAIN_S, None):
            try:
                await tell()
            except SlackRefused as refused:
                logger.warning("trouble with a schedule is not told: %s", refused)
                return
            except SlackError as error:
                if wait_s is None:
                    logger.warning("trouble with a schedule could not be told: %s", error)
                    return
                await self._api.clock.sleep(wait_s)
            else:
                return


def _trouble(schedule: Schedule) -> str:
    language = language_of(schedule)
    words = WORDS[language]
    if schedule.status != "paused":
        return posts.named(words.failed, schedule)
    why = words.why_paused.get(schedule.reason, schedule.reason)
    return posts.named(words.paused_because, schedule, why=why)
