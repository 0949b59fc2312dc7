"""The audit chain: an append-only table whose records are chained by SHA-256, and its check.

A record says what was done, when, by whom and about which ids. Texts and values (`contents`) lie in
a table of their own, of which the record has only the digest: contents can be erased, and the chain
verifies still. The head, the newest record's number and hash, has a row of its own, so that a chain
that was cut off is noticed; a head that was exported shows a chain that was written anew.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic_core import to_jsonable_python
from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from agent_core.json_values import as_object, digest_of_json, json_in
from agent_core.messages import JsonObject
from agent_core.sessions.schema import audit_chain, audit_contents, audit_head

AuditKind = Literal[
    "call",
    "outcome",
    "approval",
    "rejection",
    "grant",
    "setting",
    "erasure",
    "admin",
    "refusal",
]
"""`call` and `outcome` are of calls with an effect; `grant` is an approval for a thread."""

OPERATOR = "operator"
"""Who did it, where that was a command on the bot's machine."""

RECORDS = select(audit_chain, audit_contents.c.body).outerjoin(audit_contents)
_HASHED = (
    "number",
    "at",
    "kind",
    "who",
    "about",
    "key",
    "digest",
    "previous",
)


@dataclass(frozen=True, slots=True, kw_only=True)
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


def append(connection: Connection, record: AuditRecord) -> None:
    """Append a record in the transaction of the deed, unless its key is there already.

    Call it last in a transaction: from here to the commit all other appends wait, over processes.
    """
    lock = update(audit_head).values(id=1)  # a change of nothing
    connection.execute(lock)
    head = connection.execute(select(audit_head)).one()
    earlier = select(audit_chain).filter_by(key=record.key)
    if connection.execute(earlier).first():
        return
    number = head.number + 1
    body = _canonical(record.contents) if record.contents else None
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
    numbers = list(connection.execute(query).scalars())
    connection.execute(delete(audit_contents).where(audit_contents.c.number.in_(query)))
    append(connection, replace(erasure, about={**erasure.about, "erased": numbers}))


def in_utc(moment: datetime) -> str:
    """A moment as records have it: of one width, so that texts compare as moments do."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainReport:
    """What a check of the chain came to."""

    count: int
    """The number of the last record."""
    head: str
    """The last record's hash; empty of an empty chain."""
    faults: tuple[str, ...]
    """What is wrong, a sentence each."""


def verify(connection: Connection, exported_head: str = "") -> ChainReport:
    """Check every record, the contents that are there, and the head.

    `exported_head` is the head of an earlier day, kept elsewhere: the chain must have it still.
    """
    is_sqlite = connection.dialect.name == "sqlite"
    snapshot = "BEGIN" if is_sqlite else "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
    connection.exec_driver_sql(snapshot)
    query = RECORDS.order_by(audit_chain.c.number).execution_options(yield_per=1_000)
    faults: list[str] = []
    without_contents: set[int] = set()
    number = 0
    head = ""
    is_exported = not exported_head
    for row in connection.execute(query).mappings():
        faults += _faults_of(row, number, head)
        number = row["number"]
        head = row["hash"]
        if row["body"] is None and row["digest"]:
            without_contents.add(number)
        if row["kind"] == "erasure":
            without_contents -= set(about_of(row).get("erased", ()))
        is_exported = is_exported or head == exported_head
    for each in sorted(without_contents):
        faults.append(f"The contents of record {each} are missing, and no erasure names them.")
    stored = connection.execute(select(audit_head)).first()
    if stored is None or (stored.number, stored.hash) != (number, head):
        newest = "gone" if stored is None else f"of {stored.number}"
        faults.append(f"The end was cut off or changed: {number} is last, the head is {newest}.")
    if not is_exported:
        faults.append("No record has the head given: the chain was cut off before it or rewritten.")
    return ChainReport(count=number, head=head, faults=tuple(faults))


def about_of(row: Mapping[Any, Any]) -> JsonObject:
    """What a record is about; empty where somebody made it unreadable."""
    return as_object(json_in(str(row["about"])))


def _faults_of(row: Mapping[Any, Any], before: int, head: str) -> list[str]:
    number = row["number"]
    faults: list[str] = []
    if number != before + 1:
        faults.append(f"Records are missing: {before + 1} to {number - 1}.")
    elif row["previous"] != head:
        faults.append(f"Record {number} does not follow record {before}: one was replaced.")
    if row["hash"] != _hash_of(row):
        faults.append(f"Record {number} was changed or moved.")
    if row["body"] is not None and row["digest"] != _digest_of(row["body"]):
        faults.append(f"The contents of record {number} were changed.")
    return faults


def _hash_of(row: Mapping[Any, Any]) -> str:
    """Of canonical JSON of all else, in this order, each value as text."""
    return digest_of_json([str(row[name]) for name in _HASHED])


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=to_jsonable_python)


def _digest_of(body: str | None) -> str:
    """Empty where the record has no contents."""
    return "" if body is None else hashlib.sha256(str(body).encode()).hexdigest()
