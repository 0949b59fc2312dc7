"""One try at a transaction, made in a thread, that its asker may give up."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from sqlalchemy import Connection, Engine

T = TypeVar("T")


class GivenUp(Exception):
    """Nobody waits for this any more: the transaction is rolled back."""


class Attempt(Generic[T]):
    """Call it in a thread. Given up before its commit it leaves nothing behind."""

    def __init__(self, engine: Engine, work: Callable[[Connection], T]) -> None:
        self._engine = engine
        self._work = work
        self._lock = threading.Lock()
        self._is_given_up = False
        self._reached_commit = False

    def __call__(self) -> T:
        with self._engine.begin() as connection:
            done = self._work(connection)
            with self._lock:
                if self._is_given_up:
                    raise GivenUp
                self._reached_commit = True
            return done

    def give_up(self) -> bool:
        """Whether the commit was tried: after a failure nobody knows whether it was done.

        An attempt that is still under way does not try it any more.
        """
        with self._lock:
            self._is_given_up = True
            return self._reached_commit
