"""How much of real pages' text is found: ours beside trafilatura's, resiliparse's and crawl4ai's.

`python -m tests.bench.extraction [--articles DIR] [--half odd|even|all] [--wcxb DIR] [--learn]
[--json]`. The extractor was tuned on the even half of the articles; the odd half is the measure.
`--wcxb` measures on pages of seven kinds. `--learn` prints what the choice among readings learns
from all of these pages, and measures it on sites that it did not learn from.
"""

import argparse
import gzip
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, cast
from urllib.parse import urlsplit

import numpy
import trafilatura
from resiliparse.extract.html2text import extract_plain_text
from trafilatura.utils import load_html

from mcp_local.errors import ToolkitError
from mcp_local.extract.html import declared_types, extract_html, is_article, readings_of_page
from mcp_local.extract.readings import WEIGHTS, Readings, choose, signs_of
from tests.bench.results import Result, show

DEFAULT_DATA = Path("../shared/data/article-extraction")
GOAL_F1 = 0.96
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


def trafilatura_reader(*, precision: bool = False, recall: bool = False) -> Extract:
    def extract(html: str, url: str) -> str:
        text = trafilatura.extract(
            html, url=url, include_comments=False, favor_precision=precision, favor_recall=recall
        )
        return text or ""

    return extract


def resiliparse_main(html: str, url: str) -> str:
    return extract_plain_text(html, main_content=True)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class KindPage:
    """A page of the set of seven kinds, with snippets that its text has to hold or must not."""

    html: str
    url: str
    kind: str
    true_words: Counter[str]
    wanted: Sequence[str]
    unwanted: Sequence[str]


def read_kind_pages(data: Path) -> Iterator[KindPage]:
    with gzip.open(data / "pages.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            page: dict[str, Any] = json.loads(line)
            packed = (data / "html" / f"{page['id']}.html.gz").read_bytes()
            yield KindPage(
                html=gzip.decompress(packed).decode("utf-8", "replace"),
                url=page["url"],
                kind=page["kind"],
                true_words=words_of(page["main_content"]),
                wanted=page["with"],
                unwanted=page["without"],
            )


def words_of(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


def word_f1(text: str, true_words: Counter[str]) -> float:
    words = words_of(text)
    shared = (words & true_words).total()
    return 2 * shared / max(1, words.total() + true_words.total())


def kind_results(name: str, pages: Sequence[KindPage], texts: Sequence[str]) -> Iterator[Result]:
    """Mean F1 of all pages and of each kind; the snippets that are lost and wrongly kept."""
    f1_by_kind: dict[str, list[float]] = defaultdict(list)
    lost: list[bool] = []
    kept: list[bool] = []
    for page, text in zip(pages, texts, strict=True):
        f1 = word_f1(text, page.true_words)
        f1_by_kind[page.kind].append(f1)
        f1_by_kind["all"].append(f1)
        line = " ".join(text.split())
        lost += [" ".join(snippet.split()) not in line for snippet in page.wanted]
        kept += [" ".join(snippet.split()) in line for snippet in page.unwanted]
    for kind, values in sorted(f1_by_kind.items()):
        yield Result(name=f"{name}_{kind}_f1", value=round(mean(values), 4), unit="F1")
    yield Result(name=f"{name}_lost", value=round(mean(lost), 4), unit="share")
    yield Result(name=f"{name}_kept", value=round(mean(kept), 4), unit="share")


def measure_kinds(data: Path) -> Iterator[Result]:
    pages = list(read_kind_pages(data))
    readers: Mapping[str, Extract] = {
        "ours": ours,
        "trafilatura": trafilatura_reader(),
        "trafilatura_precision": trafilatura_reader(precision=True),
        "trafilatura_recall": trafilatura_reader(recall=True),
        "resiliparse": resiliparse_main,
    }
    for name, read in readers.items():
        started_s = time.process_time()
        texts = [read(page.html, page.url) for page in pages]
        pages_a_second = len(pages) / (time.process_time() - started_s)
        yield from kind_results(f"wcxb_{name}", pages, texts)
        yield Result(
            name=f"wcxb_{name}_speed", value=round(pages_a_second, 1), unit="pages/s and core"
        )


RIDGE = 10.0
FOLDS = 10


def learn(data: Path) -> Iterator[Result]:
    """The weights of the choice among readings, by ridge regression on the F1 of each reading.

    F1 is told for pages of sites that the weights were not learnt from.
    """
    pages = list(read_kind_pages(data))
    choices = [readings_to_learn(page) for page in pages]
    hosts = sorted({urlsplit(page.url).netloc for page in pages})
    fold_of = {host: index % FOLDS for index, host in enumerate(hosts)}
    folds = [fold_of[urlsplit(page.url).netloc] for page in pages]
    texts = [""] * len(pages)
    for fold in range(FOLDS):
        learnt_from = [index for index, other in enumerate(folds) if other != fold]
        weights = learn_weights(
            [choices[index] for index in learnt_from], [pages[index] for index in learnt_from]
        )
        for index, other in enumerate(folds):
            if other == fold:
                readings = choices[index]
                texts[index] = readings[choose(readings, weights=weights)]
    yield from kind_results("wcxb_unseen_sites", pages, texts)
    for sign, weight in learn_weights(choices, pages).items():
        yield Result(name=sign, value=weight, unit="weight")


def readings_to_learn(page: KindPage) -> Readings:
    tree: Any = load_html(page.html)
    return readings_of_page(tree, page.url, is_article=is_article(declared_types(tree)))


def learn_weights(choices: Sequence[Readings], pages: Sequence[KindPage]) -> Mapping[str, float]:
    rows: list[Any] = []
    gains: list[Any] = []
    for readings, page in zip(choices, pages, strict=True):
        signs = signs_of(readings)
        values = numpy.array([[signs[name][sign] for sign in WEIGHTS] for name in signs])
        f1_values = numpy.array([word_f1(readings[name], page.true_words) for name in signs])
        rows.append(values - values.mean(axis=0))  # beside the page's other readings
        gains.append(f1_values - f1_values.mean())
    values = numpy.concatenate(rows)
    spread = values.std(axis=0) + 1e-9
    scaled = values / spread
    squares = scaled.T @ scaled + RIDGE * numpy.eye(len(WEIGHTS))
    wanted = scaled.T @ numpy.concatenate(gains)
    linalg: Any = numpy.linalg
    solved = linalg.solve(squares, wanted) / spread
    return {sign: round(float(weight), 3) for sign, weight in zip(WEIGHTS, solved, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--articles", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--half", choices=["odd", "even", "all"], default="odd")
    parser.add_argument("--wcxb", type=Path)
    parser.add_argument("--learn", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.learn:
        show(list(learn(arguments.wcxb)), as_json=arguments.json)
        return
    if not (arguments.articles / "ground-truth.json").is_file():
        sys.stderr.write(
            f"No pages at {arguments.articles}; name their directory with --articles.\n"
        )
        show([], as_json=arguments.json)
        return
    pages = list(read_pages(arguments.articles, arguments.half))
    rows = [
        *results("extraction", score(pages, ours), GOAL_F1),
        *results("trafilatura", score(pages, trafilatura_reader())),
        *results("crawl4ai_pruning", score(pages, crawl4ai_pruning())),
    ]
    if arguments.wcxb is not None:
        rows += measure_kinds(arguments.wcxb)
    show(rows, as_json=arguments.json)


if __name__ == "__main__":
    main()
