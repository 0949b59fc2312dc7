"""The agent tree: the runs of a session as nested agents, reduced from its events.

The same reduction serves a tree that is opened days later and one that is watched live. An agent's
state is what seeds/004 calls `AgentState`; `metadata` holds what that description leaves open.
"""

import json
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Literal

from pydantic.alias_generators import to_camel

from agent_core.events import (
    AnyEvent,
    ApprovalDecided,
    ApprovalRequested,
    ArtifactSaved,
    AuthEnded,
    AuthRequired,
    Intervened,
    MessageTaken,
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
)
from agent_core.ids import ROOT_RUN, AgentId, ToolCallId, agent_id
from agent_core.masking import masked
from agent_core.messages import JsonObject

AgentStatus = Literal["running", "waiting", "completed", "failed", "stopped"]
MAX_ARGUMENT_CHARS = 400
MAX_TITLE_CHARS = 120

_NOT_METADATA = (
    "agentId", "parentId", "status", "userContent", "userComment", "subagents", "messages",
    "result", "createdAt",
)  # fmt: skip


@dataclass(slots=True, kw_only=True)
class AgentState:
    """One run, as far as its events tell. Times are in milliseconds since 1970."""

    agent_id: AgentId
    parent_id: AgentId | None
    created_at: int
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
    live: str = ""
    """What the step under way has said so far."""
    tools: dict[ToolCallId, JsonObject] = field(default_factory=dict[ToolCallId, JsonObject])
    tokens: int = 0
    steps: int = 0
    last_step: tuple[int, int] = (0, 0)
    """Generation and number of the step that was finished last; text of it comes too late."""
    finished_at: int | None = None
    artifacts: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    """By path."""
    wait: JsonObject | None = None
    """What a person is waited for: `kind` (question, approval, connection) and its fields."""
    interventions: list[JsonObject] = field(default_factory=list[JsonObject])

    def as_json(self) -> JsonObject:
        """With the names of seeds/004; `metadata` is what it leaves open."""
        told = {to_camel(each.name): getattr(self, each.name) for each in fields(self)}
        told |= {"tools": list(self.tools.values()), "artifacts": list(self.artifacts.values())}
        told["tokens"] = {"total": self.tokens}
        named = {name: told.pop(name) for name in _NOT_METADATA}
        return {**named, "metadata": told}


class AgentTree:
    """All agents of a session, by id, in the order in which they began."""

    def __init__(self) -> None:
        self.agents: dict[AgentId, AgentState] = {}
        self.place = 0
        """Of the newest event that was taken."""

    def take(self, place: int, event: AnyEvent) -> tuple[AgentId, ...]:
        """Which agents look different for an event. Live ones may come late or not at all."""
        self.place = max(self.place, place)
        mine, changed = agent_id(event.turn, event.run), ()
        if mine not in self.agents:
            if not _begins(event):
                return ()
            changed = self._join(mine, event)
        _fold(self.agents[mine], event)
        return (*changed, mine)

    def _join(self, mine: AgentId, event: AnyEvent) -> tuple[AgentId, ...]:
        """Make the agent's node; whose subagent it is."""
        state = AgentState(agent_id=mine, parent_id=None, created_at=_ms(event.at))
        self.agents[mine] = state
        if not isinstance(event, RunStarted) or event.parent is None:
            return ()
        state.parent_id = agent_id(event.turn, event.parent)
        above = self.agents.get(state.parent_id)
        if above is None:
            return ()
        above.subagents.append(mine)
        call = ToolCallId(event.run.removeprefix(f"{event.parent}."))
        state.title = event.title or above.tools.get(call, {}).get("description", "")
        return (above.agent_id,)


def _begins(event: AnyEvent) -> bool:
    """Whether it may be the first that is heard of an agent.

    A message that became part of another turn begins and ends without a word.
    """
    match event:
        case TurnStarted():
            return bool(event.text)
        case TurnFinished():
            return bool(event.answer)
        case _:
            return event.run == ROOT_RUN or isinstance(event, RunStarted)


def _fold(state: AgentState, event: AnyEvent) -> None:
    for fold in (_fold_life, _fold_step, _fold_call, _fold_wait, _fold_words):
        fold(state, event)


