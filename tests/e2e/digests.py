"""A team with a bot and a clock that is put forward by hand, as the tests of digests hold them."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from agent_core.schedules.rule import slots_after
from agent_core.schedules.schedule import Schedule, Slot
from bot.clicks import ScheduleClick
from bot.sandbox.model import ToolUse
from bot.sandbox.moments import SharedClock
from bot.sandbox.slack import Delivery, Post, View
from bot.sandbox.slack.wire import JsonObject
from bot.sandbox.watch import Watch
from tests.e2e.one_task import in_one_task
from tests.e2e.world import CHANNEL, Outside, World, bot_in, outside_world
from tests.faulty_slack import FaultySlack

FRIDAY = datetime(2026, 3, 27, 7, 0, tzinfo=UTC)
"""08:00 in Amsterdam and Berlin; the clocks there go forward on Sunday."""
NINE_ON_FRIDAY = datetime(2026, 3, 27, 8, 0, tzinfo=UTC)
NINE_ON_MONDAY = datetime(2026, 3, 30, 7, 0, tzinfo=UTC)
ORDER = "every weekday at 9 post a digest on battery storage in #energy"
HYDROGEN = "every weekday post a digest on hydrogen in #energy"
"""An order that says nothing of the time."""
ANSWER_S = 20.0
RUN_S = 30.0


def digest_answer(
    *lines: str, title: str = "Storage grows", details: str = "More of it."
) -> ToolUse:
    """What a model publishes."""
    told = [{"text": line, "source": "", "is_new": True} for line in lines]
    return ToolUse(
        name="publish_digest", input={"headline": title, "lines": told, "details": details}
    )


def reading(intent: str, **fields: object) -> ToolUse:
    """What the small model reads in the next message that it is asked about."""
    return ToolUse(name="read_order", input={"intent": intent, **fields})


@dataclass(frozen=True, slots=True, kw_only=True)
class Town:
    """What outlives a bot: the stand-ins and the clock that all of them go by."""

    outside: Outside
    clock: SharedClock


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """A running bot whose people order digests."""

    world: World
    clock: SharedClock
    watch: Watch

    async def say(
        self, text: str, read: ToolUse | None = None, *, user: str = "ann", channel: str = CHANNEL
    ) -> Post:
        """Someone mentions the bot in a new thread; its first post there.

        Without `read` the stand-in reads by itself, which it can with plain orders.
        """
        if read is not None:
            self.world.model.play(read)
        ts = await self.world.mention(text, user=user, channel=channel)
        return await self.next_post(ts, after=0, channel=channel)

    async def reply(self, text: str, post: Post, read: ToolUse | None = None) -> Post:
        """Ann writes into a post's thread; the bot's next post there."""
        if read is not None:
            self.world.model.play(read)
        before = len(self.world.bot_posts(post.root_ts, channel=post.channel))
        await self.world.slack.say("ann", post.channel, text, thread_ts=post.root_ts)
        return await self.next_post(post.root_ts, after=before, channel=post.channel)

    async def next_post(self, root_ts: str, *, after: int, channel: str = CHANNEL) -> Post:
        """The bot's post in a thread behind the first `after` of them."""

        def newest(_: object) -> list[Post]:
            return self.world.bot_posts(root_ts, channel=channel)[after:]

        return (await self.world.slack.wait_for(newest, timeout_s=ANSWER_S))[0]

    async def order(
        self, text: str = ORDER, *, user: str = "ann", channel: str = CHANNEL
    ) -> Schedule:
        """Someone orders a digest and agrees to what was understood."""
        proposal = await self.say(text, user=user, channel=channel)
        await self.press(proposal, "confirm", user=user)
        await self.decided(proposal)
        [*_, schedule] = await self.schedules()
        return schedule

    async def press(self, post: Post, button: str, *, user: str = "ann") -> Delivery:
        """Someone presses one of our buttons."""
        return await self.world.slack.click(user, post.channel, post.ts, f"digest.{button}")

    async def choose(
        self, listing: Post, entry: str, schedule: Schedule, *, user: str = "ann"
    ) -> None:
        """Someone chooses from the menu beside a schedule."""
        click = ScheduleClick.model_validate({"schedule": schedule.id, "verb": entry})
        value = click.encoded()
        [block_id] = [
            str(block["block_id"])
            for block in listing.blocks
            if value in str(block.get("accessory", ""))
        ]
        await self.world.slack.click(
            user, listing.channel, listing.ts, "digest.menu", value, block_id=block_id
        )

    async def decided(self, post: Post) -> Post:
        """A proposal as it is once it was answered."""
        return await self.once(post, lambda now: '"digest.confirm"' not in json.dumps(now.blocks))

    async def once(self, post: Post, holds: Callable[[Post], bool]) -> Post:
        """A post as it is once something holds of it."""

        def current(_: object) -> Post | None:
            now = self.world.slack.find(post.channel, post.ts)
            return now if holds(now) else None

        shown = await self.world.slack.wait_for(current, timeout_s=ANSWER_S)
        assert shown is not None
        return shown

    async def deliver_again(self, press: Delivery) -> None:
        """Slack delivers a press once more, as after an acknowledgement that it did not see."""
        again = await self.world.slack.backend.sockets.attempt(
            press.type, press.payload, attempt=press.attempt + 1, envelope_id=press.envelope_id
        )
        assert again.acked_at_s is not None

    async def told_alone(self, user: str, post: Post) -> str:
        """What a person was told in a post's thread for their eyes only."""
        slack, person = self.world.slack, self.world.slack.user_id(user)

        def told(_: object) -> list[str]:
            thread = slack.thread(post.channel, post.root_ts)
            return [each.text for each in thread if each.ephemeral_to == person]

        [text] = await slack.wait_for(told, timeout_s=ANSWER_S)
        return text

    async def form(self, user: str = "ann") -> View:
        """The modal that a person has open."""
        person = self.world.slack.user_id(user)

        def opened(slack: FaultySlack) -> View | None:
            return slack.backend.views.modal_of(person)

        view = await self.world.slack.wait_for(opened, timeout_s=ANSWER_S)
        assert view is not None
        return view

    async def fill_in(self, view: View, entered: Mapping[str, object]) -> JsonObject:
        """Submit a modal with what was entered, by action. Returns the errors that keep it open."""
        delivery = await self.world.slack.submit_view(view.user, view.id, entered)
        assert delivery.acked_at_s is not None
        return (delivery.answer or {}).get("errors", {})

    async def schedules(self) -> list[Schedule]:
        """Those that were agreed on and not deleted, by number."""
        return await self.world.runtime.schedules.of_team(self.world.slack.team_id)

    async def schedule(self, number: int) -> Schedule:
        return next(each for each in await self.schedules() if each.number == number)

    async def status(self, number: int) -> tuple[str, datetime | None]:
        """What a schedule is, and when it is due next."""
        schedule = await self.schedule(number)
        return schedule.status, schedule.next_due

    async def slots(self, schedule: Schedule) -> list[Slot]:
        """All slots of a schedule, oldest first."""
        found = await self.world.runtime.schedules.newest_slots(schedule.id, limit=100)
        return found[::-1]

    def roots(self, channel: str = "energy") -> list[Post]:
        """What the bot posted into a channel itself, oldest first."""
        slack = self.world.slack
        return [
            post
            for post in slack.posts(channel)
            if post.user == slack.bot_user_id and not post.is_reply and not post.ephemeral_to
        ]

    async def go_to(self, moment: datetime) -> None:
        """Put the clock forward, and stay until the bot has seen to all that is due by then."""
        self.clock.jump_to(moment.timestamp())
        await self.watch.until(
            lambda: self._has_seen_to(moment),
            timeout_s=RUN_S,
            otherwise=f"The bot has not seen to what was due at {moment}",
        )
        await self.rest()

    async def go_to_slot(self, schedule: Schedule) -> None:
        """Put the clock forward to a schedule's next slot."""
        current = await self.schedule(schedule.number)
        assert current.next_due is not None
        slots = slots_after(current.order.rule, current.next_due - timedelta(seconds=1))
        await self.go_to(next(slots))

    async def go_on_s(self, seconds: float) -> None:
        """Put the clock forward from where it is."""
        now = datetime.fromtimestamp(self.clock.now(), UTC)
        await self.go_to(now + timedelta(seconds=seconds))

    async def rest(self) -> None:
        """Stay until no turn and no slot is under way."""
        await self.watch.rest(timeout_s=RUN_S, settled_s=0.1)

    async def _has_seen_to(self, moment: datetime) -> bool:
        due = await self.watch.bot.next_due()
        return due is None or due > moment


