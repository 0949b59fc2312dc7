"""Agent sessions of threads: their status, title and status line, and how these run out."""

from collections.abc import Callable
from dataclasses import replace

from bot.sandbox.slack.background import Background
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.records import Session
from bot.sandbox.slack.state import State

STATUSES = ("active", "processing", "suspended", "closed")
PROCESSING_LIFETIME_S = 3600.0
STATUS_LINE_LIFETIME_S = 120.0


def check_status(status: str) -> None:
    """Refuse a status that is none of Slack's four."""
    if status not in STATUSES:
        raise ApiError("invalid_status")


class Sessions:
    """Creates a session at its first mention; the author of the thread's root began it."""

    def __init__(self, state: State, background: Background) -> None:
        self._state = state
        self._background = background

    def find(self, channel: str, thread_ts: str) -> Session | None:
        return self._state.sessions.get((channel, thread_ts))

    def of_thread(self, channel: str, thread_ts: str) -> Session:
        """The session as it is, or a new one that is not kept yet."""
        root = self._state.find_post(channel, thread_ts)
        initiator = root.user if root else None
        new = Session(channel=channel, thread_ts=thread_ts, status="active", initiator=initiator)
        return self.find(channel, thread_ts) or new

    def set_status(
        self,
        channel: str,
        thread_ts: str,
        status: str,
        *,
        title: str = "",
        initiator: str | None = None,
    ) -> Session:
        """Set the status; "processing" falls back to "active" after an hour. May create."""
        check_status(status)
        known = self.find(channel, thread_ts)
        session = replace(
            self.of_thread(channel, thread_ts), status=status, set_at_s=self._state.clock.now()
        )
        if known is None and title:
            session = replace(session, title=title)
        if initiator:
            session = replace(session, initiator=initiator)
        self._state.set_session(session)
        if status == "processing":
            self._expire(session, PROCESSING_LIFETIME_S, lambda s: replace(s, status="active"))
        return session

    def set_title(self, channel: str, thread_ts: str, title: str) -> Session:
        session = replace(self.of_thread(channel, thread_ts), title=title)
        self._state.set_session(session)
        return session

    def set_status_line(
        self, channel: str, thread_ts: str, text: str, loading_messages: tuple[str, ...]
    ) -> Session:
        """The line "<App> <text>" under the thread, for two minutes; an empty text clears it."""
        session = replace(
            self.of_thread(channel, thread_ts),
            status="processing" if text else "active",
            status_text=text,
            loading_messages=loading_messages,
            set_at_s=self._state.clock.now(),
        )
        self._state.set_session(session)
        if text:
            self._expire(session, STATUS_LINE_LIFETIME_S, _clear_line)
        return session

    def _expire(
        self, session: Session, lifetime_s: float, end: Callable[[Session], Session]
    ) -> None:
        self._background.start(self._expire_later(session, session.set_at_s + lifetime_s, end))

    async def _expire_later(
        self, session: Session, at_s: float, end: Callable[[Session], Session]
    ) -> None:
        await self._state.clock.sleep_until(at_s)
        if self.find(session.channel, session.thread_ts) == session:
            self._state.set_session(end(session))


def _clear_line(session: Session) -> Session:
    return replace(session, status="active", status_text="", loading_messages=())
