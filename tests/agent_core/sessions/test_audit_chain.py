"""The audit can be proved: whoever changes the table is found, and says of which record."""

import asyncio
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from agent_core.sessions import AuditLog, AuditRecord, Database
from agent_core.sessions.audit_chain import append, erase
from agent_core.sessions.schema import (
    audit_chain,
    audit_contents,
    audit_head,
    reservations,
    spending,
    verdicts,
)
from tests.agent_core.sessions.databases import opened
from tests.agent_core.sessions.test_safeguards import NOON, SENDING, WRITING

ANN, BEN = "T:U1", "T:U2"
SETTING = AuditRecord(
    at=NOON,
    kind="setting",
    who=BEN,
    about={"channel": "T:C", "name": "instructions"},
    contents={"before": "", "after": "Answer in German, with the wiki first."},
    key="setting:1",
)
REJECTION = AuditRecord(
    at=NOON,
    kind="approval",
    who=ANN,
    about={"session": "T:C:1", "ask": "c1", "decision": "rejected"},
    contents={"reason": "Not to her."},
    key="ask:c1",
)


async def fill(database: Database) -> None:
    """Ten records; the fourth is a setting with contents, the fifth a rejection."""
    log = AuditLog(database)
    await log.begin(WRITING)
    await log.begin(SENDING)
    await log.end(SENDING.turn, SENDING.run, SENDING.call, "done", NOON + timedelta(seconds=2))
    await log.audit(SETTING)
    await log.audit(REJECTION)
    for number in range(6, 11):
        refusal = AuditRecord(
            at=NOON, kind="refusal", who=BEN, about={"why": "guest"}, key=f"refusal:{number}"
        )
        await log.audit(refusal)


TAMPERINGS = {
    "when": ("UPDATE audit_chain SET at = '2026-11-22T11:00:00.000000+00:00' WHERE number = 2", 2),
    "what": ("UPDATE audit_chain SET kind = 'admin' WHERE number = 6", 6),
    "who": ("UPDATE audit_chain SET who = 'T:U9' WHERE number = 2", 2),
    "about whom": ("UPDATE audit_chain SET about = replace(about, 'U2', 'U3') WHERE number = 2", 2),
    "unreadable": ("UPDATE audit_chain SET about = x'ff00' WHERE number = 3", 3),
    "outcome": (
        "UPDATE audit_chain SET about = replace(about, 'done', 'failed') WHERE number = 3",
        3,
    ),
    "key": ("UPDATE audit_chain SET key = 'other' WHERE number = 7", 7),
    "digest": ("UPDATE audit_chain SET digest = 'd1' WHERE number = 4", 4),
    "previous": ("UPDATE audit_chain SET previous = '' WHERE number = 5", 5),
    "hash": ("UPDATE audit_chain SET hash = 'd1' WHERE number = 8", 8),
    "contents": ("UPDATE audit_contents SET body = '{}' WHERE number = 4", 4),
    "contents gone": ("DELETE FROM audit_contents WHERE number = 5", 5),
    "contents of another": (
        "UPDATE audit_contents SET body = "
        "(SELECT body FROM audit_contents WHERE number = 5) WHERE number = 4",
        4,
    ),
    "contents added": ("INSERT INTO audit_contents VALUES (9, '{}')", 9),
    "first": ("DELETE FROM audit_chain WHERE number = 1", 1),
    "from the middle": ("DELETE FROM audit_chain WHERE number IN (5, 6)", 5),
    "closed up": (
        "DELETE FROM audit_chain WHERE number = 6; "
        "UPDATE audit_chain SET number = number - 1 WHERE number > 6",
        6,
    ),
    "reordered": (
        "UPDATE audit_chain SET number = 99 WHERE number = 7; "
        "UPDATE audit_chain SET number = 7 WHERE number = 8; "
        "UPDATE audit_chain SET number = 8 WHERE number = 99",
        7,
    ),
    "added": (
        "INSERT INTO audit_chain SELECT 11, at, kind, who, about, 'new', digest, hash, 'd1' "
        "FROM audit_chain WHERE number = 10",
        11,
    ),
    "cut off": ("DELETE FROM audit_chain WHERE number > 8", 10),
    "cut off with the contents": (
        "DELETE FROM audit_chain WHERE number > 3; DELETE FROM audit_contents WHERE number > 3",
        10,
    ),
    "all": ("DELETE FROM audit_chain; DELETE FROM audit_contents", 10),
    "head": ("DELETE FROM audit_head", 10),
    "head set back": ("UPDATE audit_head SET number = 8", 10),
}


