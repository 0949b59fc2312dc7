"""The waits of a turn for a person: how each begins, and what the waiting call comes to."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from agent_core.composio import are_connected
from agent_core.consent.recipients import storage_keys
from agent_core.consent.taint import outside_of
from agent_core.events import (
    AnyEvent,
    ApprovalDecided,
    ApprovalRequested,
    ApprovalVerdict,
    AuthEnded,
    AuthOutcome,
    AuthRequired,
    QuestionAsked,
    SentFile,
    ToolCallFinished,
)
from agent_core.fault_points import fault_point
from agent_core.ids import ROOT_RUN, ConsentId
from agent_core.loop.agent import ROUTE_SLOTS, Agent, RunScope, SteeringMessage
from agent_core.loop.calls import Asked, end_call, run_calls
from agent_core.messages import Message, ToolCall, ToolResult, user_message
from agent_core.runtime.runs import Work
from agent_core.sessions import ApprovalWait, ConnectionWait, Question, StoredTurn, Wait
from agent_core.sessions.consents import CONSENT, Consent, ConsentStatus
from agent_core.tools import ToolOutput, parse_result, text_in

UPLOAD = "mcp__local_toolkit__upload_to_composio"
"""Whose result says which file a key stands for."""
FIRST_HELD_SLOT = 400
"""Of the calls that are begun again after a wait, within step 0."""

STOPPED = "Not done: the work was stopped before this was decided."

TAKEN: TypeAdapter[tuple[SteeringMessage, ...]] = TypeAdapter(tuple[SteeringMessage, ...])

_NOT_ANSWERED = (
    "Nobody answered in time. Take this, and say in your answer that you took it: {default}"
)
_DONE = "[Authentication completed: {apps} connected.]"
_NOT_CONNECTED = {
    "skipped": "The person does not want to connect {apps} now. Nothing was done with it.",
    "expired": "{apps} was not connected in time. Nothing was done with it.",
    "overtaken": (
        "{apps} is not connected yet: somebody wrote in the thread meanwhile. Read that first; "
        "make the call again if it is still wanted."
    ),
}
_NOT_APPROVED = {
    "rejected": "Not done: this call was rejected{reason}. Do not make it again unchanged.",
    "expired": "Not done: nobody approved this call in time. Say so; it can be asked for again.",
    "overtaken": (
        "Not done: somebody wrote in the thread before the call was approved. Read that first; "
        "make the call again, changed where need be, if it is still wanted."
    ),
}


def _verdict(decision: Consent) -> ApprovalVerdict:
    """What people are told became of an approval."""
    status = "approved" if decision.status == "used" else decision.status
    known = ("approved", "rejected", "expired", "overtaken", "edited")
    return status if status in known else "void"


def _outcome(decision: Consent) -> AuthOutcome:
    """What people are told became of a connection."""
    status = decision.status
    return status if status in ("connected", "skipped", "expired") else "overtaken"


class Waits:
    """Begins and ends the waits of one turn. What depends on the moment is recorded."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._parts = work.parts

    async def begin(self, scope: RunScope, wait: Wait) -> None:
        """Store what the turn waits for; what ends the wait starts the turn's next workflow."""
        parts, turn = self._parts, self._work.turn
        fault_point("wait.before")
        await scope.emit(await self._asking(scope, wait))
        await parts.log.flush()
        await parts.store.mark_waiting(turn.id, scope.generation, wait)
        if not isinstance(wait, Question):
            consent = await parts.consents.get(wait.consent)
            if consent.status != "open":  # already decided
                await parts.store.hasten(turn.id, consent.id, parts.clock())
        fault_point("wait.after")

    async def end(
        self, wait: Wait, agent: Agent, done: Sequence[Message], scope: RunScope
    ) -> tuple[tuple[Message, ...], RunScope]:
        """What the history goes on with, and for whom; `done` is what the turn has stored.

        Raises:
            Asked: the wait is not over, or another call of the same step has to wait.
        """
        take = partial(scope.take_messages, f"{scope.generation}:0")
        taken = await scope.steps.once("answer", take, TAKEN)
        await scope.announce_taken(taken, 0)
        if isinstance(wait, Question):
            if not taken and not wait.is_over(scope.clock()):
                raise Asked(wait)  # the answer was taken back
            return _answer_of(wait, taken), scope.acting_for(taken)
        acting = scope.acting_as(wait.asker, await self._work.zone_of(wait.asker))
        added = await self._end_consent(wait, agent, done, taken, acting)
        return added, acting.acting_for(taken)

    async def overtake(self, scope: RunScope) -> None:
        """The turn ends by a stop: what it waited for is not to be decided any more."""
        turn = self._work.turn
        wait = turn.wait
        if wait is None or isinstance(wait, Question):
            return
        await self._parts.consents.decide(wait.consent, "overtaken")
        done = await self._parts.store.run_messages(turn.id, ROOT_RUN)
        decision = await self._decision(wait.consent)
        if decision.status != "overtaken" or unfinished(turn, done) is None:
            return
        await _tell(wait, decision, scope)
        results = [
            await end_call(call, _failed(STOPPED), scope, 0, FIRST_HELD_SLOT + 2 * place)
            for place, call in enumerate(_held_calls(done))
        ]
        await scope.save(len(done), [Message(role="user", parts=tuple(results))])

    async def _asking(self, scope: RunScope, wait: Wait) -> AnyEvent:
        at = scope.at(0, ROUTE_SLOTS["question"])
        at |= {"call_id": wait.call_id, "asker": wait.asker, "deadline": wait.deadline}
        match wait:
            case Question():
                at |= {"options": wait.options, "default": wait.default}
                return QuestionAsked(**at, question=wait.text)
            case ApprovalWait():
                return await self.requested(wait, at)
            case ConnectionWait():
                return AuthRequired(**at, consent=wait.consent, toolkits=wait.toolkits)

    async def requested(self, wait: ApprovalWait, at: Mapping[str, Any]) -> ApprovalRequested:
        """What a person decides about, and what text from outside may have asked for it."""
        outside: tuple[str, ...] = ()
        if wait.is_tainted:
            said = await self._parts.store.session_messages(self._work.turn.session)
            outside = await asyncio.to_thread(outside_of, [message for _, _, message in said])
        return ApprovalRequested(
            **at,
            consent=wait.consent,
            tool=wait.tool,
            actions=wait.actions,
            digest=wait.digest,
            is_tainted=wait.is_tainted,
            outside=outside,
            files=await self._sent_files(wait),
            may_allow_thread=wait.may_allow_thread,
            zone=await self._work.zone_of(wait.asker),
        )

    async def _sent_files(self, wait: ApprovalWait) -> tuple[SentFile, ...]:
        """What would be sent along, and which file of the workspace it was when it was uploaded."""
        named = [key for action in wait.actions for key in storage_keys(action.arguments)]
        if not named:
            return ()
        await self._parts.log.flush()
        kinds, session = ("tool_call_finished",), self._work.turn.session
        ended = [event for _, event in await self._parts.log.stored(session, kinds=kinds)]
        known = await asyncio.to_thread(_uploaded, ended, self._work.workspace)
        unknown = {key: SentFile(name=key.rpartition("/")[2]) for key in named}
        return tuple({**unknown, **known}[key] for key in dict.fromkeys(named))

    async def _end_consent(
        self,
        wait: ApprovalWait | ConnectionWait,
        agent: Agent,
        done: Sequence[Message],
        taken: Sequence[SteeringMessage],
        scope: RunScope,
    ) -> tuple[Message, ...]:
        """What the calls without a result come to, and behind it what people wrote."""
        decision = await scope.steps.once(
            "decision", partial(self._decision, wait.consent), CONSENT
        )
        await _tell(wait, decision, scope)
        held = _held_calls(done)
        added = tuple(user_message(each.text, each.files) for each in taken)
        if output := _output(wait, decision):
            call = next(each for each in held if each.id == wait.call_id)
            result = await end_call(call, output, scope, 0, FIRST_HELD_SLOT - 2)
            held.remove(call)
            added = (Message(role="user", parts=(result,)), *added)
        await scope.save(len(done), added)
        if not held:
            return added
        try:
            behind, slot = len(done) + len(added), FIRST_HELD_SLOT
            results = await run_calls(
                agent, held, scope, 0, place=behind, first_slot=slot, is_announced=True
            )
        finally:
            now = await self._parts.consents.get(wait.consent)
            if now.status == "void":  # the call is another than the one that was approved
                await _tell(wait, now, scope, "voided")
        return (*added, results)

    async def _decision(self, consent: ConsentId) -> Consent:
        """What was decided; where nothing was, the wait has ended by time or by a message."""
        found = await self._parts.consents.get(consent)
        if found.status != "open":
            return found
        toolkits = found.body.get("toolkits", ())
        accounts = self._parts.accounts if found.kind == "connection" else None
        status: ConsentStatus = "expired" if found.is_over(self._parts.clock()) else "overtaken"
        if accounts and await are_connected(accounts, found.asker, toolkits):
            status = "connected"  # who says "done" may be quicker than the look at the accounts
        await self._parts.consents.decide(consent, status)
        return await self._parts.consents.get(consent)


