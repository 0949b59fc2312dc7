"""Playbook: search, read pages, and answer in short; or have the report expert write a report."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

from bot.sandbox.model.conversation import (
    BATCH_TOOL,
    PARTS,
    REPORT,
    RESULT,
    SECTION,
    Dialogue,
    Exchange,
    PastCall,
    say,
    topic_of,
)
from bot.sandbox.model.message import StandInReply, ToolUse
from bot.sandbox.model.playbooks.parts import FIND_OUT, sides_of
from bot.sandbox.model.sentences import NumberedPage, content_words, is_about, stems
from bot.sandbox.model.wire import Json, as_list, as_text, walk
from bot.sandbox.model.writing import SUMMARY_SENTENCES, escape, telling, write_report

EXPERT = "report-creation-expert"
SEARCHES = ("SEARCH_WEB", "SEARCH_NEWS")
BATCH, MAX_BATCHES = 10, 2
RESULTS = 20
ENOUGH_PAGES = 10
PAGES_TO_ANSWER = 4
ANSWER_SENTENCES = 4
TOLD_SENTENCES = 3
MAX_DELEGATIONS = 2
URL = re.compile(r"https?://[^\s<>\"')\]]+")
MARK = re.compile(r" \[(\d+)\]")
NOTHING = "I found nothing about {topic}: none of the pages here speaks of it."
FOLLOW_UPS = ("Find the latest news on {topic}", "Look up what people say about {topic}")
ASK_TOPIC = "What should this be about?"
UNSAID = "I do not know what this should be about, so I did nothing."
TOPICS = ("Keeping chat bots reliable", "Batteries in the grid", "Heat pumps in old houses")
NOTHING_OPEN = (
    "Nothing is open in this thread. I can add a section to the report, look into another subject, "
    "or compare two."
)
OVERTAKEN = "This stand-in plays a fixed book and could not take into account: “{note}”."
ANSWERED = re.compile(r"\A[^:\n]{1,80}\banswered:\s*")
WAITING = "I have the report, and wait for the runs that explore each part."


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What the main agent tells the report expert."""

    request: str
    topic: str
    sections: tuple[str, ...] = ()
    """To be added to the report that there is."""
    sides: tuple[str, ...] = ()
    """What the report compares."""

    def write(self, hits: Sequence[Json], complaint: str = "") -> str:
        """The brief in words, with every page that was found."""
        lines = [f'Request, word for word:\n"""\n{self.request}\n"""\n\nTopic: {self.topic}']
        lines += [f"Section: {section}" for section in self.sections]
        lines += [f"Side: {side}" for side in self.sides]
        if self.sections:
            lines.append("The report exists: keep its title and sections, and add the new one.")
        lines += [f"Correction: {complaint}"] if complaint else []
        listed = [f"- {hit['title']}: {hit['url']}" for hit in hits]
        return "\n".join([*lines, "Read these pages in full and save them:", *listed])

    @classmethod
    def read(cls, text: str) -> "Brief":
        """A brief of ours, or what can be understood of anybody's."""
        topic = re.search(r"^Topic: (.+)$", text, re.MULTILINE)
        request = re.search(r'"""\n(.*?)\n"""', text, re.DOTALL)
        return cls(
            request=request[1] if request else text,
            topic=topic[1] if topic else topic_of(URL.sub(" ", text)),
            sections=tuple(re.findall(r"^Section: (.+)$", text, re.MULTILINE)),
            sides=tuple(re.findall(r"^Side: (.+)$", text, re.MULTILINE)),
        )


def decide(conversation: Dialogue) -> StandInReply:
    """The next step of the main agent: ask what is vague, search, then delegate or read."""
    if len(sides := sides_of(conversation.now.words)) > 1:
        return _compare(conversation, sides)
    brief = read_brief(conversation)
    if not stems(brief.topic):
        can_ask = "ask_user" in conversation.tools and not conversation.now.done("ask_user")
        asked = {"question": ASK_TOPIC, "options": TOPICS}
        return (conversation.use("ask_user", **asked),) if can_ask else say(UNSAID)
    if step := search(conversation, [*brief.sections, brief.topic]):
        return step
    hits = find_hits(conversation, [*brief.sections, brief.topic])
    if not hits:
        return say(NOTHING.format(topic=brief.topic))
    if (REPORT.search(brief.request) or brief.sections) and "Task" in conversation.tools:
        step = delegate(conversation, brief, hits)
    elif crawls := conversation.now.done("crawl_parallel"):
        step = _read_files(conversation, crawls)
    else:
        urls = [hit["url"] for hit in hits[:PAGES_TO_ANSWER]]
        step = (conversation.use("crawl_parallel", urls=urls),)
    if step and conversation.may_call_tools:
        return step
    is_over = conversation.goes_on and not conversation.exchanges[-1].calls
    notes = [OVERTAKEN.format(note=note) for note in conversation.now.notes]
    said = NOTHING_OPEN if is_over else conclude(conversation, brief)
    return say("\n\n".join([*notes, said]))


