"""The agent tree: the runs of a session as nested agents, read from the snapshots of its turns.

The same reading serves a tree that is opened days later and one that is watched live. The JSON of
an agent is what seeds/004 calls `AgentState`; its `metadata` holds what that description leaves
open.
"""

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from agent_core.events import (
    AnyEvent,
    ApprovalRequested,
    ArtifactSaved,
    Intervened,
    MessageTaken,
    QuestionAsked,
    RunStarted,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import ROOT_RUN, AgentId, TurnId, agent_id
from agent_core.masking import masked
from agent_core.messages import JsonObject
from agent_core.snapshot import CallSnapshot, RunSnapshot, TurnSnapshot, Wait

AgentStatus = Literal["running", "waiting", "completed", "failed", "stopped"]
MAX_ARGUMENT_CHARS = 400
MAX_TITLE_CHARS = 120


@dataclass(frozen=True, slots=True)
class AgentState:
    """One run as the live view shows it. Times are in milliseconds since 1970."""

    agent_id: AgentId
    parent_id: AgentId | None
    turn: TurnSnapshot
    run: RunSnapshot
    subagents: list[AgentId] = field(default_factory=list[AgentId])

    @property
    def status(self) -> AgentStatus:
        """A run that ended is never waiting, and no run outlives its turn."""
        outcome = self.run.outcome
        if outcome is None and self.turn.finished is not None:
            outcome = "stopped"
        if outcome in ("failed", "stopped"):
            return outcome
        if outcome is not None:
            return "completed"
        return "waiting" if self.turn.wait_of(self.run.id) else "running"

    @property
    def is_queued(self) -> bool:
        """Whether a child run still waits for a seat among those at work in its turn."""
        run = self.run
        has_begun = bool(run.begun_steps or run.steps)
        return self.parent_id is not None and self.status == "running" and not has_begun

    @property
    def question(self) -> QuestionAsked | None:
        """The question that the agent waits for an answer to."""
        wait = self.turn.wait_of(self.run.id)
        if self.status == "waiting" and isinstance(wait, QuestionAsked):
            return wait
        return None

    def as_json(self) -> JsonObject:
        """With the names of seeds/004."""
        run = self.run
        return {
            "agentId": self.agent_id,
            "parentId": self.parent_id,
            "status": self.status,
            "userContent": run.task,
            "userComment": _last_comment(run),
            "subagents": self.subagents,
            "messages": _messages(run),
            "result": run.result,
            "createdAt": _ms(run.created_at),
            "metadata": self._metadata(),
        }

    def _metadata(self) -> JsonObject:
        run = self.run
        end = self.turn.finished if run.id == ROOT_RUN else None
        files = self.turn.artifacts.values()
        wait = self.turn.wait_of(run.id)
        return {
            "title": run.title,
            "agent": run.agent,
            "isFinalAnswer": end is not None and end.outcome in ("answered", "limited"),
            "isTainted": end.is_tainted if end else None,
            "sources": end.sources if end else (),
            "live": run.live,
            "tools": [_tool(call) for call in run.calls.values()],
            "tokens": {"total": sum(step.usage.total_tokens for step in run.steps)},
            "costUsd": sum(step.usage.cost_usd for step in run.steps),
            "steps": len(run.steps),
            "isQueued": self.is_queued,
            "startedAt": _ms(run.begun_steps[0].at) if run.begun_steps else None,
            "finishedAt": _ms(run.finished_at) if run.finished_at else None,
            "artifacts": [_file(saved) for saved in files if saved.run == run.id],
            "wait": _wait(wait) if wait else None,
            "interventions": [_intervention(run, each) for each in run.interventions],
        }


class AgentTree:
    """All agents of a session, by id, in the order in which they began."""

    def __init__(self) -> None:
        self.agents: dict[AgentId, AgentState] = {}
        self.cursor = 0
        """Place in the session's log of the newest event that was taken."""
        self._turns: dict[TurnId, TurnSnapshot] = {}

    def take(self, cursor: int, event: AnyEvent) -> tuple[AgentId, ...]:
        """Which agents look different for an event. Live ones may come late or not at all."""
        self.cursor = max(self.cursor, cursor)
        agent = agent_id(event.turn, event.run)
        is_new = agent not in self.agents
        if is_new and not _begins_agent(event):
            return ()
        turn = self._turns.setdefault(event.turn, TurnSnapshot())
        turn.fold(event)
        if not is_new:
            return (agent,)
        parent = self._add(agent, turn, event)
        return (parent, agent) if parent else (agent,)

    def _add(self, agent: AgentId, turn: TurnSnapshot, event: AnyEvent) -> AgentId | None:
        """Make the agent's node; the agent above, which has one more below it now."""
        parent = None
        if isinstance(event, RunStarted) and event.parent is not None:
            parent = agent_id(event.turn, event.parent)
        self.agents[agent] = AgentState(agent, parent, turn, turn.runs[event.run])
        above = self.agents.get(parent) if parent else None
        if above is None:
            return None
        above.subagents.append(agent)
        return above.agent_id


def _begins_agent(event: AnyEvent) -> bool:
    """Whether an event may be the first of an agent.

    A message that became part of another turn begins and ends without a word.
    """
    match event:
        case TurnStarted():
            return bool(event.text)
        case TurnFinished():
            return bool(event.answer)
        case _:
            return event.run == ROOT_RUN or isinstance(event, RunStarted)


def _messages(run: RunSnapshot) -> list[JsonObject]:
    """What the run was told and what it said."""
    messages: list[JsonObject] = []
    if run.first_task:
        messages.append({"role": "user", "content": run.first_task})
    for entry in run.words:
        if not entry.text:
            continue
        if isinstance(entry, MessageTaken):
            messages.append({"role": "user", "content": entry.text, "name": entry.author_name})
        else:
            messages.append({"role": "assistant", "content": entry.text})
    return messages


def _last_comment(run: RunSnapshot) -> JsonObject | None:
    """The newest words of a person to this run."""
    for event in reversed(run.interventions):
        if event.text and event.what != "content":
            return {"text": event.text, "by": event.by_name, "at": _ms(event.at)}
    return None


def _intervention(run: RunSnapshot, event: Intervened) -> JsonObject:
    return {
        "id": event.n,
        "kind": event.what,
        "taken": event.n in run.settled,
        "text": event.text,
        "byName": event.by_name,
        "at": _ms(event.at),
    }


def _tool(call: CallSnapshot) -> JsonObject:
    started = call.started
    finished = call.finished
    arguments = json.dumps(started.arguments, ensure_ascii=False, default=str)
    description = str(started.arguments.get("description", ""))
    return {
        "id": started.call_id,
        "name": started.tool,
        "description": _shortly(description, MAX_TITLE_CHARS),
        "arguments": _shortly(arguments, MAX_ARGUMENT_CHARS),
        "state": call.status,
        "durationMs": round(finished.duration_s * 1000) if finished else None,
        "display": "" if finished else call.progress,
    }


def _file(saved: ArtifactSaved) -> JsonObject:
    return {
        "path": saved.path,
        "title": saved.title,
        "mimetype": saved.mimetype,
        "sizeBytes": saved.size_bytes,
    }


def _wait(wait: Wait) -> JsonObject:
    """What a person is waited for: `kind` and the fields of that kind."""
    if isinstance(wait, QuestionAsked):
        return {
            "kind": "question",
            "prompt": wait.question,
            "options": list(wait.options),
            "default": wait.default,
            "deadline": _ms(wait.deadline),
        }
    if isinstance(wait, ApprovalRequested):
        tools = [action.tool for action in wait.actions if action.asks]
        return {"kind": "approval", "tools": tools}
    return {"kind": "connection", "toolkits": list(wait.toolkits)}


def _shortly(text: str, max_chars: int) -> str:
    """Without secrets, cut: enough to see what a call is about."""
    text = masked(text)
    return text if len(text) <= max_chars else f"{text[:max_chars]}…"


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
