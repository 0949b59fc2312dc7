"""Messages as long as a document: saved as a file of the workspace, and named in the answer."""

import asyncio
import logging
from pathlib import Path

from agent_core.classifier import LONG_TEXT_CHARS
from agent_core.runtime.ready_answers import small_talk_of
from agent_core.sessions import StoredTurn
from agent_core.words import Words
from agent_core.workspaces import DOWNLOADS, write_text

logger = logging.getLogger(__name__)


def document_path(turn: StoredTurn) -> str:
    """Where the text of a turn lies if it is a document, relative to the workspace; else empty."""
    is_document = len(turn.inbound.text) > LONG_TEXT_CHARS and small_talk_of(turn.inbound) is None
    return f"{DOWNLOADS}/message_{turn.seq}.txt" if is_document else ""


async def keep_document(turn: StoredTurn, workspace: Path) -> None:
    """Save the text if it is a document. A disk that refuses it does not cost the answer."""
    if not (path := document_path(turn)):
        return
    try:
        await asyncio.to_thread(write_text, workspace / path, turn.inbound.text)
    except OSError:
        logger.exception("turn %s: its text could not be saved", turn.id)


def document_note(turn: StoredTurn, workspace: Path, words: Words) -> str:
    """What the answer says of a document; empty where there is none."""
    if not (path := document_path(turn)):
        return ""
    n = len(turn.inbound.text)
    if (workspace / path).exists():
        return words("notice-long-text-kept", n=n, path=path)
    return words("notice-long-text", n=n)
