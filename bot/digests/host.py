"""The timekeeper's host in Slack: what stands against a schedule, and what went wrong with one."""

import logging
from collections.abc import Awaitable
from datetime import datetime

from cachetools import TTLCache

from agent_core.ids import UserId
from agent_core.runtime.schedules import Obstacle, Schedule
from bot.digests import posts
from bot.digests.orders import DigestOrders
from bot.slack_api import Op, SlackApi, SlackError
from bot.surface import channel_lines, material
from bot.threads import parse_session, parse_user

CLEAR_FOR_S = 60.0
MAX_CLEAR = 1_000
UNREADABLE = "The posts of the channel that this is about could not be read: say so, plainly."

logger = logging.getLogger(__name__)


class DigestHost:
    """The `Host` of the core's timekeeper.

    Where nothing stands against a channel and an owner, nothing is asked for a minute: many digests
    are due at the same moment, and Slack bears few questions.
    """

    def __init__(self, api: SlackApi, orders: DigestOrders) -> None:
        self._api = api
        self._orders = orders
        self._clear: TTLCache[tuple[str, UserId], bool] = TTLCache(
            MAX_CLEAR, CLEAR_FOR_S, timer=api.clock.seconds
        )

    async def obstacle(self, schedule: Schedule) -> Obstacle | None:
        """Looked for before each run. Raises SlackError where Slack could not be asked."""
        channel, owner = schedule.order.place, schedule.order.owner
        if (channel, owner) in self._clear:
            return None
        about = await self._api.channels.about(channel)
        obstacle = await self._orders.obstacle(about, owner)
        if obstacle is None:
            self._clear[channel, owner] = True
        return obstacle

    async def material(self, schedule: Schedule, since: datetime) -> str:
        """The posts that a digest about a channel is made of, oldest first; the newest are kept."""
        order = schedule.order
        if not order.reads:
            return ""
        try:
            if not await self._orders.may_read(order):
                return UNREADABLE
            lines = await channel_lines(
                self._api,
                self._orders.people,
                order.reads,
                since,
            )
        except SlackError as error:
            logger.warning("schedule %s: its channel could not be read: %s", schedule.id, error)
            return UNREADABLE
        head = f"Posts in the channel since {since:%Y-%m-%d %H:%M} UTC, as material:"
        return material(head, lines)

    async def tell_trouble(self, schedule: Schedule) -> None:
        """In the thread where it was ordered, and to its owner: the rest of the team is spared.

        What Slack does not take is left: the list of digests says the same. Of failures in a row
        only the first is told, and that it is paused.
        """
        if schedule.status == "active" and schedule.failures > 1:
            return
        text, order = posts.trouble(schedule), schedule.order
        op = Op(schedule.id).part(
            "trouble",
            schedule.status,
            schedule.reason,
            schedule.failures,
        )
        origin = parse_session(order.origin)
        team, user = parse_user(order.owner)
        await _try(self._api.post(origin, text, op=op))
        if not origin.channel.startswith("D"):  # else the owner has just read it
            since = origin.root_ts
            await _try(
                self._api.post_direct(
                    team,
                    user,
                    text,
                    op=op.directly(),
                    since=since,
                )
            )


async def _try(telling: Awaitable[object]) -> None:
    try:
        await telling
    except SlackError as error:
        logger.warning("trouble with a schedule is not told: %s", error)
