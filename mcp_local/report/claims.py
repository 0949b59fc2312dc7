"""The claims of a report: its sentences and table cells with the sources they cite, checked.

What no source says is told to the author in warnings, and shown to the reader as a quiet mark
behind the sentence; `Trust` counts what was checked.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from markdown_it.token import Token

from mcp_local.claims.check import ClaimVerdict, Doubt, check_claim, read_claimed
from mcp_local.claims.evidence import Evidence, read_evidence
from mcp_local.passages import sentence_spans
from mcp_local.report.citations import CITATION, cited_numbers
from mcp_local.sources import NumberedSource

UNFOUND = "unfound"
"""The type of the inline token that marks a sentence; its content names what was not found."""

SOURCELESS = "sourceless"
"""The kind of a mark on a figure for which no source is named."""

MAX_WARNINGS = 20
_EXCERPT_CHARS = 140
_ENDS = (".", "!", "?", "…")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence of a report or a cell of a table, and the sources it rests on."""

    text: str
    numbers: tuple[int, ...]
    """Its own, or those of its paragraph or table where it has none."""
    row: str = ""
    """The whole row, if it is a cell."""
    inline: Token
    end: int
    """Where it ends in the text of its token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """How much of a report its sources say."""

    claims: int = 0
    """Sentences with something that can be looked up."""
    found: int = 0
    derived: int = 0
    unfound: int = 0


@dataclass(frozen=True, slots=True)
class _Span:
    """One child of an inline token, and where its text begins and ends."""

    index: int
    start: int
    end: int


@dataclass(slots=True)
class _Inline:
    """The running text of a paragraph, a list's entry or a cell."""

    token: Token
    text: str = ""
    marks: list[tuple[int, list[int]]] = field(default_factory=list[tuple[int, list[int]]])
    spans: list[_Span] = field(default_factory=list[_Span])

    def numbers(self, start: int = -1, end: int | None = None) -> tuple[int, ...]:
        """The sources cited after `start`, up to `end`, each once."""
        last = len(self.text) if end is None else end
        inside = [cited for position, cited in self.marks if start < position <= last]
        return tuple(dict.fromkeys(chain.from_iterable(inside)))


def _read_inline(token: Token) -> _Inline:
    inline = _Inline(token)
    for index, child in enumerate(token.children or ()):
        start = len(inline.text)
        if child.type == CITATION:
            inline.text = inline.text.rstrip()
            start = len(inline.text)
            inline.marks.append((start, cited_numbers(child.content)))
            if inline.text.endswith(_ENDS):
                inline.text += " "
        elif child.type.endswith("break"):
            inline.text += " "
        else:
            inline.text += child.content
        inline.spans.append(_Span(index, start, len(inline.text)))
    return inline


def read_claims(tokens: Iterable[Token]) -> Iterator[Claim]:
    """Every sentence and every cell below a table's head; headings claim nothing.

    What cites nothing by itself rests on the sources of its paragraph; a cell on those of its row,
    then of its table, then of the paragraph before.
    """
    before: tuple[int, ...] = ()
    rows: list[list[_Inline]] = []
    is_heading = False
    in_table = False
    for token in tokens:
        if token.type.startswith("heading"):
            is_heading = token.type == "heading_open"
        elif token.type == "table_open":
            in_table = True
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "table_close":
            in_table = False
            yield from _cells(rows, before)
        elif token.type == "inline" and not is_heading:
            inline = _read_inline(token)
            if in_table:
                rows[-1].append(inline)
            else:
                before = inline.numbers() or before
                yield from _sentences(inline)


def _sentences(inline: _Inline) -> Iterator[Claim]:
    all_numbers = inline.numbers()
    for start, end in sentence_spans(inline.text):
        yield Claim(
            text=inline.text[start:end],
            numbers=inline.numbers(start, end) or all_numbers,
            inline=inline.token,
            end=end,
        )