def _compare(conversation: Dialogue, sides: Sequence[str]) -> StandInReply:
    """Several things side by side: a run explores each while the report on all is written."""
    now = conversation.now
    if step := search(conversation, sides):
        return step
    hits, topic = find_hits(conversation, sides), " and ".join([", ".join(sides[:-1]), sides[-1]])
    brief = Brief(request=now.words, topic=topic, sides=tuple(sides))
    can_delegate = conversation.may_call_tools and "Task" in conversation.tools
    if hits and can_delegate and not now.done("Task"):
        return (_task(conversation, brief, hits),)
    runs = {run for call in now.done(PARTS) for run in as_list(call.arguments.get("runs"))}
    found = {as_text(call.arguments["run"]): call for call in now.done(RESULT)}
    if conversation.may_call_tools and runs - found.keys():
        return say(WAITING)
    parts = [
        f"**{side[:1].upper()}{side[1:]}**\n{call.result}"
        for side in sides
        for call in found.values()
        if FIND_OUT.format(side=side) in as_text(call.arguments["task"])
    ]
    return say("\n\n".join([*parts, conclude(conversation, brief)]))


def read_brief(conversation: Dialogue) -> Brief:
    """What is wanted: a new topic, or a new section of the report of this thread."""
    now = conversation.now
    section = SECTION.search(now.words)
    tasks = [call for each in conversation.earlier for call in each.done("Task")]
    if section and tasks:
        known = Brief.read(as_text(tasks[-1].arguments.get("prompt")))
        added = section["topic"].strip(' .!"“”')
        sections = tuple(dict.fromkeys([*known.sections, added]))
        return Brief(request=now.words, topic=known.topic, sections=sections)
    late = filter(None, map(topic_of, now.notes)) if conversation.goes_on else ()
    answers = [ANSWERED.sub("", call.result) for call in now.done("ask_user") if not call.is_error]
    said = [answer for answer in answers if not answer.startswith("Nobody answered")]
    request = "\n\n".join([now.words, *said])
    topic = topic_of(now.words) or topic_of(" ".join(said))
    return Brief(request=request, topic=topic, sections=tuple(late))


def search(conversation: Dialogue, topics: Sequence[str]) -> StandInReply | None:
    """The search for all topics side by side, in news too; None once it was made."""
    sought = (each for call in _searches(conversation) for each in walk(call.arguments))
    asked = {as_text(each.get("query")) for each in sought}
    queries = [" ".join(content_words(topic)) or topic for topic in topics]
    wanted = [
        (name, {"query": query, "num_results": RESULTS})
        for query in dict.fromkeys(queries)
        for name in SEARCHES
        if query not in asked
    ]
    if not wanted or not conversation.may_call_tools:
        return None
    if BATCH_TOOL in conversation.tools and conversation.tools.keys().isdisjoint(SEARCHES):
        return conversation.batch((f"COMPOSIO_{name}", given) for name, given in wanted)
    known = [(name, given) for name, given in wanted if name in conversation.tools]
    return tuple(conversation.use(name, **given) for name, given in known) or None


def _searches(conversation: Dialogue) -> list[PastCall]:
    """The searches that were made, by their own names or in batches."""
    made = conversation.now.done(*SEARCHES, BATCH_TOOL)
    return [call for call in made if call.name in SEARCHES or "_SEARCH_" in str(call.arguments)]


def find_hits(conversation: Dialogue, topics: Sequence[str]) -> list[Json]:
    """The pages that were found and seem to be about one of the topics, each once, best first.

    Where none is, those that speak of half of one: people do not write as pages do.
    """
    entries = [
        {**entry, "url": url, "title": " ".join(as_text(entry.get("title")).split())}
        for call in _searches(conversation)
        for entry in call.objects()
        if (url := as_text(entry.get("url")) or as_text(entry.get("link")))
    ]
    for few in (2, 0):
        found: dict[str, Json] = {}
        for entry in entries:
            text = f"{entry['title']} {as_text(entry.get('snippet'))} {entry['url']}"
            if any(is_about(stems(topic), text, few) for topic in topics):
                found.setdefault(entry["url"], entry)
        if found:
            return list(found.values())
    return []


