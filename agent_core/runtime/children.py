"""The body of a child run: a sub-agent's whole work, checked against its rule at the end."""

import asyncio
import logging

from pydantic import TypeAdapter

from agent_core import tracing
from agent_core.durable import Steps, cannot_replay, first_cause
from agent_core.events import CorrectionInjected, RunFinished
from agent_core.ids import TurnId, UserId
from agent_core.loop.agent import RunScope
from agent_core.loop.run import RunResult, run_agent
from agent_core.messages import JsonObject, user_message
from agent_core.observers.compliance import correction
from agent_core.runtime.agents import Agents
from agent_core.runtime.run_logs import RunLogs
from agent_core.runtime.scopes import Scopes
from agent_core.runtime.standing import child_failure
from agent_core.runtime.stopping import Stopped, StopSignals
from agent_core.sessions import StoredSession, StoredTurn
from agent_core.subagents.task import (
    CHILD_REQUEST,
    CHILD_RESULT,
    ChildRequest,
    ChildResult,
)

logger = logging.getLogger(__name__)

CORRECTION: TypeAdapter[str] = TypeAdapter(str)
CORRECTION_SLOT = 2
STOPPED = "The work was stopped."


class Children:
    """Runs sub-agents. The body replays: it branches only on records and stored facts."""

    def __init__(
        self, agents: Agents, scopes: Scopes, run_logs: RunLogs, signals: StopSignals
    ) -> None:
        self._agents = agents
        self._scopes = scopes
        self._run_logs = run_logs
        self._signals = signals

    async def run(self, steps: Steps, payload: JsonObject) -> JsonObject:
        """Do what a ChildRequest asks for; a ChildResult, whatever happens."""
        request = CHILD_REQUEST.validate_python(payload)
        turn = await self._scopes.store.turn(TurnId(request.turn))
        session = await self._scopes.store.session_of(turn)
        self._run_logs.follow(session.id, turn.id, session.workspace)
        scope = self._scopes.scope(
            turn,
            session,
            request.run,
            steps,
            generation=1,
            asker=UserId(request.asker) if request.asker else turn.inbound.asker,
            agent=request.agent,
        )
        result = await self._result(request, turn, session, scope)
        complaint = "" if result.outcome == "stopped" else await self._complaint(request, scope)
        child = ChildResult(
            text=result.text,
            is_error=result.outcome in ("failed", "stopped"),
            correction=complaint,
        )
        return CHILD_RESULT.dump_python(child, mode="json")

    async def _result(
        self, request: ChildRequest, turn: StoredTurn, session: StoredSession, scope: RunScope
    ) -> RunResult:
        agent = self._agents.subagent(
            request.agent, today=turn.inbound.received_at, workspace=session.workspace
        )
        if turn.stop is not None:
            self._signals.give(turn.id)
        opening = (user_message(request.prompt),)
        work = run_agent(agent, (), opening, scope, parent=request.parent, task=request.prompt)
        try:
            return await self._signals.unless_given(turn.id, work)
        except Stopped:
            await scope.emit(RunFinished(**scope.at(0, 1), outcome="stopped", text=""))
            return RunResult(outcome="stopped", text=STOPPED)
        except Exception as error:
            if cannot_replay(error):
                raise
            logger.exception("run %s of turn %s failed", request.run, turn.id)
            return RunResult(outcome="failed", text=child_failure(first_cause(error)))

    async def _complaint(self, request: ChildRequest, scope: RunScope) -> str:
        if not self._agents.spec(request.agent).complete_when:
            return ""
        messages = await self._scopes.store.run_messages(TurnId(request.turn), request.run)
        called = [call.name for message in messages for call in message.tool_calls]

        async def check() -> str:
            workspace = scope.context.workspace
            return await asyncio.to_thread(correction, request.prompt, called, workspace) or ""

        text = await scope.steps.once("compliance", check, CORRECTION)
        if text:
            tracing.note("subagent_compliance_message_injected", agent=request.agent)
            at = scope.at(0, CORRECTION_SLOT)
            await scope.emit(CorrectionInjected(**at, agent=request.agent, text=text))
        return text
