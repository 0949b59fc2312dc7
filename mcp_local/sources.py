"""The numbering of all that a report may cite: corpus, then search results, then other pages."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError

from mcp_local.corpus import CORPUS_FILE, CorpusArticle, pages_by_key, read_corpus, url_key
from mcp_local.errors import PathDenied
from mcp_local.pages import StoredPage, read_pages
from mcp_local.workspace import Workspace

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
