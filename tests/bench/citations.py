"""How many altered claims the check of a report catches, and how many true ones it doubts, by kind.

`python -m tests.bench.citations [--wice FILE] [--half tuning|measure|all] [--missed] [--json]`.
The claims of Wikipedia that people judged supported, with the pages they cite (WiCE's development
set), are altered here by stated rules and a fixed seed, one thing at a time; beside them stand 60
pairs of our own with alterations written by hand. Claims with an even number are for tuning, those
with an odd one are the measure. Each claim is checked twice: against its page, and against the
sentences that support it. The baseline doubts a claim when a number of it does not occur as it is
spelled, or a quotation word for word.
"""

import argparse
import gzip
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mcp_local.report.claims import check_claims, read_claims
from mcp_local.report.markdown import parse_markdown
from mcp_local.sources import NumberedSource
from tests.bench.results import Result, show

DEFAULT_WICE = Path("/work/shared/data/wice-dev/claims.jsonl.gz")
OWN = Path(__file__).parent / "citation_pairs.jsonl"
SEED = 25
FIRST_TIER = ("figures", "dates", "quotations")
KINDS = (*FIRST_TIER, "names", "comparisons", "negation")

GOAL_FIRST_TIER = 0.90
GOAL_ALL = 0.75
GOAL_DOUBTED = 0.03


def _listed(words: str) -> list[str]:
    return words.split()


MONTHS = _listed(
    "January February March April May June July August September October November December"
)
_MONTH = "|".join(MONTHS)
WORDS = _listed("two three four five six seven eight nine ten eleven twelve")
ORDINALS = _listed("second third fourth fifth sixth seventh eighth ninth tenth")
SCALES = {"thousand": "million", "million": "billion", "billion": "million"}
UNITS = {
    "kilometres": "miles", "kilometers": "miles", "km": "miles", "miles": "km", "metres": "feet",
    "meters": "feet", "feet": "metres", "hectares": "acres", "acres": "hectares",
    "percent": "percentage points", "euros": "dollars", "dollars": "euros", "hours": "days",
    "days": "weeks", "weeks": "months", "months": "years", "years": "months", "kg": "lb",
}  # fmt: skip
OPPOSITES = {
    "largest": "smallest", "smallest": "largest", "highest": "lowest", "lowest": "highest",
    "first": "last", "last": "first", "oldest": "youngest", "youngest": "oldest", "more": "fewer",
    "fewer": "more", "less": "more", "most": "least", "rose": "fell", "fell": "rose",
    "increased": "decreased", "decreased": "increased", "before": "after", "after": "before",
    "younger": "older", "older": "younger", "higher": "lower", "lower": "higher",
    "larger": "smaller", "smaller": "larger", "longest": "shortest", "shortest": "longest",
    "best": "worst", "worst": "best", "won": "lost", "lost": "won", "majority": "minority",
    "early": "late", "late": "early", "north": "south", "south": "north", "east": "west",
    "west": "east", "longer": "shorter", "shorter": "longer", "over": "under", "under": "over",
    "later": "earlier", "earlier": "later",
}  # fmt: skip
STRANGERS = _listed(
    "Abernathy Castellano Draper Eklund Fairbanks Galloway Hathaway Iverson Jankowski Kowalczyk "
    "Lindqvist Moriarty Nakagawa Okonkwo Pemberton Quintero Rasmussen Sandoval Thorvald Whitcombe"
)
FOREIGN_WORDS = _listed("copper hollow distant gentle crooked velvet borrowed silent marble")

