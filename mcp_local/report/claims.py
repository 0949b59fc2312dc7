"""The claims of a text: its sentences and table cells with the sources they cite, checked.

What no source says is shown to the reader as a quiet mark behind the sentence, and the author of a
report is warned of it; `Trust` counts what was checked.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

from markdown_it.token import Token

from mcp_local.claims.check import ClaimVerdict, Doubt, check_claim, read_claimed
from mcp_local.claims.evidence import Evidence, Support, read_evidence
from mcp_local.passages import passages_of, sentence_spans
from mcp_local.report.citations import (
    BRACKET,
    SOURCELESS,
    UNFOUND,
    cited_passages,
    write_note,
)
from mcp_local.report.markdown import parse_again
from mcp_local.sources import NumberedSource, url_key

MAX_WARNINGS = 20
_EXCERPT_CHARS = 140
_TOP_LEVEL = 1
"""Of a paragraph's text that stands in no list, box or blockquote."""
_BELOW = 2
"""From the end of a table to the text of the paragraph below it, such as its line of sources."""
_MIN_DIGITS = 2
"""Of a figure that needs a source though nothing says what it measures."""

_MARKUP = re.compile(
    r"(?P<escape>\\.)"
    r"|(?P<code>(?<!`)(?P<ticks>`++)[^`]*+(?P=ticks)(?!`))"
    rf"|(?P<bracket>{BRACKET})"
    r"|(?P<link>\[(?P<label>[^\[\]]*+)\]\((?P<url>[^()\s]*+)[^()]*+\))"
    r"|(?P<emphasis>[*_~]++)",
    re.DOTALL,
)
_BEFORE_STOP = re.compile(r" (?=[.,;:!?])")

Cited = tuple[int, int]
"""A source and its passage; 0 where the source as a whole is cited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A citation as it is written: where it stands in its text, and the sources it names."""

    start: int
    end: int
    cited: tuple[Cited, ...]
    url: str = ""
    """Where it is a link to a source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence or a cell of a table, and the sources it rests on."""

    token: Token
    """The text that it stands in."""
    text: str
    end: int
    """Where it ends in that text, behind its citations."""
    marks: tuple[Mark, ...]
    cited: tuple[Cited, ...]
    """Of its own marks, or of those of its paragraph or table where it has none."""
    row: str = ""
    """The whole row, if it is a cell."""

    @property
    def numbers(self) -> tuple[int, ...]:
        """The sources that it cites, each once."""
        return tuple(dict.fromkeys(number for number, _ in self.cited))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """How much of a text its sources say."""

    claims: int = 0
    """Sentences with something that can be looked up."""
    found: int = 0
    derived: int = 0
    unfound: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """A claim, what the check came to, and for what it cites the sentence that it rests on."""

    claim: Claim
    verdict: ClaimVerdict
    supports: Mapping[Cited, Support]

    @property
    def mark_kind(self) -> str:
        return UNFOUND if self.claim.cited else SOURCELESS


@dataclass(slots=True)
class _Inline:
    """A paragraph, a list's entry or a cell: its text with markup blanked out, and its marks."""

    token: Token
    text: str
    marks: list[Mark] = field(default_factory=list[Mark])


def _cited_in(marks: Iterable[Mark]) -> tuple[Cited, ...]:
    """What some marks cite, each once."""
    return tuple(dict.fromkeys(chain.from_iterable(mark.cited for mark in marks)))


def _read_inline(token: Token, numbers: Mapping[str, int]) -> _Inline:
    """Blank out what is no text, sign by sign, so that positions stay those of the token."""
    signs = list(token.content)
    inline = _Inline(token, "")

    def blank(start: int, end: int) -> None:
        length = end - start
        signs[start:end] = " " * length

    for match in _MARKUP.finditer(token.content):
        start, end = match.span()
        if match["bracket"]:
            inline.marks.append(Mark(start=start, end=end, cited=_cited_by(match)))
            blank(start, end)
        elif match["link"]:
            blank(start, match.start("label"))
            blank(match.end("label"), end)
            number = numbers.get(url_key(match["url"]))
            if number is None:
                continue
            before = token.content[:start]
            after = token.content[end:]
            around = before[-1:] + after[:1]
            if around == "()":
                # A title in parentheses is no part of the sentence.
                blank(start - 1, end + 1)
                end += 1
            mark = Mark(start=start, end=end, cited=((number, 0),), url=match["url"])
            inline.marks.append(mark)
        elif match["code"]:
            ticks = len(match["ticks"])
            blank(start, start + ticks)
            blank(end - ticks, end)
        else:
            blank(start, start + 1 if match["escape"] else end)
    inline.text = "".join(signs)
    return inline


