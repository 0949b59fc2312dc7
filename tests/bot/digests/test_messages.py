"""A message that is taken up again, after whatever came of the first time, leaves the same."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from agent_core.ids import SessionId, TurnId, UserId
from agent_core.messages import Attachment, InboundMessage, ToolCall
from agent_core.models import ModelRequest
from agent_core.runtime.schedules import Timekeeper
from agent_core.runtime.scopes import scope_settings
from agent_core.schedules.order_reader import OrderReader, PendingOrder
from agent_core.schedules.schedule import Schedule
from agent_core.sessions import Database, DatabaseTrouble, ScheduleStore
from agent_core.settings import CoreSettings
from agent_core.testing.models import ScriptedModel, call
from bot.digests.messages import DigestMessages
from bot.digests.orders import DigestOrders
from bot.settings import BotSettings
from bot.slack_api import People, SkippingClock, SlackApi, SlackError, web_client
from bot.threads import ThreadRef, user_id
from tests.faulty_slack import FaultySlack

NOW = datetime(2026, 3, 27, 7, 0, tzinfo=UTC)
FILE = Attachment(name="a.txt", path="downloads/a.txt", mimetype="text/plain", size_bytes=3)
ORDER = "every weekday at 9 post a digest on battery storage"
NINE = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0"
TEN = NINE.replace("=9", "=10")
DAILY = "FREQ=DAILY"
READ: dict[str, dict[str, object]] = {
    ORDER: {"intent": "order", "task": "battery storage", "rrule": NINE},
    "every day a digest on hydrogen": {"intent": "order", "task": "hydrogen", "rrule": DAILY},
    "every day a digest on tides": {"intent": "order", "task": "tides", "rrule": DAILY},
    "at 9": {"intent": "change", "rrule": f"{DAILY};BYHOUR=9;BYMINUTE=0"},
    "at 17": {"intent": "change", "rrule": f"{DAILY};BYHOUR=17;BYMINUTE=0"},
    "no, at 10": {"intent": "change", "rrule": TEN},
    "about wine": {"intent": "change", "task": "wine"},
    "pause it": {"intent": "pause"},
    "delete it": {"intent": "delete"},
}
"""What the small model reads in a message; in any other one it reads nothing."""


def reading(request: ModelRequest) -> ToolCall:
    """As the model reads the message that it is asked about."""
    words = request.messages[0].text.partition("<message>\n")[2].partition("\n</message>")[0]
    return call("read_order", READ.get(words, {"intent": "none"}))


class FailingStore(ScheduleStore):
    """Its database goes away before a message is noted as dealt with, once."""

    fails = False

    async def save_pending(self, session: SessionId, person: UserId, pending: PendingOrder) -> None:
        if self.fails:
            self.fails = False
            raise DatabaseTrouble("away")
        await super().save_pending(session, person, pending)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A thread that Ann began, and who takes what is said there about digests."""

    slack: FaultySlack
    digests: DigestMessages
    store: FailingStore
    thread: ThreadRef
    model: ScriptedModel

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

    def proposals(self) -> list[str]:
        """What the posts say that ask for a yes."""
        thread = self.slack.thread("general", self.thread.root_ts)
        return [post.text for post in thread if "digest.confirm" in str(post.blocks)]

    async def agreed(self) -> list[Schedule]:
        return await self.store.of_team(self.slack.team_id)


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    database = Database(f"sqlite:///{tmp_path}/bot.db")
    await database.open()
    async with FaultySlack(rate_limits=False) as slack, aiohttp.ClientSession() as session:
        client = web_client(slack.bot_token, base_url=slack.api_url, session=session)
        api = SlackApi(client, clock=SkippingClock())
        store = FailingStore(database)
        timekeeper = Timekeeper(store, _begin_nothing, lambda: NOW, at_once=1)
        scopes = scope_settings(database, CoreSettings.model_construct())
        orders = DigestOrders(
            store, timekeeper, api, People(api), lambda: NOW, BotSettings(), scopes
        )
        root = await slack.say("ann", "general", "the root")
        model = ScriptedModel([reading] * 20)
        yield Table(
            slack=slack,
            digests=DigestMessages(orders, OrderReader(model)),
            store=store,
            thread=ThreadRef(team=slack.team_id, channel=slack.channels["general"], root_ts=root),
            model=model,
        )
    await database.close()


async def _begin_nothing(message: InboundMessage) -> TurnId | None:
    raise AssertionError(message)


@pytest.mark.proves("digest.click")
async def test_an_order_taken_up_again_is_read_and_proposed_once(table: Table) -> None:
    order = table.message(ORDER, 1)
    assert await table.digests.take(order)
    assert await table.digests.take(order)
    assert len(table.posts()) == 1
    assert len(table.model.requests) == 1


@pytest.mark.parametrize(
    "text",
    [
        "A digest on wind farms, please",
        "Schick mir montags um 9 das Neueste zu Wärmepumpen",
        "Je veux recevoir ici tous les matins l'actualité des batteries",
        "Todos los lunes, noticias de baterías",
    ],
)
async def test_words_of_an_order_in_several_languages_are_worth_a_call(
    text: str, table: Table
) -> None:
    assert not await table.digests.take(table.message(text, 1))
    assert len(table.model.requests) == 1


