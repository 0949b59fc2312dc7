"""What an answer says of the turn's circumstances, in lines of their own before it."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

from agent_core.events import AnyEvent
from agent_core.loop.run import RunResult
from agent_core.prompts.language import Language
from agent_core.runtime.documents import document_note
from agent_core.runtime.reading import read_nothing
from agent_core.runtime.standing import unsure_words
from agent_core.sessions import StoredTurn
from agent_core.words import CORE, Words
from agent_core.workspaces import is_renewed, settle_renewal

logger = logging.getLogger(__name__)


async def with_notices(
    result: RunResult,
    turn: StoredTurn,
    workspace: Path,
    events: Sequence[AnyEvent],
    language: Language,
) -> str:
    """The answer below what the person has to know of message, workspace and pages."""
    return await asyncio.to_thread(_noticed, result, turn, workspace, events, CORE.of(language))


async def settle_notices(workspace: Path) -> None:
    """The answer with its notices is stored: what was said once is not said again."""
    try:
        await asyncio.to_thread(settle_renewal, workspace)
    except OSError:
        logger.exception("%s may be called new once more", workspace)


def _noticed(
    result: RunResult,
    turn: StoredTurn,
    workspace: Path,
    events: Sequence[AnyEvent],
    words: Words,
) -> str:
    notices = [
        document_note(turn, workspace, words),
        words("notice-new-workspace") if is_renewed(workspace) else "",
        words("notice-nothing-read") if read_nothing(events) else "",
        "" if result.outcome == "stopped" else unsure_words(events, words),
    ]
    return "\n\n".join(filter(None, [" ".join(filter(None, notices)), result.text]))
