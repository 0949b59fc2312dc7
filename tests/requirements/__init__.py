"""What the product keeps today of the description (seeds/000 to 003) and of issues C to K.

Tests name the ids that they prove, as `@pytest.mark.proves("trace.query")`; a row without a test,
and a test without its row, fail in tests/architecture. `python -m tests.requirements` prints the
rows with their tests. What is not built has no row. A row that only a prompt's words hold is
*told*: its test shows that the model is asked for it, and nothing proves that it does it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.proofs import Proofs

ROWS = Path(__file__).parent / "rows.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """A promise, as it holds today."""

    id: str
    sentence: str
    source: str
    """Where it is promised: `seeds/<number> §<heading or topic>`, `issue C §<topic>`, or a row of
    RELIABILITY such as `RELIABILITY R3` or `RELIABILITY F-S4`."""
    decision: str = ""
    """What overrules the source there; empty where nothing does."""
    is_told: bool = False
    """A model is asked for it in words, which it may or may not follow."""


def _read(rows: str) -> Iterator[Requirement]:
    """The rows of the table: a line without an indent names the source of those below it.

    A row that begins with "told" is one; a line that begins with "#" is a heading for people.
    """
    source = decision = ""
    for line in filter(None, rows.splitlines()):
        if line.startswith("#"):
            continue
        if line.startswith(" "):
            name, _, sentence = line.strip().partition(": ")
            yield Requirement(
                id=name.removeprefix("told "),
                sentence=sentence,
                source=source,
                decision=decision,
                is_told=name.startswith("told "),
            )
        else:
            source, _, decision = line.partition(" | overruled by ")


REQUIREMENTS = tuple(_read(ROWS.read_text(encoding="utf-8")))


def table(rows: Sequence[Requirement], proofs: Proofs) -> str:
    """Each row with its source and its tests, and in the last line how many there are."""
    lines: list[str] = []
    for row in rows:
        overruled = f", overruled by {row.decision}" if row.decision else ""
        tests = proofs.of(row.id) or ("no test",)
        lines += [f"{row.id}: {row.sentence}", f"    {row.source}{overruled}"]
        if row.is_told:
            lines.append("    told, not proven: the words that ask a model for it are held by")
        lines += [f"    {test}" for test in tests]
    unproved, told = sum(not proofs.of(row.id) for row in rows), sum(row.is_told for row in rows)
    lines.append(f"{len(rows)} requirements, {told} of them told, {unproved} without a test")
    return "\n".join(lines) + "\n"