def delegate(conversation: Dialogue, brief: Brief, hits: Sequence[Json]) -> StandInReply | None:
    """The task for the report expert; once more where it broke a rule, otherwise None."""
    tasks = conversation.now.done("Task")
    told, _, rule = tasks[-1].result.partition("COMPLIANCE:") if tasks else ("", "", "")
    complaint = "" if "No report" in told else rule.strip()
    had = Brief.read(as_text(tasks[-1].arguments.get("prompt"))).sections if tasks else ()
    is_told = tasks and not complaint and set(brief.sections) <= set(had)
    if len(tasks) >= MAX_DELEGATIONS + conversation.goes_on or is_told:
        return None
    return (_task(conversation, brief, hits, complaint),)


def _task(
    conversation: Dialogue, brief: Brief, hits: Sequence[Json], complaint: str = ""
) -> ToolUse:
    """A call of the report expert."""
    about, prompt = f"Report: {brief.topic}"[:80], brief.write(hits, complaint)
    return conversation.use("Task", description=about, prompt=prompt, subagent_type=EXPERT)


def _read_files(conversation: Dialogue, tables: Iterable[PastCall]) -> StandInReply | None:
    """The files of pages in tables of them, page by page to their end; None once all are read."""
    reads = conversation.now.done("read_local_file")
    offsets: dict[str, object] = {row["path"]: 0 for row in rows_of(tables)}
    offsets |= {call.arguments["path"]: call.data.get("next_offset") for call in reads}
    if not conversation.may_call_tools:
        return None
    wanted = (
        conversation.use("read_local_file", path=path, offset=offset)
        for path, offset in offsets.items()
        if offset is not None
    )
    return tuple(wanted) or None


def rows_of(tables: Iterable[PastCall]) -> list[Json]:
    """The pages that could be fetched, out of tables of them, each once."""
    rows = {
        as_text(entry.get("url")): entry
        for call in tables
        for entry in call.objects()
        if entry.get("url") and entry.get("path") and entry.get("status") in (None, "success")
    }
    return list(rows.values())


def unread_in(conversation: Dialogue) -> str:
    """The pages that could not be fetched, each with the reason that was given."""
    calls = conversation.now.done("crawl_parallel")
    rows = [f"\n- {each.get('url')}: {each.get('status')}" for c in calls for each in c.objects()]
    rows += [f"\n- pages: failed: {call.result[:300]}" for call in calls if call.is_error]
    return "".join(row for row in rows if ": failed" in row)


def sources_of(conversation: Dialogue, rows: Sequence[Json]) -> list[NumberedPage]:
    """The pages with their texts, by their numbers or in their order."""
    texts: dict[str, str] = {}
    for call in conversation.now.done("read_local_file"):
        path = as_text(call.arguments.get("path"))
        texts[path] = texts.get(path, "") + as_text(call.data.get("text"))
    return [
        NumberedPage(
            n=int(row.get("n") or place),
            url=as_text(row["url"]),
            title=as_text(row.get("title")) or as_text(row["url"]),
            text=texts[row["path"]],
        )
        for place, row in enumerate(rows, start=1)
        if row["path"] in texts
    ]


def conclude(conversation: Dialogue, brief: Brief) -> str:
    """The answer: what the expert found, by the report's numbers, or what the pages say."""
    tasks = conversation.now.done("Task")
    if tasks:
        return numbered(tasks[-1].result.partition("COMPLIANCE:")[0])
    sources = sources_of(conversation, rows_of(conversation.now.done("crawl_parallel")))
    told, fit = _tell(sources, brief.topic, ANSWER_SENTENCES)
    if not told:
        return NOTHING.format(topic=brief.topic) + unread_in(conversation)
    return linked("\n".join([*(f"- {each}" for each in told), *map(_listed, fit)]))


def _tell(
    sources: Sequence[NumberedPage], topic: str, count: int = SUMMARY_SENTENCES
) -> tuple[list[str], list[NumberedPage]]:
    """What the pages that are about a topic say most tellingly, and these pages."""
    wanted = stems(topic)
    fit = [source for source in sources if is_about(wanted, f"{source.title} {source.text}")]
    return telling((p for source in fit for p in source.passages()), wanted, count), fit