def _fold_life(state: AgentState, event: AnyEvent) -> None:
    match event:
        case TurnStarted():
            _begin(state, event.text)
        case RunStarted():  # also once more: a turn that goes on from its history begins runs again
            state.agent, state.status, state.finished_at = event.agent, "running", None
            state.result = None
            _begin(state, event.task)
        case RunFinished():
            _end(state, event, event.text)
        case TurnFinished():
            _end(state, event, event.answer)
            state.is_final_answer = event.outcome in ("answered", "limited")
            state.is_tainted, state.sources = event.is_tainted, event.sources
        case _:
            pass


def _begin(state: AgentState, task: str) -> None:
    """The task of a root run is the message, told before it begins."""
    if not state.user_content and task:
        state.user_content = task
        state.messages.append({"role": "user", "content": task})


def _end(state: AgentState, event: RunFinished | TurnFinished, text: str) -> None:
    ended = event.outcome
    state.status = ended if ended == "failed" or ended == "stopped" else "completed"
    state.result, state.finished_at, state.live, state.wait = text, _ms(event.at), "", None
    for each in state.interventions:
        each["taken"] = True


def _fold_step(state: AgentState, event: AnyEvent) -> None:
    step = (event.generation, event.step)
    match event:
        case StepStarted():
            state.live = ""
        case StepFinished():
            if event.text:
                state.messages.append({"role": "assistant", "content": event.text})
            state.live, state.last_step = "", step
            state.steps += 1
            state.tokens += event.usage.total_tokens
        case StepRetried() if step > state.last_step:
            state.live = ""
        case TextDelta() if step > state.last_step:
            state.live += event.text
        case _:
            pass


def _fold_call(state: AgentState, event: AnyEvent) -> None:
    match event:
        case ToolCallStarted():
            given = json.dumps(event.arguments, ensure_ascii=False, default=str)
            about = str(event.arguments.get("description", ""))
            state.tools[event.call_id] = {
                "id": event.call_id,
                "name": event.tool,
                "description": _shortly(about, MAX_TITLE_CHARS),
                "arguments": _shortly(given, MAX_ARGUMENT_CHARS),
                "state": "running",
                "durationMs": None,
                "display": "",
            }
        case ToolCallProgressed() if call := state.tools.get(event.call_id):
            call["display"] = event.text
        case ToolCallFinished() if call := state.tools.get(event.call_id):
            done = "unknown" if event.may_have_happened else "done"
            call["state"] = "failed" if event.is_error else done
            call["durationMs"] = round(event.duration_s * 1000)
            call["display"] = event.display
        case ArtifactSaved():
            state.artifacts[event.path] = _json_fields(
                event, "path", "title", "mimetype", "size_bytes"
            )
        case _:
            pass


def _fold_wait(state: AgentState, event: AnyEvent) -> None:
    match event:
        case QuestionAsked():
            asked = {"kind": "question", "prompt": event.question, "options": list(event.options)}
            state.wait = asked | _json_fields(event, "default", "deadline")
        case ApprovalRequested():
            tools = [action.tool for action in event.actions if action.asks]
            state.wait = {"kind": "approval", "tools": tools}
        case AuthRequired():
            state.wait = {"kind": "connection", "toolkits": list(event.toolkits)}
        case ApprovalDecided() | AuthEnded() | MessageTaken() | StepStarted():
            state.wait, state.status = None, "running"
            return
        case _:
            return
    state.status = "waiting"


def _fold_words(state: AgentState, event: AnyEvent) -> None:
    match event:
        case MessageTaken():
            if event.text:
                told = {"role": "user", "content": event.text, "name": event.author_name}
                state.messages.append(told)
            for each in state.interventions:
                each["taken"] |= each["id"] == event.intervention
        case Intervened():
            wish: JsonObject = {"id": event.n, "kind": event.what}
            wish["taken"] = state.finished_at is not None
            state.interventions.append(wish | _json_fields(event, "text", "by_name", "at"))
            if event.what == "content":
                state.user_content, state.title = event.text, ""
            elif event.text:
                state.user_comment = {"by": event.by_name, **_json_fields(event, "text", "at")}
        case _:
            pass


def _shortly(text: str, longest: int) -> str:
    """Without secrets, cut: enough to see what a call is about."""
    text = masked(text)
    return text if len(text) <= longest else f"{text[:longest]}…"


def _json_fields(event: AnyEvent, *names: str) -> JsonObject:
    """Fields of an event as a page gets them."""
    told = {to_camel(name): getattr(event, name) for name in names}
    return {key: _ms(it) if isinstance(it, datetime) else it for key, it in told.items()}


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
