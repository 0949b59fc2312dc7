"""Slack as the place where schedules are told: what stands against one, and what went wrong."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime

from agent_core.ids import UserId
from agent_core.messages import JsonObject
from agent_core.runtime import Obstacle
from agent_core.schedules.schedule import Order, Schedule
from bot.digests import posts
from bot.digests.clerk import Places
from bot.inbound import mentioned_users, plain_text
from bot.slack_api import People, SlackApi, SlackError, SlackRefused
from bot.threads import parse_session, parse_user

CLEAR_FOR_S = 60.0
TELL_AGAIN_S = (2.0, 10.0, 30.0)
MAX_POSTS = 300
MAX_POST_CHARS = 600
MAX_MATERIAL_CHARS = 30_000
UNREADABLE = "The posts of the channel that this is about could not be read: say so, plainly."

logger = logging.getLogger(__name__)


class DigestHost:
    """The `Host` of the core's timekeeper.

    Where nothing stands against a channel and an owner, nothing is asked for a minute: many digests
    are due at the same moment, and Slack bears few questions.
    """

    def __init__(self, api: SlackApi, places: Places, people: People) -> None:
        self._api = api
        self._places = places
        self._people = people
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
        owner = await self._places.person(order.owner)
        is_here = owner is not None and not owner.is_deactivated
        if not is_here or not await self._places.is_in(parse_user(order.owner)[1], order.place):
            return "owner_left"
        return None

    async def material(self, schedule: Schedule, since: datetime) -> str:
        """The posts that a digest about a channel is made of, oldest first; the newest are kept."""
        order = schedule.order
        if not order.reads:
            return ""
        try:
            if not await self._places.may_read(order.reads, order.owner):
                return UNREADABLE
            said = await self._posts(order.reads, since)
            names = await self._people.names(
                {post.user for post in said} | {u for p in said for u in mentioned_users(p.text)}
            )
        except SlackError as error:
            logger.warning("schedule %s: its channel could not be read: %s", schedule.id, error)
            return UNREADABLE
        lines = [_line(post, names) for post in said]
        while sum(map(len, lines)) > MAX_MATERIAL_CHARS:
            del lines[0]
        head = f"Posts in the channel since {since:%Y-%m-%d %H:%M} UTC, as material:"
        return "\n".join([head, *(lines or ["(none)"])])

    async def _posts(self, channel: str, since: datetime) -> list["_Post"]:
        found: list[_Post] = []
        async with aclosing(
            self._api.channels.history(channel, oldest=f"{since.timestamp():.6f}")
        ) as pages:
            async for page in pages:
                found += [each for raw in page if (each := _persons_post(raw)) is not None]
                if len(found) >= MAX_POSTS:
                    break
        return found[:MAX_POSTS][::-1]

    async def tell_trouble(self, schedule: Schedule) -> None:
        """In the thread where it was ordered, and to its owner: the rest of the team is spared.

        What Slack does not take is left: the list of digests says the same. Of failures in a row
        only the first is told, and that it is paused.
        """
        if schedule.status == "active" and schedule.failures > 1:
            return
        text, order = posts.trouble(schedule), schedule.order
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


@dataclass(frozen=True, slots=True)
class _Post:
    user: str
    ts: str
    text: str


def _persons_post(raw: JsonObject) -> _Post | None:
    """What a person said; posts of bots, joins and other notices are none."""
    user, text = str(raw.get("user") or ""), str(raw.get("text") or "")
    if raw.get("subtype") or raw.get("bot_id") or not user or not text:
        return None
    return _Post(user, str(raw.get("ts") or "0"), text)


def _line(post: _Post, names: dict[str, str]) -> str:
    """One line, so that no post can speak in another's name."""
    said = " ".join(plain_text(post.text, names=names).split())[:MAX_POST_CHARS]
    at = datetime.fromtimestamp(float(post.ts), UTC)
    return f"{names.get(post.user, post.user)} ({at:%m-%d %H:%M}): {said}"