async def test_an_answer_that_slack_did_not_take_is_given_the_next_time(table: Table) -> None:
    table.slack.fail("chat.postMessage", error="is_inactive")
    with pytest.raises(SlackError):
        await table.digests.take(table.message(ORDER, 1))
    assert await table.digests.take(table.message(ORDER, 1))
    [post] = table.posts()
    assert post.startswith("*battery storage*\nEvery weekday at 09:00")


@pytest.mark.parametrize("said", ["yes", "no", "no, at 10", "delete it"])
async def test_a_message_that_was_dealt_with_and_not_noted_leaves_the_same_when_it_comes_again(
    table: Table, said: str
) -> None:
    assert await table.digests.take(table.message(ORDER, 1))
    table.store.fails = True
    with pytest.raises(DatabaseTrouble):
        await table.digests.take(table.message(said, 2), is_order=True)
    before = table.posts()
    assert await table.digests.take(table.message(said, 2))
    assert table.posts() == before
    assert len(await table.agreed()) == (said == "yes")


@pytest.mark.parametrize(
    ("said", "agreed", "told"), [("yes", 1, "Scheduled as digest 1"), ("no", 0, "Not scheduled.")]
)
async def test_what_was_carried_out_and_not_told_is_told_the_next_time(
    table: Table, said: str, agreed: int, told: str
) -> None:
    assert await table.digests.take(table.message(ORDER, 1))
    table.slack.fail("chat.update", error="is_inactive")
    with pytest.raises(SlackError):
        await table.digests.take(table.message(said, 2))
    assert len(await table.agreed()) == agreed
    assert len(table.proposals()) == 1
    assert await table.digests.take(table.message(said, 2))
    assert len(await table.agreed()) == agreed
    assert table.proposals() == []
    [post] = table.posts()
    assert post.startswith(told)


async def test_a_correction_that_was_interrupted_is_finished_once(table: Table) -> None:
    assert await table.digests.take(table.message(ORDER, 1))
    table.slack.fail("chat.update", error="is_inactive")
    with pytest.raises(SlackError):
        await table.digests.take(table.message("no, at 10", 2))
    assert len(table.proposals()) == 2
    for _ in range(2):
        assert await table.digests.take(table.message("no, at 10", 2))
    [left] = table.proposals()
    assert "at 10:00" in left
    assert len(table.posts()) == 2
    assert await table.digests.take(table.message("yes", 3))
    [schedule] = await table.agreed()
    assert "BYHOUR=10" in schedule.order.rule.recurrence


async def test_an_old_message_that_comes_again_says_nothing_to_what_waits_now(table: Table) -> None:
    assert await table.digests.take(table.message(ORDER, 1))
    assert await table.digests.take(table.message("no, at 10", 2))
    assert await table.digests.take(table.message("about wine", 3))
    assert await table.digests.take(table.message("no, at 10", 2))
    [left] = table.proposals()
    assert left.startswith("*wine*\nEvery weekday at 10:00")
    assert len(table.posts()) == 3


async def test_the_questions_of_two_people_in_one_thread_do_not_mix(table: Table) -> None:
    said = [("ann", "hydrogen", "at 9"), ("ben", "tides", "at 17")]
    for number, (user, task, _) in enumerate(said):
        order = f"every day a digest on {task}"
        assert await table.digests.take(table.message(order, number, user=user))
    for number, (user, _, time) in enumerate(said, start=2):
        assert await table.digests.take(table.message(time, number, user=user))
    [_, _, of_ann, of_ben] = table.posts()
    assert of_ann.startswith("*hydrogen*\nEvery day at 09:00")
    assert of_ben.startswith("*tides*\nEvery day at 17:00")


@pytest.mark.proves("digest.click_by")
async def test_another_persons_words_are_not_about_the_order(table: Table) -> None:
    assert await table.digests.take(table.message(ORDER, 1))
    for number, words in enumerate(("yes", "no, at 10"), start=2):
        assert not await table.digests.take(table.message(words, number, user="ben"))
    assert await table.agreed() == []
    assert len(table.proposals()) == 1


async def test_what_does_not_smell_of_an_order_is_not_read(table: Table) -> None:
    assert not await table.digests.take(table.message("pause it", 1))
    assert table.model.requests == []
    assert await table.digests.take(table.message("pause it", 2), is_order=True)
    assert table.posts() == ["There is no such digest. “List digests” shows them all."]


@pytest.mark.parametrize(
    "change",
    [{"scheduled": True}, {"attachments": (FILE,)}, {"background": ORDER, "text": "what is new?"}],
)
@pytest.mark.proves("digest.material")
async def test_only_a_persons_own_words_reach_the_reader(
    table: Table, change: dict[str, Any]
) -> None:
    message = replace(table.message(ORDER, 1), **change)
    assert not await table.digests.take(message)
    assert not await table.digests.take(message, is_order=True)
    assert ORDER not in str([request.messages for request in table.model.requests])
    assert table.posts() == []