def _uploaded(ended: Sequence[AnyEvent], workspace: Path) -> dict[str, SentFile]:
    """By key the files of the workspace that were uploaded to be sent along."""
    known: dict[str, SentFile] = {}
    for event in ended:
        if not isinstance(event, ToolCallFinished) or event.tool != UPLOAD or event.is_error:
            continue
        told = parse_result(event.preview)
        path, key = Path(text_in(told, "local_path")), text_in(told, "s3_key")
        if path.is_relative_to(home := workspace.resolve()):
            path, sha256 = path.relative_to(home), text_in(told, "sha256")
            known[key] = SentFile(name=path.name, path=path.as_posix(), sha256=sha256)
    return known


async def _tell(
    wait: ApprovalWait | ConnectionWait,
    decision: Consent,
    scope: RunScope,
    slot: Literal["decision", "voided"] = "decision",
) -> None:
    at = scope.at(0, ROUTE_SLOTS[slot])
    at |= {"call_id": wait.call_id, "consent": wait.consent}
    if isinstance(wait, ApprovalWait):
        event = ApprovalDecided(
            **at,
            verdict=_verdict(decision),
            by=decision.decided_by,
            reason=decision.reason,
            for_thread=decision.for_thread,
        )
    else:
        at |= {"asker": wait.asker, "toolkits": wait.toolkits}
        link = str(decision.body.get("link") or "")
        event = AuthEnded(**at, outcome=_outcome(decision), link=link)
    await scope.emit(event)


