"""A report's wall time, beside the same work done in a row as seeds/000 describes it.

`python -m tests.bench.report [--json]`: the real bot against the stand-ins at a realistic pace
(800 ms to the first token, 60 tokens a second, 300 ms a page). `in_a_row_s` is reckoned from the
calls of the same run: a model call for each tool call, pages in batches side by side, and the
report written by the model as HTML, of which the styles are not counted.
"""

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bot.sandbox.model import ReplyPace
from tests.bench.results import Result, run
from tests.bench.thread import ask, bot_beside, count, seconds

PACE = ReplyPace(first_token_s=0.8, tokens_per_s=60.0)
PAGE_S = 0.3
ASKED = "Write a comprehensive report on keeping chat bots reliable"
CHARS_PER_TOKEN = 4
OURS = ("fork", "write_report")
"""Tools that the described agent has not: it writes the page itself."""
WRITER = "report-section-writer"
HEADROOM = 0.5
"""Of the time in a row, as issue 25 wants it."""
NOT_WRITTEN = re.compile(r"<style>.*?</style>|<section class=\"passages\".*?</section>", re.DOTALL)


def written_s(characters: int) -> float:
    return PACE.due_s(characters // CHARS_PER_TOKEN)


def in_a_row_s(calls: Sequence[dict[str, Any]], html: str, answer: str) -> float:
    """The same calls, each in a reply of its own, and the page written by the model."""
    total_s = written_s(CHARS_PER_TOKEN) + written_s(len(html)) + 2 * written_s(len(answer))
    for call in calls:
        if call["name"].rpartition("__")[2] not in OURS and call["agent"] != WRITER:
            total_s += written_s(len(json.dumps(call["input"])))
            total_s += PAGE_S if "crawl" in call["name"] else 0.0
    return total_s


def _read(root: Path) -> tuple[dict[str, Any], str]:
    """The trace of the report's session, and its page as a model would have to write it."""
    [page] = root.rglob("work_products/*.html")
    trace = json.loads((page.parent.parent / "trace.json").read_text(encoding="utf-8"))
    return trace, NOT_WRITTEN.sub("", page.read_text(encoding="utf-8"))


async def measure(root: Path) -> list[Result]:
    """One report."""
    home = root / "report"
    async with bot_beside(home, PACE) as (world, _):
        world.web.delay_s = PAGE_S
        turn = await ask(world.slack, ASKED)
    trace, html = await asyncio.to_thread(_read, home)
    calls: list[dict[str, Any]] = trace["tool_calls"]
    crawled = [call["input"]["urls"] for call in calls if "crawl" in call["name"]]
    row_s = in_a_row_s(calls, html, trace["answer_preview"])
    return [
        seconds("report_took_s", turn.took_s, 80),
        seconds("in_a_row_s", row_s),
        Result(
            name="share_of_in_a_row", value=round(turn.took_s / row_s, 2), unit="", goal=HEADROOM
        ),
        count("pages", sum(map(len, crawled))),
        count("sections_side_by_side", sum(call["name"] == "fork" for call in calls)),
    ]


if __name__ == "__main__":
    run(__doc__, measure)
