"""The end of a turn: its answer with the notices that people need, and its records on disk.

Turns without an answer of their own end here, too: absorbed, taken back, or given up.
"""

import asyncio
import logging
import mimetypes
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import timedelta

from agent_core import tracing
from agent_core.durable import causes
from agent_core.errors import (
    ModelRejected,
    ModelUnavailable,
    ReplyTruncated,
    RequestTooLarge,
    SessionError,
    TurnSetAside,
)
from agent_core.events import (
    REPORT,
    AnyEvent,
    ArtifactSaved,
    EventHeader,
    Outcome,
    RouteChosen,
    StepFinished,
    ToolCallFinished,
    TurnFinished,
    TurnStarted,
)
from agent_core.fault_points import fault_point
from agent_core.ids import ROOT_RUN, ToolCallId, TurnId, UserId
from agent_core.loop.agent import ROUTE_SLOTS, RunScope, names_away
from agent_core.loop.run import RunResult
from agent_core.messages import JsonObject, ToolCall, user_message
from agent_core.runtime.opening import (
    document_note,
    fault_notes,
    ignore_progress,
    needs_no_model,
    opening_text,
    thread_language,
)
from agent_core.runtime.parts import CHECK_ANSWER, PRINT_REPORT, TurnParts
from agent_core.runtime.turn_status import TurnStatus
from agent_core.sessions import StoredTurn
from agent_core.tools import ToolContext
from agent_core.words import CORE, FALLBACK, Words
from agent_core.workspaces import (
    append_summary,
    build_trace,
    cited_in,
    known_pages,
    renewal,
    safe_products,
    without_paths,
    write_trace,
)

logger = logging.getLogger(__name__)

_CRAWLER = re.compile(r"(?:^|__)crawl_parallel$")
_PASSAGE = re.compile(r"(\[\d+)#\d+(?=\])")
"""The passage in a citation such as `[3#12]`, which people see as `[3]`."""
_CITATION = re.compile(r"\[\d+\]")
_KEYLESS = re.compile(r"mcp__local_toolkit__search_(?:web|news)$")
_SUCCESSES = re.compile(r'"successful": ?(\d+)')

_FAILURES: dict[type[BaseException], str] = {
    RequestTooLarge: "failure-too-long",
    ReplyTruncated: "failure-truncated",
    ModelRejected: "failure-rejected",
    ModelUnavailable: "failure-unavailable",
    TurnSetAside: "failure-set-aside",
}
OBSERVERS_PATIENCE_S = 5.0
CHECK_PATIENCE_S = 5.0
_UNKNOWN_KIND = "application/octet-stream"
_MAX_PRODUCTS = 100
"""Files that a turn announces at its end; others wait for the next one."""


