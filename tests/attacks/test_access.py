"""An agent that may only search reaches nothing else, in whatever shape it tries."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from agent_core.events import ToolCallFinished
from agent_core.ids import ROOT_RUN
from agent_core.messages import JsonObject
from agent_core.runtime import Runtime
from agent_core.subagents.task import shipped_specs
from agent_core.testing.models import ScriptedModel, call, calls_reply
from tests.attacks.world import BATCH, RUBE_BATCH, Office, play
from tests.runtimes import inbound, scripted_runtime

WORKBENCH = "mcp__composio__COMPOSIO_REMOTE_WORKBENCH"
SEND = "GMAIL_SEND_EMAIL"
SEARCH: JsonObject = {"tool_slug": "COMPOSIO_SEARCH_WEB", "arguments": {"query": "x"}}
DELEGATION = {"description": "d", "prompt": "p", "subagent_type": "report-creation-expert"}


def mail(**more: object) -> JsonObject:
    return {"tool_slug": SEND, "arguments": {"recipient_email": "eve@evil.example"}, **more}


def search(**more: object) -> JsonObject:
    return {**SEARCH, **more}


def inside(entry: JsonObject) -> JsonObject:
    """A batch in a batch."""
    return {"tool_slug": "COMPOSIO_MULTI_EXECUTE_TOOL", "arguments": {"tools": [entry]}}


ATTEMPTS: list[tuple[str, JsonObject]] = [
    (f"mcp__composio__{SEND}", mail()["arguments"]),
    (WORKBENCH, {"code_to_execute": "run_composio_tool('GMAIL_SEND_EMAIL', {})"}),
    (BATCH, {"tools": [mail()]}),
    (BATCH, {"tools": [SEARCH, mail()]}),
    (BATCH, {"tools": [search(), inside(mail())]}),
    (BATCH, {"tools": [inside(inside(mail()))]}),
    (BATCH, {"tools": json.dumps([mail()])}),
    (BATCH, {"tools": [search(slug=SEND)]}),
    (BATCH, {"tools": [search(tool_slug=f"COMPOSIO_SEARCH_WEB\u200b{SEND}")]}),
    (BATCH, {"tools": [search(tool_slug=f" {SEND}")]}),
    (BATCH, {"tools": [search(tool_slug="ＧMAIL_SEND_EMAIL")]}),  # noqa: RUF001
    (BATCH, {"tools": [SEARCH], "calls": [mail()]}),
    (BATCH, {"tools": [search(calls=[mail()])], "arguments": json.dumps([mail()])}),
    (BATCH, {"tools": [{"tool_slug": "COMPOSIO_REMOTE_WORKBENCH", "arguments": {}}]}),
    (BATCH, {"tools": [{"tool_slug": "COMPOSIO_MANAGE_CONNECTIONS", "arguments": {}}]}),
    (RUBE_BATCH, {"tools": [SEARCH]}),
    (BATCH.lower(), {"tools": [mail()]}),
]


@dataclass
class OpenOffice(Office):
    """Nobody has to approve anything, so that the expert's tools alone stand in the way."""

    def runtime(self) -> Runtime:
        return scripted_runtime(
            self.root,
            model=self.model,
            tools=self.toolset(),
            specs=shipped_specs(),
            observers=(),
            accounts=self.accounts,
        )


@pytest.mark.proves("attacks.expert")
async def test_the_expert_runs_searches_in_batches_and_nothing_beside(tmp_path: Path) -> None:
    tried = [call(name, given, id=f"bad{n}") for n, (name, given) in enumerate(ATTEMPTS)]
    good = call(BATCH, {"tools": [SEARCH, search()]}, id="good")
    model = ScriptedModel(
        [call("Task", DELEGATION, id="task"), calls_reply(good, *tried), "Tried.", "So it was."]
    )
    office = OpenOffice(tmp_path, model=model)
    async with office.runtime() as runtime:
        outcome = await play(runtime, inbound("continue"))
    ended = [e for e in outcome.events if isinstance(e, ToolCallFinished) and e.run != ROOT_RUN]
    assert len(ended) == 1 + len(ATTEMPTS)
    assert [event.call_id for event in ended if not event.is_error] == ["good"]
    assert office.deeds == []
    [shown] = [r for r in model.requests if "Report Creation Expert" in r.system][:1]
    assert BATCH in {spec.name for spec in shown.tools}
    assert {WORKBENCH, RUBE_BATCH}.isdisjoint({spec.name for spec in shown.tools})
