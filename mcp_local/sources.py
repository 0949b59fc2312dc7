"""Sources: what a session retrieved, and the number by which its reports cite each.

A page that was fetched is a Markdown file, its facts as front matter. The corpus is
expanded_corpus.json, whose order numbers the sources; search results and other pages follow.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import chain
from operator import attrgetter
from typing import Any, Literal
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from tld import get_fld  # pyright: ignore[reportUnknownVariableType] (**kwargs)

from mcp_local.errors import PathDenied, ToolkitError
from mcp_local.workspace import Workspace

PAGES_DIRECTORY = "search_results"
_MAX_PAGE_BYTES = 64_000_000
_MAX_SLUG_CHARS = 60
_NOT_IN_SLUGS = re.compile(r"[^a-z0-9]+")
_FENCE = "---\n"
_PAGE_FILE = re.compile(PAGES_DIRECTORY + r"/crawl_[^/]*\.md")
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    """A page that was fetched and read successfully. Its facts are stored in this order."""

    url: str
    """As it was asked for."""
    final_url: str
    """Where the redirects ended, or the page itself is, if this is its mobile or AMP form."""
    title: str
    """On one line, like the description."""
    description: str
    fetched_at: datetime
    status: Literal["success"] = "success"
    words: int
    http_status: int = 200
    publisher: str = ""
    """As the page names it; stored where it does, as are the facts below."""
    author: str = ""
    published: date | None = None
    language: str = ""
    note: str = ""
    """What is left out of the text; it is stored where there is one."""
    path: str
    """Relative to the session directory."""
    markdown: str


_STORED = TypeAdapter(StoredPage)


def page_path(url: str) -> str:
    """The file of a URL in all its spellings, also of one that cannot be fetched."""
    key = url_key(url)
    hashed = hashlib.sha256(key.encode(errors="replace"))
    digest = hashed.hexdigest()[:10]
    host, _, path = key.partition("//")[2].partition("/")
    folder, _, _ = path.partition("?")
    slug = _slug(folder) or "index"
    name = f"crawl_{_slug(host)}_{slug}_{digest}.md"
    return f"{PAGES_DIRECTORY}/{name}"


def save_page(workspace: Workspace, page: StoredPage) -> None:
    """Write the page's file, replacing an earlier one at the same path."""
    facts = _STORED.dump_python(page, mode="json", exclude={"path", "markdown"})
    for name in ("publisher", "author", "published", "language", "note"):
        if not facts[name]:
            del facts[name]
    head = yaml.safe_dump(
        facts,
        sort_keys=False,
        allow_unicode=True,
        width=10_000,
    )
    workspace.write_text(page.path, f"{_FENCE}{head}{_FENCE}\n{page.markdown}")


def find_page(workspace: Workspace, url: str) -> StoredPage | None:
    """The stored page of a URL, or None when it was not fetched in this session."""
    return _read_page(workspace, page_path(url))


def read_pages(workspace: Workspace) -> list[StoredPage]:
    """Every stored page in the order in which the fetches began."""
    stored = (_read_page(workspace, path) for path in page_files(workspace))
    pages = [page for page in stored if page]
    return sorted(pages, key=attrgetter("fetched_at", "path"))


def page_files(workspace: Workspace) -> list[str]:
    """The relative paths of the stored pages."""
    files = workspace.files(PAGES_DIRECTORY)
    return [file.path for file in files if _PAGE_FILE.fullmatch(file.path)]


def _read_page(workspace: Workspace, path: str) -> StoredPage | None:
    """Read one file; a damaged one counts as not fetched."""
    try:
        data = workspace.read_bytes(path, _MAX_PAGE_BYTES)
        text = data.decode().removeprefix(_FENCE)
        head, _, markdown = text.partition(f"\n{_FENCE}")
        fields = dict(yaml.load(head, Loader=_Loader))  # noqa: S506
        fields["path"] = path
        fields["markdown"] = markdown.removeprefix("\n")
        return _STORED.validate_python(fields)
    except (ToolkitError, ValueError, TypeError, yaml.YAMLError):
        return None


def _slug(text: str) -> str:
    slug = _NOT_IN_SLUGS.sub("-", text.lower()).strip("-")
    return slug[:_MAX_SLUG_CHARS].strip("-")


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