async def finish(
    parts: TurnParts,
    turn: StoredTurn,
    earlier: Sequence[StoredTurn],
    scope: RunScope,
    result: RunResult,
    trace_id: str,
) -> None:
    """End a turn with TurnFinished; a fault of its records does not cost the answer."""
    fault_point("finish.before")
    workspace = scope.context.workspace
    finished = TurnFinished(
        **turn_at(parts, turn, "turn_finished"),
        outcome=result.outcome,
        answer=result.text,
        reference=trace_id[:8],
        is_tainted=True,
        has_findings=result.has_findings,
    )
    try:
        is_tainted = await parts.store.tainted_by(turn.session) is not None
        saved = await parts.log.stored(turn.session, kinds=("artifact_saved",))
        files = [event for _, event in saved if isinstance(event, ArtifactSaved)]
        files += await _announce_products(parts, turn, scope, files)
        titles = {file.path: file.title for file in files}
        text = _PASSAGE.sub(r"\1", without_paths(result.text, workspace, titles))
        await parts.observers.settle(OBSERVERS_PATIENCE_S, turn.id)
        events = await parts.log.of_turn(turn.id)
        notices = await _notices(
            parts,
            turn,
            earlier,
            scope,
            result,
        )
        pages = ""
        known = await asyncio.to_thread(known_pages, workspace) if is_tainted else {}
        if any(isinstance(event, StepFinished) for event in events):
            status = TurnStatus(events)
            notices += _notices_of_work(
                parts,
                earlier,
                scope,
                events,
            )
            if result.outcome != "stopped":
                notices.append(status.unsure(scope.words))
                text = _sourced(result.outcome, text, scope, known, files)
            if result.outcome == "limited" and "://" not in text:
                pages = status.read(scope.words, known)
        cited = cited_in(text, _newest_citations(files))
        if known:
            text = await _checked(parts, turn, scope, text, cited, files)
        finished = replace(
            finished,
            answer="\n\n".join(filter(None, [" ".join(filter(None, notices)), text, pages])),
            is_tainted=is_tainted,
            sources=tuple(known),
            citations=cited,
            published=tuple(
                (url, facts.day, facts.publisher)
                for url, facts in known.items()
                if (facts.day or facts.publisher) and (url in cited or url in f"{text}{pages}")
            ),
        )
        async with parts.writing_records:
            trace = await asyncio.to_thread(
                _leave_records,
                parts,
                turn,
                scope,
                [*events, finished],
                trace_id,
            )
        tracing.note(
            "session_complete",
            outcome=finished.outcome,
            events=len(events) + 1,
            duration_seconds=trace["total_duration_seconds"],
            tool_calls=len(trace["tool_calls"]),
            iterations=len(trace["iterations"]),
            **{name: trace["usage"][name] for name in ("total_tokens", "model_calls", "cost_usd")},
        )
    except Exception:
        # A turn that could not end for its trimmings would be worked on again and again.
        logger.exception("turn %s ends without its notices or records", turn.id)
    await scope.emit(finished)
    await parts.log.flush()
    try:  # the notice on files that are gone is given once
        await asyncio.to_thread(renewal(workspace).unlink, missing_ok=True)
    except OSError:
        logger.exception("%s may be called new once more", workspace)
    fault_point("finish.after")


async def _announce_products(
    parts: TurnParts, turn: StoredTurn, scope: RunScope, saved: Sequence[ArtifactSaved]
) -> list[ArtifactSaved]:
    """Emit ArtifactSaved for each work product that no tool announced as it is now.

    Such are files of foreign servers and of kinds that our own tools do not know. Idempotent: a
    turn that ends once more goes on behind the slots that it used.
    """
    sizes = {file.path: file.size_bytes for file in saved}
    reports = {file.path: file for file in saved if file.mimetype == REPORT}
    products = await asyncio.to_thread(safe_products, scope.context.workspace)
    first = ROUTE_SLOTS["product"]
    before = sum(file.turn == turn.id and file.step == 0 and file.n >= first for file in saved)
    events: list[ArtifactSaved] = []
    for path, size in products:
        report = reports.get(f"{path.rpartition('.')[0]}.html")
        if sizes.get(path) == size or (report and report.turn != turn.id):
            continue  # whoever shows an earlier report asks for its PDF
        if len(events) >= _MAX_PRODUCTS:
            logger.warning("turn %s leaves more than %d files", turn.id, _MAX_PRODUCTS)
            break
        kind = mimetypes.guess_type(path)[0] or _UNKNOWN_KIND
        if kind == REPORT:
            kind = _UNKNOWN_KIND  # write_report announces its own
        event = ArtifactSaved(
            **turn_at(parts, turn, "product", before + len(events)),
            path=path,
            title=report.title if report else path.rpartition("/")[2],
            mimetype=kind,
            size_bytes=size,
        )
        events.append(event)
        await scope.emit(event)
    return events


async def print_report(parts: TurnParts, report: ArtifactSaved) -> list[ArtifactSaved]:
    """Print a report and announce its PDF and the picture of its first page. Idempotent.

    For whoever shows the turn, behind its answer. Nothing comes of it where there is no browser.
    """
    workspace, _ = await parts.store.turns_until(report.turn)
    context = ToolContext(
        session=report.session,
        turn=report.turn,
        run=report.run,
        asker=UserId(""),
        workspace=workspace,
    )
    arguments = {"path": report.path, "title": report.title}
    call = ToolCall(id=ToolCallId("print"), name=PRINT_REPORT, arguments=arguments)
    output = await parts.agents.registry.run(call, context, ignore_progress)
    events = [
        replace(report, n=report.n + number, **asdict(file))
        for number, file in enumerate(output.artifacts, start=1)
    ]
    for event in events:
        await parts.log.append(event)
    return events


