"""A message that is taken up again, after whatever came of the first time, leaves the same."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest

from agent_core.ids import TurnId
from agent_core.messages import InboundMessage
from agent_core.runtime.timekeeper import Timekeeper
from agent_core.schedules.schedule import Schedule
from agent_core.sessions.database import Database
from agent_core.sessions.ledger import Marks
from agent_core.sessions.schedules import ScheduleStore
from bot.digests.clerk import Clerk, DigestLimits
from bot.digests.desk import Desk
from bot.digests.places import Places
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.slack.actions import blocks_of_post
from bot.slack_api import People, SkippingClock, SlackApi, SlackError, web_client
from bot.threads import ThreadRef, user_id

NOW = datetime(2026, 3, 27, 7, 0, tzinfo=UTC)
ORDER = "every weekday at 9 post a digest on battery storage"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A desk in a thread that Ann began, and the same desk in the process after a crash."""

    slack: SlackStandIn
    desk: Desk
    store: ScheduleStore
    thread: ThreadRef

    def message(self, text: str, number: int, *, user: str = "ann") -> InboundMessage:
        return InboundMessage(
            session=self.thread.session,
            key=f"message-{number}",
            asker=user_id(self.slack.team_id, self.slack.people[user]),
            author_name=user,
            text=text,
            received_at=NOW + timedelta(seconds=number),
            author_locale="en-US",
            author_zone="Europe/Berlin",
        )

    def posts(self) -> list[str]:
        thread = self.slack.thread("general", self.thread.root_ts)
        return [post.text for post in thread if post.user == self.slack.bot_user_id]

    def with_buttons(self) -> list[str]:
        """What the posts say that have buttons."""
        thread = self.slack.thread("general", self.thread.root_ts)
        return [
            post.text
            for post in thread
            if any(block["type"] == "actions" for block in blocks_of_post(post))
        ]

    async def agreed(self) -> list[Schedule]:
        return await self.store.of_team(self.slack.team_id)


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    database = Database(f"sqlite:///{tmp_path}/bot.db")
    await database.open()
    async with SlackStandIn(rate_limits=False) as slack, aiohttp.ClientSession() as session:
        client = web_client(slack.bot_token, base_url=slack.api_url, session=session)
        api = SlackApi(client, clock=SkippingClock())
        places = Places(api, People(api))
        store = ScheduleStore(database)
        timekeeper = Timekeeper(store, _begin_nothing, lambda: NOW, at_once=1)
        clerk = Clerk(timekeeper, places, lambda: NOW, DigestLimits())
        root = await slack.say("ann", "general", "the root")
        yield Table(
            slack=slack,
            desk=Desk(clerk, places, store, api, Marks(database), lambda: NOW),
            store=store,
            thread=ThreadRef(team=slack.team_id, channel=slack.channels["general"], root_ts=root),
        )
    await database.close()


async def _begin_nothing(message: InboundMessage) -> TurnId | None:
    raise AssertionError(message)


async def test_an_order_taken_up_again_is_proposed_once(table: Table) -> None:
    order = table.message(ORDER, 1)
    assert await table.desk.take(order)
    assert await table.desk.take(order)
    assert len(table.posts()) == 1


async def test_a_yes_taken_up_again_agrees_once(table: Table) -> None:
    assert await table.desk.take(table.message(ORDER, 1))
    for _ in range(2):
        assert await table.desk.take(table.message("yes", 2))
    [schedule] = await table.agreed()
    assert schedule.status == "active"
    assert len(table.posts()) == 1


@pytest.mark.parametrize(
    ("said", "agreed", "told"), [("yes", 1, "Scheduled as digest 1"), ("no", 0, "Not scheduled.")]
)
async def test_what_was_carried_out_and_not_told_is_told_the_next_time(
    table: Table, said: str, agreed: int, told: str
) -> None:
    assert await table.desk.take(table.message(ORDER, 1))
    table.slack.fail("chat.update", error="is_inactive")
    with pytest.raises(SlackError):
        await table.desk.take(table.message(said, 2))
    assert len(await table.agreed()) == agreed
    assert len(table.with_buttons()) == 1
    assert await table.desk.take(table.message(said, 2))
    assert len(await table.agreed()) == agreed
    assert table.with_buttons() == []
    [post] = table.posts()
    assert post.startswith(told)


