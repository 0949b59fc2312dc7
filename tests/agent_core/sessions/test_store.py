"""Sessions, their turns and history, and readers' cursors."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy.exc import SQLAlchemyError

from agent_core.errors import SessionError
from agent_core.events import Outcome, TurnFinished
from agent_core.ids import ROOT_RUN, ConsentId, RunId, ToolCallId, TurnId, UserId
from agent_core.messages import INBOUND, Attachment, Message, Opaque, Text, ToolResult, user_message
from agent_core.sessions import (
    ConnectionWait,
    Database,
    EventLog,
    SessionStore,
    StoredSession,
    StoredTurn,
    WriteBehind,
)
from agent_core.testing.models import call, calls_reply, text_reply
from agent_core.testing.runtimes import inbound
from tests.agent_core.sessions.databases import opened

AT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
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
    last = TurnFinished(
        session=turn.session,
        turn=turn.id,
        run=ROOT_RUN,
        step=0,
        attempt=1,
        n=13,
        at=AT,
        outcome=outcome,
        answer=answer,
        reference="",
    )
    await EventLog(database, behind).append(last)
    await behind.close()


async def finished(
    database: Database, store: SessionStore, number: int, *said: Message
) -> StoredTurn:
    turn = await queued(store, number)
    await store.append_messages(turn.id, ROOT_RUN, 0, said)
    await end(database, turn)
    return turn


async def test_a_session_comes_back_as_it_was_saved(store: SessionStore) -> None:
    saved = StoredSession(id=SESSION, workspace=Path("runs") / "session_1", created_at=AT)
    await store.save_session(saved)
    loaded = await store.session(SESSION)
    assert loaded is not None
    assert (loaded.id, loaded.workspace) == (saved.id, saved.workspace)


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


async def test_one_gesture_makes_one_turn(store: SessionStore) -> None:
    await queued(store)
    assert await store.add_turn(inbound("message 1")) is None
    assert [turn.seq for turn in await store.unfinished_of(SESSION)] == [1]


async def test_turns_are_numbered_in_their_session(store: SessionStore) -> None:
    turns = [await queued(store, 1), await queued(store, 2), await queued(store, 1, thread=2)]
    assert [turn.seq for turn in turns] == [1, 2, 1]


async def test_messages_that_come_at_the_same_time_all_get_their_turn(store: SessionStore) -> None:
    messages = [inbound(f"message {number}", number=number) for number in range(20)]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(store.add_turn(message)) for message in messages]
    turns = [task.result() for task in tasks]
    assert sorted(turn.seq for turn in turns if turn is not None) == list(range(1, 21))


async def test_an_unknown_turn_is_named(store: SessionStore) -> None:
    with pytest.raises(SessionError, match="turn:nobody"):
        await store.turn(TurnId("turn:nobody"))


async def test_a_turn_carries_its_state(database: Database, store: SessionStore) -> None:
    turn = await queued(store)
    assert await store.mark_running(turn.id)
    assert await store.begin_generation(turn.id, 2)
    running = await store.turn(turn.id)
    assert (running.status, running.generation) == ("running", 2)
    await end(database, turn, "so far ❄️", outcome="limited")
    ended = await store.turn(turn.id)
    assert (ended.status, ended.outcome, ended.answer) == ("finished", "limited", "so far ❄️")


async def test_a_turn_is_started_once_and_goes_on_once(
    database: Database, store: SessionStore
) -> None:
    turn = await queued(store)
    assert not await store.begin_generation(turn.id, 2), "it was never started"
    assert [await store.mark_running(turn.id) for _ in range(2)] == [True, False]
    assert [await store.begin_generation(turn.id, 2) for _ in range(2)] == [True, False]
    await end(database, turn)
    assert not await store.mark_running(turn.id)
    assert not await store.begin_generation(turn.id, 3)


async def test_the_unfinished_turns_of_a_session_are_its_own_oldest_first(
    database: Database,
    store: SessionStore,
) -> None:
    done = await queued(store, 1)
    turns = [await queued(store, 2), await queued(store, 3)]
    await queued(store, 1, thread=2)
    await end(database, done)
    await store.mark_running(turns[0].id)
    unfinished = await store.unfinished_of(SESSION)
    assert [turn.id for turn in unfinished] == [turn.id for turn in turns]


async def test_messages_of_every_kind_come_back_as_they_were(store: SessionStore) -> None:
    search = call("search", {"query": "été", "deep": {"n": [1, None, 2.5]}}, id="c1")
    said = (
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
    await store.append_messages(turn.id, ROOT_RUN, 0, said[:1])
    await store.append_messages(turn.id, ROOT_RUN, 1, said[1:])
    assert await store.run_messages(turn.id, ROOT_RUN) == said


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


async def test_a_long_history_stays_in_order(database: Database, store: SessionStore) -> None:
    for number in range(1, 13):
        await finished(
            database, store, number, user_message(f"q{number}"), text_reply(f"a{number}").message
        )
    last = await queued(store, 13)
    texts = [message.text for message in await store.history_before(last)]
    assert texts == [f"{who}{number}" for number in range(1, 13) for who in "qa"]


async def test_a_wait_is_cut_short_by_its_own_consent_alone(store: SessionStore) -> None:
    turn = await queued(store)
    await store.mark_running(turn.id)
    wait = ConnectionWait(
        call_id=ToolCallId("c1"),
        asker=UserId("T1:U1"),
        deadline=AT + timedelta(days=1),
        consent=ConsentId("second"),
        toolkits=("gmail",),
        said=None,
    )
    await store.mark_waiting(turn.id, turn.generation, wait)
    await store.hasten(turn.id, ConsentId("first"), AT)
    assert (await store.turn(turn.id)).wait == wait
    await store.hasten(turn.id, ConsentId("second"), AT)
    assert (await store.turn(turn.id)).wait == replace(wait, deadline=AT)


async def test_everything_is_there_after_a_restart(url: str) -> None:
    session = StoredSession(id=SESSION, workspace=Path("runs"), created_at=AT)
    async with opened(url) as database, process(database) as store:
        await store.save_session(session)
        turn = await queued(store)
        await store.append_messages(turn.id, ROOT_RUN, 0, [user_message("one")])
        await store.save_cursor("slack", turn.id, {"progress_ts": "1.0"})
    async with opened(url) as database, process(database) as store:
        assert await store.session(SESSION) == session
        assert await store.unfinished_of(SESSION) == [turn]
        assert await store.run_messages(turn.id, ROOT_RUN) == (user_message("one"),)
        assert await store.unread(SESSION, "slack") == [turn]


@asynccontextmanager
async def process(database: Database) -> AsyncGenerator[SessionStore]:
    """A store as one process has it: what is queued is stored when it ends."""
    behind = WriteBehind(database)
    behind.start()
    yield SessionStore(database, behind)
    await behind.close()


async def test_a_cursor_is_replaced_by_the_newer_one(store: SessionStore) -> None:
    turn = await queued(store)
    await store.save_cursor("slack", turn.id, {})
    assert await store.load_cursor("slack", turn.id) == {}
    await store.save_cursor("slack", turn.id, {"done": ["a", "é"], "n": 2})
    assert await store.load_cursor("slack", turn.id) == {"done": ["a", "é"], "n": 2}


async def test_readers_keep_their_cursors_apart(store: SessionStore) -> None:
    turn = await queued(store)
    await store.save_cursor("slack", turn.id, {"at": 1})
    await store.save_cursor("console", turn.id, {"at": 2}, done=True)
    assert await store.load_cursor("slack", turn.id) == {"at": 1}
    assert await store.unread(SESSION, "slack") == [turn]
    assert await store.unread(SESSION, "console") == []


async def test_a_turn_that_is_finished_and_not_shown_is_unread(
    database: Database, store: SessionStore
) -> None:
    turn = await queued(store)
    await store.save_cursor("slack", turn.id, {})
    await end(database, turn)
    assert [unread.id for unread in await store.unread(SESSION, "slack")] == [turn.id]
    await store.save_cursor("slack", turn.id, {"finished": True}, done=True)
    assert await store.unread(SESSION, "slack") == []


@pytest.mark.parametrize("answer", ["snow ❄️", ""])
async def test_an_answer_of_common_characters_ends_its_turn(
    database: Database, store: SessionStore, answer: str
) -> None:
    assert await can_end_with(database, store, answer)


@pytest.mark.parametrize("character", [0x00, 0xD83D], ids=["nul", "half-of-a-pair"])
async def test_an_answer_with_an_odd_character_ends_its_turn(
    database: Database, store: SessionStore, character: int
) -> None:
    assert await can_end_with(database, store, f"so far{chr(character)} it is")


async def can_end_with(database: Database, store: SessionStore, answer: str) -> bool:
    turn = await queued(store)
    with suppress(ValueError, SQLAlchemyError):
        await end(database, turn, answer)
    return (await store.turn(turn.id)).status == "finished"


def test_a_message_that_was_stored_before_it_had_a_locale_still_loads() -> None:
    stored = INBOUND.dump_python(replace(inbound("status"), author_locale="de-DE"), mode="json")
    assert INBOUND.validate_python(stored).author_locale == "de-DE"
    del stored["author_locale"]
    assert INBOUND.validate_python(stored).author_locale == ""
