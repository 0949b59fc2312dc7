"""Store of the pages that a session fetched: a Markdown file each, its facts as front matter."""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Literal

import yaml
from pydantic import TypeAdapter

from mcp_local.errors import ToolkitError
from mcp_local.workspace import Workspace

PAGES_DIRECTORY = "search_results"
_MAX_PAGE_BYTES = 64_000_000
_MAX_SLUG_CHARS = 60
_NOT_IN_SLUGS = re.compile(r"[^a-z0-9]+")
_FENCE = "---\n"
_PAGE_FILE = re.compile(PAGES_DIRECTORY + r"/crawl_[^/]*\.md")
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
    address, _, _ = url.strip().partition("#")
    scheme, _, rest = address.partition("//")
    host, _, path = rest.partition("/")
    site = f"{scheme}//{host}".lower()
    key = f"{site}/{path}"
    hashed = hashlib.sha256(key.encode(errors="replace"))
    digest = hashed.hexdigest()[:10]
    folder, _, _ = path.partition("?")
    slug = _slug(folder) or "index"
    name = f"crawl_{_slug(host)}_{slug}_{digest}.md"
    return f"{PAGES_DIRECTORY}/{name}"


def save_page(workspace: Workspace, page: StoredPage) -> None:
    """Write the page's file, replacing an earlier one at the same path."""
    excluded = {"path", "markdown"}
    if not page.note:
        excluded.add("note")
    facts = _STORED.dump_python(page, mode="json", exclude=excluded)
    head = yaml.safe_dump(
        facts,
        sort_keys=False,
        allow_unicode=True,
        width=10_000,
    )
    workspace.write_text(page.path, f"{_FENCE}{head}{_FENCE}\n{page.markdown}")


def find_page(workspace: Workspace, url: str) -> StoredPage | None:
    """The stored page of a URL, or None when it was not fetched in this session."""
    path = page_path(url)
    if not workspace.exists(path):
        return None
    return _read_page(workspace, path)


def read_pages(workspace: Workspace) -> list[StoredPage]:
    """Every stored page in the order in which the fetches began."""
    stored = (_read_page(workspace, path) for path in page_files(workspace))
    pages = [page for page in stored if page]
    return sorted(pages, key=attrgetter("fetched_at", "path"))


def page_files(workspace: Workspace) -> list[str]:
    """The relative paths of the stored pages."""
    files = workspace.files(PAGES_DIRECTORY)
    return [file.path for file in files if _PAGE_FILE.fullmatch(file.path)]


def count_words(text: str) -> int:
    """Words as a reader would count them; in scripts without spaces two signs are a word."""
    spaced, signs = _UNSPACED.subn(" ", text)
    return len(spaced.split()) + (signs + 1) // 2


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
