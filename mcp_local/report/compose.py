"""Composing a report: the author's Markdown and the session's sources become one checked page."""

import re
import threading
import unicodedata
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from html import unescape
from pathlib import Path
from textwrap import shorten

from markdown_it.token import Token
from markupsafe import Markup, escape

from mcp_local.duplicates import copies_of
from mcp_local.errors import PathDenied, ToolkitError
from mcp_local.report.charts import load_template
from mcp_local.report.citations import (
    SOURCELESS,
    UNFOUND,
    check_citations,
    list_citations,
)
from mcp_local.report.claims import (
    Trust,
    check_claims,
    mark_claims,
    read_claims,
    trust_in,
    warnings_of,
)
from mcp_local.report.footnotes import number_footnotes
from mcp_local.report.markdown import LINK_REL, parse_markdown, plain_text, render_tokens
from mcp_local.report.outline import Labels, labels_for, outline_report, trust_line
from mcp_local.sources import NumberedSource
from mcp_local.workspace import Workspace, is_invisible

MAX_TITLE_CHARS = 200
MAX_MARKDOWN_CHARS = 100_000
MAX_BRACKETS = 2_000
MAX_BARS = 200
"""In one line."""
MAX_LINES = 5_000
"""A text with more of any of these is no report that anybody wrote, and slow to read."""
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)
ENOUGH_SOURCES = 8
ENOUGH_PUBLISHERS = 5
"""What a comprehensive report should rest on."""
_MAX_UNCITED = 10
_WORDS_PER_MINUTE = 220
_HERE = Path(__file__).parent
_FIRST_AND_LAST = {
    "latin": (0, 0xFF),
    "extended": (0x100, 0x24F),
    "vietnamese": (0x1E00, 0x1EFF),
    "greek": (0x370, 0x3FF),
    "cyrillic": (0x400, 0x4FF),
}
"""By the ending of a font file's name: the letters for which a page carries it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Font:
    """One file of the typeface."""

    cut: str
    """`regular`, `bold` or `italic`."""
    letters: str
    data: str
    """In base64."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Report:
    """A finished report."""

    title: str
    html: str
    cited: list[NumberedSource]
    """The sources it cites, in the order of its own list."""
    citations: int
    """How many citations there are; a source may be cited often."""
    words: int
    trust: Trust
    checked: str
    """The same in words, for its readers."""
    shortfall: str
    """That a comprehensive report rests on few sources, for its readers; else empty."""
    warnings: list[str]


