"""Citations in a report: how they are written, and whether their sources exist.

`read_citation` is a rule of the Markdown parser; the checks are made of its tokens. Whether the
sources say what is claimed is in `claims`.
"""

import re
from collections.abc import Iterable, Sequence

from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from mcp_local.errors import CitationError
from mcp_local.sources import NumberedSource

CITATION = "citation"
"""The type of the inline token that stands for one bracket of citations."""

_TARGET = r"\((?:[^()\s]|\([^()\s]*+\))*+(?:\s+\"[^\"]*+\")?\)"
_CITATION = re.compile(
    rf"\[\^?(?P<number>\d{{1,3}})\]{_TARGET}"
    rf"|\[\^?(?P<numbers>\d{{1,6}}(?:\s*[,;]\s*\^?\d{{1,6}})*)\](?!{_TARGET})"
)


def cited_numbers(bracket: str) -> list[int]:
    """The numbers in one bracket such as `[1, 3]`, in the order written, each once."""
    numbers = map(int, re.findall(r"\d+", bracket))
    return list(dict.fromkeys(numbers))


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


def list_citations(tokens: Iterable[Token]) -> list[int]:
    """The number of every citation, in reading order; a source cited twice stands there twice."""
    numbers: list[int] = []
    for token in tokens:
        for child in token.children or ():
            if child.type == CITATION:
                numbers.extend(cited_numbers(child.content))
    return numbers


def check_citations(cited: Sequence[int], sources: Sequence[NumberedSource]) -> None:
    """Raise CitationError, with each number at fault, unless every cited source can be cited."""
    is_usable = {source.n: source.ok for source in sources}
    if not any(is_usable.values()):
        raise CitationError(
            "Nothing was retrieved in this session, so there is nothing to report. Search or fetch "
            "pages first, then write the report from what they say."
        )
    if not cited:
        raise CitationError(
            "The report cites nothing. Put [n] after each sentence that comes from source n; "
            "list_sources shows the sources."
        )
    faults: list[str] = []
    for number in dict.fromkeys(cited):
        if not is_usable.get(number):
            reason = "could not be fetched" if number in is_usable else "does not exist"
            faults.append(f"source [{number}] {reason}")
    if faults:
        raise CitationError(
            f"The report was not written: {'; '.join(faults)}. Cite a source that list_sources "
            "shows as read, or drop the sentence; for brackets that are no citation write \\[5\\]."
        )


<<<<<<< HEAD
_TAG = re.compile(
    r"""<\s*+/?\s*+(?:
        a | article | aside | audio | b | base | body | br | button | canvas | center | details
      | dialog | div | em | embed | font | footer | form | frame | frameset | h[1-6] | head
      | header | hr | html | i | iframe | img | input | li | link | map | marquee | math | meta
      | noscript | object | ol | option | p | picture | pre | script | section | select | small
      | source | span | strong | style | sub | sup | svg | table | tbody | td | template | textarea
      | th | thead | title | tr | u | ul | video
    )(?:[\s/][^<>]*+)?>""",
    re.IGNORECASE | re.VERBOSE,
)


def find_foreign(title: str, tokens: Iterable[Token]) -> list[str]:
    """Warnings for the author on what has no effect in the page; code may hold anything."""
    children = [child for token in tokens for child in token.children or ()]
    texts = [title, *(child.content for child in children if child.type == "text")]
    warnings: list[str] = []
    if any(map(_TAG.search, texts)):
        warnings.append(
            "HTML has no effect in a report: it stands there as plain text. Say it in Markdown and "
            "call write_report again."
        )
    if any(child.type == "image" for child in children):
        warnings.append(
            "Pictures are left out of a report; only their descriptions are shown in it."
        )
    return warnings
=======
MAX_WARNINGS = 20
_EXCERPT_CHARS = 140
_MIN_QUOTE_WORDS = 4
_ENDS = (".", "!", "?", "…")

