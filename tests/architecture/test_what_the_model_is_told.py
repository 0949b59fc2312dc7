"""What the model is told, word by word, as `told/` has it: a change here is made on purpose.

`uv run pytest tests/architecture --inline-snapshot=fix` takes over what was changed.
"""

from datetime import date
from inspect import cleandoc
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import external_file
from mcp import Client
from mcp.types import Tool
from pydantic import SecretStr

from agent_core.classifier import router
from agent_core.classifier.replies import JUDGE_REPLY_SPEC, Line, Talk, briefing
from agent_core.context.history import LOST_RESULT
from agent_core.models import ToolSpec
from agent_core.planner import PLAN_SPEC
from agent_core.programs import ProgramLimits
from agent_core.programs.run_python import program_spec
from agent_core.prompts import prompt
from agent_core.subagents.task import child_tools, shipped_specs
from agent_core.tools import SURFACE_TOOLS
from mcp_local.server import build_server
from mcp_local.settings import Settings

TODAY = date(2026, 11, 21).strftime("%A, %d %B %Y")
MOMENT = "Saturday, 21 November 2026, 10:01 in Europe/Berlin (UTC+01:00)"
WORKSPACE = "/work/session_20261121_090000"
ABOUT = {"author": "Ben", "run": "root.a", "task": "What is A?"}
PROMPTS = {
    "system": {"today": TODAY, "workspace": WORKSPACE, "author": "Ann"},
    "classify": {"history": "user: hello\nassistant: Hello!", "query": "Capital of France?"},
    "fast": {"today": TODAY},
    "sent": {"moment": MOMENT, "author": "Ann"},
    "attachments": {"files": "- downloads/a.pdf (application/pdf, 9 bytes)"},
    "background": {"posts": "Bo: let us say Friday"},
    "judge_reply": {},
    "wrap_up": {},
    "steer": {"author": "Ben", "message": "Poland, too.", "moment": MOMENT},
    "steer_known": {"agents": "report-creation-expert"},
    "run_comment": {"author": "Ben", "text": "Poland, too."},
    "run_content": {"author": "Ben", "text": "Poland alone."},
    "run_again": {**ABOUT, "new": "root.again-1"},
    "run_late": {**ABOUT, "text": "Poland, too."},
    "plan": {"today": "Monday"},
    "sub_question": {"task": "Compare A and B", "more": ""},
    "planned": {"runs": "- root.part1: What does A cost?"},
    "child_result": {
        "run": "root.c1",
        "task": "Rain in Rome",
        "ended": "has ended",
        "text": "None.",
    },
}
SPECS = {
    "use_tools": [router.USE_TOOLS],
    "delegation": [tool.spec for tool in child_tools(shipped_specs())],
    "programs": [program_spec(ProgramLimits())],
    "planner": [PLAN_SPEC],
    "reply_judge": [JUDGE_REPLY_SPEC],
    "surface": list(SURFACE_TOOLS.values()),
}


def recorded(name: str) -> object:
    """The text of a file in `told/`."""
    return external_file(f"told/{name}.md", format=".txt")  # pyright: ignore[reportUnknownVariableType]


def listed(name: str) -> object:
    """The tools of a file in `told/`."""
    return external_file(f"told/{name}.json")  # pyright: ignore[reportUnknownVariableType]


@pytest.mark.proves(
    "prompt.time",
    "prompt.proceed",
    "prompt.data_flow",
    "prompt.delegation",
    "prompt.places",
    "prompt.discovery",
)
def test_the_main_agent() -> None:
    assert f"{prompt('system', **PROMPTS['system'])}\n" == recorded("system")


@pytest.mark.proves("router.prompt.simple", "router.prompt.complex", "router.prompt.one_word")
def test_the_classifier() -> None:
    assert f"{prompt('classify', **PROMPTS['classify'])}\n" == recorded("classify")


@pytest.mark.parametrize("name", list(PROMPTS)[2:])
def test_every_other_prompt(name: str) -> None:
    assert f"{prompt(name, **PROMPTS[name])}\n" == recorded(name)


@pytest.mark.proves(
    "subagent.request_type",
    "subagent.batches",
    "subagent.hard_stop",
    "subagent.saves_corpus",
    "subagent.evidence",
)
def test_the_report_expert() -> None:
    [spec] = [spec for spec in shipped_specs() if spec.name == "report-creation-expert"]
    assert f"{spec.instructions}\n" == recorded("report_expert")


def test_the_explorer() -> None:
    [spec] = [spec for spec in shipped_specs() if spec.name == "explorer"]
    assert f"{spec.instructions}\n" == recorded("explorer")


def test_a_talk_that_a_reply_is_judged_in() -> None:
    talk = Talk(
        bot="helper",
        earlier=(Line(author="Ann", text="@helper compare both"), Line(author="", text="Done.")),
        reply=Line(author="Ben", text="and for 2025?"),
        asked=("Ann",),
    )
    assert f"{briefing(talk)}\n" == recorded("briefing")


def test_what_stands_in_for_a_missing_result() -> None:
    assert f"{LOST_RESULT}\n" == recorded("lost_result")


@pytest.mark.proves("subagent.task_arguments")
@pytest.mark.parametrize("name", SPECS)
def test_the_tools_of_the_core(name: str) -> None:
    assert [told_of(spec) for spec in SPECS[name]] == listed(name)


def told_of(spec: ToolSpec) -> dict[str, Any]:
    """A tool as a model sees it, the lines of its description one by one."""
    return {**spec.for_model(), "description": spec.description.splitlines()}


@pytest.mark.proves(
    "save_corpus.arguments",
    "write_local_file.arguments",
    "crawl.arguments",
    "workbench_download.arguments",
    "workbench_upload.arguments",
    "upload_to_composio.arguments",
)
async def test_the_local_toolkit(tmp_path: Path) -> None:
    settings = Settings(workspaces_root=tmp_path, composio_api_key=SecretStr("ak_1"))
    async with Client(build_server(settings)) as client:
        tools = (await client.list_tools()).tools
    assert {tool.name: in_full(tool) for tool in tools} == listed("local_toolkit")


def in_full(tool: Tool) -> dict[str, Any]:
    """A tool with what it says that it does to the world."""
    told = tool.model_dump(mode="json", by_alias=True, include={"input_schema", "annotations"})
    return {"description": cleandoc(tool.description or "").splitlines(), **told}
