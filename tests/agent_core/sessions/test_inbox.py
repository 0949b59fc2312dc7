"""Messages in a busy session: who takes them in, and what an order to stop concerns."""

import pytest

from agent_core.ids import ProcessId
from agent_core.sessions import Database, Inbox, SessionStore, Stop, StoredTurn
from agent_core.testing.runtimes import inbound

STOP = Stop(by="Ben", why="asked")
SESSION = inbound("").session


@pytest.fixture
def inbox(database: Database) -> Inbox:
    return Inbox(database)


async def queued(store: SessionStore, number: int) -> StoredTurn:
    turn = await store.add_turn(inbound(f"message {number}", number=number))
    assert turn is not None
    return turn


async def at_work(store: SessionStore) -> StoredTurn:
    turn = await queued(store, 1)
    assert await store.mark_running(turn.id)
    return await store.turn(turn.id)


async def test_the_same_messages_come_when_a_place_is_asked_again(
    store: SessionStore, inbox: Inbox
) -> None:
    turn = await at_work(store)
    first = await queued(store, 2)
    assert [taken.id for taken in await inbox.take(turn, "1:1")] == [first.id]
    second = await queued(store, 3)
    assert [taken.id for taken in await inbox.take(turn, "1:1")] == [first.id, second.id]
    assert await inbox.take(turn, "1:2") == ()
    assert [taken.id for taken in await inbox.taken_by(turn.id)] == [first.id, second.id]


async def test_a_turn_that_is_to_stop_takes_nothing_more(store: SessionStore, inbox: Inbox) -> None:
    turn = await at_work(store)
    early = await queued(store, 2)
    assert await inbox.has_messages(turn)
    await inbox.take(turn, "1:1")
    await inbox.stop(SESSION, STOP)
    late = await queued(store, 3)
    assert not await inbox.has_messages(turn)
    assert [taken.id for taken in await inbox.take(turn, "1:1")] == [early.id]
    assert await inbox.take(turn, "1:2") == ()
    assert (await store.turn(late.id)).status == "queued"


async def test_a_message_that_was_taken_back_is_not_taken_in(
    store: SessionStore, inbox: Inbox
) -> None:
    turn = await at_work(store)
    message = await queued(store, 2)
    assert await inbox.stop_turn(message.id, Stop(by="", why="deleted"))
    assert await inbox.take(turn, "1:1") == ()


async def test_an_order_to_stop_concerns_what_was_written_before_it(
    store: SessionStore, inbox: Inbox
) -> None:
    turn, second = await at_work(store), await queued(store, 2)
    order, later = await queued(store, 3), await queued(store, 4)
    stopped = await inbox.stop(SESSION, STOP, before=order.seq)
    assert [each.id for each in stopped] == [turn.id, second.id]
    assert (await store.turn(later.id)).stop is None


async def test_of_several_orders_the_first_one_holds_and_all_are_heeded(
    store: SessionStore, inbox: Inbox
) -> None:
    turn = await at_work(store)
    for name in ("Ben", "Ann"):
        assert await inbox.stop(SESSION, Stop(by=name, why="asked"))
    assert (await store.turn(turn.id)).stop == STOP


async def test_what_is_to_stop_is_news_only_to_the_process_that_holds_it(
    store: SessionStore, inbox: Inbox
) -> None:
    await at_work(store)
    await inbox.stop(SESSION, STOP)
    assert await inbox.news(ProcessId("another"), inbound("").received_at) == []
