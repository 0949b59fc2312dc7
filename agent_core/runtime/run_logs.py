"""Keeps each session's run.log as its events are stored."""

from pathlib import Path

from agent_core.events import AnyEvent
from agent_core.ids import SessionId
from agent_core.workspaces import RunLog


class RunLogs:
    """The logs of the sessions that have a turn in this process."""

    def __init__(self) -> None:
        self._logs: dict[SessionId, RunLog] = {}

    def follow(self, session: SessionId, workspace: Path) -> None:
        """Write this session's events into its workspace from now on."""
        self._logs[session] = RunLog(workspace)

    def leave(self, session: SessionId) -> None:
        """The session has nothing more to say for now."""
        self._logs.pop(session, None)

    def write(self, event: AnyEvent) -> None:
        """Take a stored event."""
        if log := self._logs.get(event.session):
            log.record(event)
