"""Which tools each agent sees and can call: the matrix of the description, row by row."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_core.ids import RunId
from agent_core.loop.agent import Agent, RunLimits
from agent_core.messages import JsonObject
from agent_core.models import RetryingModel
from agent_core.runtime.parts import Agents
from agent_core.subagents.task import SubagentSpec, parse_spec, shipped_specs
from agent_core.testing.models import ScriptedModel
from agent_core.testing.tools import FakeToolset, ignore_progress, tool_call
from agent_core.tools import OnProgress, Registry, ToolContext
from tests.tool_calls import tool_context

LOCAL = "mcp__local_toolkit__"
COMPOSIO = "mcp__composio__"

MATRIX = [
    # tool, main agent, report expert
    (f"{LOCAL}save_corpus", False, True),
    (f"{LOCAL}write_report", False, True),
    (f"{LOCAL}crawl_parallel", True, True),
    (f"{LOCAL}read_local_file", True, True),
    (f"{LOCAL}list_local_files", True, True),
    (f"{LOCAL}search_corpus", True, True),
    (f"{LOCAL}list_sources", True, True),
    (f"{LOCAL}write_local_file", True, True),
    (f"{LOCAL}workbench_download", True, True),
    (f"{LOCAL}workbench_upload", True, True),
    (f"{LOCAL}upload_to_composio", True, True),
    (f"{COMPOSIO}COMPOSIO_SEARCH_WEB", True, True),
    (f"{COMPOSIO}COMPOSIO_SEARCH_NEWS", True, True),
    (f"{COMPOSIO}COMPOSIO_SEARCH_TOOLS", True, False),
    (f"{COMPOSIO}COMPOSIO_MULTI_EXECUTE_TOOL", True, False),
    (f"{COMPOSIO}COMPOSIO_MANAGE_CONNECTIONS", True, False),
    (f"{COMPOSIO}COMPOSIO_REMOTE_WORKBENCH", True, False),
    (f"{COMPOSIO}COMPOSIO_REMOTE_BASH_TOOL", True, False),
    (f"{COMPOSIO}GMAIL_SEND_EMAIL", True, False),
    ("mcp__another_server__anything", True, False),
]
NAMES = [name for name, _, _ in MATRIX]


async def do_it(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
    return "done"


def agents(names: Sequence[str] = NAMES) -> tuple[Agent, Agent, FakeToolset]:
    tools = FakeToolset(dict.fromkeys(names, do_it))
    made = Agents(
        model=RetryingModel(ScriptedModel([])),
        registry=Registry(tools),
        specs=shipped_specs(),
        limits=RunLimits(),
    )
    today, workspace = datetime(2026, 11, 21, tzinfo=UTC), Path("session_1")
    main = made.main(today=today, workspace=workspace, author="Ann")
    expert = made.subagent(
        "report-creation-expert",
        today=today,
        workspace=workspace,
        limits=made.limits,
        run=RunId("root.a"),
    )
    return main, expert, tools


@pytest.mark.proves(
    "access.save_corpus",
    "access.write_local_file",
    "access.crawl_parallel",
    "access.search",
    "access.send_email",
    "access.remote_workbench",
    "access.enforced",
)
@pytest.mark.parametrize(("tool", "of_main", "of_expert"), MATRIX)
async def test_an_agent_sees_and_runs_the_tools_of_its_column_and_no_other(
    tmp_path: Path, tool: str, of_main: bool, of_expert: bool
) -> None:
    main, expert, tools = agents()
    for agent, expected in ((main, of_main), (expert, of_expert)):
        seen = {spec.name for spec in await agent.tools.specs(tool_context(tmp_path))}
        assert (tool in seen) is expected, agent.name
        output = await agent.tools.run(tool_call(tool), tool_context(tmp_path), ignore_progress)
        assert output.is_error is not expected, agent.name
    assert len(tools.calls) == of_main + of_expert


BATCH = f"{COMPOSIO}COMPOSIO_MULTI_EXECUTE_TOOL"
META_ALONE = [name for name in NAMES if "_SEARCH_WEB" not in name and "_SEARCH_NEWS" not in name]
"""What a session offers that was not made with the searches among its tools."""


def entry(tool: str, **more: object) -> JsonObject:
    return {"tool_slug": tool, "arguments": {}, **more}


SEARCHES = entry("COMPOSIO_SEARCH_WEB"), entry("composio_search_news")


@pytest.mark.proves("access.search_in_batch")
async def test_where_no_search_is_listed_the_expert_runs_searches_in_a_batch(
    tmp_path: Path,
) -> None:
    _, expert, tools = agents(META_ALONE)
    [batch] = [s for s in await expert.tools.specs(tool_context(tmp_path)) if s.name == BATCH]
    assert "only these tools with it: COMPOSIO_SEARCH_*" in batch.description
    call = tool_call(BATCH, {"tools": list(SEARCHES)})
    assert not (await expert.tools.run(call, tool_context(tmp_path), ignore_progress)).is_error
    assert tools.calls == [call]


async def test_a_refused_tool_names_none_that_the_agent_may_not_use(tmp_path: Path) -> None:
    _, expert, _ = agents()
    call = tool_call(f"{COMPOSIO}GMAIL_SEND_EMAIL")
    output = await expert.tools.run(call, tool_context(tmp_path), ignore_progress)
    assert "GMAIL_SEND_EMAIL" in output.text
    denied = [name for name, _, of_expert in MATRIX if not of_expert]
    assert [name for name in denied if name in output.text] == [call.name]


@pytest.mark.proves("subagent.main_only")
def test_the_main_agent_delegates_and_the_report_expert_only_has_sections_written() -> None:
    main, expert, _ = agents()
    assert [tool.spec.name for tool in main.body_tools] == ["Task", "fork", "wait", "ask_user"]
    assert [tool.spec.name for tool in expert.body_tools] == ["fork"]


@pytest.mark.proves("workspace.in_prompts", "subagent.context")
def test_agents_are_told_day_place_and_asker() -> None:
    main, expert, _ = agents()
    for agent in (main, expert):
        assert "Saturday, 21 November 2026" in agent.system
        assert "CURRENT_SESSION_WORKSPACE: session_1" in agent.system
    assert "Ann is asking" in main.system


GOOD = """---
name: note-writer
description: Writes notes.
tools:
  - mcp__local_toolkit__*
  - "!mcp__local_toolkit__write_report"