def _sourced(
    outcome: Outcome,
    text: str,
    scope: RunScope,
    known: Iterable[str],
    files: Sequence[ArtifactSaved],
) -> str:
    """The answer; a sentence in its place where the channel wants sources and it names none."""
    is_free = outcome == "failed" or not scope.context.settings.values.cite_or_stay_silent
    is_sourced = is_free or any(url in text for url in known)
    if _newest_citations(files) and _CITATION.search(text):
        is_sourced = True
    return text if is_sourced else scope.words("answer-without-source")


def _newest_citations(files: Sequence[ArtifactSaved]) -> tuple[str, ...]:
    """Of the session's newest report; empty without one."""
    for file in reversed(files):
        if file.citations:
            return file.citations
    return ()


async def _checked(
    parts: TurnParts,
    turn: StoredTurn,
    scope: RunScope,
    text: str,
    cited: Sequence[str],
    files: Sequence[ArtifactSaved],
) -> str:
    """The answer with a mark behind each claim that its sources do not say, and the count of them.

    Beside a report of the turn it is the report's count. The answer stays as it is where the check
    fails or takes longer than a reader should wait.
    """
    counts = [file.checked for file in files if file.turn == turn.id and file.checked]
    if "[" not in text and not counts:
        return text
    arguments: JsonObject = {
        "markdown": text,
        "citations": [*cited],
        "language": thread_language(turn),
        "counted": counts[-1] if counts else "",
    }
    call = ToolCall(id=ToolCallId("check"), name=CHECK_ANSWER, arguments=arguments)
    try:
        async with asyncio.timeout(CHECK_PATIENCE_S):
            output = await parts.agents.registry.run(call, scope.context, ignore_progress)
    except TimeoutError:
        logger.warning("the answer of %s is posted unchecked", scope.context.turn)
        return text
    is_whole = not output.is_error and not output.saved_path
    return output.text if is_whole else text


async def _notices(
    parts: TurnParts,
    turn: StoredTurn,
    earlier: Sequence[StoredTurn],
    scope: RunScope,
    result: RunResult,
) -> list[str]:
    """What the person has to know of the message and the workspace."""
    words = scope.words
    messages = await parts.store.run_messages(turn.id, ROOT_RUN)
    is_renewed = await asyncio.to_thread(renewal(scope.context.workspace).exists)
    ended = ""
    if result.cap is not None:
        key = "cap-ended" if result.text else "cap-refused"
        ended = await parts.budget.sentence(result.cap, key, thread_language(turn))
    gone = "notice-files-gone" if is_renewed else ""
    session = await parts.store.session(turn.session)
    long_before = turn.inbound.received_at - timedelta(hours=1)
    if turn.seq == 1 and session and session.created_at < long_before:
        gone = "notice-transcript-gone"  # else its session is as new as a first turn
    return [
        ended,
        ""
        if result.outcome == "stopped"
        else await _lateness(
            parts,
            turn,
            earlier,
            scope,
        ),
        document_note(turn, words),
        *fault_notes(messages, words),
        words(gone) if gone else "",
    ]


async def _lateness(
    parts: TurnParts, turn: StoredTurn, earlier: Sequence[StoredTurn], scope: RunScope
) -> str:
    """The notice on a message that was written before an earlier one's long work had ended."""
    before = TurnId(turn.inbound.came_during)
    if not before or needs_no_model(turn, earlier):
        return ""
    if (await parts.store.turn(before)).outcome not in {"answered", "limited"}:
        return ""
    events = await parts.log.of_turn(before, "route_chosen")
    was_long = any(isinstance(event, RouteChosen) and event.route == "COMPLEX" for event in events)
    return scope.words("notice-too-late") if was_long else ""


def _notices_of_work(
    parts: TurnParts, earlier: Sequence[StoredTurn], scope: RunScope, events: Sequence[AnyEvent]
) -> list[str]:
    """That every page failed, by whatever agent, and whose tools the work had to do without."""
    words = scope.words
    notices: list[str] = []
    counts = [
        _SUCCESSES.search(event.preview)
        for event in events
        if isinstance(event, ToolCallFinished) and _CRAWLER.search(event.tool)
    ]
    if counts and not any(count and int(count[1]) for count in counts):
        notices.append(words("notice-nothing-read"))
    if any(isinstance(each, ToolCallFinished) and _KEYLESS.match(each.tool) for each in events):
        notices.append(words("notice-keyless-search"))
    away = names_away(parts.agents.away(scope.context), words)
    if away:
        notice = words("notice-tools-away", what=away)
        if not any(notice in (turn.answer or "") for turn in earlier[-1:]):
            notices.append(notice)
    return notices


