"""How much of 181 real article pages' text is found: ours, trafilatura's and crawl4ai's.

`python -m tests.bench.extraction [--data DIR] [--half odd|even|all] [--json]`. The extractor was
tuned on the even half; the odd half is the measure.
"""

import argparse
import gzip
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from mcp_local.errors import ToolkitError
from mcp_local.extract.html import extract_html
from tests.bench.results import Result, show

DEFAULT_DATA = Path("../shared/data/article-extraction")
GOAL_F1 = 0.955
SHINGLE_WORDS = 4
Extract = Callable[[str, str], str]
Shingles = Counter[tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    html: str
    url: str
    true_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    f1: float
    precision: float
    recall: float
    page_ms: float


def ours(html: str, url: str) -> str:
    with suppress(ToolkitError):
        return extract_html(html, url).markdown
    return ""


def trafilatura_precise(html: str, url: str) -> str:
    from trafilatura import extract

    return extract(html, url=url, favor_precision=True, include_comments=False) or ""


def crawl4ai_pruning() -> Extract:
    """crawl4ai's generator and pruning filter, over HTML that it did not fetch."""
    home = {"CRAWL4_AI_BASE_DIRECTORY": tempfile.mkdtemp(), "CRAWL4AI_NO_CLOUD_NOTICE": "1"}
    os.environ.update(home)  # noqa: TID251 (crawl4ai reads it when it is imported)
    from crawl4ai.content_filter_strategy import PruningContentFilterLXML
    from crawl4ai.markdown_generation_strategy import DefaultMarkdownGenerator

    generator: Any = DefaultMarkdownGenerator(
        content_filter=PruningContentFilterLXML(threshold=0.48),
        options={"ignore_links": True, "ignore_images": True, "body_width": 0},
    )

    def extract(html: str, url: str) -> str:
        made = generator.generate_markdown(html, base_url=url, citations=False)
        return str(made.fit_markdown or "")

    return extract


def read_pages(data: Path, half: str) -> Iterator[Page]:
    """The pages whose id's first digit is of the half, with their true text."""
    stored = cast(
        "dict[str, dict[str, str]]", json.loads((data / "ground-truth.json").read_text("utf-8"))
    )
    for name, truth in stored.items():
        parity = "odd" if int(name[0], 16) % 2 else "even"
        if half in {parity, "all"}:
            packed = (data / "html" / f"{name}.html.gz").read_bytes()
            html = gzip.decompress(packed).decode("utf-8", "replace")
            yield Page(html=html, url=truth["url"], true_text=truth["articleBody"])


def shingles(text: str) -> Shingles:
    words = re.findall(r"\w+", text)
    count = max(len(words) - SHINGLE_WORDS + 1, min(len(words), 1))
    return Counter(tuple(words[n : n + SHINGLE_WORDS]) for n in range(count))


def page_shares(true_text: str, found_text: str) -> tuple[float, float, float]:
    """True positives, false positives and false negatives as shares of their sum."""
    true, found = shingles(true_text), shingles(found_text)
    shared = (true & found).total()
    extra, missing = (found - true).total(), (true - found).total()
    total = (shared + extra + missing) or 1
    return shared / total, extra / total, missing / total


def score(pages: list[Page], extract: Extract) -> Score:
    precisions: list[float] = []
    recalls: list[float] = []
    started_s = time.perf_counter()
    found = [extract(page.html, page.url) for page in pages]
    page_ms = (time.perf_counter() - started_s) * 1000 / len(pages)
    for page, text in zip(pages, found, strict=True):
        shared, extra, missing = page_shares(page.true_text, text)
        if shared + extra:
            precisions.append(shared / (shared + extra))
        if shared + missing:
            recalls.append(shared / (shared + missing))
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    f1 = 2 * precision * recall / (precision + recall)
    return Score(f1=f1, precision=precision, recall=recall, page_ms=page_ms)


def results(name: str, measured: Score, goal: float | None = None) -> list[Result]:
    return [
        Result(name=f"{name}_f1", value=round(measured.f1, 4), unit="F1", goal=goal, at_least=True),
        Result(name=f"{name}_precision", value=round(measured.precision, 4), unit="share"),
        Result(name=f"{name}_recall", value=round(measured.recall, 4), unit="share"),
        Result(name=f"{name}_page_ms", value=round(measured.page_ms, 4), unit="ms"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--half", choices=["odd", "even", "all"], default="odd")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not (arguments.data / "ground-truth.json").is_file():
        sys.stderr.write(f"No pages at {arguments.data}; name their directory with --data.\n")
        show([], as_json=arguments.json)
        return
    pages = list(read_pages(arguments.data, arguments.half))
    rows = [
        *results("extraction", score(pages, ours), GOAL_F1),
        *results("trafilatura", score(pages, trafilatura_precise)),
        *results("crawl4ai_pruning", score(pages, crawl4ai_pruning())),
    ]
    show(rows, as_json=arguments.json)


if __name__ == "__main__":
    main()
