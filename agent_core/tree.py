"""The agent tree: the runs of a session as nested agents, reduced from its events.

The same reduction serves a tree that is opened days later and one that is watched live. An agent's
state is what seeds/004 calls `AgentState`; `metadata` holds what that description leaves open.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from agent_core.events import (
    ATTEMPTS_A_GENERATION,
    AnyEvent,
    ApprovalDecided,
    ApprovalRequested,
    ArtifactSaved,
    AuthEnded,
    AuthRequired,
    CorrectionInjected,
    Intervened,
    MessageTaken,
    Outcome,
    QuestionAsked,
    RunFinished,
    RunStarted,
    StepFinished,
    StepRetried,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallProgressed,
    ToolCallStarted,
    TurnFinished,
    TurnStarted,
    Usage,
)
from agent_core.ids import ROOT_RUN, AgentId, ToolCallId, agent_id, child_run, run_of
from agent_core.masking import masked
from agent_core.messages import JsonObject

AgentStatus = Literal["running", "waiting", "completed", "failed", "stopped"]
_ENDS: Mapping[Outcome, AgentStatus] = {
    "answered": "completed",
    "limited": "completed",
    "steered": "completed",
    "failed": "failed",
    "stopped": "stopped",
}
MAX_ARGUMENT_CHARS = 400
MAX_TITLE_CHARS = 120

_Wait = QuestionAsked | ApprovalRequested | AuthRequired


@dataclass(slots=True, kw_only=True)
class AgentState:
    """One run, as far as its events tell. Times are shown in milliseconds since 1970."""

    agent_id: AgentId
    parent_id: AgentId | None
    created_at: datetime
    status: AgentStatus = "running"
    user_content: str = ""
    """The task; a person may have changed it."""
    user_comment: JsonObject | None = None
    """What a person said to this run last: `text`, `by` (a name), `at`."""
    subagents: list[AgentId] = field(default_factory=list[AgentId])
    messages: list[JsonObject] = field(default_factory=list[JsonObject])
    """`role` and `content` of what the run was told and what it said."""
    result: str | None = None
    title: str = ""
    """What the call that started it says that it is for; empty where it says nothing."""
    agent: str = ""
    is_final_answer: bool = False
    is_tainted: bool | None = None
    """Of the turn's end, as `sources` is: which addresses may be live. None until then."""
    sources: tuple[str, ...] = ()
    outcome: str = ""
    live: str = ""
    """What the step under way has said so far."""
    tools: dict[ToolCallId, JsonObject] = field(default_factory=dict[ToolCallId, JsonObject])
    usage: Usage = Usage()
    steps: int = 0
    finished_at: datetime | None = None
    artifacts: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    """By path."""
    wait: JsonObject | None = None
    """What a person is waited for: `kind` (question, approval, connection) and its fields."""
    interventions: list[JsonObject] = field(default_factory=list[JsonObject])
    correction: str = ""
    trust: JsonObject = field(default_factory=dict[str, Any])
    """Of an answer, as in TurnFinished: `isTainted` and `sources`; empty before."""
    last_step: tuple[int, int] = (0, -1)
    """Generation and number of the step that was finished last; text of it comes too late."""

    def as_json(self) -> JsonObject:
        """With the names of seeds/004."""
        return {
            "agentId": self.agent_id,
            "parentId": self.parent_id,
            "status": self.status,
            "userContent": self.user_content,
            "userComment": self.user_comment,
            "subagents": self.subagents,
            "messages": self.messages,
            "result": self.result,
            "metadata": {
                "title": self.title,
                "agent": self.agent,
                "isFinalAnswer": self.is_final_answer,
                "isTainted": self.is_tainted,
                "sources": list(self.sources) if self.is_tainted else [],
                "outcome": self.outcome,
                "live": self.live,
                "tools": list(self.tools.values()),
                "tokens": {
                    "input": self.usage.input_tokens,
                    "output": self.usage.output_tokens,
                    "cacheRead": self.usage.cache_read_tokens,
                    "cacheWrite": self.usage.cache_write_tokens,
                    "total": self.usage.total_tokens,
                },
                "steps": self.steps,
                "finishedAt": _ms(self.finished_at),
                "artifacts": list(self.artifacts.values()),
                "wait": self.wait,
                "interventions": self.interventions,
                "correction": self.correction,
                **self.trust,
            },
            "createdAt": _ms(self.created_at),
        }


