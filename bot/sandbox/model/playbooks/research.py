"""Playbook of the main agent: search, then answer in short or have the report expert write.

`expert.py` plays the report expert. Of a comparison each side is explored by a run of its own.
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.sandbox.model.dialogue import PARTS, RESULT, Dialogue, PastCall, topic_of
from bot.sandbox.model.phrases import find, line, pattern
from bot.sandbox.model.playbooks.pages import nothing_about, read_pages, search
from bot.sandbox.model.quoting import (
    PageBlock,
    capitalised,
    escape,
    quotes_on,
    share,
    stems,
)

MAX_SIDES = 4
EXPERT = "report-creation-expert"
PAGES_TO_ANSWER = 4
ANSWER_SENTENCES = 4
ROWS = 20
URL = re.compile(r"https?://[^\s<>\"')\]]+")
FACT = re.compile(r"(?m)^- (?P<text>.+) \((?P<source>\[[^\]]+\]\(\S+?\))\)$")
"""A sentence of a branch's result, with its page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """The main agent's task for the report expert."""

    topic: str
    request: str = ""
    sections: tuple[str, ...] = ()
    """That were asked for by name, such as the sides of a comparison."""

    def write(self, hits: Mapping[str, str]) -> str:
        """The brief in words, with the address and the title of every page that was found."""
        sections = "".join(f"Section: {section}\n" for section in self.sections)
        pages = "\n".join(f"- {title}: {url}" for url, title in hits.items())
        return line(
            "brief",
            request=self.request,
            topic=self.topic,
            sections=sections,
            pages=pages,
        )

    @classmethod
    def read(cls, text: str) -> "Brief":
        """A brief of ours, or as much as can be understood of anybody's."""
        topic = re.search(r"(?m)^Topic: (.+)$", text)
        return cls(
            topic=topic[1] if topic else topic_of(URL.sub(" ", text)),
            sections=tuple(re.findall(r"(?m)^Section: (.+)$", text)),
        )


def sides_of(words: str) -> list[str]:
    """The sides of a comparison; none where no comparison is asked for."""
    comparison = find("compare", words)
    sides = pattern("between").split(comparison["sides"]) if comparison else []
    return sides[:MAX_SIDES] if len(sides) > 1 else []


def answer(dialogue: Dialogue) -> str:
    """What was found about each side of a comparison, then what the report or the pages say."""
    now = dialogue.now
    brief = read_brief(dialogue)
    hits = dict.fromkeys(URL.findall(now.words), "Named in the request")
    hits = hits or search(dialogue, [*brief.sections, brief.topic])
    if not hits:
        return line("nothing", topic=brief.topic)
    is_report = find("report", URL.sub("", brief.request)) or brief.sections
    if is_report and "Task" in dialogue.tools:
        text = delegate(
            dialogue,
            brief,
            hits,
        )
    else:
        text = short_answer(
            dialogue,
            brief.topic,
            list(hits),
        )
    if dialogue.goes_on and not dialogue.exchanges[-1].calls:
        return line("nothing_open")
    results = {call.arguments["run"]: call for call in now.done(RESULT)}
    runs = [run for call in now.done(PARTS) for run in call.arguments["runs"]]
    if dialogue.may_call_tools and not results.keys() >= set(runs):
        return line("waiting")
    notes = [line("overtaken", note=note) for note in now.notes]
    compared = _compared(sides_of(now.words), list(results.values()))
    return "\n\n".join([*notes, *compared, text])


def read_brief(dialogue: Dialogue) -> Brief:
    """The brief for a new topic, or for a new section of the report of this thread."""
    words = dialogue.now.words
    section = find("section", words)
    tasks = [call for exchange in dialogue.earlier for call in exchange.done("Task")]
    if section and tasks:
        known = Brief.read(tasks[-1].arguments["prompt"])
        name = section["topic"].strip(' .!"“”')
        sections = dict.fromkeys([*known.sections, name])
        return Brief(
            request=words,
            topic=known.topic,
            sections=tuple(sections),
        )
    sides = sides_of(words)
    if sides:
        topic = f"{', '.join(sides[:-1])} and {sides[-1]}"
        return Brief(
            request=words,
            topic=topic,
            sections=tuple(sides),
        )
    return Brief(request=words, topic=topic_of(words))