def save_corpus(workspace: Workspace, urls: Iterable[str], now: datetime) -> CorpusFile:
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
    return file


def url_key(url: str) -> str:
    """What two spellings of one page's URL have in common.

    It has no fragment, no trailing slash, no leading www or amp, and no parameters that count
    visitors.
    """
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url.strip()
    path = parts.path.rstrip("/")
    host = parts.netloc.lower().removeprefix("www.").removeprefix("amp.")
    fields = parts.query.split("&")
    query = "&".join(field for field in fields if not _TRACKING.match(field))
    return parts._replace(netloc=host, path=path, query=query, fragment="").geturl()


_TRACKING = re.compile(
    r"(?:utm_\w+|fbclid|gclid|dclid|msclkid|yclid|mc_[ce]id|igshid|srsltid|_ga|_hsenc|_hsmi)(?:=|$)"
)


def host_of(url: str) -> str:
    """The host of a URL in lower case; empty where it has none or cannot be read."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def site_of(url: str) -> str:
    """What was registered of the host of a URL, by which its publisher goes."""
    return get_fld(url, fail_silently=True) or host_of(url)


def pages_by_key(pages: Sequence[StoredPage]) -> dict[str, StoredPage]:
    """By the URLs asked for, and those that they led to."""
    by_key = {url_key(page.final_url): page for page in pages}
    return by_key | {url_key(page.url): page for page in pages}


SourceKind = Literal["page", "snippet", "file"]


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
    publisher: str = ""
    author: str = ""
    published: date | None = None
    language: str = ""

    @property
    def host(self) -> str:
        """The host of the URL, without a leading www."""
        return host_of(self.url).removeprefix("www.")

    def row(self) -> dict[str, Any]:
        """How the model sees it in a list."""
        return {
            "n": self.n,
            "url": self.url,
            "title": self.title,
            "kind": self.kind,
            "status": "success" if self.ok else "failed",
            **({"published": self.published.isoformat()} if self.published else {}),
            **({"language": self.language} if self.language else {}),
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
        page = by_key.get(key)
        # Another address of a page, such as its AMP form's, is no other source.
        own_key = url_key(page.final_url) if page and source.kind == "page" else key
        if known.isdisjoint({key, own_key}):
            known |= {key, own_key}
            sources.append(replace(_from_page(page), url=source.url) if page else source)
    return [replace(source, n=n) for n, source in enumerate(sources, start=1)]


def _from_article(article: CorpusArticle, pages: Mapping[str, StoredPage]) -> NumberedSource:
    """An article as the corpus holds it, its other facts from its page."""
    page = pages.get(url_key(article.url))
    source = NumberedSource(
        url=article.url,
        title=article.title,
        kind="page",
        ok=article.status == "success",
        text=article.content,
        path=CORPUS_FILE,
    )
    if page is None:
        return source
    known = _from_page(page)
    return replace(known, url=source.url, title=source.title, ok=source.ok, text=source.text)


def _from_page(page: StoredPage) -> NumberedSource:
    return NumberedSource(
        url=page.url,
        title=page.title or page.url,
        kind="page",
        ok=True,
        text=page.markdown,
        path=page.path,
        publisher=page.publisher,
        author=page.author,
        published=page.published,
        language=page.language,
    )


def _snippets(workspace: Workspace) -> Iterator[NumberedSource]:
    """Every hit that says something of a web address, oldest search first.

    Files of other formats are passed over.
    """
    files: dict[str, _ResultsFile] = {}
    for info in workspace.files(PAGES_DIRECTORY):
        if info.path.endswith(".json"):
            with suppress(PathDenied, ValidationError):
                data = workspace.read_bytes(info.path)
                files[info.path] = _ResultsFile.model_validate_json(data)
    for path in sorted(files, key=lambda each: files[each].timestamp):
        for hit in (*files[path].articles, *files[path].results):
            snippet = (hit.snippet or "").strip()
            if snippet and hit.url.startswith(("http://", "https://")):
                yield NumberedSource(
                    url=hit.url,
                    title=hit.title or hit.url,
                    kind="snippet",
                    ok=True,
                    text=snippet,
                    path=path,
                )