class AgentTree:
    """All agents of a session, by id, in the order in which they began."""

    def __init__(self) -> None:
        self.agents: dict[AgentId, AgentState] = {}
        self.place = 0
        """Of the newest event that was taken."""

    def take(self, place: int, event: AnyEvent) -> tuple[AgentId, ...]:
        """Which agents look different for an event. Live ones may come late or not at all."""
        self.place = max(self.place, place)
        if isinstance(event, TurnStarted) and not event.text:
            return ()  # perhaps a message that became part of another turn: what follows tells
        if isinstance(event, TurnFinished) and event.outcome == "steered":
            return self._end_steered(event)
        mine = agent_id(event.turn, event.run)
        parents = self._join(mine, event)
        _fold(self.agents[mine], event)
        return (*parents, mine)

    def roots(self) -> list[AgentState]:
        """Of each turn the agent that answers, oldest first."""
        return [state for state in self.agents.values() if state.parent_id is None]

    def _join(self, mine: AgentId, event: AnyEvent) -> tuple[AgentId, ...]:
        """Make the agent's node when it is not there; whose subagent it is then."""
        if mine in self.agents:
            return ()
        parent = None
        if event.run != ROOT_RUN:
            above = event.parent if isinstance(event, RunStarted) and event.parent else ROOT_RUN
            parent = agent_id(event.turn, above)
        self.agents[mine] = AgentState(agent_id=mine, parent_id=parent, created_at=event.at)
        if parent is None or parent not in self.agents:
            return ()
        self.agents[parent].subagents.append(mine)
        for call in self.agents[parent].tools.values():
            if child_run(run_of(parent)[1], call["id"]) == event.run:
                self.agents[mine].title = call["description"]
        return (parent,)

    def _end_steered(self, event: TurnFinished) -> tuple[AgentId, ...]:
        state = self.agents.get(agent_id(event.turn, event.run))
        if state is None:
            return ()
        _end(state, event.outcome, event.answer, event.at)
        return (state.agent_id,)


def _fold(state: AgentState, event: AnyEvent) -> None:
    match event:
        case TurnStarted() | RunStarted() | RunFinished() | TurnFinished():
            _fold_life(state, event)
        case StepStarted() | StepFinished() | StepRetried() | TextDelta():
            _fold_step(state, event)
        case ToolCallStarted() | ToolCallProgressed() | ToolCallFinished():
            _fold_call(state, event)
        case QuestionAsked() | ApprovalRequested() | AuthRequired():
            state.wait, state.status = _wait(event), "waiting"
        case ApprovalDecided() | AuthEnded():
            state.wait, state.status = None, "running"
        case MessageTaken() | Intervened():
            _fold_words(state, event)
        case ArtifactSaved():
            state.artifacts[event.path] = {
                "path": event.path,
                "title": event.title,
                "mimetype": event.mimetype,
                "sizeBytes": event.size_bytes,
            }
        case CorrectionInjected():
            state.correction = event.text
        case _:
            pass


def _fold_life(
    state: AgentState, event: TurnStarted | RunStarted | RunFinished | TurnFinished
) -> None:
    match event:
        case TurnStarted():
            _task(state, event.text)
        case RunStarted():  # also once more: a turn that goes on from its history begins runs again
            state.agent, state.status, state.finished_at = event.agent, "running", None
            state.outcome, state.result = "", None
            _task(state, event.task)
        case RunFinished():
            _end(state, event.outcome, event.text, event.at)
        case TurnFinished():
            _end(state, event.outcome, event.answer, event.at)
            state.is_final_answer = event.outcome in ("answered", "limited")
            state.trust = {"isTainted": event.is_tainted, "sources": list(event.sources)}
            state.is_tainted, state.sources = event.is_tainted, event.sources


