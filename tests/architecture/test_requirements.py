"""Every promise that is kept today is proved by a test, and only those."""

import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.proofs import Proof, Proofs, proofs_in, read_proofs
from tests.requirements import REQUIREMENTS, Requirement, table

ROOT = Path(__file__).parents[2]
ID = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)+")
SOURCE = re.compile(
    r"seeds/(000|001|002|003|004) §\S.*|issue [CDE] §\S.*|RELIABILITY (R\d+|F-[A-Z]\d+)"
)
DECISION = re.compile(r"|(README|ARCHITECTURE( \d+)?) \(\S.*\)")
MAX_ID_CHARS = 48


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


PROVING = """
import pytest

@pytest.mark.proves("a.one", "a.two")
@pytest.mark.parametrize("n", [1, 2])
async def test_it(n: int) -> None: ...
"""


def test_the_ids_of_a_mark_are_read_with_their_test() -> None:
    assert proofs_in(PROVING, "tests/a/test_b.py") == Proofs(
        proofs=(
            Proof(requirement="a.one", test="tests/a/test_b.py::test_it"),
            Proof(requirement="a.two", test="tests/a/test_b.py::test_it"),
        ),
        faults=(),
    )


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("@pytest.mark.proves\ndef test_it(): ...", "names no requirement"),
        ("@pytest.mark.proves()\ndef test_it(): ...", "names no requirement"),
        ('@pytest.mark.proves(id="a.one")\ndef test_it(): ...', "names no requirement"),
        ("@pytest.mark.proves(ID)\ndef test_it(): ...", "not literal"),
        ('@pytest.mark.proves("a.one", *MORE)\ndef test_it(): ...', "not literal"),
        ('@pytest.mark.proves(f"a.{x}")\ndef test_it(): ...', "not literal"),
        ('@pytest.mark.proves("a.one")\ndef helper(): ...', "belongs on a test"),
        ('def f():\n    @pytest.mark.proves("a.one")\n    def test_it(): ...', "belongs on a test"),
        ('pytestmark = pytest.mark.proves("a.one")', "belongs on a test"),
        ('@pytest.mark.skip\n@pytest.mark.proves("a.one")\ndef test_it(): ...', "marked skip"),
        (
            'pytestmark = [pytest.mark.live]\n@pytest.mark.proves("a.one")\ndef test_it(): ...',
            "marked live",
        ),
    ],
)
def test_a_mark_that_proves_nothing_is_named(source: str, reason: str) -> None:
    read = proofs_in(source, "tests/test_a.py")
    assert read.proofs == ()
    [fault] = read.faults
    assert fault.startswith("tests/test_a.py:")
    assert reason in fault


def test_a_mark_in_a_file_that_pytest_does_not_collect_is_named() -> None:
    read = proofs_in(PROVING, "tests/bench/overhead.py")
    assert read.proofs == ()
    assert len(read.faults) == 1


def test_the_table_shows_each_row_with_its_tests() -> None:
    rows = [
        Requirement(id="a.one", sentence="It is so.", source="seeds/000 §A"),
        Requirement(id="a.two", sentence="It is not.", source="seeds/001 §B", decision="README"),
    ]
    shown = table(rows, proofs_in(PROVING.replace(', "a.two"', ""), "tests/a/test_b.py"))
    assert shown.splitlines() == [
        "a.one: It is so.",
        "    seeds/000 §A",
        "    tests/a/test_b.py::test_it",
        "a.two: It is not.",
        "    seeds/001 §B, overruled by README",
        "    no test",
        "2 requirements, 1 of them without a test",
    ]


@pytest.mark.process("the command as a person types it")
def test_the_command_prints_every_row() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.requirements"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    heads = [line.partition(":")[0] for line in ended.stdout.splitlines() if line[:1] != " "]
    assert heads[:-1] == [row.id for row in REQUIREMENTS]