---

Write a note. Today is {{today}}, the place is {{workspace}}.

---
A line under a rule.
"""


def expert() -> SubagentSpec:
    [spec] = [spec for spec in shipped_specs() if spec.name == "report-creation-expert"]
    return spec


@pytest.mark.proves("subagent.definition")
def test_a_definition_is_front_matter_and_a_body() -> None:
    assert parse_spec(GOOD) == SubagentSpec(
        name="note-writer",
        description="Writes notes.",
        tools=("mcp__local_toolkit__*", "!mcp__local_toolkit__write_report"),
        complete_when="",
        instructions=(
            "Write a note. Today is {{today}}, the place is {{workspace}}.\n\n"
            "---\nA line under a rule."
        ),
    )


@pytest.mark.proves("subagent.ships", "subagent.inherits_model")
def test_the_report_expert_ships() -> None:
    names = [spec.name for spec in shipped_specs()]
    assert names == ["explorer", "report-creation-expert", "report-section-writer"]
    assert expert().model == "inherit"
    assert expert().complete_when == "corpus_saved"


@pytest.mark.proves("subagent.mandatory", "subagent.triggers")
def test_the_report_expert_has_the_triggers_and_the_workflow_of_the_description() -> None:
    triggers = ("report", "comprehensive", "detailed", "in-depth", "analysis", "summary")
    for told in (
        "MANDATORY DELEGATION TARGET for ALL report generation tasks",
        "WHEN TO DELEGATE",
        *(f"'{trigger}'" for trigger in triggers),
    ):
        assert told in expert().description
    for order in ("batches of 10", "10 successful", "2 batches", "save_corpus", "write_report"):
        assert order in expert().instructions
