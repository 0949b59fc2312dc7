"""Playbook of a report's section: a run of its own writes it to a file, beside other runs."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from bot.sandbox.model.dialogue import FORK, RESULT, Dialogue, NextStep
from bot.sandbox.model.message import ReplyText
from bot.sandbox.model.phrases import line
from bot.sandbox.model.playbooks.research import fetched
from bot.sandbox.model.quoting import (
    NumberedPage,
    PageBlock,
    blocks_of,
    cite,
    escape,
    stem,
    stems,
)

WRITER = "report-section-writer"
LEAST_SECTIONS = 3
"""Fewer are written sooner by one run."""
ORDER = re.compile(r"(?m)^Heading: (?P<heading>.+)\nFile: (?P<path>\S+)$")
BLOCKS = re.compile(r"(?m)^Source (\d+), blocks ([\d ]+)$")

PlannedSection = tuple[str, Sequence[PageBlock]]
"""A heading, and what of the pages stands below it."""


def file_of(heading: str) -> str:
    """The file of a section; two headings of one report never share one."""
    return f"sections/{'_'.join(sorted(stems(heading))) or stem(heading)}.md"


def have_written(dialogue: Dialogue, sections: Sequence[PlannedSection]) -> list[str]:
    """The files of the sections, each written by a run of its own; none where one has failed.

    NextStep carries the start of the runs out of the playbook, and the wait for them.
    """
    orders = [
        (FORK, {"description": heading, "prompt": order(heading, blocks), "subagent_type": WRITER})
        for heading, blocks in sections
    ]
    runs = [call.result.strip() for call in dialogue.side_by_side(orders)]
    results = {call.arguments["run"]: call for call in dialogue.now.done(RESULT)}
    if dialogue.may_call_tools and not results.keys() >= set(runs):
        raise NextStep(ReplyText(text=line("sections_waiting")))
    have_failed = any(run not in results or results[run].is_error for run in runs)
    return [] if have_failed else [file_of(heading) for heading, _ in sections]


def order(heading: str, blocks: Iterable[PageBlock]) -> str:
    """What the writer of a section is told: its heading, its file, and what to quote."""
    positions: defaultdict[int, list[str]] = defaultdict(list)
    for block in blocks:
        positions[block.n].append(str(block.position))
    quoted = [f"Source {n}, blocks {' '.join(each)}" for n, each in positions.items()]
    return "\n".join([f"Heading: {heading}", f"File: {file_of(heading)}", *quoted])


def write(dialogue: Dialogue) -> str:
    """The writer's work: it reads the sources of its order and writes the section to its file."""
    asked = dialogue.exchanges[0].asked
    ordered = ORDER.search(asked)
    if ordered is None:
        return line("no_report", why=asked[:200])
    wanted = {
        (int(n), int(position))
        for n, positions in BLOCKS.findall(asked)
        for position in positions.split()
    }
    numbers = {n for n, _ in wanted}
    rows = fetched([dialogue.call("list_sources")])
    paths = {row["n"]: row["path"] for row in rows if row["n"] in numbers}
    texts = dialogue.read(paths.values())
    pages = [
        NumberedPage(n=n, url="", title="", text=texts[path]) for n, path in sorted(paths.items())
    ]
    blocks = [block for block in blocks_of(pages) if (block.n, block.position) in wanted]
    markdown = as_markdown(ordered["heading"], blocks)
    dialogue.call("write_local_file", path=ordered["path"], content=markdown)
    return line("section_written", heading=ordered["heading"], path=ordered["path"])


def as_markdown(heading: str, blocks: Sequence[PageBlock]) -> str:
    """A section of a report; nothing where there is nothing to quote."""
    parts = [f"## {escape(heading)}", *map(_block, blocks)]
    return "\n\n".join(parts) + "\n\n" if blocks else ""


def _block(block: PageBlock) -> str:
    """A block with its citation behind it; a table is cited in its first heading."""
    if block.kind == "table":
        head, *rows = block.sentences
        first, bar, others = head.removeprefix("|").partition("|")
        head = f"| {first.strip()} [{block.n}] {bar}{others}"
        return "\n".join([head, *rows])
    cited = " ".join(cite(sentence, block.n) for sentence in block.sentences)
    return f"- {cited}" if block.kind == "item" else cited
