"""The corpus of a session: expanded_corpus.json, whose order numbers the sources of its reports."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from mcp_local.errors import ToolkitError
from mcp_local.pages import StoredPage, find_page, read_pages
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

    def found(url: str) -> CorpusArticle:
        page = find_page(workspace, url) or by_key.get(url_key(url))
        if page is None:
            return CorpusArticle(
                url=url,
                title=url,
                content="",
                status="failed",
            )
        return CorpusArticle(
            url=url,
            title=page.title or url,
            content=page.markdown,
            status="success",
        )

    articles = [
        article if article.status == "success" else found(article.url)
        for article in read_corpus(workspace)
    ]
    known = {url_key(article.url) for article in articles}
    for url in list(urls) or [page.url for page in pages]:
        key = url_key(url)
        if key not in known:
            known.add(key)
            articles.append(found(url))
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