def _answer_of(question: Question, taken: Sequence[SteeringMessage]) -> tuple[Message, ...]:
    """The answers to a question as the result of the call that asked it, or else as a message.

    Nothing where nobody answered and nothing is taken instead.
    """
    lines: list[str] = []
    for each in taken:
        said, number = each.said, each.said.strip(" .)#")
        # A number stands for the option that it has in the list.
        if (
            said not in question.options
            and number.isdecimal()
            and 1 <= int(number) <= len(question.options)
        ):
            said = f"{said} ({question.options[int(number) - 1]})"
        lines.append(f"{each.author_name} answered: {said}\n\n(Sent {each.moment}.)")
    if not taken and question.default:
        lines = [_NOT_ANSWERED.format(default=question.default)]
    if not lines:
        return ()
    files = tuple(file for each in taken for file in each.files)
    if question.call_id:
        result = ToolResult(call_id=question.call_id, text="\n\n".join(lines))
        return (Message(role="user", parts=(result, *files)),)
    asked = f"Before the work began, this was asked: {question.text}"
    return (user_message("\n\n".join([asked, *lines]), files),)


def unfinished(turn: StoredTurn, done: Sequence[Message]) -> Wait | None:
    """What the turn waits for, as long as its history has no result of the call."""
    if turn.wait is None or not done:
        return None
    if isinstance(turn.wait, Question) and not turn.wait.call_id:
        return turn.wait if len(done) == 1 else None
    results = (part for message in done for part in message.parts if isinstance(part, ToolResult))
    is_answered = any(result.call_id == turn.wait.call_id for result in results)
    return None if is_answered else turn.wait


def _held_calls(done: Sequence[Message]) -> list[ToolCall]:
    """The calls of the newest step that have no result."""
    newest = next(message for message in reversed(done) if message.tool_calls)
    parts = (part for message in done for part in message.parts)
    answered = {part.call_id for part in parts if isinstance(part, ToolResult)}
    return [call for call in newest.tool_calls if call.id not in answered]


def _output(wait: ApprovalWait | ConnectionWait, decision: Consent) -> ToolOutput | None:
    if isinstance(wait, ApprovalWait):
        form = _NOT_APPROVED.get(_verdict(decision))
        reason = f" ({decision.reason})" if decision.reason else ""
        return _failed(form.format(reason=reason)) if form else None
    apps = ", ".join(wait.toolkits)
    outcome = _outcome(decision)
    if outcome != "connected":
        text = _NOT_CONNECTED[outcome].format(apps=apps)
        return _failed("\n\n".join(filter(None, (wait.said, text))))
    if wait.said is None:
        return None
    text = f"{wait.said}\n\n{_DONE.format(apps=apps)}"
    return replace(_failed(text), is_error=False)


def _failed(text: str) -> ToolOutput:
    return ToolOutput(text=text, is_error=True)
