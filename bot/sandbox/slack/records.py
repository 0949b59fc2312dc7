"""The records of the stand-in's team: users, channels, posts, files, sessions, views, calls."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.sandbox.slack.wire import JsonObject, texts_in

ChannelKind = Literal["channel", "group", "im", "mpim"]
ViewKind = Literal["modal", "home"]
STREAM_LIFETIME_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    id: str
    team_id: str
    name: str
    real_name: str
    display_name: str
    tz: str = "Europe/Berlin"
    locale: str = "en-GB"
    is_bot: bool = False
    bot_id: str | None = None
    app_id: str | None = None
    is_restricted: bool = False
    is_admin: bool = False
    deleted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    id: str
    name: str
    members: tuple[str, ...]
    kind: ChannelKind = "channel"
    purpose: str = ""
    is_archived: bool = False

    @property
    def is_direct(self) -> bool:
        return self.kind == "im"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """The growth of a streamed post."""

    started_s: float
    phase: Literal["in_progress", "completed"] = "in_progress"
    stopped_by_user: bool = False

    def is_open(self, now_s: float) -> bool:
        """Whether the stream takes text; Slack seals a stream five minutes after its start."""
        return self.phase == "in_progress" and now_s < self.started_s + STREAM_LIFETIME_S


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    id: str
    name: str
    title: str
    mimetype: str
    user: str
    content: bytes = field(repr=False)
    alt_txt: str | None = None
    is_foreign: bool = False
    """A file of another organisation: posts show its id alone, `files.info` the rest."""
    is_deleted: bool = False
    shares: "tuple[Post, ...]" = ()
    """The posts in which it was shared."""
    url_private: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A message. `blocks` are as they were sent, with the block ids that Slack adds."""

    channel: str
    ts: str
    user: str
    text: str
    thread_ts: str | None = None
    subtype: str | None = None
    blocks: tuple[JsonObject, ...] = ()
    files: tuple[File, ...] = ()
    edited: JsonObject | None = None
    metadata: JsonObject | None = None
    ephemeral_to: str | None = None
    reactions: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The users who reacted, by the emoji's name."""
    bot_id: str | None = None
    app_id: str | None = None
    client_msg_id: str | None = None
    stream: Stream | None = None

    @property
    def words(self) -> str:
        """The text, or the texts of the blocks where a post with files has no text."""
        return self.text or "\n".join(texts_in(self.blocks))

    @property
    def root_ts(self) -> str:
        """The ts of the thread's root, which is the post itself outside of threads."""
        return self.thread_ts or self.ts

    @property
    def is_reply(self) -> bool:
        return self.thread_ts is not None and self.thread_ts != self.ts


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSession:
    """An agent session: the conversation of one thread as Slack's agent surface shows it."""

    channel: str
    thread_ts: str
    status: str
    title: str = ""
    status_text: str = ""
    loading_messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A modal or an App Home as one person sees it."""

    id: str
    user: str
    type: ViewKind
    body: JsonObject
    state: JsonObject = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestedPrompts:
    channel: str
    prompts: tuple[JsonObject, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCall:
    """One call of the Web API: `at_s` by the stand-in's clock, `duration_ms` in real time."""

    method: str
    args: JsonObject
    at_s: float
    duration_ms: float
    ok: bool
    error: str | None
    status: int
    retry_after_s: int = 0
    """The pause that the answer asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One attempt to bring a payload to the app over a socket."""

    envelope_id: str
    type: str
    payload: JsonObject
    attempt: int
    sent_at_s: float
    reached_socket: bool
    acked_at_s: float | None = None
    answer: JsonObject | None = None

    @property
    def event_id(self) -> str | None:
        return self.payload.get("event_id")

    @property
    def event_type(self) -> str | None:
        event: JsonObject = self.payload.get("event") or {}
        return event.get("type")


@dataclass(frozen=True, slots=True)
class OpenSockets:
    """How many connections of the app get payloads."""

    count: int


StoredRecord = Post | Channel | AgentSession | SuggestedPrompts | View | ApiCall | Delivery
Record = StoredRecord | OpenSockets
