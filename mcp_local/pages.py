"""The pages fetched in a session: one Markdown file each, with its facts as front matter."""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import yaml
from pydantic import TypeAdapter

from mcp_local.errors import ToolkitError
from mcp_local.workspace import Workspace

PAGES_DIRECTORY = "search_results"
_MAX_PAGE_BYTES = 64_000_000
_FENCE = "---\n"
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    """A page that was fetched and read successfully. Its facts are stored in this order."""

    url: str
    """As it was asked for."""
    final_url: str
    """Where the redirects ended."""
    title: str
    """On one line, like the description."""
    description: str
    fetched_at: datetime
    status: Literal["success"] = "success"
    words: int
    http_status: int = 200
    note: str = ""
    """What is left out of the text; it is stored where there is one."""
    path: str
    """Relative to the session directory."""
    markdown: str


_STORED = TypeAdapter(StoredPage)


def page_path(url: str) -> str:
    """The file of a URL, whether it was fetched or not, also of one that cannot be fetched.

    Fragment, letter case of the host, and a missing slash after it make no difference.
    """
    scheme, _, rest = url.strip().partition("#")[0].partition("//")
    host, _, path = rest.partition("/")
    key = f"{scheme}//{host}".lower() + f"/{path}"
    digest = hashlib.sha256(key.encode(errors="replace")).hexdigest()[:10]
    slug = _slug(path.partition("?")[0], 60) or "index"
    return f"{PAGES_DIRECTORY}/crawl_{_slug(host, 60)}_{slug}_{digest}.md"


def save_page(workspace: Workspace, page: StoredPage) -> None:
    """Write the page's file, replacing an earlier one at the same path."""
    exclude = {"path", "markdown"} if page.note else {"path", "markdown", "note"}
    facts = _STORED.dump_python(page, mode="json", exclude=exclude)
    head = yaml.safe_dump(facts, sort_keys=False, allow_unicode=True, width=10_000)
    workspace.write_text(page.path, f"{_FENCE}{head}{_FENCE}\n{page.markdown}")


def find_page(workspace: Workspace, url: str) -> StoredPage | None:
    """The stored page of a URL, or None when it was not fetched in this session."""
    path = page_path(url)
    return _read_page(workspace, path) if workspace.exists(path) else None


def read_pages(workspace: Workspace) -> list[StoredPage]:
    """Every stored page in the order in which the fetches began."""
    pages = (_read_page(workspace, path) for path in page_files(workspace))
    return sorted((page for page in pages if page), key=lambda page: (page.fetched_at, page.path))


def page_files(workspace: Workspace) -> list[str]:
    """The relative paths of the stored pages."""
    files = (info.path for info in workspace.files(PAGES_DIRECTORY))
    return [path for path in files if re.fullmatch(PAGES_DIRECTORY + r"/crawl_[^/]*\.md", path)]


def count_words(text: str) -> int:
    """Words as a reader would count them; in scripts without spaces two signs are a word."""
    unspaced = len(_UNSPACED.findall(text))
    return len(_UNSPACED.sub(" ", text).split()) + (unspaced + 1) // 2


def _read_page(workspace: Workspace, path: str) -> StoredPage | None:
    """Read one file; a damaged one counts as not fetched."""
    try:
        text = workspace.read_bytes(path, _MAX_PAGE_BYTES).decode()
        head, _, markdown = text.removeprefix(_FENCE).partition(f"\n{_FENCE}")
        facts = yaml.load(head, Loader=_Loader)  # noqa: S506
        told = {**facts, "path": path, "markdown": markdown.removeprefix("\n")}
        return _STORED.validate_python(told)
    except (ToolkitError, ValueError, TypeError, yaml.YAMLError):
        return None


def _slug(text: str, max_chars: int) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:max_chars].strip("-")