_GROUPED = re.compile(
    r"(?<!\d)\d{1,3}(?:[.,'’ \u00a0\u202f\u2009]\d{3})+(?!\d)"  # noqa: RUF001
)
_NUMBER = re.compile(rf"{_GROUPED.pattern}|\d+(?:[.,]\d+)*")
_NO_DIGIT = re.compile(r"\D")
_PERCENT = re.compile(r"\s?(?:%|percent|per cent|prozent|pour cent|por ciento)", re.IGNORECASE)
_QUOTE = re.compile(r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»")
_OMISSION = re.compile(r"\[?(?:…|\.\.\.)\]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSentence:
    """One sentence of a report and the sources it names."""

    text: str
    numbers: tuple[int, ...]


class _Evidence:
    """The text of one source, prepared for the question whether something stands in it."""

    def __init__(self, source: NumberedSource) -> None:
        text = f"{source.title}\n{source.text}"
        self.figures = set(_figures(text))
        self.numbers = {figure.removesuffix("%") for figure in self.figures}
        self.words = f" {_plain_words(text)} "

    def holds_figure(self, figure: str) -> bool:
        is_long = len(figure) > 2
        return figure in self.figures or (is_long and figure.rstrip("%") in self.numbers)

    def holds_quote(self, quote: str) -> bool:
        parts = [_plain_words(part) for part in _OMISSION.split(quote)]
        return all(f" {part} " in self.words for part in parts if part)


def cited_sentences(tokens: Iterable[Token]) -> Iterator[CitedSentence]:
    """Every sentence that carries a citation, also one set after its full stop."""
    for token in tokens:
        if token.type == "inline":
            yield from _read_inline(token.children or [])


def find_unsupported(
    sentences: Iterable[CitedSentence],
    sources: Iterable[NumberedSource],
) -> list[str]:
    """Warnings about figures and quotes that stand on none of the sources of their sentence."""
    evidence = {source.n: _Evidence(source) for source in sources}
    warnings: list[str] = []
    for sentence in sentences:
        warnings.extend(_check(sentence, evidence))
    surplus = len(warnings) - MAX_WARNINGS
    if surplus > 0:
        warnings[MAX_WARNINGS:] = [f"{surplus} more of the same kind."]
    return warnings


def _read_inline(children: Sequence[Token]) -> Iterator[CitedSentence]:
    text = ""
    marks: list[tuple[int, list[int]]] = []
    for child in children:
        if child.type == CITATION:
            text = text.rstrip()
            marks.append((len(text), cited_numbers(child.content)))
            if text.endswith(_ENDS):
                text += " "
        elif child.type.endswith("break"):
            text += " "
        else:
            text += child.content
    for start, end in sentence_spans(text):
        inside = [cited for position, cited in marks if start < position <= end]
        numbers = tuple(dict.fromkeys(chain.from_iterable(inside)))
        if numbers:
            yield CitedSentence(text=text[start:end], numbers=numbers)


def _check(sentence: CitedSentence, evidence: Mapping[int, _Evidence]) -> Iterator[str]:
    cited = [evidence[number] for number in sentence.numbers if number in evidence]
    names = ", ".join(f"[{number}]" for number in sentence.numbers)
    excerpt = sentence.text[:_EXCERPT_CHARS]
    for figure in dict.fromkeys(_figures(sentence.text)):
        if not any(source.holds_figure(figure) for source in cited):
            yield f"The figure {figure} does not stand on source {names}: {excerpt}"
    for match in _QUOTE.finditer(sentence.text):
        quote = next(filter(None, match.groups()))
        if len(quote.split()) < _MIN_QUOTE_WORDS:
            continue
        if not any(source.holds_quote(quote) for source in cited):
            yield f'The quote "{quote[:_EXCERPT_CHARS]}" does not stand on source {names}.'


def _figures(text: str) -> Iterator[str]:
    """Numbers of two digits or more and percentages, in one spelling each."""
    for number in _NUMBER.finditer(text):
        separator = "" if _GROUPED.fullmatch(number[0]) else "."
        value = _NO_DIGIT.sub(separator, number[0])
        if _PERCENT.match(text, number.end()):
            yield f"{value}%"
        elif len(_NO_DIGIT.sub("", value)) > 1:
            yield value


def _plain_words(text: str) -> str:
    """The words of `text` without case, punctuation and layout."""
    return " ".join(re.findall(r"\w+", text.casefold()))
>>>>>>> main
