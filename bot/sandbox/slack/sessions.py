"""Agent sessions of threads: their status, title and status line, and how these run out."""

from dataclasses import replace

from bot.sandbox.slack.background import Background
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.records import Session
from bot.sandbox.slack.state import State

STATUSES = ("active", "processing", "suspended", "closed")
PROCESSING_LIFETIME_S = 3600.0
STATUS_LINE_LIFETIME_S = 120.0


class Sessions:
    """Creates a session at its first mention; the author of the thread's root began it."""

    def __init__(self, state: State, background: Background) -> None:
        self._state = state
        self._background = background

    def of_thread(self, channel: str, thread_ts: str) -> Session:
        """The session as it is, or a new one that is not kept yet."""
        root = self._state.find_post(channel, thread_ts)
        initiator = root.user if root else None
        new = Session(channel=channel, thread_ts=thread_ts, status="active", initiator=initiator)
        return self._state.sessions.get((channel, thread_ts), new)

    def set_status(self, channel: str, thread_ts: str, status: str, *, title: str = "") -> Session:
        """Set the status; "processing" falls back to "active" after an hour.

        A title counts only where the call creates the session.
        """
        if status not in STATUSES:
            raise ApiError("invalid_status")
        session = self.of_thread(channel, thread_ts)
        if (channel, thread_ts) not in self._state.sessions:
            session = replace(session, title=title)
        return self._set(replace(session, status=status), PROCESSING_LIFETIME_S)

    def set_title(self, channel: str, thread_ts: str, title: str) -> None:
        self._state.set_session(replace(self.of_thread(channel, thread_ts), title=title))

    def set_status_line(
        self, channel: str, thread_ts: str, text: str, loading_messages: tuple[str, ...]
    ) -> None:
        """The line "<App> <text>" under the thread, for two minutes; an empty text clears it."""
        session = replace(
            self.of_thread(channel, thread_ts),
            status="processing" if text else "active",
            status_text=text,
            loading_messages=loading_messages,
        )
        self._set(session, STATUS_LINE_LIFETIME_S)

    def end_status_line(self, channel: str, thread_ts: str) -> None:
        """A reply of the app clears the line that stood under the thread."""
        session = self._state.sessions.get((channel, thread_ts))
        if session is not None and session.status_text:
            self._state.set_session(replace(session, status_text="", loading_messages=()))

    def _set(self, session: Session, lifetime_s: float) -> Session:
        session = replace(session, set_at_s=self._state.clock.now())
        self._state.set_session(session)
        if session.status == "processing":
            self._background.start(self._expire(session, session.set_at_s + lifetime_s))
        return session

    async def _expire(self, session: Session, at_s: float) -> None:
        await self._state.clock.sleep_until(at_s)
        if self._state.sessions[session.channel, session.thread_ts] == session:
            ended = replace(session, status="active", status_text="", loading_messages=())
            self._state.set_session(ended)
