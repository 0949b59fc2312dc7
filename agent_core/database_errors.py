"""What the errors of SQLite and Postgres mean: trouble that passes by itself, or damage."""

import errno
import sqlite3

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

_SQLITE_CODES = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,  # a full disk, too, where SQLite maps its files
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
    }
)
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_POSTGRES_CLASSES = (
    "08",  # connection lost
    "25006",  # read-only: what was the main server is a standby now
    "25P03",  # ended while idle in a transaction
    "40",  # deadlock, serialisation
    "53",  # disk full, out of memory, too many connections
    "55P03",  # lock not available
    "57P",  # shutting down, starting
    "58",  # the server's own disk
)
_FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT})


def passes(error: BaseException) -> bool:
    """Whether the same work may succeed later, unchanged."""
    match error:
        case DBAPIError(connection_invalidated=True) | PoolTimeout() | TimeoutError():
            return True
        case DBAPIError(orig=BaseException() as cause):
            return passes_by_itself(cause)
        case OSError(errno=number):
            return number in _FULL_DISK
        case _:
            return False


def passes_by_itself(cause: BaseException) -> bool:
    """The same of a driver's own error."""
    match cause:
        case sqlite3.Error():
            return _sqlite_code(cause) in _SQLITE_CODES
        case psycopg.Error(sqlstate=str(state)):
            return state.startswith(_POSTGRES_CLASSES)
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return True
        case _:
            return False


def is_damage(error: BaseException) -> bool:
    """Whether an SQLite file is no whole database."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return _sqlite_code(cause) in _DAMAGE


def reason_of(error: BaseException) -> str:
    """The database's own words, on one line and without the statement."""
    if isinstance(error, TimeoutError):
        return "it does not answer"
    cause = getattr(error, "orig", None) or error
    return str(cause).strip().partition("\n")[0] or type(cause).__name__


def _sqlite_code(cause: BaseException | None) -> int:
    """SQLite's kind of error, without its finer distinctions."""
    return getattr(cause, "sqlite_errorcode", -1) & 0xFF
