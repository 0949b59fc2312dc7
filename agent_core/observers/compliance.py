"""Whether a report sub-agent kept the rule: articles are saved as a corpus before they are used."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from agent_core.json_values import is_list, is_object
from agent_core.workspaces.layout import CORPUS

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
