"""Footnotes of a report: the passage of its source that each citation rests on.

The page shows a passage beside its citation, its sentences marked, and links to it on the source.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

from markdown_it.token import Token

from mcp_local.claims.language import COMMON_WORDS, words_of
from mcp_local.passages import passages_of, sentence_spans
from mcp_local.report.citations import CITATION, cited_passages
from mcp_local.report.markdown import NOTES
from mcp_local.sources import NumberedSource

_MAX_SENTENCE_CHARS = 420
_CONTEXT_CHARS = 180
_MAX_SOURCE_CHARS = 200_000
_LEAST_SHARE = 0.34
_MOST_WORDS = 12
"""Of a claim's telling words, at most so many, the part that a sentence shares that it rests on."""
_LENGTH_WEIGHT = 50
"""Of two sentences that share as much the shorter one counts."""
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"\*\*|__|`|\||^[-+*>] |(?<!\w)[*_]|[*_](?!\w)")
_FRAGMENT_WORDS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSentence:
    """A sentence in its paragraph of a source."""

    block: str
    start: int
    end: int
    words: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Footnote:
    """What one citation rests on: a sentence of a source and the text around it."""

    id: int
    source: NumberedSource
    before: str
    sentence: str
    after: str

    @property
    def url(self) -> str:
        """The source's address with a text fragment, by which browsers scroll to the sentence."""
        words = self.sentence.split()
        start = quote(" ".join(words[:_FRAGMENT_WORDS]), safe="")
        end = quote(" ".join(words[_FRAGMENT_WORDS:][-_FRAGMENT_WORDS:]), safe="")
        fragment = ",".join(part.replace("-", "%2D") for part in (start, end) if part)
        joint = ":~:" if "#" in self.source.url else "#:~:"
        return f"{self.source.url}{joint}text={fragment}"


def number_footnotes(
    tokens: Iterable[Token], sources: Mapping[int, NumberedSource]
) -> list[Footnote]:
    """Look up what every citation rests on, and note in its token which footnotes are its own.

    A citation that names a passage rests on a sentence of it, another one on any of its source.
    """
    footnotes: list[Footnote] = []
    for token in tokens:
        for child, claim in _cited_claims(token.children or ()):
            ids: dict[int, int] = {}
            for number, passage in cited_passages(child.content):
                source = sources[number]
                text = passages_of(source)[passage - 1].text if passage else source.text
                sentence = _find(claim, text, is_chosen=bool(passage))
                if sentence:
                    ids[number] = len(footnotes) + 1
                    footnotes.append(_footnote(ids[number], source, sentence))
            child.meta[NOTES] = ids
    return footnotes


def _cited_claims(children: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """Every citation with the text before it, since the last citation of other text."""
    claim = ""
    text = ""
    for child in children:
        if child.type == CITATION:
            claim = text if text.strip(" .,;") else claim
            text = ""
            yield child, claim
        else:
            text += child.content or " "


def _find(claim: str, text: str, *, is_chosen: bool) -> SourceSentence | None:
    """The sentence that shares most words and figures with a claim; None where all share little.

    Of a passage that the author chose there is always one.
    """
    wanted = _telling(claim)
    best: SourceSentence | None = None
    best_score = -1.0 if is_chosen else _LEAST_SHARE * min(len(wanted), _MOST_WORDS)
    for sentence in _sentences(text[:_MAX_SOURCE_CHARS]):
        shared = wanted & sentence.words
        figures = sum(word[0].isdigit() for word in shared)
        score = len(shared) + figures - min(1.0, len(sentence.words) / _LENGTH_WEIGHT)
        if score > best_score:
            best, best_score = sentence, score
    return best


def _footnote(footnote_id: int, source: NumberedSource, found: SourceSentence) -> Footnote:
    end = min(found.end, found.start + _MAX_SENTENCE_CHARS)
    before = found.block[: found.start]
    after = found.block[end:]
    return Footnote(
        id=footnote_id,
        source=source,
        before=before[-_CONTEXT_CHARS:].partition(" ")[2] if before[_CONTEXT_CHARS:] else before,
        sentence=found.block[found.start : end],
        after=after[:_CONTEXT_CHARS].rpartition(" ")[0] if after[_CONTEXT_CHARS:] else after,
    )


def _telling(text: str) -> frozenset[str]:
    return frozenset(words_of(text)) - COMMON_WORDS


@lru_cache(maxsize=64)
def _sentences(text: str) -> tuple[SourceSentence, ...]:
    """The sentences of a source's paragraphs, list items and rows, without Markdown's marks."""
    sentences: list[SourceSentence] = []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        block = " ".join(_MARKS.sub(" ", _LINK.sub(r"\1", line)).split())
        for start, end in sentence_spans(block):
            words = _telling(block[start:end])
            sentences.append(SourceSentence(block=block, start=start, end=end, words=words))
    return tuple(sentences)
