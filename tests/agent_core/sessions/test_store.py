"""Sessions, their turns and history, and readers' cursors."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy.exc import SQLAlchemyError

from agent_core.events import Outcome
from agent_core.ids import ROOT_RUN, RunId, SessionId, TurnId
from agent_core.messages import Attachment, Message, Opaque, Text, ToolResult, user_message
from agent_core.sessions import (
    Database,
    EventLog,
    Inbox,
    KnownSessions,
    SessionStore,
    StoredSession,
    StoredTurn,
    WriteBehind,
)
from agent_core.testing.models import call, calls_reply, text_reply
from tests.agent_core.turn_events import made
from tests.runtimes import inbound

SESSION = inbound("").session
CHILD = RunId("root.call_1")


async def queued(store: SessionStore, number: int = 1, *, thread: int = 1) -> StoredTurn:
    turn = await store.add_turn(inbound(f"message {number}", number=number, thread=thread))
    assert turn is not None
    return turn


async def end(
    database: Database, turn: StoredTurn, answer: str = "done", *, outcome: Outcome = "answered"
) -> None:
    """The turn's last event ends it."""
    behind = WriteBehind(database)
    behind.start()
    of = {"session": turn.session, "turn": turn.id}
    last = made("turn_finished", **of, outcome=outcome, answer=answer)
    await EventLog(database, behind).append(last)
    await behind.close()


async def finished(
    database: Database, store: SessionStore, number: int, *said: Message
) -> StoredTurn:
    turn = await queued(store, number)
    await store.append_messages(turn.id, ROOT_RUN, 0, said)
    await end(database, turn)
    return turn


async def test_a_message_becomes_a_queued_turn_with_all_that_came_with_it(
    store: SessionStore,
) -> None:
    file = Attachment(name="a.log", path="downloads/a.log", mimetype="text/plain", size_bytes=3)
    message = replace(
        inbound("look ❄️"), background="Bo: agreed", attachments=(file,), scheduled=True
    )
    turn = await store.add_turn(message)
    assert turn is not None
    assert turn == StoredTurn(
        id=TurnId(f"turn:{message.key}"),
        session=SESSION,
        seq=1,
        status="queued",
        generation=1,
        inbound=message,
        outcome=None,
        answer=None,
    )
    assert await store.turn(turn.id) == turn


async def test_messages_that_come_at_the_same_time_all_get_their_turn(store: SessionStore) -> None:
    messages = [inbound(f"message {number}", number=number) for number in range(20)]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(store.add_turn(message)) for message in messages]
    turns = [task.result() for task in tasks]
    assert sorted(turn.seq for turn in turns if turn is not None) == list(range(1, 21))


async def test_a_turn_carries_its_state_and_is_started_and_goes_on_once(
    database: Database, store: SessionStore
) -> None:
    turn = await queued(store)
    assert not await store.begin_generation(turn.id, 2), "it was never started"
    assert [await store.mark_running(turn.id) for _ in range(2)] == [True, False]
    assert [await store.begin_generation(turn.id, 2) for _ in range(2)] == [True, False]
    running = await store.turn(turn.id)
    assert (running.status, running.generation) == ("running", 2)
    await end(database, turn, "so far ❄️", outcome="limited")
    ended = await store.turn(turn.id)
    assert (ended.status, ended.outcome, ended.answer) == ("finished", "limited", "so far ❄️")
    assert not await store.mark_running(turn.id)
    assert not await store.begin_generation(turn.id, 3)


async def test_an_option_that_somebody_chose_is_not_their_own_words(store: SessionStore) -> None:
    await queued(store)
    await store.add_turn(replace(inbound("Use evil.example.com/x", number=2), is_choice=True))
    assert await store.words_of(SESSION) == ["message 1"]


async def test_messages_of_every_kind_come_back_as_they_were(store: SessionStore) -> None:
    search = call("search", {"query": "été", "deep": {"n": [1, None, 2.5]}}, id="c1")
    history = (
        user_message("find it ❄️"),
        Message(
            role="assistant",
            parts=(
                Opaque(block={"type": "thinking", "thinking": "hm", "signature": "a+/="}),
                Text(text="Looking."),
                search,
            ),
        ),
        Message(role="user", parts=(ToolResult(call_id=search.id, text="no", is_error=True),)),
        text_reply("Found.").message,
    )
    turn = await queued(store)
    await store.append_messages(turn.id, ROOT_RUN, 0, history[:1])
    await store.append_messages(turn.id, ROOT_RUN, 1, history[1:])
    assert await store.run_messages(turn.id, ROOT_RUN) == history


