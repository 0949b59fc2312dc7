"""Playbook of the main agent: search, then answer in short or have the report expert write.

`expert.py` plays the report expert. Of a comparison each side is explored by a run of its own.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.sandbox.model.dialogue import (
    ANSWERED,
    BATCH_TOOL,
    PARTS,
    REPORT,
    RESULT,
    SECTION,
    Dialogue,
    PastCall,
    objects_in,
    say,
    topic_of,
)
from bot.sandbox.model.message import Json, StandInReply, as_text, walk
from bot.sandbox.model.quoting import (
    ENOUGH,
    NumberedPage,
    best_quotes,
    blocks_of,
    capitalised,
    cite,
    escape,
    on_topic,
    phrases,
    share,
    stems,
)

COMPARE = phrases("compare")
BETWEEN = phrases("between")
MAX_SIDES = 4
FIND_OUT = "Find out about {side}."
SEARCHES = ("SEARCH_WEB", "SEARCH_NEWS")
RESULTS = 20
NEARLY_AS_GOOD = 0.6
"""Pages that hold so much less of a topic than the best one are left out."""
EXPERT = "report-creation-expert"
PAGES_TO_ANSWER = 4
ANSWER_SENTENCES = 4
URL = re.compile(r"https?://[^\s<>\"')\]]+")
REQUEST = 'Request, word for word:\n"""\n{request}\n"""\n\nTopic: {topic}'
NOTHING = "I found nothing about {topic}: none of the pages here speaks of it."
ASK_TOPIC = "What should this be about?"
UNSAID = "I do not know what this should be about, so I did nothing."
TOPICS = ("Keeping chat bots reliable", "Batteries in the grid", "Heat pumps in old houses")
NOTHING_OPEN = (
    "Nothing is open in this thread. I can add a section to the report, look into another subject, "
    "or compare two."
)
OVERTAKEN = "This stand-in plays a fixed book and could not take into account: “{note}”."
WAITING = "I have the report, and wait for the runs that explore each part."
REPEATED_MARK = re.compile(r" \[(\d+)\](?=[^\n\[]*[^\n\[ ] \[\1\])")
"""A number that the next sentence has, too: a run of sentences is cited once."""
FACT = re.compile(r"(?m)^- (?P<text>.+) \((?P<source>\[[^\]]+\]\(\S+?\))\)$")
"""A sentence of a branch's result, with its page."""
LISTED = re.compile(r"(?m)^(\d+)\. (.*): (http\S+)\n?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """The main agent's task for the report expert."""

    topic: str
    request: str = ""
    sections: tuple[str, ...] = ()
    """To be added to the report that there is."""

    def write(self, hits: Mapping[str, str]) -> str:
        """The brief in words, with the address and the title of every page that was found."""
        lines = [REQUEST.format(request=self.request, topic=self.topic)]
        lines += [f"Section: {section}" for section in self.sections]
        lines.append("Read these pages in full and save them:")
        lines += [f"- {title}: {url}" for url, title in hits.items()]
        return "\n".join(lines)

    @classmethod
    def read(cls, text: str) -> "Brief":
        """A brief of ours, or as much as can be understood of anybody's."""
        topic = re.search(r"(?m)^Topic: (.+)$", text)
        return cls(
            topic=topic[1] if topic else topic_of(URL.sub(" ", text)),
            sections=tuple(re.findall(r"(?m)^Section: (.+)$", text)),
        )


def plan(dialogue: Dialogue) -> StandInReply:
    """The planner's call: a sub-question for each side; no question to the person."""
    sides = sides_of(dialogue.now.words)
    call = dialogue.use(
        "plan",
        is_continuation=False,
        question="",
        is_blocking=False,
        default="",
        sub_questions=[
            {
                "title": side,
                "question": FIND_OUT.format(side=side),
            }
            for side in sides
        ],
    )
    return (call,)


def sides_of(words: str) -> list[str]:
    """The sides of a comparison; none where no comparison is asked for."""
    comparison = COMPARE.match(words)
    sides = BETWEEN.split(comparison["sides"]) if comparison else []
    return sides[:MAX_SIDES] if len(sides) > 1 else []


def decide(dialogue: Dialogue) -> StandInReply:
    """The next step of the main agent: ask what is vague, search, then delegate or read."""
    brief = read_brief(dialogue)
    if not stems(brief.topic):
        if "ask_user" not in dialogue.tools or dialogue.now.done("ask_user"):
            return say(UNSAID)
        return (dialogue.use("ask_user", question=ASK_TOPIC, options=TOPICS),)
    sides = sides_of(dialogue.now.words)
    topics = sides or [*brief.sections, brief.topic]
    step = search(dialogue, topics)
    if step:
        return step
    addressed = dict.fromkeys(URL.findall(brief.request), "Named in the request")
    hits = addressed or find_hits(dialogue, topics)
    if not hits:
        return say(NOTHING.format(topic=brief.topic))
    step = _read_or_delegate(dialogue, brief, hits)
    if step and dialogue.may_call_tools:
        return step
    return say(_answer(dialogue, brief, sides))


def read_brief(dialogue: Dialogue) -> Brief:
    """The brief for a new topic, or for a new section of the report of this thread."""
    now = dialogue.now
    section = SECTION.search(now.words)
    tasks = [call for exchange in dialogue.earlier for call in exchange.done("Task")]
    if section and tasks:
        known = Brief.read(tasks[-1].arguments["prompt"])
        name = section["topic"].strip(' .!"“”')
        sections = dict.fromkeys([*known.sections, name])
        return Brief(
            request=now.words,
            topic=known.topic,
            sections=tuple(sections),
        )
    sides = sides_of(now.words)
    if sides:
        *others, last = sides
        topic = f"{', '.join(others)} and {last}"
        return Brief(request=now.words, topic=topic)
    answers = [ANSWERED.sub("", call.result) for call in now.done("ask_user") if not call.is_error]
    answers = [answer for answer in answers if not answer.startswith("Nobody answered")]
    return Brief(
        request="\n\n".join([now.words, *answers]),
        topic=topic_of(now.words) or topic_of(" ".join(answers)),
    )


def search(dialogue: Dialogue, topics: Iterable[str]) -> StandInReply | None:
    """The search for all topics side by side, in news too; None once it was made."""
    if not dialogue.may_call_tools:
        return None
    made = walk([call.arguments for call in _searches(dialogue)])
    queries = dict.fromkeys(topics)
    for item in made:
        queries.pop(item.get("query", ""), None)
    calls: list[tuple[str, Json]] = []
    for query in queries:
        arguments = {"query": query, "num_results": RESULTS}
        calls += [(name, arguments) for name in SEARCHES]
    listed = [(name, arguments) for name, arguments in calls if name in dialogue.tools]
    if calls and not listed and BATCH_TOOL in dialogue.tools:
        return dialogue.batch([(f"COMPOSIO_{name}", arguments) for name, arguments in calls])
    return tuple(dialogue.use(name, **arguments) for name, arguments in listed) or None


def find_hits(dialogue: Dialogue, topics: Sequence[str]) -> dict[str, str]:
    """The addresses of pages that seem to be about one of the topics, best first, with titles."""
    titles: dict[str, str] = {}
    texts: dict[str, str] = {}
    for entry in objects_in(_searches(dialogue)):
        link = entry.get("url") or entry.get("link")
        url = as_text(link)
        if url and url not in titles:
            title = as_text(entry.get("title"))
            titles[url] = title
            texts[url] = f"{title} {as_text(entry.get('snippet'))} {url}"
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
    wanted = stems(topic)
    held = {url: wanted & stems(text) for url, text in texts.items()}
    counts = Counter(word for words in held.values() for word in words)
    if len(counts) < ENOUGH * len(wanted):
        return []
    rarity = {url: sum(1 / counts[word] for word in words) for url, words in held.items()}
    chosen: list[str] = []
    covered: set[str] = set()
    for url in sorted(held, key=rarity.__getitem__, reverse=True):
        if held[url] - covered:
            chosen.append(url)
            covered |= held[url]
    return chosen


def _searches(dialogue: Dialogue) -> list[PastCall]:
    """The searches that were made, by their own names or in batches."""
    searches = dialogue.now.done(*SEARCHES)
    for batch in dialogue.now.done(BATCH_TOOL):
        if "_SEARCH_" in str(batch.arguments):
            searches.append(batch)
    return searches


def _read_or_delegate(
    dialogue: Dialogue, brief: Brief, hits: Mapping[str, str]
) -> StandInReply | None:
    """The next call after the search; None once there is enough for an answer."""
    now = dialogue.now
    is_report = REPORT.search(brief.request) or brief.sections or sides_of(now.words)
    if is_report and "Task" in dialogue.tools:
        return delegate(dialogue, brief, hits)
    crawls = now.done("crawl_parallel")
    if crawls:
        return read_files(dialogue, crawls)
    urls = list(hits)[:PAGES_TO_ANSWER]
    return (dialogue.use("crawl_parallel", urls=urls),)


def delegate(
    dialogue: Dialogue,
    brief: Brief,
    hits: Mapping[str, str],
) -> StandInReply | None:
    """The task for the report expert; None once it was given."""
    if dialogue.now.done("Task"):
        return None
    task = dialogue.use(
        "Task",
        description=f"Report: {brief.topic}"[:80],
        prompt=brief.write(hits),
        subagent_type=EXPERT,
    )
    return (task,)


def _answer(
    dialogue: Dialogue,
    brief: Brief,
    sides: Sequence[str],
) -> str:
    """What was found about each side of a comparison, then what the report or the pages say."""
    now = dialogue.now
    if dialogue.goes_on and not dialogue.exchanges[-1].calls:
        return NOTHING_OPEN
    results = {call.arguments["run"]: call for call in now.done(RESULT)}
    runs = [run for call in now.done(PARTS) for run in call.arguments["runs"]]
    if dialogue.may_call_tools and not results.keys() >= set(runs):
        return WAITING
    paragraphs = [OVERTAKEN.format(note=note) for note in now.notes]
    explored: dict[str, str] = {}
    for side in sides:
        task = FIND_OUT.format(side=side)
        for call in results.values():
            if task in call.arguments["task"]:
                explored[capitalised(side)] = call.result
    if explored:
        paragraphs.append(_compared(explored))
    return "\n\n".join([*paragraphs, _conclude(dialogue, brief)])


def _compared(explored: Mapping[str, str]) -> str:
    """The sides in a table with the first fact of each, then what else was found."""
    rows = ["| | What the pages say | Source |", "| --- | --- | --- |"]
    paragraphs: list[str] = []
    for side, result in explored.items():
        facts = list(FACT.finditer(result))
        if not facts:
            outcome = result.partition("\n")[0]
            rows.append(f"| {side} | {escape(outcome)} | |")
            continue
        first, *others = facts
        rows.append(f"| {side} | {first['text']} | {first['source']} |")
        if others:
            lines = [fact[0] for fact in others]
            paragraphs.append("\n".join([f"**{side}**", *lines]))
    return "\n\n".join(["\n".join(rows), *paragraphs])


def _conclude(dialogue: Dialogue, brief: Brief) -> str:
    """The answer: the expert's result with the report's numbers, or sentences of the pages."""
    tasks = dialogue.now.done("Task")
    if tasks:
        return _numbered(tasks[-1].result.partition("COMPLIANCE:")[0])
    read = pages_read(dialogue, dialogue.now.done("crawl_parallel"))
    texts = {page.url: f"{page.url} {page.title} {page.text}" for page in read}
    pages = [page for page in read if share(brief.topic, texts[page.url]) > ENOUGH]
    if not pages and share(brief.topic, " ".join(texts.values())) > ENOUGH:
        pages = read
    sentences = sentences_on(brief.topic, pages, ANSWER_SENTENCES)
    if not sentences:
        return NOTHING.format(topic=brief.topic) + unread_in(dialogue)
    lines = [f"- {sentence}" for sentence in sentences]
    lines += map(listed_line, pages)
    return linked("\n".join(lines))


def read_files(dialogue: Dialogue, tables: Iterable[PastCall]) -> StandInReply | None:
    """Reads the files of pages, each to its end; None once all are read."""
    offsets: dict[str, int | None] = {row["path"]: 0 for row in rows_of(tables)}
    for read in dialogue.now.done("read_local_file"):
        path = read.arguments["path"]
        offsets[path] = read.data.get("next_offset")
    reads = [
        dialogue.use("read_local_file", path=path, offset=offset)
        for path, offset in offsets.items()
        if offset is not None
    ]
    return tuple(reads) or None


def rows_of(tables: Iterable[PastCall]) -> list[Json]:
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


def pages_read(dialogue: Dialogue, tables: Iterable[PastCall]) -> list[NumberedPage]:
    """The pages of tables with their texts, by their numbers or in their order."""
    texts: defaultdict[str, str] = defaultdict(str)
    for read in dialogue.now.done("read_local_file"):
        path = read.arguments["path"]
        texts[path] += as_text(read.data.get("text"))
    pages: list[NumberedPage] = []
    for position, row in enumerate(rows_of(tables), start=1):
        page = NumberedPage(
            n=row.get("n") or position,
            url=row["url"],
            title=as_text(row.get("title")) or row["url"],
            text=texts[row["path"]],
        )
        pages.append(page)
    return pages


def sentences_on(
    topic: str,
    pages: Iterable[NumberedPage],
    count: int,
) -> list[str]:
    """The most telling sentences of the pages on a topic, each with its number."""
    blocks = on_topic(blocks_of(pages), topic)
    quotes = best_quotes(blocks, topic, count)
    return [cite(*quote) for quote in quotes]


def listed_line(page: NumberedPage) -> str:
    """A page's line below a text that cites it by its number."""
    title = re.sub(r"[\[\]]", "", page.title)
    return f"{page.n}. {title}: {page.url}"


def _numbered(text: str) -> str:
    """A text with its numbers, without the list of the pages that they stand for."""
    body = LISTED.sub("", text).strip()
    body = body.partition("\n\nPages:")[0]
    return REPEATED_MARK.sub("", body)


def linked(text: str) -> str:
    """A text whose numbers are links to the pages that are listed below it."""
    body = _numbered(text)
    for n, title, url in LISTED.findall(text):
        body = body.replace(f" [{n}]", f" ([{title}]({url}))")
    return body
