"""Op: one write to Slack with its id, and receipt: where the write landed.

The id of an op stands in its post's metadata. So a later process finds the post, and writes nothing
twice. Both are compared as types; the text form is only for Slack and for bookmarks.
"""

from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer

_STORED_SEPARATOR = "|"
"""Owners and steps hold colons; none holds this."""
_DIRECT = "direct"


@dataclass(frozen=True, slots=True)
class Op:
    """One write: whose it is (a turn, a post, a click, a schedule), and which of the owner's."""

    owner: str
    path: tuple[str, ...] = ()
    is_direct: bool = False
    """The write goes to the person directly, where the thread takes none."""

    def part(self, *steps: object) -> "Op":
        """A write that belongs to this one, such as a post of an answer."""
        names = [str(step) for step in steps]
        return replace(self, path=(*self.path, *names))

    def without(self, *last: str) -> "Op":
        """The op that this is the named part of, or else this op."""
        head = self.path[: -len(last)]
        if (*head, *last) != self.path:
            return self
        return replace(self, path=head)

    def directly(self) -> "Op":
        """The same write, to the person directly."""
        return replace(self, is_direct=True)

    def in_thread(self) -> "Op":
        """The same write, wherever it went."""
        return replace(self, is_direct=False)

    def is_within(self, whole: "Op") -> bool:
        """Whether this is the other op, or a part of it."""
        head = self.path[: len(whole.path)]
        return self.owner == whole.owner and head == whole.path

    def __str__(self) -> str:
        """As it stands in the metadata of a post."""
        steps = [self.owner, *self.path]
        if self.is_direct:
            steps.append(_DIRECT)
        return ":".join(steps)


def read_op(owner: str, text: str) -> Op | None:
    """The op of a known owner from a post's metadata; None for another owner's."""
    path = text.removeprefix(f"{owner}:")
    if path == text:
        return None
    steps = path.split(":")
    return Op(owner, tuple(steps))


def _store(op: Op) -> str:
    mark = _DIRECT if op.is_direct else ""
    return _STORED_SEPARATOR.join([mark, op.owner, *op.path])


def _restore(stored: object) -> object:
    if not isinstance(stored, str):
        return stored
    mark, owner, *path = stored.split(_STORED_SEPARATOR)
    return Op(owner, tuple(path), is_direct=bool(mark))


StoredOp = Annotated[
    Op,
    BeforeValidator(_restore),
    PlainSerializer(_store),
]
"""An op in a bookmark."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Where a write landed."""

    channel: str
    ts: str