_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}(?![\w\u2019'])")
_QUOTED = re.compile(r"[\"“](?P<quote>[^\"“”]+)[\"”]")
_DATE_WORD = re.compile(rf"\b(?:{_MONTH})\b")
_DAY = re.compile(
    rf"\b(?:{_MONTH}) (?P<a>[1-9]|[12]\d|3[01])\b|\b(?P<b>[1-9]|[12]\d|3[01]) (?:{_MONTH})"
)
_YEAR = re.compile(r"(?<![\d,.$€£\u2013-])(?:1[5-9]|20)\d\d(?![\d,]\d|\d|[\u2013-])")
_BARE = re.compile(
    r"(?<![\w.,$€£/:\u2013-])[$€£]?(?P<n>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\d/:\u2013]|[.,]\d)"
)
_AUXILIARY = re.compile(r"\b(?:is|was|are|were|has|had|have|will|would|could|did|can)\b(?! not)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A claim with the texts that it is checked against; `kind` is empty for a true one."""

    kind: str
    rule: str
    claim: str
    page: str
    passage: str


Alteration = tuple[str, str, str]
"""The kind, the rule, and the altered claim."""


def _swap(claim: str, span: tuple[int, int], word: str) -> str:
    return claim[: span[0]] + word + claim[span[1] :]


def _figures(claim: str, dice: random.Random) -> Iterator[Alteration]:
    dated = [match.span() for match in (*_DAY.finditer(claim), *_YEAR.finditer(claim))]
    for match in _BARE.finditer(claim):
        start, end = match.span("n")
        if any(start < last and end > first for first, last in dated):
            continue
        digits = match["n"]
        at = dice.choice([n for n, sign in enumerate(digits) if sign.isdigit()])
        others = [sign for sign in "123456789" if sign != digits[at]]
        yield "figures", "digit", _swap(claim, (start + at, start + at + 1), dice.choice(others))
        number = float(digits.replace(",", ""))
        changed = round(number * dice.choice([0.5, 0.7, 1.3, 1.6]) + 2)
        yield "figures", "number", _swap(claim, (start, end), f"{changed:,}")
    for words, rule in ((WORDS, "number word"), (ORDINALS, "ordinal word")):
        for match in re.finditer(rf"\b(?:{'|'.join(words)})\b", claim):
            other = dice.choice([word for word in words if word != match[0]])
            yield "figures", rule, _swap(claim, match.span(), other)
    amount = "|".join(("\\d", *WORDS))
    for words, rule in ((SCALES, "scale"), (UNITS, "unit")):
        for match in re.finditer(rf"(?:{amount}) (?P<word>{'|'.join(words)})\b", claim):
            yield "figures", rule, _swap(claim, match.span("word"), words[match["word"]])


def _dates(claim: str, dice: random.Random) -> Iterator[Alteration]:
    for match in _DAY.finditer(claim):
        group = "a" if match["a"] else "b"
        day = int(match[group])
        other = dice.choice([each for each in range(1, 29) if each != day])
        yield "dates", "day", _swap(claim, match.span(group), str(other))
    for match in _DATE_WORD.finditer(claim):
        other = dice.choice([month for month in MONTHS if month != match[0]])
        yield "dates", "month", _swap(claim, match.span(), other)
    for match in _YEAR.finditer(claim):
        year = int(match[0]) + dice.choice([-7, -3, -2, -1, 1, 2, 3, 6])
        yield "dates", "year", _swap(claim, match.span(), str(year))


def _quotations(claim: str, dice: random.Random) -> Iterator[Alteration]:
    for match in _QUOTED.finditer(claim):
        words = [*re.finditer(r"\b[a-z]{4,}\b", match["quote"])]
        if len(match["quote"].split()) >= 2 and words:
            word = dice.choice(words)
            span = (match.start("quote") + word.start(), match.start("quote") + word.end())
            yield "quotations", "word", _swap(claim, span, dice.choice(FOREIGN_WORDS))


def _names(claim: str, dice: random.Random) -> Iterator[Alteration]:
    names = [match for match in _NAME.finditer(claim) if match[0] not in MONTHS]
    if names:
        match = dice.choice(names)
        yield "names", "name", _swap(claim, match.span(), dice.choice(STRANGERS))


def _comparisons(claim: str, dice: random.Random) -> Iterator[Alteration]:
    matches = [*re.finditer(rf"\b(?:{'|'.join(OPPOSITES)})\b", claim)]
    if matches:
        match = dice.choice(matches)
        yield "comparisons", "opposite", _swap(claim, match.span(), OPPOSITES[match[0]])


def _negation(claim: str, _: random.Random) -> Iterator[Alteration]:
    denied = re.search(r"\b(?:not|never) ", claim)
    if denied:
        yield "negation", "removed", _swap(claim, denied.span(), "")
    elif match := _AUXILIARY.search(claim):
        yield "negation", "added", _swap(claim, match.span(), f"{match[0]} not")


ALTERATIONS: tuple[Callable[[str, random.Random], Iterator[Alteration]], ...] = (
    _figures, _dates, _quotations, _names, _comparisons, _negation,
)  # fmt: skip


def _in_half(number: int, half: str) -> bool:
    return half == "all" or (number % 2 == 0) == (half == "tuning")


def wice_cases(path: Path, half: str) -> Iterator[Case]:
    """Every supported claim, true and altered."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    supported = [row for row in rows if row["label"] == "supported"]
    for number, row in enumerate(supported):
        if not _in_half(number, half):
            continue
        evidence: list[str] = row["evidence"]
        supporting: list[list[int]] = row["supporting_sentences"]
        wanted = sorted({index for one in supporting for index in one})
        true = Case(
            kind="",
            rule="",
            claim=row["claim"],
            page="\n".join(evidence),
            passage="\n".join(evidence[index] for index in wanted),
        )
        yield true
        dice = random.Random(SEED + number)  # noqa: S311 (a fixed choice, no secret)
        for alter in ALTERATIONS:
            for kind, rule, claim in alter(true.claim, dice):
                yield replace(true, kind=kind, rule=rule, claim=claim)


def own_cases(half: str) -> Iterator[Case]:
    """Our own pairs: `{"page", "claim", "altered": {kind: claim}}` a line."""
    for number, line in enumerate(OWN.read_text(encoding="utf-8").splitlines()):
        row: dict[str, Any] = json.loads(line)
        if _in_half(number, half):
            true = Case(
                kind="", rule="own", claim=row["claim"], page=row["page"], passage=row["page"]
            )
            yield true
            for kind, claim in row["altered"].items():
                yield replace(true, kind=kind, claim=claim)


Check = Callable[[str, str], bool]
"""Whether a claim is doubted on a text."""


def ours(claim: str, text: str) -> bool:
    source = NumberedSource(
        n=1, url="https://a.test/", title="", kind="page", ok=True, text=text, path="a.md"
    )
    body = claim.rstrip(".")
    escaped = re.sub(r"([\[\]*_`])", r"\\\1", body)
    claims = read_claims(parse_markdown(f"{escaped} [1]."))
    return any(each.verdict.doubts for each in check_claims(claims, [source]))


def plain(claim: str, text: str) -> bool:
    """The rule that was ours before: every number string of two digits, quotes of four words."""
    numbers = re.findall(r"\d+(?:[.,]\d+)*", claim)
    known = {re.sub(r"\D", "", number) for number in re.findall(r"\d+(?:[.,]\d+)*", text)}
    wanted = {re.sub(r"\D", "", number) for number in numbers}
    if any(number not in known for number in wanted if len(number) > 1):
        return True
    words = " ".join(re.findall(r"\w+", text.casefold()))
    quotes = (" ".join(re.findall(r"\w+", m["quote"].casefold())) for m in _QUOTED.finditer(claim))
    return any(quote not in words for quote in quotes if len(quote.split()) >= 4)


def results(name: str, cases: list[Case], check: Check, *, has_goal: bool) -> Iterator[Result]:
    """Shares by kind, against page and passage together and each by itself for the sums."""
    totals: Counter[tuple[str, str]] = Counter()
    doubted: Counter[tuple[str, str]] = Counter()
    for case in cases:
        for where, text in (("page", case.page), ("passage", case.passage)):
            totals[case.kind, where] += 1
            doubted[case.kind, where] += check(case.claim, text)

    def share(kinds: tuple[str, ...], where: str) -> float:
        total = sum(totals[kind, where] for kind in kinds)
        return round(sum(doubted[kind, where] for kind in kinds) / max(total, 1), 3)

    for where in ("page", "passage"):
        for kind in KINDS:
            count = totals[kind, where]
            yield Result(
                name=f"{name}_{where}_{kind}", value=share((kind,), where), unit=f"of {count}"
            )
        for row, kinds, goal in (
            ("first_tier", FIRST_TIER, GOAL_FIRST_TIER),
            ("all", KINDS, GOAL_ALL),
        ):
            yield Result(
                name=f"{name}_{where}_caught_{row}",
                value=share(kinds, where),
                unit=f"of {sum(totals[kind, where] for kind in kinds)}",
                goal=goal if has_goal else None,
                at_least=True,
            )
        yield Result(
            name=f"{name}_{where}_true_doubted",
            value=share(("",), where),
            unit=f"of {totals['', where]}",
            goal=GOAL_DOUBTED if has_goal else None,
        )


def _show_missed(cases: list[Case]) -> None:
    """Print each case that the check gets wrong."""
    for case in cases:
        for where, text in (("page", case.page), ("passage", case.passage)):
            if ours(case.claim, text) == (not case.kind):
                sys.stdout.write(f"{case.kind or 'TRUE'} {case.rule} {where}: {case.claim}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--wice", type=Path, default=DEFAULT_WICE)
    parser.add_argument("--half", choices=["tuning", "measure", "all"], default="measure")
    parser.add_argument("--missed", action="store_true", help="print what the check gets wrong")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    sets = {"own": [*own_cases(arguments.half)]}
    if arguments.wice.is_file():
        sets["wice"] = [*wice_cases(arguments.wice, arguments.half)]
    else:
        sys.stderr.write(f"No claims at {arguments.wice}; name their file with --wice.\n")
    if arguments.missed:
        for cases in sets.values():
            _show_missed(cases)
        return
    rows: list[Result] = []
    for name, cases in sets.items():
        rows += results(name, cases, ours, has_goal=True)
        rows += results(f"{name}_plain", cases, plain, has_goal=False)
    show(rows, as_json=arguments.json)


if __name__ == "__main__":
    main()
