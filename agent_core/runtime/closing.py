"""What a turn leaves in its workspace when it ends: artifacts settled, trace.json, summary.txt."""

import asyncio
import logging
from dataclasses import dataclass, field
from pathlib import Path

from agent_core import tracing
from agent_core.events import TurnFinished
from agent_core.observers import Observers
from agent_core.sessions import EventLog, StoredTurn
from agent_core.workspaces import SessionInfo, append_summary, build_trace, write_trace

logger = logging.getLogger(__name__)

OBSERVERS_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """Writes a turn's records. A workspace that cannot be written does not cost the answer."""

    log: EventLog
    observers: Observers
    composio_url: str
    logfire_project: str
    logfire_enabled: bool
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Small talk may end at the same time as the work beside it, in the same files."""

    async def leave_records(
        self, turn: StoredTurn, workspace: Path, finished: TurnFinished, trace_id: str
    ) -> None:
        await self.observers.settle(OBSERVERS_PATIENCE_S, turn.id)
        events = await self.log.of_turn(turn.id)
        if finished not in events:
            events.append(finished)
        trace = build_trace(
            events,
            info=SessionInfo(
                url=self.composio_url,
                user_id=turn.inbound.asker,
                timestamp=turn.inbound.received_at,
            ),
            trace_id=trace_id,
            logfire_enabled=self.logfire_enabled,
            finished_at=finished.at,
        )
        url = tracing.trace_url(self.logfire_project, trace_id)
        try:
            async with self.writing:
                await asyncio.to_thread(write_trace, workspace, trace)
                await asyncio.to_thread(append_summary, workspace, trace, trace_url=url)
        except OSError:
            logger.exception("turn %s: its records could not be written", turn.id)
        tracing.note("session_complete", outcome=finished.outcome, events=len(events))