def compose_report(
    sources: Sequence[NumberedSource],
    day: date,
    *,
    title: str,
    markdown: str,
    summary: str = "",
    language: str = "en",
    before: Sequence[int] = (),
    is_comprehensive: bool = False,
) -> Report:
    """Check the citations of a report against `sources` and render one self-contained page.

    The page numbers its sources from 1 in the order in which they are first cited, behind those of
    the version `before`, which keep their order.

    It has no script, and nothing is loaded from elsewhere. `summary` is Markdown; a section of that
    name in `markdown` does as well.

    Raises:
        CitationError: Nothing was retrieved, nothing is cited, or a cited source is not there.
        ToolkitError: There is no title or no text, or too much of it.
    """
    clean_title = _clean_title(title)
    if not markdown.strip():
        raise ToolkitError("The report is empty. Give its text as Markdown.")
    check_size(f"{markdown}\n{summary}")
    known = frozenset(source.url for source in sources)
    written, sections = outline_report(parse_markdown(markdown, known))
    summary_tokens = parse_markdown(summary, known)
    if _inline_texts(summary_tokens) != _inline_texts(written):
        summary_tokens += written
    tokens = [*summary_tokens]
    for section in sections:
        tokens += section.tokens
    citations = list_citations(tokens)
    check_citations(citations, sources)
    by_number = {source.n: source for source in sources}
    ordered = _in_order(citations, before)
    cited = [by_number[n] for n in ordered]
    labels_of = {n: label for label, n in enumerate(ordered, start=1)}
    words = sum(len(text.split()) for text in _inline_texts(tokens))
    is_read = any(source.kind == "page" for source in cited)
    labels = labels_for(language)
    copies, independent = _split_copies(cited)
    shortfall = _shortfall(independent, labels) if is_comprehensive else ""
    marks = {name: labels.words(name) for name in (UNFOUND, SOURCELESS, "table", "scrolls")}
    checked = check_claims(read_claims(tokens), cited)
    mark_claims(checked, known)
    footnotes = number_footnotes(checked, cited)
    trust = trust_in(checked)
    publishers = len(_publishers(independent))
    html = load_template("template.html.j2").render(
        title=clean_title,
        labels=labels,
        policy=_inert(CONTENT_SECURITY_POLICY),
        css=_inert((_HERE / "report.css").read_text(encoding="utf-8")),
        facts=[
            labels.write_date(day),
            labels.words("source-count", n=len(independent)),
            labels.words("publisher-count", n=publishers),
            labels.words("reading-time", n=max(1, round(words / _WORDS_PER_MINUTE))),
        ],
        iso_day=day.isoformat(),
        summary=_inert(render_tokens(summary_tokens, labels_of, marks)),
        sections=sections,
        bodies=[_inert(render_tokens(section.tokens, labels_of, marks)) for section in sections],
        shortfall=shortfall,
        publishers=publishers,
        footnotes=footnotes,
        number_of={source.n: label for label, source in enumerate(cited, start=1)},
        fonts=_fonts(f"{clean_title}{markdown}{summary}"),
        page_title=_inert(_css_string(clean_title)),
        page_date=_inert(_css_string(labels.write_date(day))),
        trust=trust,
        trust_line=trust_line(labels, trust),
        sources=cited,
        copies=copies,
        is_read=is_read,
        web=("http://", "https://"),
        link_rel=LINK_REL,
    )
    warnings: list[str] = []
    if not summary_tokens:
        warnings.append("The report has no executive summary: give one in `summary`.")
    if not any(section.heading for section in sections):
        warnings.append("The report has no sections: give each theme a `## heading`.")
    if not is_read:
        warnings.append(
            "None of the cited sources was read in full: all are search results, and the page says "
            "so. Say it in your answer too."
        )
    if shortfall:
        warnings.append(_uncited(cited, sources))
    warnings += warnings_of(checked, sources)
    return Report(
        title=clean_title,
        html=html,
        cited=cited,
        citations=len(citations),
        words=words,
        trust=trust,
        checked=trust_line(labels, trust),
        shortfall=shortfall,
        warnings=warnings,
    )


def _in_order(citations: Iterable[tuple[int, int]], before: Sequence[int]) -> list[int]:
    """The cited sources: those of the version before, then the new ones as they are cited."""
    cited = dict.fromkeys(source for source, _ in citations)
    return [n for n in dict.fromkeys((*before, *cited)) if n in cited]


def _split_copies(
    cited: Sequence[NumberedSource],
) -> tuple[Mapping[int, int], Sequence[NumberedSource]]:
    """The near-duplicates, each with its original's number, and the sources that are none."""
    copies = copies_of(cited)
    return copies, [source for source in cited if source.n not in copies]


def _publishers(sources: Iterable[NumberedSource]) -> set[str]:
    return {source.publisher or source.host for source in sources}


def _shortfall(cited: Sequence[NumberedSource], labels: Labels) -> str:
    """What readers of a comprehensive report are told where it rests on few sources."""
    publishers = len(_publishers(cited))
    if len(cited) >= ENOUGH_SOURCES and publishers >= ENOUGH_PUBLISHERS:
        return ""
    return labels.words(
        "shortfall",
        sources=len(cited),
        publishers=publishers,
        enough_sources=ENOUGH_SOURCES,
        enough_publishers=ENOUGH_PUBLISHERS,
    )


