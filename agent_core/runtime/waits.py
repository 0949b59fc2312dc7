"""How a turn waits for an Ask: it ends its workflow, and what the waiting call comes to later.

A wait survives restarts because the turn is stored as waiting and the Ask as a row. A decision, a
message or the deadline starts the turn's next workflow, which ends the wait here. Who may decide
stands in `asks.py`.
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from agent_core.composio import are_connected
from agent_core.consent import storage_keys
from agent_core.events import (
    AnyEvent,
    ApprovalRequested,
    AskDecided,
    AskDecision,
    AuthRequired,
    QuestionAsked,
    SentFile,
    ToolCallFinished,
)
from agent_core.fault_points import fault_point
from agent_core.ids import ROOT_RUN, AskId, ToolCallId
from agent_core.json_values import parse_result, text_in
from agent_core.loop.agent import ROUTE_SLOTS, Agent, RunScope, SteeringMessage
from agent_core.loop.calls import Asked, end_call, run_calls
from agent_core.messages import Message, ToolCall, ToolResult, user_message
from agent_core.runtime.parts import TurnParts
from agent_core.runtime.run import zone_of
from agent_core.sessions import (
    ASK,
    AccountConnection,
    Ask,
    AskKind,
    CallApproval,
    Question,
    StoredTurn,
    Wait,
)
from agent_core.tools import ToolOutput

UPLOAD = "mcp__local_toolkit__upload_to_composio"
"""Whose result says which file a key stands for."""
MAX_REQUEST_CHARS = 6_000
FIRST_HELD_SLOT = 400
"""Of the calls that are begun again after a wait, within step 0."""

STOPPED = "Not done: the work was stopped before this was decided."

MESSAGES: TypeAdapter[tuple[SteeringMessage, ...]] = TypeAdapter(tuple[SteeringMessage, ...])

_NOT_ANSWERED = (
    "Nobody answered in time. Take this, and say in your answer that you took it: {default}"
)
_CONNECTED = "[Authentication completed: {apps} connected.]"
_NOT_CONNECTED: dict[AskDecision, str] = {
    "skipped": "The person does not want to connect {apps} now. Nothing was done with it.",
    "expired": "{apps} was not connected in time. Nothing was done with it.",
    "overtaken": (
        "{apps} is not connected yet: somebody wrote in the thread meanwhile. Read that first. "
        "The request to connect still stands in the thread; if the call is still wanted, make it "
        "again, and it is waited for again."
    ),
}
_NOT_APPROVED: dict[AskDecision | None, str] = {
    "rejected": "Not done: this call was rejected. Say so, and do not try another way.",
    "expired": "Not done: nobody approved this call in time. Say so; it can be asked for again.",
}
_REJECTED_BECAUSE = (
    "Not done: this call was rejected ({reason}). You may offer it once more, changed as the "
    "reason asks. If that is rejected too, or cannot be done, say so, and do not try another way."
)
_RELEASED = (
    "Not decided yet: somebody wrote in the thread meanwhile. Read that first. The request still "
    "stands in the thread. If the call is wanted as it is, make it again with exactly the same "
    "arguments, and the request stays; a changed call takes its place."
)


async def begin_wait(
    parts: TurnParts,
    turn: StoredTurn,
    scope: RunScope,
    ask: Ask,
) -> None:
    """Store the Ask that the turn waits for, and the turn as waiting."""
    fault_point("wait.before")
    stored = await parts.asks.add(ask)
    if stored.kind == "approval":
        await drop_released(parts, turn, scope, "replaced", of="approval")
    await scope.emit(
        await _requested(
            parts,
            turn,
            scope,
            stored,
        )
    )
    await parts.log.flush()
    await parts.store.mark_waiting(turn.id, scope.generation, stored.wait)
    fault_point("wait.after")


async def end_wait(
    parts: TurnParts,
    turn: StoredTurn,
    wait: Wait,
    agent: Agent,
    done: Sequence[Message],
    scope: RunScope,
) -> tuple[tuple[Message, ...], RunScope]:
    """What the history goes on with, and for whom; `done` is what the turn has stored.

    What depends on the moment is recorded.

    Raises:
        Asked: the wait is not over, or another call of the same step has to wait.
    """
    take = partial(scope.inbox.answers, len(done))
    messages = await scope.steps.once("answer", take, MESSAGES)
    await scope.announce(messages, 0)
    if wait.kind == "question":
        ask = await parts.asks.get(wait.ask)
        if not messages and not ask.is_expired(scope.clock()):
            raise Asked(ask)  # the answer was taken back
        if any(message.author == ask.asker for message in messages):
            await parts.asks.decide(ask.id, "answered", by=ask.asker)
        else:
            await parts.asks.decide(ask.id, "expired")
        return _answer_of(ask, messages), scope.acting_for(messages)
    acting = scope.acting_as(wait.asker, await zone_of(parts, turn, wait.asker))
    added = await _end_call(
        parts,
        wait,
        agent,
        done,
        messages,
        acting,
    )
    return added, acting.acting_for(messages)


async def overtake_wait(parts: TurnParts, turn: StoredTurn, scope: RunScope) -> None:
    """A stop ends the turn: nobody can decide its open Ask any more."""
    await drop_released(parts, turn, scope, "overtaken")
    wait = turn.wait
    if wait is None:
        return
    await parts.asks.decide(wait.ask, "overtaken")
    if wait.kind == "question":
        return
    done = await parts.store.run_messages(turn.id, ROOT_RUN)
    ask = await parts.asks.get(wait.ask)
    if ask.decision != "overtaken" or open_wait(turn, done) is None:
        return
    await _announce_end(ask, scope)
    results: list[ToolResult] = []
    for number, call in enumerate(_held_calls(done)):
        slot = FIRST_HELD_SLOT + 2 * number
        output = ToolOutput(text=STOPPED, is_error=True)
        results.append(
            await end_call(
                call,
                output,
                scope,
                0,
                slot,
            )
        )
    await scope.save(len(done), [Message(role="user", parts=tuple(results))])


async def drop_released(
    parts: TurnParts,
    turn: StoredTurn,
    scope: RunScope,
    decision: AskDecision,
    *,
    of: AskKind | None = None,
) -> None:
    """End the Asks, or those `of` a kind, whose call was not made again or needs them no more."""
    for number, ask in enumerate(await parts.asks.released(turn.id)):
        if of in (None, ask.kind):
            ending = "connected" if await _is_connected(parts, ask) else decision
            ended = replace(ask, decision=ending)
            await _announce_end(ended, scope, "released", number)
            await parts.asks.decide(ask.id, ending)


async def _is_connected(parts: TurnParts, ask: Ask) -> bool:
    """Whether the accounts that an Ask is about are there by now."""
    if ask.kind != "connection" or not parts.accounts:
        return False
    return await are_connected(parts.accounts, ask.asker, ask.connection.toolkits)


async def _requested(
    parts: TurnParts,
    turn: StoredTurn,
    scope: RunScope,
    ask: Ask,
) -> AnyEvent:
    """The event that asks people, with what they need to decide."""
    at = scope.at(0, ROUTE_SLOTS["question"])
    match ask.body:
        case Question() as question:
            return QuestionAsked(
                **at,
                ask=ask.id,
                call_id=ask.call_id,
                asker=ask.asker,
                deadline=ask.deadline,
                question=question.text,
                options=question.options,
                default=question.default,
            )
        case CallApproval() as approval:
            return ApprovalRequested(
                **at,
                ask=ask.id,
                call_id=ask.call_id,
                asker=ask.asker,
                deadline=ask.deadline,
                tool=approval.tool,
                actions=approval.actions,
                digest=approval.digest,
                is_tainted=approval.is_tainted,
                files=await _sent_files(
                    parts,
                    turn,
                    scope.context.workspace,
                    approval,
                ),
                owner_only=approval.owner_only,
                before=approval.before,
                may_allow_thread=approval.may_allow_thread,
                zone=await zone_of(parts, turn, ask.asker),
            )
        case AccountConnection() as connection:
            return AuthRequired(
                **at,
                ask=ask.id,
                call_id=ask.call_id,
                asker=ask.asker,
                deadline=ask.deadline,
                toolkits=connection.toolkits,
            )


def request_words(ask: Ask) -> str:
    """An open Ask for the model, as it stands in the thread."""
    match ask.body:
        case CallApproval() as approval:
            lines = [
                f"- {action.tool} {json.dumps(action.arguments, ensure_ascii=False)}"
                for action in approval.actions
            ]
            text = "\n".join(["To make these calls, once they are approved:", *lines])
        case AccountConnection() as connection:
            text = f"To connect an account of: {', '.join(connection.toolkits)}"
        case Question() as question:
            text = "\n".join([question.text, *(f"- {option}" for option in question.options)])
    return text[:MAX_REQUEST_CHARS]


async def _sent_files(
    parts: TurnParts, turn: StoredTurn, workspace: Path, approval: CallApproval
) -> tuple[SentFile, ...]:
    """Files that the call would send, as files of the workspace where they were uploaded."""
    keys: dict[str, None] = {}
    for action in approval.actions:
        keys |= dict.fromkeys(storage_keys(action.arguments))
    if not keys:
        return ()
    await parts.log.flush()
    ended = await parts.log.stored(turn.session, kinds=("tool_call_finished",))
    uploaded = await asyncio.to_thread(_uploaded, [event for _, event in ended], workspace)
    return tuple(
        uploaded.get(key) or SentFile(name=key.rpartition("/")[2], key=key) for key in keys
    )


async def _end_call(
    parts: TurnParts,
    wait: Wait,
    agent: Agent,
    done: Sequence[Message],
    messages: Sequence[SteeringMessage],
    scope: RunScope,
) -> tuple[Message, ...]:
    """What the calls without a result come to, and behind it what people wrote."""
    ask = await scope.steps.once("decision", partial(_settle, parts, wait.ask), ASK)
    if ask.state != "open":
        await _announce_end(ask, scope)
    held = _held_calls(done)
    added = tuple(user_message(each.text, each.files) for each in messages)
    output = _output(ask)
    if output is not None:
        call = next(each for each in held if each.id == wait.call_id)
        result = await end_call(
            call,
            output,
            scope,
            0,
            FIRST_HELD_SLOT - 2,
        )
        held.remove(call)
        added = (Message(role="user", parts=(result,)), *added)
    await scope.save(len(done), added)
    if not held:
        return added
    try:
        results = await run_calls(
            agent,
            held,
            scope,
            0,
            seq=len(done) + len(added),
            first_slot=FIRST_HELD_SLOT,
            is_announced=True,
        )
    finally:
        now = await parts.asks.get(wait.ask)
        if now.decision == "void":  # the call is another than the one that was approved
            await _announce_end(now, scope, "voided")
    return (*added, results)


async def _settle(parts: TurnParts, ask_id: AskId) -> Ask:
    """The decided Ask. This is where an undecided one ends by time.

    A message releases it: it stands until its run makes the call again, or another one.
    """
    ask = await parts.asks.get(ask_id)
    if ask.state != "open":
        return ask
    if await _is_connected(parts, ask):  # who says "done" may be quicker than our own look
        await parts.asks.decide(ask_id, "connected")
    elif ask.is_expired(parts.clock()):
        await parts.asks.decide(ask_id, "expired")
    else:
        await parts.asks.release(ask_id)
    return await parts.asks.get(ask_id)


def open_wait(turn: StoredTurn, done: Sequence[Message]) -> Wait | None:
    """What the turn waits for, as long as its history has no result of the call."""
    wait = turn.wait
    if wait is None or not done:
        return None
    if not wait.call_id:
        return wait if len(done) == 1 else None
    return None if wait.call_id in _answered(done) else wait


def _answered(done: Sequence[Message]) -> set[ToolCallId]:
    """The calls that have a result."""
    parts = (part for message in done for part in message.parts)
    return {part.call_id for part in parts if isinstance(part, ToolResult)}


def _uploaded(ended: Sequence[AnyEvent], workspace: Path) -> dict[str, SentFile]:
    """By key the files of the workspace that were uploaded to be sent along."""
    home = workspace.resolve()
    files: dict[str, SentFile] = {}
    for event in ended:
        if not isinstance(event, ToolCallFinished) or event.tool != UPLOAD or event.is_error:
            continue
        result = parse_result(event.preview)
        path = Path(text_in(result, "local_path"))
        key = text_in(result, "s3_key")
        if path.is_relative_to(home):
            files[key] = SentFile(
                name=path.name,
                path=path.relative_to(home).as_posix(),
                sha256=text_in(result, "sha256"),
                key=key,
                size_bytes=path.stat().st_size if path.is_file() else 0,
            )
    return files


async def _announce_end(
    ask: Ask,
    scope: RunScope,
    slot: Literal["decision", "voided", "released"] = "decision",
    offset: int = 0,
) -> None:
    """Emit how an approval or a connection ended."""
    link = ""
    if isinstance(ask.body, AccountConnection):
        link = ask.body.link
    event = AskDecided(
        **scope.at(0, ROUTE_SLOTS[slot] + offset),
        ask=ask.id,
        call_id=ask.call_id,
        verdict=ask.decision or "void",
        by=ask.decided_by,
        reason=ask.reason,
        link=link,
    )
    await scope.emit(event)


def _answer_of(ask: Ask, messages: Sequence[SteeringMessage]) -> tuple[Message, ...]:
    """The answers to a question as the result of the call that asked, or else as a message.

    Nothing where nobody answered and no answer is assumed instead.
    """
    question = ask.body
    if not isinstance(question, Question):
        return ()
    lines: list[str] = []
    for each in messages:
        line = f"{each.author_name} wrote in the thread: {each.whole}"
        if each.author == ask.asker:
            line = f"{each.author_name} answered: {_with_option(each.whole, question)}"
        lines.append(f"{line}\n\n(Sent {each.moment}.)")
    if not messages and question.default:
        lines = [_NOT_ANSWERED.format(default=question.default)]
    if not lines:
        return ()
    files = tuple(file for each in messages for file in each.files)
    if ask.call_id:
        result = ToolResult(call_id=ask.call_id, text="\n\n".join(lines))
        return (Message(role="user", parts=(result, *files)),)
    asked = f"Before the work began, this was asked: {question.text}"
    return (user_message("\n\n".join([asked, *lines]), files),)


def _with_option(answer: str, question: Question) -> str:
    """An answer; where it is the number of an option in the list, with that option."""
    option = question.option(answer)
    if option.casefold() in ("", answer.strip().casefold()):
        return answer
    return f"{answer} ({option})"


def _held_calls(done: Sequence[Message]) -> list[ToolCall]:
    """The calls of the newest step that have no result."""
    newest = next(message for message in reversed(done) if message.tool_calls)
    answered = _answered(done)
    return [call for call in newest.tool_calls if call.id not in answered]


def _output(ask: Ask) -> ToolOutput | None:
    """The result of the call that waited; None where the call is made now."""
    if ask.kind == "approval" and ask.state == "open":
        return ToolOutput(text=_RELEASED, is_error=True)
    if ask.kind == "approval":
        text = _NOT_APPROVED.get(ask.decision)
        if text is None:
            return None
        if ask.decision == "rejected" and ask.reason:
            text = _REJECTED_BECAUSE.format(reason=ask.reason)
        return ToolOutput(text=text, is_error=True)
    connection = ask.connection
    is_connected = ask.decision == "connected"
    if is_connected and connection.output is None:
        return None
    form = _CONNECTED if is_connected else _NOT_CONNECTED[ask.decision or "overtaken"]
    text = form.format(apps=", ".join(connection.toolkits))
    if connection.output:
        text = f"{connection.output}\n\n{text}"
    return ToolOutput(text=text, is_error=not is_connected)
