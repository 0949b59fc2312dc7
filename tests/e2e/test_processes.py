"""Two processes of the bot on one Postgres: either hears, either works, neither does it twice."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio
from sqlalchemy import Engine, Select, create_engine, select

from agent_core.ids import ROOT_RUN
from agent_core.sessions.schema import events, leases, ledger, turns
from bot.sandbox.slack.records import Post
from tests.bench.crash_world import CHANNEL, Asked, Outside, Traffic, op_of, outside_world
from tests.members import Members, members_on
from tests.postgres import driven, new_database

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.process("two bots share the work, and one dies"),
]

PROCESSES = 2
WORK_S = 60.0
WHILE_NOTES_COME_S = 60.0
MANY = 12
"""Slack's choice of a socket is random: so often, one of two is chosen at least once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """The processes, the people who ask, and a look into the database."""

    outside: Outside
    members: Members
    traffic: Traffic
    engine: Engine

    async def is_staffed(self) -> None:
        """Two processes run, whatever became of earlier ones."""
        await self.members.begin(PROCESSES - len(self.members.running))

    async def is_answered(self, asked: Asked, *, within_s: float = WORK_S) -> None:
        """Wait for the answer."""
        await self.outside.slack.wait_for(lambda _: self.answers(asked), timeout_s=within_s)

    def answers(self, asked: Asked) -> list[str]:
        """The first posts of the answers to one ask."""
        return [post.words for post in self.bot_posts() if op_of(post) == f"{asked.op_id}:0"]

    def bot_posts(self) -> list[Post]:
        slack = self.outside.slack
        return [post for post in slack.posts(CHANNEL) if post.user == slack.bot_user_id]

    async def is_settled(self) -> None:
        """Wait until all that was asked is answered; then nothing is there twice."""
        assert await self.traffic.settled(WORK_S)
        times = Counter(op for post in self.bot_posts() if (op := op_of(post)))
        assert [op for op, count in times.items() if count > 1] == []

    async def worker_on(self, asked: Asked) -> int:
        """The process that holds the thread's lease."""
        session = self._session(asked)
        return await self._process(select(leases.c.process).where(leases.c.session == session))

    async def hearer_of(self, asked: Asked) -> int:
        """The process that has recorded the gesture."""
        key = asked.op_id.removeprefix("turn:").removesuffix(":answer")
        return await self._process(select(ledger.c.process).where(ledger.c.key == key))

    async def is_queued(self, asked: Asked) -> None:
        """Wait until whoever works on the thread can find it."""
        turn = asked.op_id.removesuffix(":answer")
        await self._value(select(turns.c.id).where(turns.c.id == turn))

    async def is_under_way(self, asked: Asked) -> None:
        """Wait for a first reply of the model; there are several to come."""
        calls = self.outside.model.calls
        async with asyncio.timeout(WORK_S):
            while not any(asked.word in str(call.body) for call in calls):  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    async def has_sub_agent(self, asked: Asked) -> None:
        """Wait for a sub-agent to be at work on it."""
        turn = asked.op_id.removesuffix(":answer")
        query = select(events.c.run).where(events.c.turn == turn, events.c.run != ROOT_RUN)
        await self._value(query)

    def _session(self, asked: Asked) -> str:
        slack = self.outside.slack
        return f"{slack.team_id}:{slack.channel_id(CHANNEL)}:{asked.root_ts}"

    async def _process(self, query: Select[Any]) -> int:
        return int((await self._value(query)).split(":")[-2])

    async def _value(self, query: Select[Any]) -> str:
        """The first value of the first row, once there is one."""
        async with asyncio.timeout(WORK_S):
            while not (found := await asyncio.to_thread(self._look, query)):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        return found

    def _look(self, query: Select[Any]) -> str:
        with self.engine.connect() as connection:
            return str(connection.execute(query).scalar() or "")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def office(
    postgres_server: Any, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Office]:
    url = new_database(postgres_server)
    root = tmp_path_factory.mktemp("office")
    engine = create_engine(driven(url))
    async with (
        outside_world(root) as outside,
        members_on(url, outside.slack, root, outside.environment) as members,
    ):
        yield Office(outside=outside, members=members, traffic=Traffic(outside), engine=engine)
    engine.dispose()


async def test_each_mention_is_answered_once_whichever_process_hears_it(office: Office) -> None:
    await office.is_staffed()
    heard_by: set[int] = set()
    asked: list[Asked] = []
    while len(heard_by) < PROCESSES and len(asked) < MANY:
        asked.append(await office.traffic.ask("item"))
        heard_by.add(await office.hearer_of(asked[-1]))
    await office.is_settled()
    assert heard_by == set(office.members.running)
    assert [len(office.answers(each)) for each in asked] == [1] * len(asked)
    assert all(delivery.acked_at_s for delivery in office.outside.slack.deliveries)


async def test_a_message_that_another_process_hears_steers(office: Office) -> None:
    await office.is_staffed()
    may_go_on = office.outside.model.stall(WHILE_NOTES_COME_S, kinds={"scripted"})
    chain = await office.traffic.ask("chain")
    worker = await office.worker_on(chain)
    notes: list[Asked] = []
    hearer = worker
    while hearer == worker and len(notes) < MANY:
        notes.append(await office.traffic.ask("note", root_ts=chain.root_ts))
        hearer = await office.hearer_of(notes[-1])
    for note in notes:
        await office.is_queued(note)
    may_go_on.set()
    await office.is_settled()
    assert hearer == office.members.other_than(worker)
    [answer] = office.answers(chain)
    said, _, taken = answer.partition(" is done. ")
    assert said == chain.word
    assert sorted(taken.split()) == sorted(note.word for note in notes)


async def test_the_report_of_a_killed_process_is_finished_by_the_other(office: Office) -> None:
    await office.is_staffed()
    report = await office.traffic.ask("edition")
    await office.has_sub_agent(report)
    worker = await office.worker_on(report)
    await office.members.kill(worker)
    await office.is_answered(report)
    await office.is_settled()
    assert await office.worker_on(report) != worker
    assert len(office.answers(report)) == 1
    files = [file.name for post in office.bot_posts() for file in post.files]
    assert len(files) == 1
