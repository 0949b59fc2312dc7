"""Saves the articles that a call extracted, one extracted_articles/*.json each.

A page of a reader service becomes a page of the session as well, as those that the crawler read.

And checks whether a report sub-agent kept the rule: articles are saved as a corpus before they are
used.
"""

import asyncio
import json
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from agent_core.json_values import (
    digest_of_json,
    find_object,
    is_list,
    is_object,
    parse_result,
    text_in,
)
from agent_core.messages import JsonObject, ToolCall
from agent_core.observers.blacklist import READER
from agent_core.observers.observing import ToolObserved, full_text
from agent_core.tools import OnProgress, ToolContext, ToolOutput, slug_of
from agent_core.workspaces.layout import (
    CORPUS,
    EXTRACTED_ARTICLES,
    SEARCH_RESULTS,
    timestamp,
    write_json,
    write_text,
)

logger = logging.getLogger(__name__)

CONTENT_CHARS = 10_000
_HEAD_CHARS = 20_000
_DEPTH = 3
_FENCE = "---\n"

_Fetched = tuple[JsonObject, datetime]
"""A page with its `url`, `title`, `description` and `content`, and when it was fetched."""


class ArticleObserver:
    """Knows the results of `crawl_parallel`, whose pages are files already, and of `webReader`."""

    async def saw(self, observed: ToolObserved) -> Sequence[str]:
        articles = {"crawl_parallel": _crawled, "webReader": _read}.get(slug_of(observed.call.name))
        if articles is None:
            return ()
        workspace = observed.context.workspace
        return await asyncio.to_thread(
            lambda: [_save(page, fetched_at, workspace) for page, fetched_at in articles(observed)]
        )


def _save(page: JsonObject, fetched_at: datetime, workspace: Path) -> str:
    url = text_in(page, "url")
    content = text_in(page, "content")
    domain = (urlsplit(url).hostname or "unknown").removeprefix("www.")
    digest = digest_of_json(url)[:6]
    fetched = fetched_at.astimezone(UTC)
    # The same for the same fetch of the same page.
    path = f"{EXTRACTED_ARTICLES}/{domain[:100]}_{fetched:%Y%m%d_%H%M%S_%f}_{digest}.json"
    record: JsonObject = {
        "timestamp": timestamp(fetched_at),
        "source_url": url,
        "title": text_in(page, "title"),
        "description": text_in(page, "description"),
        "content": content[:CONTENT_CHARS],
        "extraction_success": bool(content.strip()),
    }
    write_json(workspace / path, record)
    return path


def _crawled(observed: ToolObserved) -> Iterator[_Fetched]:
    """The pages that a crawl could read; it names their files and leaves the text there."""
    answer = parse_result(full_text(observed))
    pages = answer.get("pages") if is_object(answer) else None
    for page in pages if is_list(pages) else ():
        path = text_in(page, "path")
        if path and text_in(page, "status") == "success":
            article = _stored(observed, path, page)
            if article is not None:
                yield article


def _stored(observed: ToolObserved, path: str, row: JsonObject) -> _Fetched | None:
    """A page from its Markdown file; None for a path that leads out of the workspace or nowhere.

    What the file's facts lack is taken from the crawl's row.
    """
    workspace = observed.context.workspace.resolve()
    try:
        file = (workspace / path).resolve()
        if not file.is_relative_to(workspace):
            return None
        with file.open(encoding="utf-8", errors="replace") as opened:
            text = opened.read(_HEAD_CHARS + CONTENT_CHARS)
    except (OSError, ValueError):  # a path with NUL in it is a ValueError
        return None
    facts, content = _front_matter(text)
    fetched_at = observed.at
    with suppress(ValueError):
        fetched_at = datetime.fromisoformat(str(facts.get("fetched_at"))).astimezone(UTC)
    known = {name: facts[name] for name in facts if text_in(facts, name)}
    return {**row, **known, "content": content}, fetched_at


def _front_matter(text: str) -> tuple[JsonObject, str]:
    head, fence, content = text.removeprefix(_FENCE).partition(f"\n{_FENCE}")
    if not (text.startswith(_FENCE) and fence):
        return {}, text
    content = content.removeprefix("\n")
    try:
        facts: object = yaml.safe_load(head)
    except yaml.YAMLError:
        return {}, content
    return (facts if is_object(facts) else {}), content