def numbered(text: str) -> str:
    """A text with its numbers, without the list of the pages that they stand for."""
    body = re.sub(r"^\d+\. .*: http\S+\n?", "", text, flags=re.MULTILINE).strip()
    body = body.partition("\n\nPages:")[0]
    return re.sub(r" \[(\d+)\](?=[^\n\[]*[^\n\[ ] \[\1\])", "", body)  # once a run of sentences


def linked(text: str) -> str:
    """A text whose numbers are links to the pages that are listed below it."""
    pages = {n: (title, url) for n, title, url in re.findall(r"^(\d+)\. (.*): (\S+)$", text, re.M)}
    body = numbered(text)
    return MARK.sub(lambda m: " ([{}]({}))".format(*pages[m[1]]) if m[1] in pages else m[0], body)


def _listed(source: NumberedPage) -> str:
    title = re.sub(r"[\[\]]", "", source.title)
    return f"{source.n}. {title}: {source.url}"


def as_expert(conversation: Dialogue) -> StandInReply:
    """The next step of the report expert: read, save, read on, write the report, and tell of it."""
    asked = "\n\n".join(each.asked for each in conversation.exchanges)
    calls = tuple(call for each in conversation.exchanges for call in each.calls)
    notes = [topic_of(note) for each in conversation.exchanges for note in each.notes]
    conversation = replace(conversation, exchanges=[Exchange(asked=asked, calls=calls)])
    now, brief = conversation.now, Brief.read(asked)
    added = dict.fromkeys([*brief.sections, *filter(None, notes)])
    brief = replace(brief, sections=tuple(added))
    if step := _gather(conversation, URL.findall(asked)):
        return step
    sources = sources_of(conversation, rows_of(now.done("save_corpus")[-1:]))
    written = now.done("write_report")
    report = write_report(sources, brief.topic, brief.sections, brief.sides)
    told = written[-1].arguments.get("markdown") if written else None
    is_new = not written or (bool(notes) and report is not None and report.markdown != told)
    if report and is_new and conversation.may_call_tools:
        title = brief.topic[:1].upper() + brief.topic[1:]
        asked_next = [question.format(topic=brief.topic) for question in FOLLOW_UPS]
        more = {"title": title, "follow_ups": asked_next}
        return (conversation.use("write_report", **more, **asdict(report)),)
    return say(_told(written, sources, brief, unread_in(conversation)))


def _gather(conversation: Dialogue, named: Sequence[str]) -> StandInReply | None:
    """The pages crawled in two batches at most, saved, and read; None once they were."""
    crawls, saved = (conversation.now.done(name) for name in ("crawl_parallel", "save_corpus"))
    tried = {url for call in crawls for url in as_list(call.arguments.get("urls"))}
    left, rows = [url for url in dict.fromkeys(named) if url not in tried], rows_of(crawls)
    if not conversation.may_call_tools:
        return None
    if left and len(crawls) < MAX_BATCHES and len(rows) < ENOUGH_PAGES:
        return (conversation.use("crawl_parallel", urls=left[:BATCH]),)
    if rows and not saved:
        return (conversation.use("save_corpus", articles=[row["url"] for row in rows]),)
    return _read_files(conversation, saved[-1:])


def _told(
    written: Sequence[PastCall], sources: Sequence[NumberedPage], brief: Brief, unread: str
) -> str:
    """That the report is written, with its most telling sentences; or why it is not."""
    done = [call for call in written if call.data.get("success")]
    if not done:
        reason = " ".join(written[-1].result.split())[:300] if written else ""
        return f"No report was written. {reason or NOTHING.format(topic=brief.topic) + unread}"
    wrote = done[-1].arguments
    told, _ = _tell(sources, brief.sections[-1] if brief.sections else brief.topic, TOLD_SENTENCES)
    head = f"The report “{wrote['title']}” is ready."
    sections = [section[:1].upper() + section[1:] for section in brief.sections]
    missing = [each for each in sections if f"## {escape(each)}" not in wrote["markdown"]]
    nothing = [NOTHING.format(topic=section) for section in missing]
    pages = "Pages:\n" + "\n".join(map(_listed, sources))
    return "\n\n".join([" ".join(told), head, *nothing, pages])
