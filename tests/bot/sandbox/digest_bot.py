"""A small bot that takes orders for digests: the database's real tables, one rule, no model."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agent_core.clock import WallClock
from agent_core.ids import SessionId, UserId
from agent_core.schedules.rule import Rule
from agent_core.schedules.schedule import Order, ScheduleId, Slot
from agent_core.sessions import Database
from agent_core.sessions.schedules import ScheduleStore
from bot.sandbox.driving import Driver
from bot.sandbox.moments import Moment, SharedClock, read_moment
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.timelapse import Patience, Timelapse
from bot.sandbox.watch import Watch
from tests.bot.sandbox.slack.echo_bot import Body, bolt_app, listener, socket_mode

START = read_moment("2026-03-27T08:59:50 Europe/Berlin")
WEEKDAYS_AT_9 = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0;BYSECOND=0"
ORDER = ScheduleId("order-1")
LISTEN_S = 0.02


@dataclass(slots=True, kw_only=True)
class Manners:
    """How the bot behaves."""

    buttons: tuple[tuple[str, str], ...] = (("digest.confirm", "Agree"), ("digest.drop", "No"))
    """Action ids and labels of what it asks with."""
    is_slow: bool = False
    """It asks only when `DigestBot.ask` is set."""
    posts: bool = True
    begins: bool = True


class DigestBot:
    """Answers a mention with buttons; a press orders a digest for every weekday."""

    def __init__(self, slack: SlackStandIn, database: Database, clock: WallClock) -> None:
        self.manners = Manners()
        self.ask = asyncio.Event()
        self.pressed: list[str] = []
        self.slots: list[datetime] = []
        self.app = bolt_app(slack)
        self._slack = slack
        self._store = ScheduleStore(database)
        self._clock = clock
        listener(self.app.event("app_mention"))(self._propose)
        listener(self.app.event("message"))(self._overhear)
        for action_id in ("digest.confirm", "digest.drop"):
            listener(self.app.action(action_id))(self._take)

    async def _overhear(self) -> None:
        """Not for this bot."""

    async def _propose(self, event: Body) -> None:
        if self.manners.is_slow:
            await self.ask.wait()
        buttons = [
            {"type": "button", "action_id": name, "text": {"type": "plain_text", "text": label}}
            for name, label in self.manners.buttons
        ]
        blocks = [{"type": "actions", "elements": buttons}] if buttons else None
        await self.app.client.chat_postMessage(
            channel=event["channel"], thread_ts=event["ts"], text="Shall I?", blocks=blocks
        )

    async def _take(self, ack: Any, body: Body) -> None:
        await ack()
        self.pressed.append(body["actions"][0]["action_id"])
        await self.order()

    async def order(self) -> None:
        """From now on a digest is due on every weekday at 9 in Berlin."""
        now = self._clock.now().replace(microsecond=0)
        order = Order(
            team=self._slack.team_id,
            place=self._slack.channels["news"],
            owner=UserId("ann"),
            owner_name="Ann",
            owner_locale="en-GB",
            task="batteries",
            rule=Rule(recurrence=WEEKDAYS_AT_9, zone="Europe/Berlin", begins=now),
            when_nothing_new="post",
            origin=SessionId("slack:general"),
        )
        await self._store.propose(ORDER, order, now)
        await self._store.activate(ORDER, now)

    async def cancel(self) -> None:
        await self._store.delete(ORDER)

    async def keep_time(self) -> None:
        """Post what is due, as long as it is not cancelled."""
        while True:
            if self.manners.begins:
                for schedule in await self._store.due(self._clock.now(), limit=10):
                    slot = await self._store.claim(schedule, self._clock.now())
                    await self._run(slot) if slot else None
            await asyncio.sleep(LISTEN_S)

    async def _run(self, slot: Slot) -> None:
        await self._store.begin(slot)
        self.slots.append(slot.at)
        root = ""
        if self.manners.posts:
            client, news = self.app.client, self._slack.channels["news"]
            root = (await client.chat_postMessage(channel=news, text=f"Digest {slot.at}"))["ts"]
            await client.chat_postMessage(channel=news, thread_ts=root, text="The details")
        await self._store.end(slot, "posted" if root else "nothing_new", root=root)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A sandbox with that bot in it, and a person who drives it."""

    slack: SlackStandIn
    bot: DigestBot
    clock: SharedClock
    watch: Watch
    driver: Driver
    moment: Moment

    def timelapse(self, patience: Patience) -> Timelapse:
        return Timelapse(
            self.clock,
            self.watch,
            count=lambda: len(self.driver.roots()),
            told=self.moment.told,
            patience=patience,
        )

    def local_times(self) -> list[str]:
        return [slot.astimezone(UTC).isoformat() for slot in self.bot.slots]


async def _fine() -> None:
    """The bot lives and listens."""


@asynccontextmanager
async def staged(
    directory: Path, *, button_timeout_s: float = 30.0, with_tables: bool = True
) -> AsyncGenerator[Stage, None]:
    """It is nearly nine on a Friday in Berlin, and the bot listens."""
    clock = SharedClock(directory / "clock", start_s=START.at_s)
    database = Database(f"sqlite:///{directory}/state.sqlite")
    if with_tables:
        await database.open()
    watch = Watch(directory, _fine)
    async with SlackStandIn(clock=clock) as slack:
        bot = DigestBot(slack, database, WallClock(clock.file))
        driver = Driver(slack, watch, be_connected=_fine, button_timeout_s=button_timeout_s)
        async with socket_mode(bot.app, slack):
            keeping = asyncio.create_task(bot.keep_time()) if with_tables else None
            yield Stage(slack=slack, bot=bot, clock=clock, watch=watch, driver=driver, moment=START)
            if keeping is not None:
                keeping.cancel()
                await asyncio.wait({keeping})
    await watch.close()
    await database.close()