def _uncited(cited: Sequence[NumberedSource], sources: Iterable[NumberedSource]) -> str:
    """What an author with few sources may still read: those of other publishers first."""
    known = _publishers(cited)
    left = [source for source in sources if source.ok and source not in cited]
    left.sort(key=lambda source: not _publishers([source]).isdisjoint(known))
    listed = "; ".join(f"[{source.n}] {source.url}" for source in left[:_MAX_UNCITED])
    return (
        f"A comprehensive report should rest on {ENOUGH_SOURCES} sources of {ENOUGH_PUBLISHERS} "
        f"publishers; this one cites {len(cited)} of {len(known)}. Not cited yet: "
        f"{listed or 'nothing'}. Read those that fit the subject, search once more from another "
        "side, and write the report again. Where there is no more, say in your answer what "
        "`shortfall` says."
    )


def _inert(html: str) -> Markup:
    """Text for the page as it stands: our own files, or what passed the sanitiser."""
    return Markup(html)  # noqa: S704


def _fonts(text: str) -> list[Font]:
    """The files of the typeface that a text needs; most need those of Latin letters alone."""
    signs = {ord(sign) for sign in text}
    fonts: list[Font] = []
    for file in sorted((_HERE / "fonts").glob("*.woff2")):
        cut, _, letters = file.stem.partition("-")
        first, last = _FIRST_AND_LAST[letters]
        if any(first <= sign <= last for sign in signs):
            data = b64encode(file.read_bytes()).decode()
            fonts.append(Font(cut=cut, letters=letters, data=data))
    return fonts


def _css_string(text: str) -> str:
    """A text between quotes of a stylesheet: whatever could end it is written as a number."""
    return "".join(sign if sign.isalnum() else f"\\{ord(sign):x} " for sign in text)


def check_size(text: str) -> None:
    """Raise ToolkitError for a text that nobody wrote as one, and that is slow to read."""
    if len(text) > MAX_MARKDOWN_CHARS:
        raise ToolkitError(
            f"The report is longer than {MAX_MARKDOWN_CHARS} characters. Shorten it."
        )
    lines = text.splitlines()
    brackets = text.count("[")
    bars = max(line.count("|") for line in lines)
    if brackets > MAX_BRACKETS or bars > MAX_BARS or len(lines) > MAX_LINES:
        raise ToolkitError(
            f"The report has more than {MAX_LINES} lines or {MAX_BRACKETS} brackets, or more than "
            f"{MAX_BARS} columns in a table. Use fewer."
        )


def _clean_title(title: str) -> str:
    visible = "".join(letter for letter in title if letter.isspace() or not is_invisible(letter))
    words = re.sub(
        r"^#+\s*",
        "",
        " ".join(visible.split()),
    )
    if not words:
        raise ToolkitError("The report needs a title: a few words that name its topic.")
    return words[:MAX_TITLE_CHARS]


def _inline_texts(tokens: Sequence[Token]) -> list[str]:
    return [plain_text(token) for token in tokens if token.type == "inline"]


REPORTS_DIRECTORY = "work_products"
MAX_SLUG_CHARS = 60
_MAX_VERSIONS = 500
_NAMES_CHARS = 120
"""Of new sections in the line of a version, which becomes part of a title."""
_SOURCE = re.compile(r'<li id="source-\d+" value="\d+" data-n="(\d+)">')
_CITED = re.compile(r'(<a class="citation" href="#source-)(\d+)"[^>]*>\[\d+\]')
_OUR_PARTS = re.compile(r"<style>.*?</style>|<section class=\"passages\".*?</section>", re.DOTALL)
_COVER_END = "</div>\n</header>"
_SECTION = re.compile(r"<h2 id=[^>]*>(.*?)</h2>", re.DOTALL)
_ELEMENT = re.compile(r"<a class=\"citation\".*?</a>|<[^>]*>", re.DOTALL)
_DATE = re.compile(rb"<time .*?</time>|@top-right { content: .*? }\n", re.DOTALL)
_WRITING = threading.Lock()
"""An empty page seen under it was begun by a process that died, not by another call."""


