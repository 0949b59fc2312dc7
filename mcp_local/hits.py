"""What searches found: the hits in search_results/*.json, written by the bot and only read here."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel, Field, ValidationError

from mcp_local.errors import PathDenied
from mcp_local.workspace import Workspace

RESULTS_DIRECTORY = "search_results"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One result of a search."""

    url: str
    title: str
    snippet: str
    path: str
    """The file that holds it, relative to the session directory."""


class _Hit(BaseModel):
    url: str = ""
    title: str | None = None
    snippet: str | None = None


class _ResultsFile(BaseModel):
    timestamp: str = ""
    articles: list[_Hit] = Field(default_factory=list[_Hit])
    results: list[_Hit] = Field(default_factory=list[_Hit])


def read_hits(workspace: Workspace) -> list[SearchHit]:
    """Every hit with a web address, oldest search first; files of other formats are passed over."""
    files = sorted(_read_files(workspace), key=lambda found: (found[1].timestamp, found[0]))
    return [
        SearchHit(url=hit.url, title=hit.title or "", snippet=hit.snippet or "", path=path)
        for path, file in files
        for hit in (*file.articles, *file.results)
        if hit.url.startswith(("http://", "https://"))
    ]


def _read_files(workspace: Workspace) -> Iterator[tuple[str, _ResultsFile]]:
    for info in workspace.files(RESULTS_DIRECTORY):
        if info.path.endswith(".json"):
            try:
                yield info.path, _ResultsFile.model_validate_json(workspace.read_bytes(info.path))
            except (PathDenied, ValidationError):
                continue