def _fold_step(
    state: AgentState, event: StepStarted | StepFinished | StepRetried | TextDelta
) -> None:
    step = ((event.attempt - 1) // ATTEMPTS_A_GENERATION, event.step)
    match event:
        case StepStarted():
            state.live, state.wait, state.status = "", None, "running"
        case StepFinished():
            if event.text:
                state.messages.append({"role": "assistant", "content": event.text})
            state.live, state.last_step = "", step
            state.steps += 1
            state.usage += event.usage
        case StepRetried() if step > state.last_step:
            state.live = ""
        case TextDelta() if step > state.last_step:
            state.live += event.text
        case _:
            pass


def _fold_call(
    state: AgentState, event: ToolCallStarted | ToolCallProgressed | ToolCallFinished
) -> None:
    call = state.tools.get(event.call_id, {})
    match event:
        case ToolCallStarted():
            state.tools[event.call_id] = {
                "id": event.call_id,
                "name": event.tool,
                "description": masked(str(event.arguments.get("description", "")))[
                    :MAX_TITLE_CHARS
                ],
                "arguments": _shortly(event.arguments),
                "state": "running",
                "startedAt": _ms(event.at),
                "durationMs": None,
                "display": "",
            }
        case ToolCallProgressed():
            call["display"] = event.text
        case ToolCallFinished():
            done = "unknown" if event.may_have_happened else "done"
            call["state"] = "failed" if event.is_error else done
            call["durationMs"] = round(event.duration_s * 1000)
            call["display"] = event.display


def _fold_words(state: AgentState, event: MessageTaken | Intervened) -> None:
    if isinstance(event, Intervened):
        _step_in(state, event)
        return
    if event.text:
        told = {"role": "user", "content": event.text, "name": event.author_name}
        state.messages.append(told)
    state.wait, state.status = None, "running"
    for each in state.interventions:
        each["taken"] |= each["id"] == event.intervention


def _task(state: AgentState, text: str) -> None:
    """Its first words; those of a root run are the message, told before it begins."""
    if not state.user_content and text:
        state.user_content = text
        state.messages.append({"role": "user", "content": text})


def _end(state: AgentState, outcome: Outcome, text: str, at: datetime) -> None:
    state.status, state.outcome, state.finished_at = _ENDS[outcome], outcome, at
    state.result, state.live, state.wait = text, "", None
    for each in state.interventions:
        each["taken"] = True


def _step_in(state: AgentState, event: Intervened) -> None:
    state.interventions.append(
        {
            "id": event.n,
            "kind": event.what,
            "text": event.text,
            "by": event.by,
            "byName": event.by_name,
            "at": _ms(event.at),
            "taken": state.finished_at is not None,
        }
    )
    if event.what == "content":
        state.user_content, state.title = event.text, ""
    elif event.text:
        state.user_comment = {"text": event.text, "by": event.by_name, "at": _ms(event.at)}


def _wait(event: _Wait) -> JsonObject:
    told: JsonObject = {
        "callId": event.call_id,
        "asker": event.asker,
        "deadline": _ms(event.deadline),
    }
    match event:
        case QuestionAsked():
            return told | {
                "kind": "question",
                "prompt": event.question,
                "options": list(event.options),
                "default": event.default,
            }
        case ApprovalRequested():
            tools = [action.tool for action in event.actions if action.asks]
            return told | {"kind": "approval", "consent": event.consent, "tools": tools}
        case AuthRequired():
            return told | {"kind": "connection", "toolkits": list(event.toolkits)}


def _shortly(arguments: JsonObject) -> str:
    """As JSON without secrets, cut: enough to see what the call is about."""
    text = masked(json.dumps(arguments, ensure_ascii=False, default=str))
    return text if len(text) <= MAX_ARGUMENT_CHARS else f"{text[:MAX_ARGUMENT_CHARS]}…"


def _ms(moment: datetime | None) -> Any:
    return moment and round(moment.timestamp() * 1000)