def _read(observed: ToolObserved) -> Iterator[_Fetched]:
    """The one page that a reader service returned."""
    answer = parse_result(full_text(observed))
    page = find_object(
        answer, lambda it: it if isinstance(it.get("content"), str) else None, _DEPTH
    )
    if page is not None and not observed.output.is_error:
        url = text_in(page, "url") or text_in(observed.call.arguments, "url")
        yield {**page, "url": url}, observed.at


async def keep_read_page(
    output: ToolOutput, call: ToolCall, context: ToolContext, _: OnProgress
) -> ToolOutput:
    """After a call of a reader service: its page can be saved in the corpus and cited.

    The model is not asked for the text, and the address is the one that was asked for: nobody can
    put words into another page's mouth.
    """
    observed = ToolObserved(call=call, output=output, context=context)
    path = await asyncio.to_thread(_keep, observed) if slug_of(call.name) == READER else ""
    note = f"\n\n[The page is kept as {path}; save_corpus takes its address.]" if path else ""
    return replace(output, text=f"{output.text}{note}")


def _keep(observed: ToolObserved) -> str:
    """The path of the page's file, as the crawler writes them; empty where there is none."""
    url = text_in(observed.call.arguments, "url")
    for page, fetched_at in _read(observed):
        content = text_in(page, "content")
        facts = {
            "url": url,
            "final_url": url,
            "title": text_in(page, "title") or url,
            "description": text_in(page, "description"),
            "fetched_at": fetched_at.isoformat(),
            "words": str(len(content.split())),
        }
        lines = [f"{name}: {json.dumps(' '.join(fact.split()))}" for name, fact in facts.items()]
        path = f"{SEARCH_RESULTS}/crawl_read_{digest_of_json(url)[:10]}.md"
        text = "\n".join(["---", *lines, "---", "", content])
        with suppress(OSError):  # a disk that does not take it must not cost the result
            write_text(observed.context.workspace / path, text)
            return path
    return ""


_IN_DEPTH = re.compile(
    r"(?<!\bnot )(?<!\bno )(?<!\bless )\b(?:"
    r"comprehensive|in[- ]depth|detailed|thorough|exhausti|deep[- ]dive"
    r"|umfassend|ausführlich|detaillier|eingehend|gründlich"  # German
    r"|approfondi|détaillé|dettagliat"  # French, Italian
    r"|detallad|detalhad|pormenorizad|abrangente)",  # Spanish, Portuguese
    re.IGNORECASE,
)


def correction(task_prompt: str, agent_tools_called: Sequence[str], workspace: Path) -> str | None:
    """What to tell the delegating model when a report run left no corpus; None when all is well."""
    called = {name.rsplit("__", 1)[-1] for name in agent_tools_called}
    crawled = "crawl_parallel" in called
    if not crawled and not _IN_DEPTH.search(task_prompt):
        return None
    has_corpus = _has_articles(workspace / CORPUS)
    if crawled and "save_corpus" not in called:
        # A corpus of an earlier turn does not hold what this run has read.
        return _sentence(
            "it read pages with crawl_parallel but never called save_corpus",
            "call save_corpus with the URLs that were read",
        )
    if has_corpus:
        return None
    if crawled:
        return _sentence(
            "none of the pages that it read could be extracted",
            "find other sources, call crawl_parallel with them, then save_corpus",
        )
    return _sentence(
        "in-depth work was asked for, but no page was read in full",
        "call crawl_parallel with the best URLs in batches of 10, then save_corpus with them",
    )


def _sentence(what: str, steps: str) -> str:
    return (
        f"COMPLIANCE: the report sub-agent skipped a mandatory step: {what}, so {CORPUS} holds no "
        f"article that its report can stand on. Delegate to it again and have it {steps}, and only "
        "then call write_report again. Do not present the report as complete before that."
    )


def _has_articles(corpus: Path) -> bool:
    try:
        content: object = json.loads(corpus.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    articles = content.get("articles") if is_object(content) else None
    return is_list(articles) and any(
        is_object(article) and article.get("status") == "success" for article in articles
    )
