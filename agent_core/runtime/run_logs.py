"""Keeps each session's run.log as its events are stored."""

from dataclasses import dataclass, field
from pathlib import Path

from agent_core.events import AnyEvent
from agent_core.ids import SessionId, TurnId
from agent_core.workspaces import RunLog


@dataclass(slots=True)
class _Followed:
    """A session's log, and the turns that write into it."""

    workspace: Path
    log: RunLog
    turns: set[TurnId] = field(default_factory=set[TurnId])


class RunLogs:
    """The logs of the sessions that have a turn in this process."""

    def __init__(self) -> None:
        self._followed: dict[SessionId, _Followed] = {}

    def follow(self, session: SessionId, turn: TurnId, workspace: Path) -> None:
        """Write this session's events into its workspace until the turn leaves."""
        followed = self._followed.get(session)
        if followed is None or followed.workspace != workspace:
            turns = followed.turns if followed else set[TurnId]()
            followed = _Followed(workspace, RunLog(workspace), turns)
            self._followed[session] = followed
        followed.turns.add(turn)

    def leave(self, session: SessionId, turn: TurnId) -> None:
        """The turn has ended; with the last one of its session the log is closed."""
        followed = self._followed.get(session)
        if followed is None:
            return
        followed.turns.discard(turn)
        if not followed.turns:
            del self._followed[session]

    def write(self, event: AnyEvent) -> None:
        """Take a stored event."""
        if followed := self._followed.get(event.session):
            followed.log.record(event)
