"""Definitions of sub-agents: what a file must say, and what the shipped one says."""

import pytest

from agent_core.errors import SettingsError
from agent_core.prompts import fill
from agent_core.subagents.spec import SubagentSpec, parse_spec, shipped_specs

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


def parse(text: str) -> SubagentSpec:
    return parse_spec(text, source="note-writer.md")


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


def expert() -> SubagentSpec:
    [spec] = [spec for spec in shipped_specs() if spec.name == "report-creation-expert"]
    return spec


@pytest.mark.proves("subagent.definition")
def test_a_definition_is_front_matter_and_a_body() -> None:
    assert parse(GOOD) == SubagentSpec(
        name="note-writer",
        description="Writes notes.",
        tools=("mcp__local_toolkit__*", "!mcp__local_toolkit__write_report"),
        model="inherit",
        complete_when="",
        instructions=(
            "Write a note. Today is {{today}}, the place is {{workspace}}.\n\n"
            "---\nA line under a rule."
        ),
    )


def test_a_definition_may_name_a_model_and_a_rule() -> None:
    spec = parse(changed("tools:", "model: claude-haiku-5-5\ncomplete_when: corpus_saved\ntools:"))
    assert (spec.model, spec.complete_when) == ("claude-haiku-5-5", "corpus_saved")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "front matter"),
        ("Just a prompt.", "front matter"),
        ("---\nname: x\n", "front matter"),
        (f"\n{GOOD}", "front matter"),
        (changed("name: note-writer\n", ""), "name"),
        (changed("description: Writes notes.\n", ""), "description"),
        (changed("name: note-writer", "name: Note Writer"), "name"),
        (changed("name: note-writer", "name: 7"), "name"),
        (changed("tools:", "colour: blue\ntools:"), "colour"),
        (changed("tools:", "model: [a, b]\ntools:"), "model"),
        (changed("tools:", "instructions: others\ntools:"), "instructions"),
        (changed("  - mcp__local_toolkit__*\n", "  tools: {\n"), "note-writer.md"),
        ("---\n- a\n- list\n---\nbody", "note-writer.md"),
        ("---\n\n---\nbody", "note-writer.md"),
        ("---\n7: seven\n---\nbody", "note-writer.md"),
    ],
)
def test_a_bad_definition_is_refused_with_its_file_and_its_fault(text: str, named: str) -> None:
    with pytest.raises(SettingsError) as refused:
        parse(text)
    assert str(refused.value).startswith("note-writer.md: ")
    assert named in str(refused.value)


@pytest.mark.proves("subagent.ships", "subagent.inherits_model")
def test_the_report_expert_ships() -> None:
    assert [spec.name for spec in shipped_specs()] == ["report-creation-expert"]
    assert expert().model == "inherit"
    assert expert().complete_when == "corpus_saved"


@pytest.mark.proves("subagent.mandatory", "subagent.triggers")
@pytest.mark.parametrize(
    "trigger",
    [
        "MANDATORY DELEGATION TARGET for ALL report generation tasks",
        "WHEN TO DELEGATE",
        "'report'",
        "'comprehensive'",
        "'detailed'",
        "'in-depth'",
        "'analysis'",
        "'summary'",
    ],
)
def test_the_report_expert_has_the_triggers_of_the_description(trigger: str) -> None:
    assert trigger in expert().description


@pytest.mark.parametrize(
    "order",
    ["batches of 10", "10 successful", "2 batches", "save_corpus", "write_report", "[n]"],
)
def test_the_report_expert_is_told_its_workflow(order: str) -> None:
    assert order in expert().instructions


def test_every_shipped_body_has_the_slots_that_an_agent_fills() -> None:
    for spec in shipped_specs():
        filled = fill(spec.instructions, today="Monday", workspace="/w/session_1")
        assert "Monday" in filled
        assert "CURRENT_SESSION_WORKSPACE: /w/session_1" in filled


def test_the_only_rule_a_definition_names_is_one_that_is_checked() -> None:
    assert {spec.complete_when for spec in shipped_specs()} <= {"", "corpus_saved"}


@pytest.mark.parametrize("slot", ["{{today}}", "{{workspace}}"])
def test_a_body_without_its_slots_is_refused(slot: str) -> None:
    with pytest.raises(SettingsError, match=r"note-writer\.md"):
        parse(changed(slot, "unknown"))
