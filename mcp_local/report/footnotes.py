"""Footnotes of a report: the passage of its source that each citation rests on, as it was checked.

The page shows a passage beside its citation, its sentence marked, and links to it on the source.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from mcp_local.claims.evidence import Support
from mcp_local.report.citations import CITATION, cited_passages, passage_url
from mcp_local.report.claims import CheckedClaim
from mcp_local.report.markdown import NOTES
from mcp_local.sources import NumberedSource

_MAX_SENTENCE_CHARS = 420
_CONTEXT_CHARS = 180
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"\*\*|__|`|\||^(?:[-+*>]|#+) |(?<!\w)[*_]|[*_](?!\w)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Footnote:
    """What one citation rests on: a sentence of a source and the text around it."""

    id: int
    source: NumberedSource
    support: Support

    @property
    def before(self) -> str:
        before = _plain(self.support.before)
        return before[-_CONTEXT_CHARS:].partition(" ")[2] if before[_CONTEXT_CHARS:] else before

    @property
    def sentence(self) -> str:
        return _plain(self.support.sentence)[:_MAX_SENTENCE_CHARS]

    @property
    def after(self) -> str:
        after = _plain(self.support.after)
        return after[:_CONTEXT_CHARS].rpartition(" ")[0] if after[_CONTEXT_CHARS:] else after

    @property
    def url(self) -> str:
        """The source's address with a text fragment, by which browsers scroll to the sentence."""
        return passage_url(self.source.url, self.support.sentence)


def _plain(text: str) -> str:
    """A text without Markdown's marks."""
    return " ".join(_MARKS.sub(" ", _LINK.sub(r"\1", text)).split())


def number_footnotes(
    checked: Sequence[CheckedClaim], sources: Iterable[NumberedSource]
) -> list[Footnote]:
    """Make one of every citation's support, and note in its token which are its own."""
    by_number = {source.n: source for source in sources}
    footnotes: list[Footnote] = []
    for each in checked:
        for mark in each.claim.marks:
            citation = _token_of(each.claim.token, mark.cited)
            if citation is None:
                continue
            ids: dict[int, int] = {}
            citation.meta[NOTES] = ids
            for cited in mark.cited:
                if support := each.supports.get(cited):
                    source = by_number[cited[0]]
                    note = Footnote(id=len(footnotes) + 1, source=source, support=support)
                    footnotes.append(note)
                    ids[source.n] = note.id
    return footnotes


def _token_of(inline: Token, cited: Sequence[tuple[int, int]]) -> Token | None:
    """The first citation of a text that cites this, and whose footnotes are not numbered yet."""
    for child in inline.children or ():
        is_open = child.type == CITATION and NOTES not in child.meta
        if is_open and tuple(cited_passages(child.content)) == cited:
            return child
    return None
