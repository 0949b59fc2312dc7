"""The end of a turn: its answer with the notices that people need, and its records on disk."""

import asyncio
import logging
import re
from collections.abc import Sequence
from dataclasses import replace

from agent_core import tracing
from agent_core.events import (
    AnyEvent,
    ArtifactSaved,
    RouteChosen,
    StepFinished,
    ToolCallFinished,
    TurnFinished,
)
from agent_core.fault_points import fault_point
from agent_core.ids import ROOT_RUN, TurnId
from agent_core.loop.agent import RunScope
from agent_core.loop.run import RunResult
from agent_core.messages import Message
from agent_core.programs import RUN_PYTHON
from agent_core.runtime.attached import fault_notes
from agent_core.runtime.ready_answers import (
    document_note,
    needs_no_model,
)
from agent_core.runtime.scope import Work
from agent_core.runtime.turn_ends import turn_at
from agent_core.runtime.turn_status import TurnStatus
from agent_core.tools import app_name
from agent_core.workspaces import (
    append_summary,
    build_trace,
    cited_in,
    known_sources,
    renewal,
    without_paths,
    write_trace,
)

logger = logging.getLogger(__name__)

_AWAY = {
    "composio": "composio",
    "local_toolkit": "local-toolkit",
    RUN_PYTHON: "run-python",
}
"""What people are told of our own servers and tools, which they do not know by name."""
_CRAWLER = re.compile(r"(?:^|__)crawl_parallel$")
_SUCCESSES = re.compile(r'"successful": ?(\d+)')

OBSERVERS_PATIENCE_S = 5.0


class Closing:
    """Ends one turn with TurnFinished. A fault of its records does not cost the answer."""

    def __init__(self, work: Work, scope: RunScope, trace_id: str) -> None:
        self._work = work
        self._parts = work.parts
        self._turn = work.turn
        self._scope = scope
        self._trace_id = trace_id

    async def finish(self, result: RunResult) -> None:
        """The turn's end, with its records. What goes wrong with them does not cost the answer."""
        fault_point("finish.before")
        parts, turn, workspace = self._parts, self._turn, self._work.workspace
        finished = TurnFinished(
            **turn_at(parts, turn, "turn_finished"),
            outcome=result.outcome,
            answer=result.text,
            reference=self._trace_id[:8],
            is_tainted=True,
        )
        try:
            events = await parts.log.of_turn(turn.id)
            messages = await parts.store.run_messages(turn.id, ROOT_RUN)
            is_tainted = await parts.store.tainted_by(turn.session) is not None
            saved = await parts.log.stored(turn.session, kinds=("artifact_saved",))
            files = [event for _, event in saved if isinstance(event, ArtifactSaved)]
            titles = {file.path: file.title for file in files}
            result = replace(result, text=without_paths(result.text, workspace, titles))
            report = next((file.citations for file in reversed(files) if file.citations), ())
            finished = replace(
                finished,
                answer=await asyncio.to_thread(
                    self._noticed,
                    result,
                    events,
                    messages,
                    await self._lateness(),
                ),
                is_tainted=is_tainted,
                sources=await asyncio.to_thread(known_sources, workspace) if is_tainted else (),
                citations=cited_in(result.text, report),
            )
            await parts.observers.settle(OBSERVERS_PATIENCE_S, turn.id)
            events = [e for e in await parts.log.of_turn(turn.id) if e != finished]
            async with parts.writing_records:
                await asyncio.to_thread(self._leave_records, [*events, finished])
            tracing.note(
                "session_complete",
                outcome=finished.outcome,
                events=len(events) + 1,
            )
        except Exception:
            # A turn that could not end for its trimmings would be worked on again and again.
            logger.exception("turn %s ends without its notices or records", turn.id)
        await self._scope.emit(finished)
        await parts.log.flush()
        try:  # what was said once is not said again
            await asyncio.to_thread(renewal(workspace).unlink, missing_ok=True)
        except OSError:
            logger.exception("%s may be called new once more", workspace)
        fault_point("finish.after")

    async def _lateness(self) -> str:
        """The notice on a message that was written before an earlier one's long work had ended."""
        turn, before = self._turn, TurnId(self._turn.inbound.came_during)
        if not before or needs_no_model(turn, self._work.earlier):
            return ""
        if (await self._parts.store.turn(before)).outcome not in {"answered", "limited"}:
            return ""
        events = await self._parts.log.of_turn(before)
        was_long = any(isinstance(e, RouteChosen) and e.route == "COMPLEX" for e in events)
        return self._work.words("notice-too-late") if was_long else ""

    def _noticed(
        self,
        result: RunResult,
        events: Sequence[AnyEvent],
        messages: Sequence[Message],
        lateness: str,
    ) -> str:
        """The answer below what the person has to know of message, workspace and pages."""
        words, workspace = self._work.words, self._work.workspace
        status = TurnStatus(events)
        notices = [
            "" if result.outcome == "stopped" else lateness,
            document_note(self._turn, words),
            *fault_notes(messages, words),
            words("notice-files-gone") if renewal(workspace).exists() else "",
            words("notice-nothing-read") if _read_nothing(events) else "",
            self._away(events),
            "" if result.outcome == "stopped" else status.unsure(words),
        ]
        is_bare = result.outcome == "limited" and "://" not in result.text
        read = status.read(words) if is_bare else ""
        return "\n\n".join(filter(None, [" ".join(filter(None, notices)), result.text, read]))

    def _away(self, events: Sequence[AnyEvent]) -> str:
        """Whose tools the work had to do without; not again what the turn before has told."""
        away = self._parts.agents.away(self._scope.context)
        if not away or not any(isinstance(event, StepFinished) for event in events):
            return ""
        words = self._work.words
        named = [words(f"away-{_AWAY[name]}") if name in _AWAY else app_name(name) for name in away]
        said = words("notice-tools-away", what=", ".join(sorted(named)))
        return "" if any(said in (turn.answer or "") for turn in self._work.earlier[-1:]) else said

    def _leave_records(self, events: Sequence[AnyEvent]) -> None:
        """Trace and summary of a turn whose last event is the last of these."""
        parts, asked = self._parts, self._turn.inbound
        trace = build_trace(
            events,
            url=parts.app_address(asked.asker),
            asker=asked.asker,
            asked_at=asked.received_at,
            trace_id=self._trace_id,
            logfire_enabled=parts.logfire_enabled,
            finished_at=events[-1].at,
        )
        url = tracing.trace_url(parts.logfire_project, self._trace_id)
        write_trace(self._work.workspace, trace)
        append_summary(self._work.workspace, trace, trace_url=url)


def _read_nothing(events: Sequence[AnyEvent]) -> bool:
    """Whether pages were asked for, by whatever agent, and each and every one failed."""
    counts = [
        _SUCCESSES.search(event.preview)
        for event in events
        if isinstance(event, ToolCallFinished) and _CRAWLER.search(event.tool)
    ]
    return bool(counts) and not any(count and int(count[1]) for count in counts)