def topic_slug(title: str) -> str:
    """The title in lower-case ASCII with underscores; `report` if nothing is left of it."""
    plain = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", plain.replace("'", ""))
    slug = "_".join(words)[:MAX_SLUG_CHARS].rstrip("_")
    return slug or "report"


def sources_before(workspace: Workspace, title: str) -> list[int]:
    """The sources of the newest version of a report, in the order of its list."""
    stem = f"{REPORTS_DIRECTORY}/{topic_slug(title)}_"
    files = sorted(workspace.files(REPORTS_DIRECTORY), key=lambda file: file.modified_at)
    paths = [file.path for file in files if file.path.startswith(stem)]
    page = b""
    for path in paths:
        if path.endswith(".html"):
            with suppress(PathDenied):
                page = workspace.read_bytes(path)
    return [int(number) for number in _SOURCE.findall(page.decode(errors="replace"))]


def with_session_numbers(page: str) -> str:
    """A report's page for its author: with the numbers of the session, without styles and fonts."""
    numbers = [int(number) for number in _SOURCE.findall(page)]
    if not numbers:
        return page
    page = _OUR_PARTS.sub("", page)

    def session_number(mark: re.Match[str]) -> str:
        return f'{mark[1]}{mark[2]}">[{numbers[int(mark[2]) - 1]}]'

    return _CITED.sub(session_number, page)


def write_new_version(
    workspace: Workspace,
    title: str,
    day: date,
    html: str,
    language: str = "en",
) -> tuple[str, str]:
    """Write the report under the first free name, below `work_products/`.

    Returns its path, and the line that says which version it is and which sections are new in it;
    that line stands on its cover, and is empty for a first version. A version that says the same,
    but for its date, is left as it is and named instead.
    """
    stem = f"{topic_slug(title)}_{day:%B_%Y}".lower()
    labels = labels_for(language)
    before = b""
    with _WRITING:
        for version in range(1, _MAX_VERSIONS + 1):
            line = (
                _version_line(
                    version,
                    before,
                    html,
                    labels,
                )
                if version > 1
                else ""
            )
            page = _with_line(html, line)
            suffix = "" if version == 1 else f"_v{version}"
            path = f"{REPORTS_DIRECTORY}/{stem}{suffix}.html"
            try:
                workspace.write_text(
                    path,
                    page,
                    exclusive=True,
                )
            except FileExistsError:
                earlier = None
                with suppress(PathDenied):
                    earlier = workspace.read_bytes(path)
                if earlier == b"":
                    workspace.write_text(path, page)
                elif earlier is None or _undated(earlier) != _undated(
                    page.encode(errors="replace")
                ):
                    before = earlier or b""
                    continue
            return path, line
    raise ToolkitError(f"There are already {_MAX_VERSIONS} versions of this report.")


def _version_line(version: int, before: bytes, html: str, labels: Labels) -> str:
    """The version's number, and the sections that the version before it has not."""
    earlier = set(_sections(before.decode(errors="replace")))
    names = [name for name in _sections(html) if name not in earlier]
    if not names or not earlier:
        return labels.words("version", version=version)
    quoted = shorten(", ".join(f"“{name}”" for name in names), _NAMES_CHARS, placeholder=" …")
    return labels.words(
        "version-new",
        version=version,
        n=len(names),
        what=quoted,
    )


def _sections(html: str) -> list[str]:
    """The themed sections' headings as text, without their citations."""
    headings = _SECTION.findall(html)
    return [" ".join(unescape(_ELEMENT.sub("", each)).split()) for each in headings]


def _with_line(html: str, line: str) -> str:
    """The page with a line at the end of its cover."""
    if not line:
        return html
    return html.replace(
        _COVER_END,
        f'<p class="version">{escape(line)}</p>\n{_COVER_END}',
        1,
    )


def _undated(page: bytes) -> bytes:
    """The page without the date of its making, which stands on its cover and its printed pages."""
    return _DATE.sub(b"", page)