@asynccontextmanager
async def town_on(root: Path) -> AsyncGenerator[Town]:
    """Stand-ins whose time begins on Friday; no bot yet."""
    clock = SharedClock(root / "clock", start_s=FRIDAY.timestamp())
    async with outside_world(root / "workspaces", slack_clock=clock) as outside:
        yield Town(outside=outside, clock=clock)


@asynccontextmanager
async def office_in(town: Town) -> AsyncGenerator[Office]:
    """A bot at work; several after each other in one town are restarts."""
    watch = Watch(town.outside.root, _nothing)
    try:
        async with bot_in(town.outside) as world:
            yield Office(world=world, clock=town.clock, watch=watch)
    finally:
        await watch.bot.close()


@asynccontextmanager
async def office_on(root: Path) -> AsyncGenerator[Office]:
    """A bot in a fresh town."""
    async with town_on(root) as town, office_in(town) as office:
        yield office


def buttons(post: Post) -> list[str]:
    """The labels of a post's buttons."""
    blocks = post.blocks
    return [
        str(element["text"]["text"])
        for block in blocks
        for element in block.get("elements", ())
        if element.get("type") == "button"
    ]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_office(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Office]:
    """One bot for a module's tests."""
    async with in_one_task(office_on(tmp_path_factory.mktemp("town"))) as office:
        yield office


@pytest_asyncio.fixture(loop_scope="module")
async def office(shared_office: Office) -> AsyncGenerator[Office]:
    """The module's bot, without the schedules of the tests before."""
    yield shared_office
    store = shared_office.world.runtime.schedules
    for schedule in await shared_office.schedules():
        await store.delete(schedule.id)


async def _nothing() -> None:
    await asyncio.sleep(0)