def _cited_by(match: re.Match[str]) -> tuple[Cited, ...]:
    """What a bracket cites."""
    bracket = match["number"] or match["numbers"]
    cited = cited_passages(bracket)
    return tuple(cited)


def read_claims(
    tokens: Iterable[Token], numbers: Mapping[str, int] | None = None
) -> Iterator[Claim]:
    """Every sentence and every cell below a table's head; headings claim nothing.

    What cites nothing by itself rests on the sources of its paragraph; a cell on those of its row,
    then of its table, then of the paragraphs around it; an item of a list on those of the text
    before it. `numbers` are those of sources that a link cites, by the key of its address.
    """
    known = numbers or {}
    listed = [*tokens]
    before: tuple[Cited, ...] = ()
    rows: list[list[_Inline]] = []
    is_heading = False
    in_table = False
    for n, token in enumerate(listed):
        if token.type.startswith("heading"):
            is_heading = token.type == "heading_open"
        elif token.type == "table_open":
            in_table = True
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "table_close":
            in_table = False
            following = listed[n : n + _BELOW + 1]
            below = _read_inline(following[-1], known)
            after = _cited_in(below.marks)
            around = before + after
            yield from _cells(rows, around)
        elif token.type == "inline" and in_table:
            rows[-1].append(_read_inline(token, known))
        elif token.type == "inline" and not is_heading:
            inline = _read_inline(token, known)
            before = _cited_in(inline.marks) or before
            yield from _sentences(inline, before)


def _sentences(inline: _Inline, before: tuple[Cited, ...]) -> Iterator[Claim]:
    """The sentences, each with the marks up to the next one."""
    spans = sentence_spans(inline.text)
    if not spans:
        return
    is_inside = inline.token.level > _TOP_LEVEL
    of_paragraph = before if is_inside else _cited_in(inline.marks)
    starts = [0, *(start for start, _ in spans[1:]), len(inline.text) + 1]
    for (start, end), (first, following) in zip(spans, pairwise(starts), strict=True):
        marks = tuple(mark for mark in inline.marks if first <= mark.start < following)
        words = inline.text[start:end].split()
        joined = " ".join(words)
        text = _BEFORE_STOP.sub("", joined)
        cited = _cited_in(marks) or of_paragraph
        if marks:
            end = max(end, marks[-1].end)
        yield Claim(
            token=inline.token,
            text=text,
            end=end,
            marks=marks,
            cited=cited,
        )


def _cells(rows: Sequence[Sequence[_Inline]], around: tuple[Cited, ...]) -> Iterator[Claim]:
    marks_of_rows = [[*chain(*(cell.marks for cell in row))] for row in rows]
    of_table = _cited_in(chain(*marks_of_rows))
    for row, marks in zip(rows[1:], marks_of_rows[1:], strict=True):
        text = " | ".join(cell.text.strip() for cell in row)
        own = _cited_in(marks)
        for cell in row:
            end = len(cell.token.content)
            stripped = cell.text.strip()
            yield Claim(
                token=cell.token,
                text=stripped,
                end=end,
                marks=tuple(cell.marks),
                cited=own or of_table or around,
                row=text,
            )


def check_claims(claims: Iterable[Claim], sources: Iterable[NumberedSource]) -> list[CheckedClaim]:
    """Look every claim up in what it cites."""
    by_number = {source.n: source for source in sources}
    return [_checked(claim, by_number) for claim in claims]


def _checked(claim: Claim, sources: Mapping[int, NumberedSource]) -> CheckedClaim:
    """Look it up in the passages that it names, then in the whole of their sources."""
    if not claim.cited:
        return CheckedClaim(claim=claim, verdict=_check_sourceless(claim), supports={})
    cited = [each for each in claim.cited if each[0] in sources]
    pages: list[Evidence] = []
    passages: list[Evidence] = []
    for number, passage in cited:
        source = sources[number]
        page = evidence_of(source)
        pages.append(page)
        passages.append(evidence_of(source, passage))
    verdict = check_claim(claim.text, pages, row=claim.row)
    supports = _by_cited(cited, verdict)
    if passages != pages:
        narrow = check_claim(claim.text, passages, row=claim.row)
        nearer = _by_cited(cited, narrow)
        supports |= nearer
        if not narrow.doubts:
            verdict = narrow
    return CheckedClaim(claim=claim, verdict=verdict, supports=supports)


def _by_cited(cited: Iterable[Cited], verdict: ClaimVerdict) -> dict[Cited, Support]:
    pairs = zip(cited, verdict.supports, strict=True)
    return {each: support for each, support in pairs if support}


