"""What a turn starts from: its first message for the model, or an answer without a model.

Long texts are kept as documents, attached files are read by the toolkit (no foreign bytes are
parsed in this process), and small talk is answered at once, in the language of the thread.
`earlier` always means the session's turns before the one that is answered, oldest first.
"""

import asyncio
import logging
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter

from agent_core import tracing
from agent_core.classifier import LONG_TEXT_CHARS, Routed
from agent_core.clock import find_zone, local_time
from agent_core.events import AnyEvent
from agent_core.ids import ToolCallId
from agent_core.json_values import as_object, load_strictly
from agent_core.messages import (
    AttachedFile,
    Attachment,
    InboundMessage,
    JsonObject,
    Message,
    Payer,
    Text,
    ToolCall,
)
from agent_core.prompts import prompt
from agent_core.runtime.turn_status import TurnStatus, safe_name
from agent_core.sessions import StoredTurn, TurnKind
from agent_core.tools import READ_FILE, ToolContext, Toolset
from agent_core.words import (
    CORE,
    Language,
    SmallTalk,
    Words,
    detect_language,
    is_thumbs_up,
    phrase_language,
    read_language,
    small_talk,
)
from agent_core.workspaces import DOWNLOADS, write_text

logger = logging.getLogger(__name__)

MAX_NAME_CHARS = 60
_SPOKEN = {"en": "English", "de": "German", "es": "Spanish", "fr": "French"}
"""The languages that people may choose, as a model knows them."""

MAX_CHARS_A_FILE = 16_000
MAX_CHARS = 40_000
"""Of all files of a message; what stands behind is read by the loop."""
FILES: TypeAdapter[tuple[AttachedFile, ...]] = TypeAdapter(tuple[AttachedFile, ...])
_FENCE = re.compile(r"<(?=\s*/?\s*attached_file)", re.IGNORECASE)
_GOES_ON = " This is its beginning: read_local_file reads on at offset {offset}."
_UNREAD = "(Not read yet: read_local_file reads it.)"
_SHOWN = "(The picture is shown below.)"

_ANSWERS: dict[SmallTalk | None, str] = {
    "empty": "answer-help",
    "help": "answer-help",
    "stop": "answer-nothing-running",
    "status": "answer-nothing-running",
    "emoji": "answer-thanks",
    "thanks": "answer-thanks",
    None: "answer-thanks",
    "noise": "answer-noise",
}
_AT_ONCE = frozenset[SmallTalk]({"empty", "emoji", "noise", "help", "status", "thanks"})


def document_path(turn: StoredTurn) -> str:
    """Where the text of a turn lies if it is a document, relative to the workspace; else empty."""
    is_long = len(turn.inbound.text) > LONG_TEXT_CHARS
    if not is_long or small_talk_of(turn.inbound) is not None:
        return ""
    return f"{DOWNLOADS}/message_{turn.seq}.txt"


async def keep_document(turn: StoredTurn, workspace: Path) -> None:
    """Save the text if it is a document. A disk that refuses it does not cost the answer."""
    if not (path := document_path(turn)):
        return
    try:
        await asyncio.to_thread(write_text, workspace / path, turn.inbound.text)
    except OSError:
        logger.exception("turn %s: its text could not be saved", turn.id)


def document_note(turn: StoredTurn, words: Words) -> str:
    """What the answer says of a document; empty where there is none."""
    if not document_path(turn):
        return ""
    return words("notice-long-text", n=len(turn.inbound.text))


def moment_words(message: InboundMessage) -> str:
    """For the model: when a message was written, on its author's clock where that is known."""
    wall = local_time(message.received_at, message.author_zone)
    at = wall.strftime("%A, %d %B %Y, %H:%M")
    if find_zone(message.author_zone) is None:
        return f"{at} UTC (the author's time zone is not known)"
    return f"{at} in {message.author_zone} (UTC{wall.isoformat()[-6:]})"


def opening_text(turn: StoredTurn) -> str:
    """When and by whom it was sent, then all that was sent."""
    name = one_line(turn.inbound.author_name)
    author = name.translate({ord("<"): "(", ord(">"): ")"})
    language = _SPOKEN.get(turn.inbound.language)
    if language:
        author = f"{author}, who wants every answer in {language}"
    head = prompt("sent", moment=moment_words(turn.inbound), author=author)
    return f"{head}\n\n{sent_text(turn)}"


def sent_text(turn: StoredTurn) -> str:
    """Earlier posts of the thread, the attachments, then what the person wrote."""
    inbound = turn.inbound
    parts: list[str] = []
    if inbound.background:
        parts.append(prompt("background", posts=inbound.background))
    if inbound.attachments:
        lines = "\n".join(
            f"- {file.path} ({file.mimetype}, {file.size_bytes:,} bytes)"
            for file in inbound.attachments
        )
        parts.append(prompt("attachments", files=lines))
    if path := document_path(turn):
        length = f"{len(inbound.text):,}"
        parts.append(f"The message below has {length} characters; it is saved as {path}.")
    words = inbound.text or "(no words)"
    if small_talk_of(inbound) == "noise":
        words = f"({len(inbound.text):,} characters without a word)"
    return "\n\n".join([*parts, words])


async def read_attached(
    tools: Toolset, attachments: Sequence[Attachment], context: ToolContext
) -> tuple[AttachedFile, ...]:
    """The files in their order. One that the toolkit does not bring is named all the same."""
    files: list[AttachedFile] = []
    room = MAX_CHARS
    for attachment in attachments:
        file = await _read(
            tools,
            attachment,
            min(room, MAX_CHARS_A_FILE),
            context,
        )
        room -= len(file.text)
        files.append(file)
    if files:
        faults = " ".join(filter(None, (file.fault for file in files)))
        tracing.note("attached_files", files=len(files), faults=faults)
    return tuple(files)


