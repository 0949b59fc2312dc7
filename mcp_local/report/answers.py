"""Answers in the thread: the check of reports, its marks written into their Markdown.

Each citation becomes a link to the sentence that it rests on, as a text fragment.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from markdown_it.token import Token

from mcp_local.report.citations import passage_url
from mcp_local.report.claims import CheckedClaim, Mark, check_claims, read_claims, trust_in
from mcp_local.report.compose import check_size
from mcp_local.report.markdown import parse_markdown
from mcp_local.report.outline import Labels, labels_for, trust_line
from mcp_local.sources import NumberedSource, url_key

_IN_TARGET = str.maketrans({"(": "%28", ")": "%29"})
_UNNUMBERED = 1_000_000
"""From here on: sources that the answer cites by links alone."""
_MANY_CLAIMS = 3
"""From so many on an answer says what was checked though all was found."""


def mark_answer(
    markdown: str,
    addresses: Sequence[str],
    sources: Sequence[NumberedSource],
    language: str,
    counted: str = "",
) -> str:
    """The answer with a quiet mark behind each claim that its sources do not say, and their count.

    `addresses` are what `[1]`, `[2]`, … stand for in it, and `counted` is the count of the report
    beside it, which then stands for its own.

    Raises:
        ToolkitError: It is no answer that anybody would read.
    """
    check_size(markdown)
    cited = _renumbered(sources, addresses)
    urls = {source.n: source.url for source in cited}
    numbers = {url_key(source.url): source.n for source in cited}
    text = markdown.replace("\r\n", "\n")
    tokens = parse_markdown(text)
    claims = [*read_claims(tokens, numbers)]
    known = urls.keys()
    if not any(known & claim.numbers for claim in claims):
        return _with_count(markdown, counted)
    checked = check_claims(claims, cited)
    labels = labels_for(language)
    marked = _marked(text, checked, labels, urls)
    trust = trust_in(checked)
    if not counted and (trust.unfound or trust.claims >= _MANY_CLAIMS):
        counted = trust_line(labels, trust)
    return _with_count(marked, counted)


def _with_count(answer: str, counted: str) -> str:
    return f"{answer}\n\n_{counted}_" if counted else answer


def _renumbered(
    sources: Sequence[NumberedSource], addresses: Sequence[str]
) -> list[NumberedSource]:
    """The sources with their numbers in the answer; those without one behind all others."""
    numbers = {url_key(url): n for n, url in enumerate(addresses, start=1)}
    return [
        replace(source, n=numbers.get(url_key(source.url), _UNNUMBERED + source.n))
        for source in sources
        if source.ok
    ]


def _marked(
    text: str, checked: Sequence[CheckedClaim], labels: Labels, urls: Mapping[int, str]
) -> str:
    answer = _Answer(text)
    for each in reversed(checked):  # so that an edit moves no place that is still to come
        claim = each.claim
        token = claim.token
        if each.verdict.doubts:
            words = labels.words(each.mark_kind)
            end = claim.end
            answer.put(token, end, end, f" _({words})_")
        for mark in reversed(claim.marks):
            linked = _linked(each, mark, urls)
            answer.put(token, mark.start, mark.end, linked)
    return answer.text


class _Answer:
    """An answer's Markdown, which is edited from its end on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.split("\n")
        self._starts: list[int] = []
        start = 0
        for line in self._lines:
            self._starts.append(start)
            start += len(line) + 1

    def put(self, token: Token, start: int, end: int, new: str) -> None:
        """Replace a part of a paragraph or cell; leave it where it is written otherwise."""
        lines = token.content.split("\n")
        before = token.content[:start].split("\n")
        line = len(before) - 1
        written = lines[line]
        first_line, _ = token.map or (0, 0)
        n = first_line + line
        line_text = self._lines[n]
        column = line_text.find(written)
        if column < 0:
            return
        first = self._starts[n] + column
        first += len(before[-1])
        length = end - start
        last = first + length
        rest = self.text[last:]
        self.text = self.text[:first] + new + rest


def _linked(checked: CheckedClaim, mark: Mark, urls: Mapping[int, str]) -> str:
    """A citation as links to the sentences that it rests on; as written where one is missing."""
    content = checked.claim.token.content
    written = content[mark.start : mark.end]
    links: list[str] = []
    for number, passage in mark.cited:
        support = checked.supports.get((number, passage))
        if support is None:
            return written
        page = urls[number]
        url = passage_url(page, support.sentence)
        if mark.url:
            return written.replace(mark.url, url, 1)
        target = url.translate(_IN_TARGET)
        links.append(f"[{number}]({target})")
    return "".join(links)
