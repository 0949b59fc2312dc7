"""Playbook of the main agent: search, then answer in short or have the report expert write.

`expert.py` plays the report expert. Of a comparison each side is explored by a run of its own.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.sandbox.model.dialogue import (
    PARTS,
    RESULT,
    Dialogue,
    PastCall,
    objects_in,
    topic_of,
)
from bot.sandbox.model.message import Json, as_text
from bot.sandbox.model.phrases import find, line, pattern
from bot.sandbox.model.quoting import (
    ENOUGH,
    NumberedPage,
    best_quotes,
    blocks_of,
    capitalised,
    escape,
    on_topic,
    rarities,
    share,
    stems,
)

MAX_SIDES = 4
SEARCHES = ("SEARCH_WEB", "SEARCH_NEWS")
KEYLESS_SEARCHES = ("search_web", "search_news")
"""Of the toolkit, where there is no Composio."""
RESULTS = 20
NEARLY_AS_GOOD = 0.6
"""Pages that hold so much less of a topic than the best one are left out."""
EXPERT = "report-creation-expert"
PAGES_TO_ANSWER = 4
ANSWER_SENTENCES = 4
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
    sides = sides_of(now.words)
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
        ).partition("COMPLIANCE:")[0]
        text = text.partition("\n\nPages:")[0].strip()
    else:
        text = short_answer(
            dialogue,
            brief.topic,
            hits,
        )
    if dialogue.goes_on and not dialogue.exchanges[-1].calls:
        return line("nothing_open")
    results = {call.arguments["run"]: call for call in now.done(RESULT)}
    runs = [run for call in now.done(PARTS) for run in call.arguments["runs"]]
    if dialogue.may_call_tools and not results.keys() >= set(runs):
        return line("waiting")
    notes = [line("overtaken", note=note) for note in now.notes]
    return "\n\n".join(
        [
            *notes,
            *_compared(sides, list(results.values())),
            text,
        ]
    )


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


def search(dialogue: Dialogue, topics: Sequence[str]) -> dict[str, str]:
    """The addresses of pages that seem to be about one of the topics, with their titles."""
    offered = [name for name in (*SEARCHES, *KEYLESS_SEARCHES) if name in dialogue.tools]
    wanted: list[tuple[str, Json]] = []
    for topic in topics:
        query = {"query": topic, "num_results": RESULTS}
        wanted += [(name, query) for name in offered or SEARCHES]
    return _fitting(dialogue.side_by_side(wanted), topics)


def _fitting(searches: Iterable[PastCall], topics: Sequence[str]) -> dict[str, str]:
    """The results that hold most of a topic; else those that hold an aspect of it each."""
    titles: dict[str, str] = {}
    texts: dict[str, str] = {}
    for entry in objects_in(searches):
        url = as_text(entry.get("url") or entry.get("link"))
        if url and url not in titles:
            titles[url] = as_text(entry.get("title"))
            texts[url] = f"{titles[url]} {as_text(entry.get('snippet'))} {url}"
    shares = {url: max(share(topic, text) for topic in topics) for url, text in texts.items()}
    best = max(shares.values(), default=0.0)
    if best < ENOUGH:
        return {url: titles[url] for url in _together(texts, " ".join(topics))}
    least = max(ENOUGH, NEARLY_AS_GOOD * best)
    return {url: title for url, title in titles.items() if shares[url] >= least}


def _together(texts: Mapping[str, str], topic: str) -> list[str]:
    """The pages of which each holds another aspect of a topic, those with its rarest words first.

    None where even all of them hold too little of it.
    """
    if share(topic, " ".join(texts.values())) < ENOUGH:
        return []
    rarity = rarities(texts.values(), topic)
    chosen: list[str] = []
    covered: set[str] = set()
    for url in sorted(texts, key=lambda url: rarity[texts[url]], reverse=True):
        held = stems(topic) & stems(texts[url])
        if held - covered:
            chosen.append(url)
            covered |= held
    return chosen


def delegate(
    dialogue: Dialogue,
    brief: Brief,
    hits: Mapping[str, str],
) -> str:
    """What the report expert says of the report that it wrote."""
    task = dialogue.call(
        "Task",
        description=f"Report: {brief.topic}"[:80],
        prompt=brief.write(hits),
        subagent_type=EXPERT,
    )
    return task.result


def _compared(sides: Sequence[str], results: Sequence[PastCall]) -> list[str]:
    """The sides in a table with the first fact of each, then what else was found."""
    rows: list[str] = []
    paragraphs: list[str] = []
    for side in sides:
        task = line("find_out", side=side)
        answers = [call.result for call in results if task in call.arguments["task"]]
        facts = [fact for text in answers for fact in FACT.finditer(text)]
        if facts:
            first, *others = facts
            name = capitalised(side)
            rows.append(f"| {name} | {first['text']} | {first['source']} |")
            paragraphs.append("\n".join([f"**{name}**", *(fact[0] for fact in others)]))
        elif answers:
            outcome = escape(answers[0].partition("\n")[0])
            rows.append(f"| {capitalised(side)} | {outcome} | |")
    return ["\n".join([line("compared"), *rows]), *paragraphs] if rows else []


def short_answer(
    dialogue: Dialogue,
    topic: str,
    hits: Iterable[str],
) -> str:
    """Sentences of the pages, each with its page; and a table where figures are asked for."""
    pages = read_best(
        dialogue,
        topic,
        hits,
    )
    blocks = blocks_of(pages)
    quotes = best_quotes(
        on_topic(blocks, topic),
        topic,
        ANSWER_SENTENCES,
    )
    links = {page.n: f"[{page.title.translate(BRACKETS)}]({page.url})" for page in pages}
    facts = [f"- {escape(sentence)} ({links[n]})" for sentence, n in quotes]
    if not facts:
        return line("nothing", topic=topic) + unread_in(dialogue)
    tables = [block for block in blocks if block.kind == "table"]
    if tables and find("figures", dialogue.now.words):
        best = max(tables, key=lambda block: share(dialogue.now.words, block.text))
        facts += [
            "",
            "\n".join(best.sentences),
            "",
            line("table_of", link=links[best.n]),
        ]
    return "\n".join(facts)


BRACKETS = str.maketrans(
    "",
    "",
    "[]",
)


def read_best(
    dialogue: Dialogue,
    topic: str,
    hits: Iterable[str],
) -> list[NumberedPage]:
    """The first pages, read as a whole; those that are about the topic, where there are some."""
    crawl = dialogue.call("crawl_parallel", urls=list(hits)[:PAGES_TO_ANSWER])
    pages = read_pages(dialogue, crawl)
    texts = {page.n: f"{page.url} {page.title} {page.text}" for page in pages}
    best = [page for page in pages if share(topic, texts[page.n]) > ENOUGH]
    is_together = share(topic, " ".join(texts.values())) > ENOUGH
    return best or (pages if is_together else [])


def read_pages(dialogue: Dialogue, table: PastCall) -> list[NumberedPage]:
    """The fetched pages of a table with their texts, by their numbers or in their order."""
    rows = fetched([table])
    texts = dialogue.read(row["path"] for row in rows)
    return [
        NumberedPage(
            n=row.get("n") or position,
            url=row["url"],
            title=as_text(row.get("title")) or row["url"],
            text=texts[row["path"]],
        )
        for position, row in enumerate(rows, start=1)
    ]


def fetched(tables: Iterable[PastCall]) -> list[Json]:
    """The pages that could be fetched, out of tables of them, each once."""
    rows: dict[str, Json] = {}
    for row in objects_in(tables):
        is_fetched = row.get("status") in (None, "success")
        if is_fetched and row.get("url") and row.get("path"):
            rows[row["url"]] = row
    return list(rows.values())


def unread_in(dialogue: Dialogue) -> str:
    """The pages that could not be fetched, each with the reason that was given."""
    lines = ""
    for row in objects_in(dialogue.now.done("crawl_parallel")):
        status = as_text(row.get("status"))
        if status.startswith("failed"):
            lines += f"\n- {row.get('url')}: {status}"
    return lines