@pytest.mark.proves("audit.tampering")
async def test_each_tampering_with_the_file_is_found_and_says_which_record(
    sqlite_url: str, tmp_path: Path
) -> None:
    async with opened(sqlite_url) as database:
        await fill(database)
        report = await AuditLog(database).verify()
        assert (report.newest, report.faults) == (10, [])
        await database.run(lambda c: c.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").all())
    whole = (tmp_path / "state.sqlite").read_bytes()
    for name, (statements, number) in TAMPERINGS.items():
        file = tmp_path / "tampered.sqlite"
        file.write_bytes(whole)
        with closing(sqlite3.connect(file)) as writer:
            writer.executescript(statements)
        tampered = Database(f"sqlite:///{file}")
        report = await AuditLog(tampered).verify()
        await tampered.close()
        named = {int(each) for fault in report.faults for each in re.findall(r"\d+", fault)}
        assert number in named, (name, report.faults)


CUT_OFF = (
    "DELETE FROM audit_contents WHERE number > 9",
    "DELETE FROM audit_chain WHERE number > 9",
    "UPDATE audit_head SET number = 9, hash = (SELECT hash FROM audit_chain WHERE number = 9)",
)


@pytest.mark.proves("audit.head")
async def test_a_chain_that_was_cut_off_or_written_anew_with_its_head_lacks_the_exported_one(
    database: Database,
) -> None:
    await fill(database)
    log = AuditLog(database)
    exported = (await log.verify()).head
    await log.audit(replace(SETTING, key="setting:2"))
    assert (await log.verify(exported)).faults == []

    def cut_off(connection: Connection) -> None:
        for statement in CUT_OFF:
            connection.execute(text(statement))

    await database.run(cut_off)
    assert (await log.verify()).faults == []
    [fault] = (await log.verify(exported)).faults
    assert "cut off" in fault


@pytest.mark.proves("audit.processes")
async def test_several_processes_append_to_one_chain_and_what_is_done_again_is_there_once(
    url: str,
) -> None:
    async with opened(url) as first, opened(url) as second:

        async def work(database: Database, name: str) -> None:
            for number in range(10):
                await AuditLog(database).audit(replace(SETTING, key=f"{name}:{number}"))

        async with asyncio.TaskGroup() as group:
            for name, database in (("a", first), ("b", second), ("b", first)):
                group.create_task(work(database, name))
        report = await AuditLog(second).verify()
        assert (report.newest, report.faults) == (20, [])


@pytest.mark.proves("audit.rollback")
async def test_a_record_stands_and_falls_with_the_deed(database: Database) -> None:
    def fail(connection: Connection) -> None:
        append(connection, SETTING)
        raise LookupError("the deed fails")

    with pytest.raises(LookupError, match="the deed fails"):
        await database.run(fail)
    await AuditLog(database).audit(REJECTION)
    report = await AuditLog(database).verify()
    assert (report.newest, report.faults) == (1, [])


@pytest.mark.proves("audit.erasure")
async def test_contents_that_were_erased_leave_the_chain_verifying_and_ids_and_hashes_there(
    database: Database,
) -> None:
    await fill(database)
    erasure = AuditRecord(at=NOON, kind="erasure", who=ANN, about={"person": ANN})
    await database.run(partial(erase, erasure=erasure, which=audit_chain.c.who == ANN))
    bodies = await database.column(text("SELECT body FROM audit_contents"))
    assert not any("Not to her." in body for body in bodies)
    assert any("the wiki first" in body for body in bodies)
    log = AuditLog(database)
    report = await log.verify()
    assert (report.newest, report.faults) == (11, [])
    sending = next(call for call in await log.entries() if call.call == SENDING.call)
    assert (sending.asker, sending.outcome, sending.actions) == (SENDING.asker, "done", ())

    changed = "UPDATE audit_chain SET about = '{\"erased\":5}' WHERE number = 11"
    await database.run(lambda connection: connection.exec_driver_sql(changed).rowcount)
    faults = " ".join((await log.verify()).faults)
    assert "Record 11 was changed" in faults
    assert "contents of record 5 are missing" in faults


LATER_TABLES = (audit_contents, audit_chain, audit_head, spending, reservations, verdicts)


async def test_an_older_database_keeps_its_calls_and_begins_a_chain(url: str) -> None:
    async with opened(url) as database:

        def make_older(connection: Connection) -> None:
            for table in (
                audit_contents,
                audit_chain,
                audit_head,
                spending,
                reservations,
                verdicts,
            ):
                table.drop(connection)
            for statement in (
                "CREATE TABLE audit (id INTEGER PRIMARY KEY, call TEXT)",
                "INSERT INTO audit VALUES (1, 'call_1')",
                "UPDATE schema_revision SET name = '0003'",
            ):
                connection.execute(text(statement))

        await database.run(make_older)
    async with opened(url) as database:
        assert await database.column(text("SELECT call FROM audit_before_chain")) == ["call_1"]
        await fill(database)
        report = await AuditLog(database).verify()
        assert (report.newest, report.faults) == (10, [])