async def _read(
    tools: Toolset, attachment: Attachment, limit: int, context: ToolContext
) -> AttachedFile:
    path = attachment.path
    content = JsonObject()
    picture = ""
    if limit > 0:
        call = ToolCall(
            id=ToolCallId("attached"),
            name=READ_FILE,
            arguments={"path": path, "limit": limit},
        )
        output = await tools.run(call, context, ignore_progress)
        picture = output.picture
        if not output.is_error:
            with suppress(ValueError):
                content = as_object(load_strictly(output.text))
    note, offset = content.get("note"), content.get("next_offset")
    about = f" {note}" if note else ""
    if offset:
        about += _GOES_ON.format(offset=offset)
    text = _FENCE.sub("(", str(content.get("text") or ""))
    if not text and picture:
        text = _SHOWN
    elif not text and not about:
        text = _UNREAD
    return AttachedFile(
        name=attachment.name,
        path=path,
        text=prompt(
            "attached_file",
            path=path,
            about=about,
            text=text,
        ),
        picture=picture,
        fault=str(content.get("fault") or ""),
        is_whole=bool(content) and not offset,
    )


async def ignore_progress(_progress: str) -> None:
    """Nobody waits for a file's beginning."""


def fault_notes(messages: Sequence[Message], words: Words) -> list[str]:
    """A sentence for people about each file of the messages that could not be read."""
    return [
        words(f"notice-file-{part.fault.replace('_', '-')}", name=safe_name(part.name))
        for message in messages
        for part in message.parts
        if isinstance(part, AttachedFile) and part.fault
    ]


def one_line(name: str) -> str:
    """A name that people chose themselves, so that it cannot pose as more than a name."""
    return " ".join(name.split())[:MAX_NAME_CHARS] or "Someone"


def payer_of(turn: StoredTurn) -> Payer:
    """Who pays for calls about a turn's message."""
    return replace(turn.inbound.payer, turn=turn.id)


def small_talk_of(message: InboundMessage) -> SmallTalk | None:
    """Why there is nothing in a message to work on by itself; None where there is something."""
    if message.scheduled or message.attachments:
        return None
    return small_talk(message.text)


def kind_of(message: InboundMessage) -> TurnKind:
    """Whether a message waits its turn; a thumb up may be a yes to the turn before it."""
    small = small_talk_of(message)
    if small == "stop":
        return "stop"
    if small in _AT_ONCE and not is_thumbs_up(message.text):
        return "at_once"
    return "work"


def needs_no_model(turn: StoredTurn, earlier: Sequence[StoredTurn]) -> bool:
    """Whether the turn is small talk, which has its answer here."""
    if turn.kind == "at_once":
        return True
    kind = small_talk_of(turn.inbound)
    if kind == "emoji":
        return not _is_assent(turn, last_work(earlier))
    return kind is not None


def answer_small_talk(
    turn: StoredTurn, earlier: Sequence[StoredTurn], events: Sequence[AnyEvent], now: datetime
) -> Routed:
    """The answer to small talk, given now; `events` are those of the work that is told."""
    kind = small_talk_of(turn.inbound)
    before = work_to_tell(earlier)
    language = turn.inbound.language or phrase_language(turn.inbound.text)
    words = CORE.of(language or thread_language(turn))
    reason = str(kind)
    if kind is None and before and before.wait and before.wait.kind == "approval":
        reason = "agreed"
        text = words("answer-agreed")
    elif before is None or kind not in (None, "empty", "status"):
        text = words(_ANSWERS[kind], n=len(turn.inbound.text))
    elif before.outcome is None:
        text = TurnStatus(events).progress(now, words)
    else:
        text = words(f"state-{before.outcome}" if kind else _ANSWERS[kind])
    return Routed(
        route="SIMPLE",
        reason=reason,
        answer=Message(role="assistant", parts=(Text(text=text),)),
    )


def last_work(earlier: Sequence[StoredTurn]) -> StoredTurn | None:
    """The newest turn with a task: no small talk, and not absorbed by another turn."""
    return next(filter(_is_work, reversed(earlier)), None)


def work_to_tell(earlier: Sequence[StoredTurn]) -> StoredTurn | None:
    """The turn at work that a question about the state is about; else the newest with a task."""
    unfinished = (turn for turn in earlier if turn.outcome is None and _is_work(turn))
    return next(unfinished, None) or last_work(earlier)


def thread_language(turn: StoredTurn) -> Language:
    """The language that the asker chose, else that of the message, else the one they write in."""
    inbound = turn.inbound
    chosen = read_language(inbound.language)
    return chosen or detect_language(inbound.text, locale=inbound.author_locale)


def _is_work(turn: StoredTurn) -> bool:
    is_told = turn.kind == "work" and turn.outcome != "steered"
    return is_told and small_talk_of(turn.inbound) is None


def _is_assent(turn: StoredTurn, before: StoredTurn | None) -> bool:
    """A thumb up is a yes where the bot asked its giver one question, or stopped at a limit."""
    if before is None or before.inbound.asker != turn.inbound.asker:
        return False
    if not is_thumbs_up(turn.inbound.text):
        return False
    return before.outcome == "limited" or (before.answer or "").rstrip().endswith("?")
