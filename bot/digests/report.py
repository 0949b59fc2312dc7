"""What a run found, made ready for its channel: a headline, a few lines, the rest. Pure."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from agent_core.schedules.pages import PageRead
from bot.digests.markdown import addresses_in, cut, cut_markdown, escaped, wire_url, words_of
from bot.digests.sheet import Sheet, read_sheet

MAX_LINES = 5
MAX_TITLE_CHARS = 120
MAX_LINE_CHARS = 320
MAX_BULLETS = 50
"""So many are weighed against each other; the rest is told in the thread."""
MAX_SOURCES = 200

_ORIGIN = re.compile(r"(?:https?://)?(?:www\.)?([^/?]*)(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of a digest, as Markdown."""

    text: str
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A run's answer, divided for its channel."""

    title: str
    """Plain words."""
    findings: tuple[Finding, ...]
    """At most `MAX_LINES`, what is new first."""
    details: str
    """Markdown for the thread; empty where the lines say it all."""
    claims: tuple[str, ...]
    """What is to be remembered of the lines, those in the thread included."""
    sources: tuple[str, ...]
    """Addresses to be remembered: those that the channel and the thread name."""

    @property
    def is_news(self) -> bool:
        """Whether there is anything that was not told before."""
        return any(finding.is_new for finding in self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    finding: Finding
    whole: str
    """The line as it was written, where the finding is a part of it."""


def divide(
    answer: str,
    *,
    task: str,
    pages: Sequence[PageRead],
    known_sources: Collection[str],
    known_claims: Collection[str],
) -> Report:
    """The answer of a run as a report.

    Where the answer is in another form, the pages that were read stand in its lines' place; where
    none were, its first words do.

    Args:
        answer: Markdown, in the form that the prompt asks for, or in another one.
        task: What was ordered; the headline of an answer that has none.
        pages: What the run has read.
        known_sources: The sources of earlier reports.
        known_claims: The claims of earlier reports, as they were.
    """
    sheet = read_sheet(answer)
    told = {address(url) for url in known_sources}
    if sheet.is_in_form:
        texts = list(dict.fromkeys(sheet.bullets))
    else:
        texts = [_page_line(page) for page in pages] or _first_words(sheet.rest)
    lines = [_line(text, told, known_claims) for text in texts[:MAX_BULLETS]]
    lines.sort(key=lambda line: not line.finding.is_new)
    findings = tuple(line.finding for line in lines[:MAX_LINES])
    is_ours = sheet.is_in_form or not pages
    return Report(
        title=cut(words_of(sheet.title) or task, MAX_TITLE_CHARS),
        findings=findings,
        details=_details(sheet, lines, texts) if sheet.is_in_form else answer.strip(),
        claims=tuple(plain(line.finding.text) for line in lines) if is_ours else (),
        sources=_sources(answer, () if sheet.is_in_form else pages),
    )


def address(url: str) -> str:
    """An address by which two links to one page are the same, itself included."""
    page = wire_url(url.partition("#")[0])
    while (shorter := _ORIGIN.sub(_origin, page, count=1)) != page:
        page = shorter
    return page


def plain(claim: str) -> str:
    """A line without its markup and addresses, by which it is known again."""
    return cut(words_of(claim), MAX_LINE_CHARS)


def _origin(match: re.Match[str]) -> str:
    """The host in small letters; a path keeps its own, since two of them may be two pages."""
    path, mark, query = match[2].partition("?")
    return f"{match[1].lower()}{path.rstrip('/')}{mark}{query.rstrip('/')}"


def _line(text: str, told: Collection[str], claims: Collection[str]) -> _Line:
    """New by its sources, where it names some, and by its words, where it names none."""
    short = cut_markdown(text, MAX_LINE_CHARS)
    links = [address(url) for url in addresses_in(text)]
    is_new = any(link not in told for link in links) if links else plain(short) not in claims
    return _Line(finding=Finding(text=short, is_new=is_new), whole="" if short == text else text)


def _details(sheet: Sheet, lines: Sequence[_Line], texts: Sequence[str]) -> str:
    """What the channel does not show: lines that were too many or too long, and the rest."""
    shortened = [line.whole for line in lines[:MAX_LINES] if line.whole]
    left = [line.whole or line.finding.text for line in lines[MAX_LINES:]]
    more = "\n".join(f"- {text}" for text in (*shortened, *left, *texts[MAX_BULLETS:]))
    return "\n\n".join(part for part in (more, sheet.rest) if part)


def _page_line(page: PageRead) -> str:
    title = escaped(cut(page.title, MAX_TITLE_CHARS)) or page.url
    dated = f" ({escaped(cut(page.date, MAX_TITLE_CHARS))})" if page.date else ""
    return f"[{title}](<{wire_url(page.url)}>){dated}"


def _first_words(rest: str) -> list[str]:
    paragraph = rest.partition("\n\n")[0].lstrip("#>-*+ \t")
    first = escaped(cut(words_of(paragraph), MAX_LINE_CHARS))
    return [first] if first else []


def _sources(answer: str, pages: Sequence[PageRead]) -> tuple[str, ...]:
    """What was told: the addresses in the answer, or of the pages in its lines' place."""
    named = [*(page.url for page in pages), *addresses_in(answer)]
    return tuple(dict.fromkeys(address(url) for url in named))[:MAX_SOURCES]
