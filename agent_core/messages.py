"""What a model sees and says, and what arrives from a person. Pure data, stored as JSON."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from agent_core.ids import SOMEBODY, SessionId, ToolCallId, UserId

JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    text: str
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opaque:
    """A block that goes back to the provider byte for byte (thinking, and kinds we do not know)."""

    block: JsonObject
    kind: Literal["opaque"] = "opaque"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    id: ToolCallId
    name: str
    arguments: JsonObject
    kind: Literal["tool_call"] = "tool_call"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The one answer to a tool call, as the model sees it."""

    call_id: ToolCallId
    text: str
    is_error: bool = False
    picture: str = ""
    """What is shown beside the text; as in AttachedFile."""
    kind: Literal["tool_result"] = "tool_result"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedFile:
    """A file that came with a message: what the model gets of it."""

    name: str
    """As its person named it."""
    path: str
    """Relative to the workspace."""
    text: str
    """What it holds, as far as it fits, or why that cannot be had. Words from outside."""
    picture: str = ""
    """Where the picture lies that is shown, relative to the workspace; its bytes are loaded for
    each call and stored nowhere else."""
    fault: str = ""
    """Why it could not be read, in one word; empty where it could."""
    is_whole: bool = True
    """Whether all that it holds is here."""
    kind: Literal["file"] = "file"


Part = Annotated[Text | Opaque | ToolCall | ToolResult | AttachedFile, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One entry of the history. Results are parts of a user message, calls of an assistant one."""

    role: Literal["user", "assistant"]
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The text parts, joined by blank lines; empty when a person would see nothing of them."""
        text = "\n\n".join(part.text for part in self.parts if isinstance(part, Text)).strip()
        return text if is_visible(text) else ""

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


def is_visible(text: str) -> bool:
    """Whether a text has more in it than white space, control and format characters."""
    return any(unicodedata.category(sign)[0] not in "CZ" for sign in text)


def user_message(text: str, files: Sequence[AttachedFile] = ()) -> Message:
    """A user message of one text, behind the files that came with it."""
    return Message(role="user", parts=(*files, Text(text=text)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that a person attached, already saved in the session's workspace."""

    name: str
    path: str
    """Relative to the workspace."""
    mimetype: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Payer:
    """For whom a model call is made, and where: whose caps hold for it."""

    person: UserId
    session: SessionId
    turn: str = ""
    """Empty for a call before any turn, such as one that judges a reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundMessage:
    """A person's message, from whatever surface it came."""

    session: SessionId
    key: str
    """The gesture's identity: the same however often and in whatever shapes it is delivered."""
    asker: UserId
    author_name: str
    text: str
    """As the person meant it: no mention of the bot, no wire escapes."""
    received_at: datetime
    title: str = ""
    """For people, where the words themselves are none; models never get it."""
    background: str = ""
    """Earlier posts of a thread that people began, authors named. Material, no instruction."""
    background_authors: tuple[UserId, ...] = ()
    """Who wrote those posts, or had a word in the text; the asker where these are the bot's own."""
    attachments: tuple[Attachment, ...] = field(default=())
    scheduled: bool = False
    is_choice: bool = False
    """The words are an option's that a person chose: a model wrote them."""
    author_locale: str = ""
    """As the surface tells it, such as `de-DE`; empty where it does not."""
    language: str = ""
    """That the author chose to be answered in, such as `de`; empty where they never did."""
    author_zone: str = ""
    """The author's time zone, such as `Europe/Berlin`; empty where the surface does not tell."""
    places: tuple[str, ...] = ()
    """Names of the place where it was written, by any of which an operator may mean it."""
    came_during: str = ""
    """The turn that was at work in the session when the message was stored; empty for none."""

    @property
    def authors(self) -> frozenset[UserId]:
        """Whose words came with it: posts of nobody known are somebody else's."""
        unknown = (SOMEBODY,) if self.background and not self.background_authors else ()
        return frozenset({self.asker, *self.background_authors, *unknown})

    @property
    def payer(self) -> Payer:
        """Who pays for calls about it, before it has a turn."""
        return Payer(person=self.asker, session=self.session)


MESSAGE: TypeAdapter[Message] = TypeAdapter(Message)
