"""Playbook of a report's section: a run of its own writes it to a file, beside other runs."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from bot.sandbox.model.dialogue import FORK, RESULT, Dialogue, NextStep
from bot.sandbox.model.message import Json, ReplyText
from bot.sandbox.model.phrases import line
from bot.sandbox.model.playbooks.research import fetched
from bot.sandbox.model.quoting import (
    NumberedPage,
    PageBlock,
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
    orders: list[tuple[str, Json]] = []
    files: list[str] = []
    for heading, blocks in sections:
        arguments: Json = {
            "description": heading,
            "prompt": order(heading, blocks),
            "subagent_type": WRITER,
        }
        orders.append((FORK, arguments))
        files.append(file_of(heading))
    runs: list[str] = [call.result.strip() for call in dialogue.side_by_side(orders)]
    ended: dict[str, bool] = {}
    for call in dialogue.now.done(RESULT):
        run = call.arguments["run"]
        ended[run] = not call.is_error
    is_open = not ended.keys() >= set(runs)
    if is_open and dialogue.may_call_tools:
        waiting = line("sections_waiting")
        raise NextStep(ReplyText(text=waiting))
    are_there = all(ended.get(run) for run in runs)
    return files if are_there else []


def order(heading: str, blocks: Iterable[PageBlock]) -> str:
    """What the writer of a section is told: its heading, its file, and what to quote."""
    positions: defaultdict[int, list[str]] = defaultdict(list)
    for block in blocks:
        position = str(block.position)
        positions[block.n].append(position)
    lines = [f"Heading: {heading}"]
    lines.append(f"File: {file_of(heading)}")
    for n, each in positions.items():
        joined = " ".join(each)
        lines.append(f"Source {n}, blocks {joined}")
    return "\n".join(lines)


def write(dialogue: Dialogue) -> str:
    """The writer's work: it reads the sources of its order and writes the section to its file."""
    asked = dialogue.exchanges[0].asked
    ordered = ORDER.search(asked)
    if ordered is None:
        return line("no_report", why=asked[:200])
    wanted: set[tuple[int, int]] = set()
    for number, positions in BLOCKS.findall(asked):
        n = int(number)
        for position in positions.split():
            at = int(position)
            wanted.add((n, at))
    markdown = as_markdown(
        ordered["heading"],
        _blocks(dialogue, wanted),
    )
    path = ordered["path"]
    dialogue.call(
        "write_local_file",
        path=path,
        content=markdown,
    )
    return line("section_written", heading=ordered["heading"])


def _blocks(dialogue: Dialogue, wanted: Collection[tuple[int, int]]) -> list[PageBlock]:
    """The blocks of an order, by source and position, read from the sources' files."""
    numbers = {n for n, _ in wanted}
    listed = dialogue.call("list_sources")
    paths: dict[int, str] = {}
    for row in fetched([listed]):
        n = row["n"]
        if n in numbers:
            paths[n] = row["path"]
    texts = dialogue.read(paths.values())
    blocks: list[PageBlock] = []
    for n in sorted(paths):
        text = texts[paths[n]]
        page = NumberedPage(
            n=n,
            url="",
            title="",
            text=text,
        )
        blocks += [block for block in page.blocks() if (block.n, block.position) in wanted]
    return blocks


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
