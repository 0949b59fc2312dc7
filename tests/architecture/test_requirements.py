"""Every promise that is kept today is proved by a test, and only those."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

from tests.proofs import Proofs, read_proofs
from tests.requirements import REQUIREMENTS

ROOT = Path(__file__).parents[2]
ID = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)+")
SOURCE = re.compile(
    r"seeds/(000|001|002|003|004) §\S.*|issue [CDEFGHIKM] §\S.*|RELIABILITY (R\d+|F-[A-Z]\d+)"
)
DECISION = re.compile(r"|(README|ARCHITECTURE( \d+)?) \(\S.*\)")
MAX_ID_CHARS = 48
_SNAPSHOTS = "tests/architecture/test_what_the_model_is_told.py"
PROMPTS = {
    f"{_SNAPSHOTS}::test_the_main_agent",
    f"{_SNAPSHOTS}::test_the_classifier",
    f"{_SNAPSHOTS}::test_the_report_expert",
    "tests/agent_core/subagents/test_access.py::"
    "test_the_report_expert_has_the_triggers_and_the_workflow_of_the_description",
}
"""Tests that look at nothing but the words of a prompt."""


@cache
def proofs() -> Proofs:
    return read_proofs(ROOT)


def test_every_requirement_is_proved() -> None:
    unproved = [row.id for row in REQUIREMENTS if not proofs().of(row.id)]
    assert unproved == [], "these rows of tests/requirements have no test"


def test_every_proof_names_a_requirement() -> None:
    known = {row.id for row in REQUIREMENTS}
    stray = [f"{proof.test}: {proof.requirement}" for proof in proofs().proofs]
    assert [each for each in stray if each.rpartition(": ")[2] not in known] == []


def test_every_mark_can_be_relied_upon() -> None:
    assert proofs().faults == ()


def test_no_test_names_a_requirement_twice() -> None:
    counted = Counter(proofs().proofs)
    assert [proof for proof, count in counted.items() if count > 1] == []


def test_every_id_is_there_once_and_short() -> None:
    ids = [row.id for row in REQUIREMENTS]
    assert [each for each, count in Counter(ids).items() if count > 1] == []
    assert [each for each in ids if not ID.fullmatch(each) or len(each) > MAX_ID_CHARS] == []


def test_every_source_is_a_place_where_it_is_promised() -> None:
    assert [row.source for row in REQUIREMENTS if not SOURCE.fullmatch(row.source)] == []


def test_every_decision_names_the_document_that_overrules() -> None:
    assert [row.decision for row in REQUIREMENTS if not DECISION.fullmatch(row.decision)] == []


def test_every_sentence_is_one_of_its_own() -> None:
    sentences = [row.sentence for row in REQUIREMENTS]
    assert [each for each, count in Counter(sentences).items() if count > 1] == []
    assert [each for each in sentences if not re.fullmatch(r"\S.*\S\.", each)] == []


def test_what_only_a_prompt_says_is_told_and_not_proven() -> None:
    told = {row.id for row in REQUIREMENTS if row.is_told}
    assert told == {row.id for row in REQUIREMENTS if set(proofs().of(row.id)) <= PROMPTS}