async def test_a_correction_that_was_interrupted_is_finished_once(table: Table) -> None:
    assert await table.desk.take(table.message(ORDER, 1))
    table.slack.fail("chat.update", error="is_inactive")
    with pytest.raises(SlackError):
        await table.desk.take(table.message("no, at 10", 2))
    assert len(table.with_buttons()) == 2
    for _ in range(2):
        assert await table.desk.take(table.message("no, at 10", 2))
    [left] = table.with_buttons()
    assert "at 10:00" in left
    assert len(table.posts()) == 2
    assert await table.desk.take(table.message("yes", 3))
    [schedule] = await table.agreed()
    assert "BYHOUR=10" in schedule.order.rule.recurrence


async def test_an_old_message_that_comes_again_says_nothing_to_what_waits_now(
    table: Table,
) -> None:
    assert await table.desk.take(table.message(ORDER, 1))
    assert await table.desk.take(table.message("no, at 10", 2))
    assert await table.desk.take(table.message("about wine", 3))
    assert await table.desk.take(table.message("no, at 10", 2))
    [left] = table.with_buttons()
    assert left.startswith("*wine*\nEvery weekday at 10:00")
    assert len(table.posts()) == 3


async def test_a_refused_correction_leaves_the_proposal_waiting(table: Table) -> None:
    assert await table.desk.take(table.message(ORDER, 1))
    assert await table.desk.take(table.message("in #nowhere", 2))
    assert "#nowhere" in table.posts()[-1]
    assert await table.desk.take(table.message("ok", 3))
    assert len(await table.agreed()) == 1


async def test_another_persons_yes_is_not_the_desks(table: Table) -> None:
    assert await table.desk.take(table.message(ORDER, 1))
    assert not await table.desk.take(table.message("yes", 2, user="ben"))
    assert await table.agreed() == []


async def test_change_it_to_what_no_digest_can_be_is_the_agents(table: Table) -> None:
    assert await table.desk.take(table.message(ORDER, 1))
    assert await table.desk.take(table.message("yes", 2))
    assert not await table.desk.take(table.message("change it to a nicer tone", 3))
    assert await table.desk.take(table.message("change it to 10", 4))
    [schedule] = await table.agreed()
    assert "BYHOUR=10" in schedule.order.rule.recurrence


@pytest.mark.parametrize(
    ("order", "question", "answer"),
    [
        (
            "every Monday at 9 and every Friday at 16 post a digest on wine",
            "A digest follows one rule only. Which one shall I take: “every Monday at 09:00 "
            "(Europe/Berlin)” or “every Friday at 16:00 (Europe/Berlin)”? The other one can be a "
            "digest of its own.",
            "every Friday at 16:00 (Europe/Berlin)",
        ),
        (
            "poste jeden Montag um 9 und jeden Freitag um 16 Uhr einen Digest über Wein",
            "Ein Digest folgt nur einer Regel. Welche soll ich nehmen: „jeden Montag um 09:00 Uhr "
            "(Europe/Berlin)“ oder „jeden Freitag um 16:00 Uhr (Europe/Berlin)“? Die andere kann "
            "ein eigener Digest werden.",
            "die zweite",
        ),
        (
            "publie chaque lundi à 9h et chaque vendredi à 16h un digest sur le vin",
            "Un digest ne suit qu'une seule règle. Laquelle choisir : « chaque lundi à 09:00 "
            "(Europe/Berlin) » ou « chaque vendredi à 16:00 (Europe/Berlin) » ? L'autre peut "
            "devenir un digest à part.",
            "la deuxième",
        ),
        (
            "publica cada lunes a las 9 y cada viernes a las 16 un digest sobre vino",
            "Un digest sigue una sola regla. ¿Cuál tomo: «cada lunes a las 09:00 (Europe/Berlin)» "
            "o «cada viernes a las 16:00 (Europe/Berlin)»? La otra puede ser un digest aparte.",
            "la segunda",
        ),
    ],
)
async def test_of_two_rules_in_one_order_one_has_to_be_chosen(
    table: Table, order: str, question: str, answer: str
) -> None:
    assert await table.desk.take(table.message(order, 1))
    assert table.posts() == [question]
    assert await table.desk.take(table.message(answer, 2))
    assert await table.desk.take(table.message("ok", 3))
    [schedule] = await table.agreed()
    assert schedule.order.rule.recurrence == "FREQ=WEEKLY;BYDAY=FR;BYHOUR=16;BYMINUTE=0"
