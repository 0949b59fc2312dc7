"""The two-way mapping between Slack's threads and people and the core's ids. Pure."""

import re
from dataclasses import dataclass

from agent_core.errors import SessionError
from agent_core.ids import SessionId, UserId

_ID = re.compile(r"[A-Z][A-Z0-9]{1,63}")
_TS = re.compile(r"\d{1,16}\.\d{6}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadRef:
    """Where a conversation lives: team, channel and the `ts` of the thread's first post."""

    team: str
    channel: str
    root_ts: str

    def __post_init__(self) -> None:
        has_ids = _is_id(self.team) and _is_id(self.channel)
        if not has_ids or _TS.fullmatch(self.root_ts) is None:
            raise SessionError(f"Not a Slack thread: {self.session}")

    @property
    def session(self) -> SessionId:
        """The session of this thread; `parse_session` gives the thread back."""
        return SessionId(f"{self.team}:{self.channel}:{self.root_ts}")

    def link(self, home: str, ts: str = "") -> str:
        """The address of the reply of `ts`, or of the first post, in the workspace at `home`."""
        is_reply = ts not in ("", self.root_ts)
        post = (ts or self.root_ts).replace(".", "")
        where = f"?thread_ts={self.root_ts}&cid={self.channel}" if is_reply else ""
        return f"{home}archives/{self.channel}/p{post}{where}"


def parse_session(session: SessionId) -> ThreadRef:
    """The thread of a session. Raises SessionError of another id."""
    parts = session.split(":")
    if len(parts) != 3:
        raise SessionError(f"Not a Slack thread: {session}")
    return ThreadRef(team=parts[0], channel=parts[1], root_ts=parts[2])


def user_id(team: str, user: str) -> UserId:
    """The core's id of a person: the team keeps two workspaces' people apart."""
    if not (_is_id(team) and _is_id(user)):
        raise SessionError(f"Not a Slack user: {team}:{user}")
    return UserId(f"{team}:{user}")


def parse_user(user: UserId) -> tuple[str, str]:
    """`(team, user)` of a person's id. Raises SessionError of another id."""
    team, _, person = user.partition(":")
    user_id(team, person)
    return team, person


def _is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None
