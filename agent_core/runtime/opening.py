"""A turn's first message, as the model sees it. Pure."""

from agent_core.messages import InboundMessage
from agent_core.prompts import prompt
from agent_core.runtime.documents import document_path
from agent_core.runtime.ready_answers import small_talk_of
from agent_core.sessions import StoredTurn


def opening_text(turn: StoredTurn) -> str:
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
        parts.append(f"Attached files, in the session's workspace:\n{lines}")
    if path := document_path(turn):
        length = f"{len(inbound.text):,}"
        parts.append(f"The message below has {length} characters; it is saved as {path}.")
    return "\n\n".join([*parts, _words(inbound)])


def _words(inbound: InboundMessage) -> str:
    if small_talk_of(inbound) == "noise":
        return f"({len(inbound.text):,} characters without a word)"
    return inbound.text or "(no words)"
