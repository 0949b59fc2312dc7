"""The page of a report: the template filled with rendered sections, contents and sources."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markdown_it.token import Token
from markupsafe import Markup

from mcp_local.report.labels import Labels
from mcp_local.report.markdown import LINK_REL, render_tokens
from mcp_local.report.outline import Section
from mcp_local.sources import Source

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
_WORDS_PER_MINUTE = 220
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContent:
    """Everything a page shows."""

    title: str
    day: date
    summary: list[Token]
    sections: Sequence[Section]
    cited: Sequence[Source]
    words: int
    labels: Labels

    @property
    def is_read(self) -> bool:
        """Whether any of the cited sources was read in full."""
        return any(source.kind == "page" for source in self.cited)


def render_page(content: PageContent) -> str:
    """One self-contained HTML document: no script, nothing loaded from elsewhere."""
    labels = content.labels
    minutes = max(1, round(content.words / _WORDS_PER_MINUTE))
    return _template().render(
        title=content.title,
        labels=labels,
        policy=_inert(CONTENT_SECURITY_POLICY),
        css=_inert(_css()),
        facts=[
            labels.write_date(content.day),
            labels.words("source-count", n=len(content.cited)),
            labels.words("reading-time", n=minutes),
        ],
        iso_day=content.day.isoformat(),
        summary=_inert(render_tokens(content.summary)),
        sections=content.sections,
        bodies=[_inert(render_tokens(section.tokens)) for section in content.sections],
        sources=content.cited,
        is_read=content.is_read,
        web=("http://", "https://"),
        link_rel=LINK_REL,
    )


def _inert(html: str) -> Markup:
    """Text for the page as it stands: our own files, or what passed the sanitiser."""
    return Markup(html)  # noqa: S704


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(_HERE, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("template.html.j2")


@cache
def _css() -> str:
    return (_HERE / "report.css").read_text(encoding="utf-8")