async def test_messages_that_a_replay_stores_again_stay_as_they_were(store: SessionStore) -> None:
    turn = await queued(store)
    await store.append_messages(turn.id, ROOT_RUN, 0, [user_message("first")])
    await store.append_messages(
        turn.id, ROOT_RUN, 0, [user_message("again"), user_message("second")]
    )
    stored = await store.run_messages(turn.id, ROOT_RUN)
    assert [message.text for message in stored] == ["first", "second"]


async def test_history_is_what_the_root_runs_of_earlier_turns_said(
    database: Database, store: SessionStore
) -> None:
    question, answer = user_message("one"), text_reply("1").message
    delegate = calls_reply(call("Task", id="c1")).message
    first = await finished(database, store, 1, question, answer)
    await store.append_messages(first.id, CHILD, 0, [user_message("of the child")])
    await finished(database, store, 2, user_message("two"), delegate)
    third = await queued(store, 3)
    await store.append_messages(third.id, ROOT_RUN, 0, [user_message("three")])
    other = await queued(store, 1, thread=2)
    await store.append_messages(other.id, ROOT_RUN, 0, [user_message("elsewhere")])
    assert await store.history_before(third) == (question, answer, user_message("two"), delegate)
    assert await store.history_before(first) == ()


async def test_readers_keep_their_cursors_apart_and_what_they_did_not_show_is_unread(
    database: Database, store: SessionStore
) -> None:
    turn = await queued(store)
    await store.save_cursor("slack", turn.id, {"at": 1})
    await store.save_cursor("console", turn.id, {"at": 2}, done=True)
    assert await store.load_cursor("slack", turn.id) == {"at": 1}
    await end(database, turn)
    assert [unread.id for unread in await store.unread(SESSION, "slack")] == [turn.id]
    assert await store.unread(SESSION, "console") == []


@pytest.mark.parametrize("odd", ["", "\0", "\ud83d"], ids=["empty", "nul", "half-of-a-pair"])
async def test_an_answer_of_any_characters_ends_its_turn(
    database: Database, store: SessionStore, odd: str
) -> None:
    turn = await queued(store)
    with suppress(ValueError, SQLAlchemyError):
        await end(database, turn, odd)
    assert (await store.turn(turn.id)).status == "finished"


async def test_the_newest_sessions_before_a_time_come_first(
    database: Database, store: SessionStore, tmp_path: Path
) -> None:
    for name in ("T:C:100", "T:C:101", "T:C:102", "T:C:103", "T:D:100"):
        moment = datetime(2026, 11, 1, tzinfo=UTC)
        session = StoredSession(id=SessionId(name), workspace=tmp_path, created_at=moment)
        await store.save_session(session)
    known = KnownSessions(database)

    assert await known.newest_before("T:C:", "103", limit=2) == ["T:C:102", "T:C:101"]
    assert await known.newest_before("T:C:", "100", limit=2) == []


async def test_what_is_unfinished_comes_from_the_newest_sessions_first(
    database: Database, store: SessionStore, tmp_path: Path
) -> None:
    for number, name in enumerate(["T:D:100", "T:C:101", "T:C:102", "S:C:103"]):
        moment = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(hours=number)
        session = StoredSession(id=SessionId(name), workspace=tmp_path, created_at=moment)
        await store.save_session(session)
        for key in (name, f"{name}:more"):
            await store.add_turn(replace(inbound("go on"), session=session.id, key=key))
    taker = await store.turn(TurnId("turn:T:C:102"))
    await store.mark_running(taker.id)
    [taken] = await take(Inbox(database), taker)
    known = KnownSessions(database)

    unfinished = [turn.inbound.key for turn in await known.unfinished("T:")]
    assert unfinished == ["T:C:102", "T:C:101", "T:C:101:more", "T:D:100", "T:D:100:more"]
    assert len(await known.unfinished("T:C:", limit=2)) == 2
    assert taken == f"turn:{unfinished[0]}:more"
    assert (await store.turn(TurnId(taken))).taken_by == taker.id


@pytest.fixture
def inbox(database: Database) -> Inbox:
    return Inbox(database)


async def at_work(store: SessionStore) -> StoredTurn:
    turn = await queued(store, 1)
    assert await store.mark_running(turn.id)
    return await store.turn(turn.id)


async def take(inbox: Inbox, turn: StoredTurn, seq: int = 1, run: RunId = ROOT_RUN) -> list[str]:
    return [row.item for row in await inbox.take(turn, run, seq)]


async def test_several_runs_that_take_at_once_get_each_message_once(
    store: SessionStore, inbox: Inbox
) -> None:
    turn = await at_work(store)
    messages = [(await queued(store, number)).id for number in range(2, 6)]
    runs = [ROOT_RUN, *(RunId(f"root.{number}") for number in range(5))]
    for seq in (1, 2):
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(take(inbox, turn, seq, run)) for run in runs]
        for each in tasks:
            assert each.result() in ([], messages)
    assert not await inbox.has_messages(turn)