def _cells(rows: Sequence[Sequence[_Inline]], before: tuple[int, ...]) -> Iterator[Claim]:
    cells = list(chain.from_iterable(rows))
    of_table = tuple(dict.fromkeys(chain.from_iterable(cell.numbers() for cell in cells)))
    for row in rows[1:]:
        text = " | ".join(cell.text.strip() for cell in row)
        own = tuple(dict.fromkeys(chain.from_iterable(cell.numbers() for cell in row)))
        for cell in row:
            yield Claim(
                text=cell.text.strip(),
                numbers=own or of_table or before,
                row=text,
                inline=cell.token,
                end=len(cell.text.rstrip()),
            )


def check_claims(
    claims: Iterable[Claim], sources: Iterable[NumberedSource]
) -> tuple[Trust, list[str]]:
    """Look every claim up; mark what its sources do not say, and warn its author of it."""
    evidence = {source.n: read_evidence(f"{source.title}\n{source.text}") for source in sources}
    warnings: list[str] = []
    verdicts: list[ClaimVerdict] = []
    for claim in reversed([*claims]):  # so that a mark moves no end that is still to come
        verdict = _check(claim, evidence)
        if verdict.checked:
            verdicts.append(verdict)
        if verdict.doubts:
            _mark(claim, verdict.doubts)
            warnings[:0] = [_warning(claim, doubt) for doubt in verdict.doubts]
    surplus = len(warnings) - MAX_WARNINGS
    if surplus > 0:
        warnings[MAX_WARNINGS:] = [f"{surplus} more of the same kind."]
    unfound = sum(bool(verdict.doubts) for verdict in verdicts)
    derived = sum(bool(verdict.derived) and not verdict.doubts for verdict in verdicts)
    found = len(verdicts) - unfound - derived
    return Trust(claims=len(verdicts), found=found, derived=derived, unfound=unfound), warnings


def _check(claim: Claim, evidence: Mapping[int, Evidence]) -> ClaimVerdict:
    if claim.numbers:
        cited = [evidence[number] for number in claim.numbers if number in evidence]
        return check_claim(claim.text, cited, row=claim.row)
    figures = [
        figure
        for figure in read_claimed(claim.text).figures
        if figure.unit or len(f"{figure.digits:g}") >= 2
    ]
    doubts = tuple(
        Doubt(kind="figure", text=figure.text) for figure in figures if not figure.is_small
    )
    return ClaimVerdict(checked=len(doubts), doubts=doubts)


def _mark(claim: Claim, doubts: Sequence[Doubt]) -> None:
    """Put a mark behind the sentence and its citations."""
    inline = _read_inline(claim.inline)
    children = claim.inline.children or []
    content = "; ".join(dict.fromkeys(doubt.text for doubt in doubts))
    kind = UNFOUND if claim.numbers else SOURCELESS
    mark = Token(UNFOUND, "", 0, content=content, info=kind)
    at = len(children)
    for span in inline.spans:
        if span.end >= claim.end:
            at = span.index + 1
            break
    following = inline.spans[at:]
    child = children[at - 1]
    rest = inline.text[claim.end : inline.spans[at - 1].end]
    if rest.strip() and child.type == "text":
        after = Token("text", "", 0, content=child.content[-len(rest) :])
        child.content = child.content[: -len(rest)]
        children[at:at] = [after]
    else:
        for span in following:
            if children[span.index].type != CITATION:
                break
            at += 1
    children[at:at] = [mark]
    claim.inline.children = children


def _warning(claim: Claim, doubt: Doubt) -> str:
    excerpt = claim.text[:_EXCERPT_CHARS]
    if not claim.numbers:
        return f"The figure {doubt.text} has no source: {excerpt} Cite one, or drop it."
    names = ", ".join(f"[{number}]" for number in claim.numbers)
    match doubt.kind:
        case "quotation":
            return f'The quote "{doubt.text[:_EXCERPT_CHARS]}" does not stand on source {names}.'
        case "opposite":
            return f'Source {names} says the opposite of "{doubt.text}": {excerpt}'
        case "negation":
            return f'Source {names} does not say "{doubt.text}": {excerpt}'
        case _:
            return f"The {doubt.kind} {doubt.text} does not stand on source {names}: {excerpt}"
