"""Agent sessions of threads: their status, title and status line, and how the line runs out."""

from dataclasses import replace

from bot.sandbox.slack.clock import Background
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.records import Session
from bot.sandbox.slack.state import State

STATUSES = ("active", "processing", "suspended", "closed")
STATUS_LINE_LIFETIME_S = 120.0


class Sessions:
    """Creates a session when a thread is first named."""

    def __init__(self, state: State, background: Background) -> None:
        self._state = state
        self._background = background

    def _of_thread(self, channel: str, thread_ts: str, title: str = "") -> Session:
        """The session as it is, or a new one that is not kept yet."""
        new = Session(channel=channel, thread_ts=thread_ts, status="active", title=title)
        return self._state.sessions.get((channel, thread_ts), new)

    def set_status(self, channel: str, thread_ts: str, status: str, *, title: str = "") -> Session:
        """Set the status. A title counts only where the call creates the session."""
        if status not in STATUSES:
            raise ApiError("invalid_status")
        session = replace(self._of_thread(channel, thread_ts, title), status=status)
        self._state.keep(session)
        return session

    def set_status_line(
        self, channel: str, thread_ts: str, text: str, loading_messages: tuple[str, ...]
    ) -> None:
        """The line "<App> <text>" under the thread, for two minutes; an empty text clears it."""
        session = replace(
            self._of_thread(channel, thread_ts),
            status="processing" if text else "active",
            status_text=text,
            loading_messages=loading_messages,
            set_at_s=self._state.clock.now(),
        )
        self._state.keep(session)
        self._background.start(self._expire(session))

    def end_status_line(self, channel: str, thread_ts: str) -> None:
        """A reply of the app clears the line that stood under the thread."""
        session = self._of_thread(channel, thread_ts)
        if session.status_text:
            self._state.keep(replace(session, status_text="", loading_messages=()))

    async def _expire(self, session: Session) -> None:
        await self._state.clock.sleep_until(session.set_at_s + STATUS_LINE_LIFETIME_S)
        if self._of_thread(session.channel, session.thread_ts) == session:
            ended = replace(session, status="active", status_text="", loading_messages=())
            self._state.keep(ended)
