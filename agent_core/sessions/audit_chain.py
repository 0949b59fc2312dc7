"""The audit chain: an append-only table whose records are chained by SHA-256, and its check.

A record says what was done, when, by whom and about which ids. Texts and values (`contents`) lie in
a table of their own, of which the record has only the digest: contents can be erased, and the chain
verifies still. The head, the newest record's number and hash, has a row of its own, so that a chain
that was cut off is noticed; a head that was exported shows a chain that was written anew.
"""

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from pydantic_core import to_jsonable_python
from sqlalchemy import (
    ColumnElement,
    Connection,
    delete,
    insert,
    select,
    update,
)

from agent_core.clock import machine_time
from agent_core.json_values import as_object, digest_of_json, json_in
from agent_core.messages import JsonObject
from agent_core.sessions.schema import audit_chain, audit_contents, audit_head

AuditKind = Literal[
    "call",
    "outcome",
    "approval",
    "setting",
    "erasure",
    "admin",
    "refusal",
]
"""`call` and `outcome` are of calls with an effect. An `approval` has its `decision`, which may be
`approved_thread`, a grant for a thread, or `rejected`."""

OPERATOR = "operator"
"""Who did it, where that was a command on the bot's machine."""

RECORDS = select(audit_chain, audit_contents.c.body).outerjoin(audit_contents)
_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
_HASHED = 8
"""Columns of a record before its hash."""


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One thing that was done."""

    at: datetime
    kind: AuditKind
    who: str
    """A person (`team:user`) or OPERATOR; empty where nobody did it, as at a deadline."""
    about: JsonObject
    """Ids and fixed words, which no erasure deletes: no texts that people wrote."""
    contents: JsonObject = field(default_factory=dict[str, Any])
    """Everything else, which an erasure deletes."""
    key: str = field(default_factory=lambda: secrets.token_hex(12))
    """One record has it: what is done again, as a replayed step, is appended once."""


def operator_act(act: str) -> AuditRecord:
    """What a command on the bot's machine did."""
    return AuditRecord(machine_time(), "admin", OPERATOR, {"act": act})


def audited_refusal(at: datetime, who: str, **about: str) -> AuditRecord:
    """Somebody wanted what they may not; the chain has the same once a day, so it has a bound."""
    key = digest_of_json([who, about, f"{at:%F}"])
    return AuditRecord(at, "refusal", who, about, key=key)


def append(connection: Connection, record: AuditRecord) -> None:
    """Append a record in the transaction of the deed, unless its key is there already.

    Call it last in a transaction: from here to the commit all other appends wait, over processes.
    """
    connection.execute(update(audit_head).values(id=1))  # a change of nothing, for its lock
    head = connection.execute(select(audit_head)).one()
    earlier = select(audit_chain).filter_by(key=record.key)
    if connection.execute(earlier).first():
        return
    number = head.number + 1
    body = None
    if record.contents:  # with a salt, as the digest stays when the contents are erased
        body = _canonical({**record.contents, "salt": secrets.token_hex(16)})
    row = {
        "number": number,
        "at": in_utc(record.at),
        "kind": record.kind,
        "who": record.who,
        "about": _canonical(record.about),
        "key": record.key,
        "digest": _digest_of(body),
        "previous": head.hash,
    }
    row["hash"] = _hash_of(row)
    connection.execute(insert(audit_chain), row)
    if body is not None:
        connection.execute(insert(audit_contents), {"number": number, "body": body})
    connection.execute(update(audit_head).values(number=number, hash=row["hash"]))


def erase(connection: Connection, erasure: AuditRecord, which: ColumnElement[bool]) -> None:
    """Delete the contents of some records, and append the erasure, which names their numbers."""
    query = select(audit_contents.c.number).join(audit_chain).where(which)
    gone = delete(audit_contents).where(audit_contents.c.number.in_(query))
    gone = gone.returning(audit_contents.c.number)
    numbers = connection.execute(gone).scalars().all()
    about = {**erasure.about, "erased": numbers}
    append(connection, replace(erasure, about=about))


def in_utc(moment: datetime) -> str:
    """A moment as records have it: of one width, so that texts compare as moments do."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


class ChainReport(NamedTuple):
    """What a check of the chain came to."""

    newest: int
    """The number of the last record."""
    head: str
    """The last record's hash; empty of an empty chain."""
    faults: list[str]
    """What is wrong, a sentence each."""


def verify(connection: Connection, exported_head: str = "") -> ChainReport:
    """Check every record, the contents that are there, and the head.

    `exported_head` is the head of an earlier day, kept elsewhere: the chain must have it still.
    """
    is_sqlite = connection.dialect.name == "sqlite"
    connection.exec_driver_sql("BEGIN" if is_sqlite else _SNAPSHOT)
    query = RECORDS.order_by(audit_chain.c.number)
    query = query.execution_options(yield_per=1_000)
    faults: list[str] = []
    without_contents: set[int] = set()
    last: Mapping[Any, Any] = {"number": 0, "hash": ""}
    for row in connection.execute(query).mappings():
        faults += _faults_of(row, last)
        if row["digest"] and row["body"] is None:
            without_contents.add(row["number"])
        if row["kind"] == "erasure" and row["hash"] == _hash_of(row):
            without_contents -= set(about_of(row).get("erased", ()))
        last = row
    for number in sorted(without_contents):
        faults.append(f"The contents of record {number} are missing, and no erasure names them.")
    number = last["number"]
    stored = connection.execute(select(audit_head)).first()
    if stored != (1, number, last["hash"]):
        faults.append(f"The end was cut off or changed: {number} is last, the head is {stored}.")
    exported = select(audit_chain).filter_by(hash=exported_head)
    if exported_head and connection.execute(exported).first() is None:
        faults.append("No record has the head given: the chain was cut off before it or rewritten.")
    return ChainReport(number, last["hash"], faults)


def about_of(row: Mapping[Any, Any]) -> JsonObject:
    """What a record is about; empty where somebody made it unreadable."""
    return as_object(json_in(str(row["about"])))


def _faults_of(row: Mapping[Any, Any], last: Mapping[Any, Any]) -> Iterator[str]:
    number = row["number"]
    body = row["body"]
    if (number, row["previous"]) != (last["number"] + 1, last["hash"]):
        expected = last["number"] + 1
        yield f"Record {expected} is missing, or record {number} was moved to where it stands."
    if row["hash"] != _hash_of(row):
        yield f"Record {number} was changed or moved."
    if body is not None and row["digest"] != _digest_of(body):
        yield f"The contents of record {number} were changed."


def _hash_of(row: Mapping[Any, Any]) -> str:
    """Of canonical JSON of all columns before it, in the table's order, each value as text."""
    return digest_of_json([str(value) for value in list(row.values())[:_HASHED]])


def _canonical(value: object) -> str:
    return json.dumps(
        value,
        sort_keys=True,
        separators=(",", ":"),
        default=to_jsonable_python,
    )


def _digest_of(body: object) -> str:
    """Empty where the record has no contents."""
    if body is None:
        return ""
    return hashlib.sha256(str(body).encode()).hexdigest()