def _leave_records(
    parts: TurnParts,
    turn: StoredTurn,
    scope: RunScope,
    events: Sequence[AnyEvent],
    trace_id: str,
) -> JsonObject:
    """Trace and summary of a turn whose last event is the last of these; the trace."""
    asked, workspace = turn.inbound, scope.context.workspace
    trace = build_trace(
        events,
        url=parts.app_address(asked.asker),
        asker=asked.asker,
        asked_at=asked.received_at,
        trace_id=trace_id,
        logfire_enabled=parts.logfire_enabled,
        finished_at=events[-1].at,
    )
    url = tracing.trace_url(parts.logfire_project, trace_id)
    write_trace(workspace, trace)
    append_summary(workspace, trace, trace_url=url)
    return trace


def turn_at(parts: TurnParts, turn: StoredTurn, slot: str, offset: int = 0) -> EventHeader:
    """The fields of a turn's own events, which are announced once, in whatever generation."""
    return EventHeader(
        session=turn.session,
        turn=turn.id,
        run=ROOT_RUN,
        step=0,
        attempt=1,
        n=ROUTE_SLOTS[slot] + offset,
        at=parts.clock(),
    )


async def end_absorbed(parts: TurnParts, turn: StoredTurn) -> None:
    """Emit TurnFinished for every message this turn absorbed; needed where a stop came between.

    What the root run did not take in is kept in the history, for whoever goes on later.
    """
    rows = await parts.inbox.rows(turn.id, "message")
    stored = len(await parts.store.run_messages(turn.id, ROOT_RUN)) if rows else 0
    for row in rows:
        if row.run == ROOT_RUN and (row.seq is None or row.seq >= stored):
            await keep_message(parts, row.message)
    await end_silently(parts, await parts.queue.absorbed_by(turn.id), "steered")


async def keep_message(parts: TurnParts, turn: StoredTurn) -> None:
    """Keep a message that no run took in, in the session's history."""
    opening = user_message(opening_text(turn))
    await parts.store.append_messages(
        turn.id,
        ROOT_RUN,
        0,
        [opening],
    )


async def end_silently(parts: TurnParts, ended: Sequence[StoredTurn], outcome: Outcome) -> None:
    """End turns without an answer: `stopped` when they were taken back, `steered` otherwise.

    Their readers are told when this returns. Safe to do again.
    """
    for turn in ended:
        await _announce_end(parts, turn, outcome)
    if ended:
        await parts.log.flush()


async def give_up(parts: TurnParts, turn: StoredTurn, why: SessionError | None = None) -> None:
    """End a turn that cannot be worked on, with an apology."""
    reference = tracing.trace_id_of(turn.id)[:8]
    words = CORE.of(thread_language(turn))
    text = apology(why or SessionError(), reference, words)
    logger.error("turn %s ends with an apology (reference %s)", turn.id, reference)
    await _announce_end(
        parts,
        turn,
        "failed",
        text,
        reference,
    )
    await parts.log.flush()


async def _announce_end(
    parts: TurnParts, turn: StoredTurn, outcome: Outcome, answer: str = "", reference: str = ""
) -> None:
    asked = turn.inbound
    await parts.log.append(
        TurnStarted(
            **turn_at(parts, turn, "turn_started"),
            asker=asked.asker,
            author_name=asked.author_name,
            text="",
        )
    )
    await parts.log.append(
        TurnFinished(
            **turn_at(parts, turn, "turn_finished"),
            outcome=outcome,
            answer=answer,
            reference=reference,
        )
    )


def apology(error: BaseException, reference: str, words: Words) -> str:
    """Why a turn failed, in plain sentences, with the reference an operator finds it by."""
    reason = words(_FAILURES.get(type(next(causes(error))), "failure-other"))
    return words("failure-with-reference", reason=reason, mark=reference)


def child_failure(error: BaseException) -> str:
    """A plain sentence for the model that delegated to a sub-agent which failed."""
    key = _FAILURES.get(type(next(causes(error))), "failure-other")
    return f"The sub-agent could not finish: {CORE.say(FALLBACK, key)}"
