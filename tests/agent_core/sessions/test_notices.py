"""Two processes on one Postgres: the readers of either see what the other one announces."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from agent_core.background import Background
from agent_core.events import AnyEvent, TextDelta
from agent_core.ids import SessionId
from agent_core.sessions import EventLog, WriteBehind
from tests.agent_core.sessions.announced import OTHER_TURN, TURN, Announced, whole_turn
from tests.agent_core.sessions.databases import opened

TIMEOUT_S = 30
SESSION = SessionId("T1:C1:1.000001")

pytestmark = pytest.mark.process("a database server")


@asynccontextmanager
async def member(url: str) -> AsyncGenerator[EventLog]:
    """The log of one process, which hears of the others."""
    async with opened(url) as database:
        behind, background = WriteBehind(database), Background()
        log = EventLog(database, behind)
        behind.start()
        log.share(background)
        yield log
        await background.close()
        await behind.close()


class Reader:
    """Reads a session in a task; `until` waits for what it has seen."""

    def __init__(self, log: EventLog, background: Background) -> None:
        self.seen: list[AnyEvent] = []
        self._changed = asyncio.Condition()
        background.start(self._read(log))

    async def _read(self, log: EventLog) -> None:
        async for _, event in log.read(SESSION):
            async with self._changed:
                self.seen.append(event)
                self._changed.notify_all()

    async def until(self, wanted: list[AnyEvent]) -> None:
        """Until all of them are there."""
        async with asyncio.timeout(TIMEOUT_S), self._changed:
            await self._changed.wait_for(lambda: all(each in self.seen for each in wanted))


@pytest.mark.proves("console.every_process")
async def test_a_reader_sees_events_of_another_process_each_once_in_order(
    postgres_url: str,
) -> None:
    readers = Background()
    async with member(postgres_url) as here, member(postgres_url) as there:
        first, second = whole_turn(), whole_turn(OTHER_TURN)
        reader = Reader(here, readers)
        for event in first:
            await there.append(event)
        await reader.until(first)
        for event in second:
            await (there if event.kind == "turn_started" else here).append(event)
        await reader.until(second)
        await readers.close()
    assert [event for event in reader.seen if event.turn == TURN] == first
    assert len(reader.seen) == len(first) + len(second)


@pytest.mark.proves("console.every_process")
async def test_text_that_is_only_live_reaches_readers_in_another_process(postgres_url: str) -> None:
    readers, made = Background(), Announced()
    started = made.started()
    async with member(postgres_url) as here, member(postgres_url) as there:
        reader = Reader(here, readers)
        await there.append(started)
        await reader.until([started])
        text = ""
        while not text:  # until the other one is heard
            await there.append(made.delta("Hel"))
            await there.append(made.delta("lo \ud83d."))
            marker = made.called("look")
            await there.append(marker)
            await reader.until([marker])
            text = "".join(e.text for e in reader.seen if isinstance(e, TextDelta))
        await readers.close()
    assert text.startswith("Hello \ud83d.")


@pytest.mark.proves("console.every_process")
async def test_a_reader_misses_nothing_while_the_server_was_away(own_postgres: Any) -> None:
    server, url = own_postgres
    readers, made = Background(), Announced()
    async with member(url) as here, member(url) as there:
        reader = Reader(here, readers)
        events: list[AnyEvent] = [made.started()]
        await there.append(events[0])
        await reader.until(events)
        await asyncio.to_thread(server.stop)
        events += [made.called("look"), made.called("read")]
        for event in events[1:]:
            await there.append(event)
        await asyncio.to_thread(server.start)
        await reader.until(events)
        await readers.close()
    assert reader.seen == events
