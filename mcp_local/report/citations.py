"""Citations in a report: how they are written, and whether their sources exist.

`[3]` cites a source, `[3#12]` a passage of it, by the number that search_corpus gives.
`read_citation` is a rule of the Markdown parser; the checks are made of its tokens. Whether the
sources say what is claimed is in `claims`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from mcp_local.errors import CitationError
from mcp_local.passages import passages_of
from mcp_local.sources import NumberedSource

CITATION = "citation"
"""The type of the inline token that stands for one bracket of citations."""

UNFOUND = "unfound"
"""The type of the inline token that marks a claim; its content names what was not found."""

SOURCELESS = "sourceless"
"""The kind of a mark on a figure for which no source is named."""

NOTE_SIGN = "\ue000"
"""Begins a mark that the check writes into a text; no author's text holds it."""

_TARGET = r"\((?:[^()\s]|\([^()\s]*+\))*+(?:\s+\"[^\"]*+\")?\)"
_PLACE = r"\d{1,6}(?:#\d{1,5})?"
BRACKET = (
    rf"\[\^?(?P<number>\d{{1,3}}(?:#\d{{1,5}})?)\]{_TARGET}"
    rf"|\[\^?(?P<numbers>{_PLACE}(?:\s*[,;]\s*\^?{_PLACE})*)\](?!{_TARGET})"
)
_CITATION = re.compile(BRACKET)
_MARKUP = re.compile(r"[*_`|#\[\]()<>\\\n]+")
_FRAGMENT_WORDS = 4
_MIN_FRAGMENT_WORDS = 3
_NOTE = re.compile(rf"\[{NOTE_SIGN}(?P<kind>\w+) (?P<doubted>[^\]]*)\]")


def cited_passages(bracket: str) -> list[tuple[int, int]]:
    """(source, passage) in one bracket such as `[1, 3#12]`, in the order written, each once.

    The passage is 0 where the source as a whole is cited.
    """
    pairs = re.findall(r"(\d+)(?:#(\d+))?", bracket)
    return list(dict.fromkeys((int(source), int(passage or 0)) for source, passage in pairs))


def cited_numbers(bracket: str) -> list[int]:
    """The sources in one bracket, in the order written, each once."""
    return list(dict.fromkeys(source for source, _ in cited_passages(bracket)))


def read_citation(state: StateInline, silent: bool) -> bool:
    """Inline rule of the parser: `[n]` in running text becomes a citation token.

    So does a link whose whole label is a number, such as `[3](https://...)`. Code and escaped
    brackets never come here.
    """
    citation = _CITATION.match(state.src, state.pos)
    if citation is None:
        return False
    if not silent:
        token = state.push(CITATION, "", 0)
        token.content = citation["number"] or citation["numbers"]
    state.pos = citation.end()
    return True


def write_note(kind: str, doubted: str) -> str:
    """A mark as it is written into a text, for `read_note`."""
    return f"[{NOTE_SIGN}{kind} {doubted.replace(']', ')')}]"


def read_note(state: StateInline, silent: bool) -> bool:
    """Inline rule of the parser: a mark of the check becomes a token."""
    note = _NOTE.match(state.src, state.pos)
    if note is None:
        return False
    if not silent:
        token = state.push(UNFOUND, "", 0)
        token.content = note["doubted"]
        token.info = note["kind"]
    state.pos = note.end()
    return True


def passage_url(url: str, sentence: str) -> str:
    """The address of a page with the sentence as a text fragment, which browsers scroll to."""
    pieces = _MARKUP.split(sentence)
    words = max(pieces, key=len).split()
    if len(words) < _MIN_FRAGMENT_WORDS or not url.lower().startswith("http"):
        return url
    ends = [words]
    if len(words) > 2 * _FRAGMENT_WORDS:
        ends = [words[:_FRAGMENT_WORDS], words[-_FRAGMENT_WORDS:]]
    quoted = [quote(" ".join(end), safe="").replace("-", "%2D") for end in ends]
    sign = ":~:text=" if "#" in url else "#:~:text="
    return url + sign + ",".join(quoted)


def list_citations(tokens: Iterable[Token]) -> list[tuple[int, int]]:
    """(source, passage) of every citation, in reading order; what is cited twice is there twice."""
    cited: list[tuple[int, int]] = []
    for token in tokens:
        for child in token.children or ():
            if child.type == CITATION:
                cited.extend(cited_passages(child.content))
    return cited


def check_citations(
    cited: Sequence[tuple[int, int]],
    sources: Sequence[NumberedSource],
) -> None:
    """Raise CitationError, with each number at fault, unless all that is cited can be cited."""
    if not any(source.ok for source in sources):
        raise CitationError(
            "Nothing was retrieved in this session, so there is nothing to report. Search or fetch "
            "pages first, then write the report from what they say."
        )
    if not cited:
        raise CitationError(
            "The report cites nothing. Put [n] after each sentence that comes from source n; "
            "list_sources shows the sources."
        )
    faults = dict.fromkeys(_faults(cited, sources))
    if faults:
        raise CitationError(
            f"The report was not written: {'; '.join(faults)}. Cite a source that list_sources "
            "shows as read, or drop the sentence; for brackets that are no citation write \\[5\\]."
        )


def _faults(
    cited: Sequence[tuple[int, int]],
    sources: Sequence[NumberedSource],
) -> Iterator[str]:
    by_number = {source.n: source for source in sources}
    for number, passage in dict.fromkeys(cited):
        source = by_number.get(number)
        if source is None:
            yield f"source [{number}] does not exist"
        elif not source.ok:
            yield f"source [{number}] could not be fetched"
        elif passage and passage > len(passages_of(source)):
            yield f"passage [{number}#{passage}] does not exist"