def delegate(dialogue: Dialogue, brief: Brief, hits: Mapping[str, str]) -> str:
    """What the report expert says of the report that it wrote."""
    task = dialogue.call(
        "Task",
        description=f"Report: {brief.topic}"[:80],
        prompt=brief.write(hits),
        subagent_type=EXPERT,
    )
    return task.result.partition("COMPLIANCE:")[0].strip()


def _compared(sides: Sequence[str], results: Sequence[PastCall]) -> list[str]:
    """The sides in a table with the first fact of each, then what else was found."""
    rows: list[str] = []
    paragraphs: list[str] = []
    for side in sides:
        task = line("find_out", side=side)
        answers = [call.result for call in results if task in call.arguments["task"]]
        text = "\n".join(answers)
        first, *others = [*FACT.finditer(text), None]
        name = capitalised(side)
        if first:
            rows.append(f"| {name} | {first['text']} | {first['source']} |")
            facts = [other[0] for other in others if other]
            paragraphs.append("\n".join([f"**{name}**", *facts]))
        elif answers:
            outcome = escape(text.partition("\n")[0])
            rows.append(f"| {name} | {outcome} | |")
    return ["\n".join([line("compared"), *rows]), *paragraphs] if rows else []


def short_answer(dialogue: Dialogue, topic: str, urls: Sequence[str]) -> str:
    """Sentences of the pages, each with its page; and a table where figures are asked for."""
    blocks = read_pages(
        dialogue,
        topic,
        urls[:PAGES_TO_ANSWER],
    )
    quotes = quotes_on(blocks, topic, ANSWER_SENTENCES)
    if not quotes:
        return nothing_about(dialogue, topic)
    rows = [quote.fact for quote in quotes]
    words = dialogue.now.words
    tables = [block for block in blocks if block.kind == "table"]
    if tables and find("figures", words):
        table = max(tables, key=lambda block: share(words, block.text))
        rows += ["", *table.sentences, "", line("table_of", link=table.link)]
    return "\n".join(rows)


def write_table(dialogue: Dialogue) -> str:
    """A table of what the pages say, as a file for Excel."""
    words = dialogue.now.words
    topic = topic_of(pattern("table_words").sub(" ", words))
    hits = search(dialogue, [topic]) if stems(topic) else {}
    if not hits:
        return ""
    blocks = read_pages(
        dialogue,
        topic,
        list(hits)[:PAGES_TO_ANSWER],
    )
    rows = _rows_on(blocks, topic)
    table = io.StringIO()
    csv.writer(table).writerows(rows)
    kind = "csv" if "csv" in words.casefold() else "xlsx"
    name = "_".join(topic.casefold().split())
    written = dialogue.call(
        "write_local_file",
        path=f"work_products/{name}.{kind}",
        content=table.getvalue(),
    )
    if not written.result.startswith("Success"):
        return line("no_table", why=written.result[:300])
    return line(
        "table_ready",
        topic=topic,
        count=len(rows) - 1,
    )


def _rows_on(blocks: Sequence[PageBlock], topic: str) -> list[list[str]]:
    """The best table of the pages on a topic, else their sentences; each row with its page."""
    tables = [block for block in blocks if block.kind == "table" and share(topic, block.text)]
    if not tables:
        quotes = quotes_on(blocks, topic, ROWS)
        rows = [[quote.sentence, quote.block.url] for quote in quotes]
        return [["What the page says", "Source"], *rows]
    best = max(tables, key=lambda block: share(topic, block.text))
    head, _, *body = [re.split(r"\s*\|\s*", row.strip("| ")) for row in best.sentences]
    return [[*head, "Source"], *([*cells, best.url] for cells in body)]