def evidence_of(source: NumberedSource, passage: int = 0) -> Evidence:
    """What a source or one passage of it says, its title and date included."""
    text = source.text
    if passage:
        passages = passages_of(source)
        chosen = passages[passage - 1 : passage]
        texts = [each.text for each in chosen]
        text = " ".join(texts)
    published = f" ({source.published})" if source.published else ""
    return read_evidence(f"{source.title}{published}\n{text}")


def _check_sourceless(claim: Claim) -> ClaimVerdict:
    """Doubt every figure of a claim that cites nothing; addresses are no claims."""
    doubts: list[Doubt] = []
    figures = () if "://" in claim.text else read_claimed(claim.text).figures
    for figure in figures:
        digits = f"{figure.digits:g}"
        has_digits = len(digits) >= _MIN_DIGITS
        if not figure.is_small and (figure.unit or has_digits):
            doubt = Doubt(kind="figure", text=figure.text)
            doubts.append(doubt)
    return ClaimVerdict(checked=len(doubts), doubts=tuple(doubts))


def mark_claims(checked: Iterable[CheckedClaim], known: frozenset[str]) -> None:
    """Put a mark behind every claim of which something was not found.

    `known` are the addresses that the text may link to.
    """
    contents: dict[int, str] = {}
    for each in reversed([*checked]):  # so that a mark moves no end that is still to come
        claim = each.claim
        if each.verdict.doubts:
            content = contents.get(id(claim.token), claim.token.content)
            doubted = dict.fromkeys(doubt.text for doubt in each.verdict.doubts)
            words = "; ".join(doubted)
            mark = write_note(each.mark_kind, words)
            before = content[: claim.end]
            after = content[claim.end :]
            content = before + mark + after
            contents[id(claim.token)] = content
            parse_again(claim.token, content, known)


def trust_in(checked: Iterable[CheckedClaim]) -> Trust:
    """Count what can be looked up, and what came of it."""
    verdicts = [each.verdict for each in checked if each.verdict.checked]
    unfound = sum(bool(verdict.doubts) for verdict in verdicts)
    derived = sum(bool(verdict.derived) and not verdict.doubts for verdict in verdicts)
    found = len(verdicts) - unfound - derived
    return Trust(
        claims=len(verdicts),
        found=found,
        derived=derived,
        unfound=unfound,
    )


def warnings_of(checked: Iterable[CheckedClaim], sources: Sequence[NumberedSource]) -> list[str]:
    """What the author should mend, and which other source of the session says it."""
    warnings: list[str] = []
    for each in checked:
        doubts = each.verdict.doubts
        elsewhere = ""
        if doubts and len(warnings) < MAX_WARNINGS:
            elsewhere = _said_elsewhere(each, sources)
        for doubt in doubts:
            warning = _warning(each.claim, doubt)
            whole = warning + elsewhere
            warnings.append(whole)
    surplus = len(warnings) - MAX_WARNINGS
    if surplus > 0:
        warnings[MAX_WARNINGS:] = [f"{surplus} more of the same kind."]
    return warnings


def _said_elsewhere(checked: CheckedClaim, sources: Sequence[NumberedSource]) -> str:
    """Search once more: the first source with the doubted words that says all of the claim."""
    claim = checked.claim
    doubted = [doubt.text.split(" ")[0].casefold() for doubt in checked.verdict.doubts]
    for source in sources:
        is_cited = source.n in claim.numbers
        text = source.text.casefold()
        if is_cited or not source.ok or not all(word in text for word in doubted):
            continue
        evidence = evidence_of(source)
        verdict = check_claim(claim.text, [evidence], row=claim.row)
        if not verdict.doubts:
            return f" Source [{source.n}] says it: cite that one."
    return ""


def _warning(claim: Claim, doubt: Doubt) -> str:
    excerpt = claim.text[:_EXCERPT_CHARS]
    if not claim.cited:
        return f"The figure {doubt.text} has no source: {excerpt} Cite one, or drop it."
    numbers = [f"[{number}]" for number in claim.numbers]
    names = ", ".join(numbers)
    match doubt.kind:
        case "quotation":
            return f'The quote "{doubt.text[:_EXCERPT_CHARS]}" does not stand on source {names}.'
        case "opposite":
            return f'Source {names} says the opposite of "{doubt.text}": {excerpt}'
        case "negation":
            return f'Source {names} does not say "{doubt.text}": {excerpt}'
        case _:
            return f"The {doubt.kind} {doubt.text} does not stand on source {names}: {excerpt}"
