"""Sources: the numbering of all that a report may cite: corpus, search results, other pages.

The corpus is expanded_corpus.json, whose order numbers the sources of the session's reports.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from operator import itemgetter
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mcp_local.errors import PathDenied, ToolkitError
from mcp_local.pages import StoredPage, read_pages
from mcp_local.workspace import Workspace

CORPUS_FILE = "expanded_corpus.json"


class CorpusArticle(BaseModel):
    """One article as the file holds it; `content` is the page's text as it was fetched."""

    model_config = ConfigDict(frozen=True)

    url: str
    title: str
    content: str
    status: Literal["success", "failed"]


class CorpusFile(BaseModel):
    """expanded_corpus.json, field by field."""

    extraction_timestamp: str
    total_articles: int
    successful: int
    failed: int
    articles: list[CorpusArticle]


def read_corpus(workspace: Workspace) -> list[CorpusArticle]:
    """The saved articles in the order of their numbers; empty before the first save."""
    if not workspace.exists(CORPUS_FILE):
        return []
    try:
        return CorpusFile.model_validate_json(workspace.read_bytes(CORPUS_FILE)).articles
    except ValidationError as error:
        raise ToolkitError(
            f"{CORPUS_FILE} is damaged and cannot be read. Tell the person that the corpus of this "
            "session is lost; a new thread starts a new one."
        ) from error


def save_corpus(workspace: Workspace, urls: Iterable[str], now: datetime) -> list[CorpusArticle]:
    """Add the pages of `urls` to the corpus; without `urls`, every page fetched in the session.

    Articles saved before keep their place, so numbers in earlier reports stay valid; one that had
    failed is filled once its page was fetched. A URL never fetched becomes a failed article.
    """
    pages = read_pages(workspace)
    by_key = pages_by_key(pages[::-1])

    def article_of(url: str) -> CorpusArticle:
        page = by_key.get(url_key(url))
        return CorpusArticle(
            url=url,
            title=(page and page.title) or url,
            content=page.markdown if page else "",
            status="success" if page else "failed",
        )

    articles = [
        article if article.status == "success" else article_of(article.url)
        for article in read_corpus(workspace)
    ]
    known = {url_key(article.url) for article in articles}
    for url in list(urls) or [page.url for page in pages]:
        key = url_key(url)
        if key not in known:
            known.add(key)
            articles.append(article_of(url))
    successful = sum(article.status == "success" for article in articles)
    file = CorpusFile(
        extraction_timestamp=f"{now:%Y-%m-%dT%H:%M:%S.%f}Z",
        total_articles=len(articles),
        successful=successful,
        failed=len(articles) - successful,
        articles=articles,
    )
    workspace.write_text(CORPUS_FILE, file.model_dump_json(indent=2))
    return articles


def url_key(url: str) -> str:
    """What two spellings of one page's URL have in common: no fragment, no trailing slash."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url.strip()
    path = parts.path.rstrip("/")
    return parts._replace(netloc=parts.netloc.lower(), path=path, fragment="").geturl()


def pages_by_key(pages: Sequence[StoredPage]) -> dict[str, StoredPage]:
    """By the URLs asked for, and those that they led to."""
    by_key = {url_key(page.final_url): page for page in pages}
    return by_key | {url_key(page.url): page for page in pages}


SourceKind = Literal["page", "snippet", "file"]


RESULTS_DIRECTORY = "search_results"


class _Hit(BaseModel):
    url: str = ""
    title: str | None = None
    snippet: str | None = None


class _ResultsFile(BaseModel):
    timestamp: str = ""
    articles: list[_Hit] = Field(default_factory=list[_Hit])
    results: list[_Hit] = Field(default_factory=list[_Hit])


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedSource:
    """Something retrieved in this session, with the number by which reports cite it."""

    n: int = 0
    url: str
    title: str
    kind: SourceKind
    """`page` was read in full, `snippet` is what a search said about it; a `file` was attached."""
    ok: bool
    """Whether there is a text to cite; a page that could not be fetched has none."""
    text: str
    path: str
    """The file that holds the text, relative to the session directory."""

    @property
    def host(self) -> str:
        """The host of the URL, without a leading www."""
        try:
            return (urlsplit(self.url).hostname or "").removeprefix("www.")
        except ValueError:
            return ""

    def row(self) -> dict[str, Any]:
        """How the model sees it in a list."""
        return {
            "n": self.n,
            "url": self.url,
            "title": self.title,
            "kind": self.kind,
            "status": "success" if self.ok else "failed",
            "words": len(self.text.split()),
            "path": self.path,
        }


def read_sources(workspace: Workspace) -> list[NumberedSource]:
    """Every source in the order of its number, from 1.

    The articles of the corpus come in their order there; then the unique URLs of the search
    results, oldest search first; then fetched pages that are in neither. A search result whose
    page was fetched counts as that page.
    """
    pages = read_pages(workspace)
    by_key = pages_by_key(pages)
    sources = [_from_article(article, by_key) for article in read_corpus(workspace)]
    known = {url_key(source.url) for source in sources}
    for source in chain(_snippets(workspace), map(_from_page, pages)):
        key = url_key(source.url)
        if key not in known:
            known.add(key)
            fetched = key in by_key and source.kind == "snippet"
            sources.append(replace(_from_page(by_key[key]), url=source.url) if fetched else source)
    return [replace(source, n=n) for n, source in enumerate(sources, start=1)]


def _from_article(article: CorpusArticle, pages: Mapping[str, StoredPage]) -> NumberedSource:
    page = pages.get(url_key(article.url))
    return NumberedSource(
        url=article.url,
        title=article.title,
        kind="page",
        ok=article.status == "success",
        text=article.content,
        path=page.path if page else CORPUS_FILE,
    )


def _from_page(page: StoredPage) -> NumberedSource:
    return NumberedSource(
        url=page.url,
        title=page.title or page.url,
        kind="page",
        ok=True,
        text=page.markdown,
        path=page.path,
    )


def _snippets(workspace: Workspace) -> Iterator[NumberedSource]:
    """Every hit with a web address, oldest search first; files of other formats are passed over."""
    files: list[tuple[str, str, _ResultsFile]] = []
    for info in workspace.files(RESULTS_DIRECTORY):
        if info.path.endswith(".json"):
            with suppress(PathDenied, ValidationError):
                file = _ResultsFile.model_validate_json(workspace.read_bytes(info.path))
                files.append((file.timestamp, info.path, file))
    for _, path, file in sorted(files, key=itemgetter(0, 1)):
        for hit in (*file.articles, *file.results):
            if hit.url.startswith(("http://", "https://")):
                yield NumberedSource(
                    url=hit.url,
                    title=hit.title or hit.url,
                    kind="snippet",
                    ok=True,
                    text=hit.snippet or "",
                    path=path,
                )
