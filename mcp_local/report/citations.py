"""Citations in a report: how they are written, which there are, and whether their sources exist."""

import re
from collections.abc import Iterable, Sequence

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from mcp_local.errors import CitationError
from mcp_local.sources import NumberedSource

CITATION = "citation"
"""The type of the inline token that stands for one bracket of citations."""

QUOTED = "quoted"
"""The key in the parser's environment for brackets that are not citations."""

_BRACKET = re.compile(r"\[\^?(\d{1,6}(?:\s*[,;]\s*\^?\d{1,6})*)\]")
_CONTEXT_CHARS = 12
_LABELLED_LINK = ["link_open", "text", "link_close"]
_LINK_LABEL = re.compile(r"\[?\^?(\d{1,3})\]?")


def cited_numbers(bracket: str) -> list[int]:
    """The numbers in one bracket such as `[1, 3]`, in the order written, each once."""
    numbers = map(int, re.findall(r"\d+", bracket))
    return list(dict.fromkeys(numbers))


def quoted_brackets(sources: Iterable[NumberedSource]) -> frozenset[str]:
    """Numbers in brackets that pages hold themselves, each with the letters before it.

    A sentence taken over letter by letter brings its page's footnote marks along; they are not
    citations of ours. A mark that looks like one of ours, set off by a space and with the number of
    a source, counts as ours.
    """
    usable = {source.n for source in sources if source.ok}
    quoted: set[str] = set()
    for source in sources:
        text = source.text
        for bracket in _BRACKET.finditer(text, _CONTEXT_CHARS):
            is_set_off = text[bracket.start() - 1] == " "
            if is_set_off and usable.issuperset(cited_numbers(bracket[0])):
                continue
            quoted.add(_in_context(text, bracket))
    return frozenset(quoted)


def mark_citations(state: StateCore) -> None:
    """Core rule of the parser: turn `[n]` in running text into citation tokens.

    Code is left alone, and so is an escaped bracket, which the parser keeps apart from text, and
    what the environment's QUOTED names.
    """
    quoted: frozenset[str] = state.env.get(QUOTED, frozenset())
    for token in state.tokens:
        if token.type == "inline" and token.children:
            children = _unlink(token.children)
            children = _split_texts(children, quoted)
            token.children = _tighten(children)


def list_citations(tokens: Iterable[Token]) -> list[int]:
    """The number of every citation, in reading order; a source cited twice stands there twice."""
    numbers: list[int] = []
    for token in tokens:
        for child in token.children or ():
            if child.type == CITATION:
                numbers.extend(cited_numbers(child.content))
    return numbers


def check_citations(cited: Sequence[int], sources: Sequence[NumberedSource]) -> None:
    """Raise CitationError unless something is cited and every cited source can be.

    The message names each number at fault and the numbers that exist.
    """
    usable = [source.n for source in sources if source.ok]
    if not usable:
        raise CitationError(
            "Nothing was retrieved in this session, so there is nothing to report. Search or fetch "
            "pages first, then write the report from what they say."
        )
    known = f"Sources that can be cited: {_ranges(usable)} (list_sources shows them)."
    if not cited:
        raise CitationError(
            "The report cites nothing. Put [n] after each sentence that comes from source n. "
            + known
        )
    failed = {source.n for source in sources if not source.ok}
    faults: list[str] = []
    for number in dict.fromkeys(cited):
        if number in failed:
            faults.append(f"source [{number}] could not be fetched")
        elif number not in usable:
            faults.append(f"source [{number}] does not exist")
    if faults:
        raise CitationError(
            f"The report was not written: {'; '.join(faults)}. {known} Cite one of them or drop "
            "the sentence; for brackets that are no citation write \\[5\\]."
        )


def _ranges(numbers: Sequence[int]) -> str:
    """`1-4, 6` for 1, 2, 3, 4, 6."""
    ranges: list[str] = []
    first = last = 0
    for number in sorted(numbers):
        if ranges and number == last + 1:
            ranges[-1] = f"{first}-{number}"
        else:
            first = number
            ranges.append(str(number))
        last = number
    return ", ".join(ranges)


def _unlink(children: Sequence[Token]) -> list[Token]:
    """Links whose whole label is a number, such as `[3](https://...)`, are citations too."""
    kept: list[Token] = []
    for child in children:
        kept.append(child)
        link = kept[-3:]
        if [token.type for token in link] != _LABELLED_LINK:
            continue
        label = _LINK_LABEL.fullmatch(link[1].content)
        if label:
            kept[-3:] = [_text(f"[{label[1]}]")]
    return kept


def _in_context(text: str, bracket: re.Match[str]) -> str:
    start = max(0, bracket.start() - _CONTEXT_CHARS)
    return text[start : bracket.end()]


def _split_texts(children: Sequence[Token], quoted: frozenset[str]) -> list[Token]:
    split: list[Token] = []
    for child in children:
        if child.type != "text":
            split.append(child)
            continue
        text = child.content
        position = 0
        for bracket in _BRACKET.finditer(text):
            if _in_context(text, bracket) in quoted:
                continue
            before = text[position : bracket.start()]
            split.append(_text(before))
            split.append(
                Token(
                    CITATION,
                    "",
                    0,
                    content=bracket[0],
                )
            )
            position = bracket.end()
        split.append(_text(text[position:]))
    return [token for token in split if token.type != "text" or token.content]


def _tighten(children: Sequence[Token]) -> list[Token]:
    """Let a citation follow its sentence without the space or line break before it."""
    tight: list[Token] = []
    for child in children:
        if child.type == CITATION:
            if tight and tight[-1].type == "softbreak":
                tight.pop()
            if tight and tight[-1].type == "text":
                text = tight.pop().content
                tight.append(_text(text.rstrip(" ")))
        tight.append(child)
    return tight


def _text(content: str) -> Token:
    return Token(
        "text",
        "",
        0,
        content=content,
    )
