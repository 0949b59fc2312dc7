"""What a model gets of attached files at once: their text within a bound, and pictures.

The toolkit reads them, as it does for a model: no foreign bytes are parsed in this process.
"""

import re
from collections.abc import Sequence
from contextlib import suppress

from pydantic import TypeAdapter

from agent_core import tracing
from agent_core.ids import ToolCallId
from agent_core.json_values import as_object, load_strictly
from agent_core.messages import AttachedFile, Attachment, JsonObject, Message, ToolCall
from agent_core.prompts import prompt
from agent_core.runtime.turn_status import safe_name
from agent_core.tools import READ_FILE, ToolContext, Toolset
from agent_core.words import Words

MAX_CHARS_A_FILE = 16_000
MAX_CHARS = 40_000
"""Of all files of a message; what stands behind is read by the loop."""
FILES: TypeAdapter[tuple[AttachedFile, ...]] = TypeAdapter(tuple[AttachedFile, ...])
_FENCE = re.compile(r"<(?=\s*/?\s*attached_file)", re.IGNORECASE)
_GOES_ON = " This is its beginning: read_local_file reads on at offset {offset}."
_UNREAD = "(Not read yet: read_local_file reads it.)"
_SHOWN = "(The picture is shown below.)"


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
    path, told = attachment.path, JsonObject()
    picture = ""
    if limit > 0:
        arguments = {"path": path, "limit": limit}
        call = ToolCall(
            id=ToolCallId("attached"),
            name=READ_FILE,
            arguments=arguments,
        )
        output = await tools.run(call, context, _untold)
        with suppress(ValueError):
            told = {} if output.is_error else as_object(load_strictly(output.text))
        picture = output.picture
    about = f" {told['note']}" if told.get("note") else ""
    if offset := told.get("next_offset"):
        about += _GOES_ON.format(offset=offset)
    text = _FENCE.sub("(", str(told.get("text") or "")) or (
        _SHOWN if picture else "" if about else _UNREAD
    )
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
        fault=str(told.get("fault") or ""),
        is_whole=bool(told) and not told.get("next_offset"),
    )


async def _untold(_progress: str) -> None:
    """Nobody waits for a file's beginning."""


def fault_notes(messages: Sequence[Message], words: Words) -> list[str]:
    """A sentence for people about each file of the messages that could not be read."""
    return [
        words(f"notice-file-{part.fault.replace('_', '-')}", name=safe_name(part.name))
        for message in messages
        for part in message.parts
        if isinstance(part, AttachedFile) and part.fault
    ]
