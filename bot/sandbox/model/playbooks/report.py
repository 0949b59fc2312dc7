"""Playbook: search, read pages, and answer in short; or have the report expert write a report."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bot.sandbox.model.conversation import REPORT, SECTION, Call, Conversation, topic_of
from bot.sandbox.model.message import Reply, ToolUse
from bot.sandbox.model.sentences import Source, content_words, is_about, is_near, stems
from bot.sandbox.model.wire import Json, as_list, as_text
from bot.sandbox.model.writing import escape, telling, write_report

EXPERT = "report-creation-expert"
BATCH = 10
RESULTS = 20
ENOUGH_PAGES = 10
PAGES_TO_ANSWER = 4
ANSWER_SENTENCES = 4
TOLD_SENTENCES = 3
MAX_DELEGATIONS = 2
URL = re.compile(r"https?://[^\s<>\"')\]]+")
MARK = re.compile(r" \[(\d+)\]")
CITED = re.compile(r"\S.*?\[\d+\](?=\s|$)")
OPENING = re.compile(r"^[^|#\s].*?\[\d+\](?=\s|$)", re.MULTILINE)
"""How a paragraph of a report opens."""
NOTHING = "I found nothing about {topic}: none of the pages here speaks of it."
ASK_TOPIC = "What should this be about?"
UNSAID = "I do not know what this should be about, so I did nothing."
OVERTAKEN = "This stand-in plays a fixed book and could not take into account: “{note}”."
ANSWERED = re.compile(r"\A[^:\n]{1,80}\banswered:\s*")
COMPARE = re.compile(
    r"^\W*(?:please |can you |could you )*compare\s+(?P<sides>.+?)(?:\s+for\s.+?)?[.?!\s]*$",
    re.IGNORECASE | re.DOTALL,
)
BETWEEN = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|with|to|versus|vs\.?)\s+", re.IGNORECASE)
MAX_SIDES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What the main agent tells the report expert."""

    request: str
    topic: str
    sections: tuple[str, ...] = ()
    """To be added to the report that there is."""
    is_branch: bool = False
    """Only one side of a comparison: findings, and no report."""

    def write(self, hits: Sequence[Json], complaint: str = "") -> str:
        """The brief in words, with every page that was found."""
        lines = [f'Request, word for word:\n"""\n{self.request}\n"""\n\nTopic: {self.topic}']
        lines += [f"Section: {section}" for section in self.sections]
        if self.sections:
            lines.append("The report exists: keep its title and sections, and add the new one.")
        if self.is_branch:
            lines.append("Findings only: read and save the pages, and write no report.")
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
            is_branch="Findings only:" in text,
        )


def decide(conversation: Conversation) -> Reply:
    """The next step of the main agent: ask what is vague, search, then delegate or read."""
    if comparison := COMPARE.match(conversation.now.words):
        return _compare(conversation, BETWEEN.split(comparison["sides"])[:MAX_SIDES])
    brief = read_brief(conversation)
    if not stems(brief.topic):
        return _ask(conversation)
    if step := search(conversation, [*brief.sections, brief.topic]):
        return step
    hits = find_hits(conversation, [*brief.sections, brief.topic])
    if not hits:
        return conversation.say(NOTHING.format(topic=brief.topic))
    if (REPORT.search(brief.request) or brief.sections) and "Task" in conversation.tools:
        step = delegate(conversation, brief, hits)
    else:
        step = read_pages(conversation, [hit["url"] for hit in hits[:PAGES_TO_ANSWER]])
    if step and conversation.may_call_tools:
        return step
    notes = [OVERTAKEN.format(note=note) for note in conversation.now.notes]
    return conversation.say("\n\n".join([*notes, conclude(conversation, brief)]))


def _compare(conversation: Conversation, sides: Sequence[str]) -> Reply:
    """Several things side by side, each looked into by a sub-agent of its own."""
    if step := search(conversation, sides):
        return step
    hits = {side: found for side in sides if (found := find_hits(conversation, [side]))}
    tasks = conversation.now.done("Task")
    if hits and not tasks and conversation.may_call_tools:
        words = conversation.now.words
        briefs = [Brief(request=words, topic=side, is_branch=True) for side in hits]
        branches = [_task(conversation, brief, hits[brief.topic]) for brief in briefs]
        return conversation.call(*branches)
    told = {
        Brief.read(as_text(task.arguments.get("prompt"))).topic: linked(
            task.result.partition("COMPLIANCE:")[0]
        )
        for task in tasks
    }
    parts = [
        f"**{side[:1].upper()}{side[1:]}**\n{told.get(side) or NOTHING.format(topic=side)}"
        for side in sides
    ]
    return conversation.say("\n\n".join(parts))


def read_brief(conversation: Conversation) -> Brief:
    """What is wanted: a new topic, or a new section of the report of this thread."""
    now = conversation.now
    section = SECTION.search(now.words)
    tasks = [call for each in conversation.earlier for call in each.done("Task")]
    if section and tasks:
        known = Brief.read(as_text(tasks[-1].arguments.get("prompt")))
        added = section["topic"].strip(' .!"“”')
        sections = tuple(dict.fromkeys([*known.sections, added]))
        return Brief(request=now.words, topic=known.topic, sections=sections)
    answers = [ANSWERED.sub("", call.result) for call in now.done("ask_user") if not call.is_error]
    said = [answer for answer in answers if not answer.startswith("Nobody answered")]
    request = "\n\n".join([now.words, *said])
    return Brief(request=request, topic=topic_of(now.words) or topic_of(" ".join(said)))


def _ask(conversation: Conversation) -> Reply:
    """One question where the request leaves open what it is about."""
    if conversation.now.done("ask_user") or "ask_user" not in conversation.tools:
        return conversation.say(UNSAID)
    question = conversation.use("ask_user", question=ASK_TOPIC)
    return conversation.call(question)


def search(conversation: Conversation, topics: Sequence[str]) -> Reply | None:
    """The search for all topics side by side, in news too; None once it was made."""
    calls = conversation.now.done("SEARCH_WEB", "SEARCH_NEWS")
    asked = {as_text(call.arguments.get("query")) for call in calls}
    queries = [" ".join(content_words(topic)) or topic for topic in topics]
    wanted = [
        conversation.use(name, query=query, num_results=RESULTS)
        for query in dict.fromkeys(queries)
        for name in ("SEARCH_WEB", "SEARCH_NEWS")
        if query not in asked and name in conversation.tools
    ]
    if not wanted or not conversation.may_call_tools:
        return None
    return conversation.call(*wanted)


def find_hits(conversation: Conversation, topics: Sequence[str]) -> list[Json]:
    """The pages that were found and seem to be about one of the topics, each once, best first.

    Where none is, those that speak of half of one: people do not write as pages do.
    """
    return _hits(conversation, topics, is_about) or _hits(conversation, topics, is_near)


def _hits(
    conversation: Conversation,
    topics: Sequence[str],
    fits: Callable[[frozenset[str], str], bool],
) -> list[Json]:
    found: dict[str, Json] = {}
    for call in conversation.now.done("SEARCH_WEB", "SEARCH_NEWS"):
        for entry in call.objects():
            url = as_text(entry.get("url")) or as_text(entry.get("link"))
            text = f"{as_text(entry.get('title'))} {as_text(entry.get('snippet'))} {url}"
            if url and any(fits(stems(topic), text) for topic in topics):
                title = " ".join(as_text(entry.get("title")).split())
                found.setdefault(url, {**entry, "url": url, "title": title})
    return list(found.values())


def delegate(conversation: Conversation, brief: Brief, hits: Sequence[Json]) -> Reply | None:
    """The task for the report expert; once more where it broke a rule, otherwise None."""
    tasks = conversation.now.done("Task")
    complaint = _complaint(tasks)
    if len(tasks) >= MAX_DELEGATIONS or (tasks and not complaint):
        return None
    use = _task(conversation, brief, hits, complaint)
    return conversation.call(use)


def _task(
    conversation: Conversation, brief: Brief, hits: Sequence[Json], complaint: str = ""
) -> ToolUse:
    """A call of the report expert."""
    about, prompt = f"Report: {brief.topic}"[:80], brief.write(hits, complaint)
    return conversation.use("Task", description=about, prompt=prompt, subagent_type=EXPERT)


def _complaint(tasks: Sequence[Call]) -> str:
    told = tasks[-1].result.partition("COMPLIANCE:") if tasks else ("", "", "")
    return told[2].strip() if "No report" not in told[0] else ""


def read_pages(conversation: Conversation, urls: Sequence[str]) -> Reply | None:
    """The pages fetched and then read; None once they were."""
    crawls = conversation.now.done("crawl_parallel")
    if not crawls and urls and "crawl_parallel" in conversation.tools:
        crawl = conversation.use("crawl_parallel", urls=list(urls))
        return conversation.call(crawl)
    return _read_files(conversation, crawls)


def _read_files(conversation: Conversation, tables: Iterable[Call]) -> Reply | None:
    """The files of pages in tables of them, page by page to their end; None once all are read."""
    reads = conversation.now.done("read_local_file")
    offsets: dict[str, object] = {row["path"]: 0 for row in rows_of(tables)}
    offsets |= {call.arguments["path"]: call.data.get("next_offset") for call in reads}
    if not conversation.may_call_tools or "read_local_file" not in conversation.tools:
        return None
    wanted = [
        conversation.use("read_local_file", path=path, offset=offset)
        for path, offset in offsets.items()
        if offset is not None
    ]
    if not wanted:
        return None
    return conversation.call(*wanted)


def rows_of(tables: Iterable[Call]) -> list[Json]:
    """The pages that could be fetched, out of tables of them, each once."""
    rows = {
        as_text(entry.get("url")): entry
        for call in tables
        for entry in call.objects()
        if entry.get("url") and entry.get("path") and entry.get("status") in (None, "success")
    }
    return list(rows.values())


def sources_of(conversation: Conversation, rows: Sequence[Json]) -> list[Source]:
    """The pages with their texts, by their numbers or in their order."""
    texts: dict[str, str] = {}
    for call in conversation.now.done("read_local_file"):
        path = as_text(call.arguments.get("path"))
        texts[path] = texts.get(path, "") + as_text(call.data.get("text"))
    return [
        Source(
            n=int(row.get("n") or place),
            url=as_text(row["url"]),
            title=as_text(row.get("title")) or as_text(row["url"]),
            text=texts[row["path"]],
        )
        for place, row in enumerate(rows, start=1)
        if row["path"] in texts
    ]


def conclude(conversation: Conversation, brief: Brief) -> str:
    """The answer: what the expert found, or what the pages say, each with its page."""
    tasks = conversation.now.done("Task")
    if tasks:
        return linked(tasks[-1].result.partition("COMPLIANCE:")[0])
    rows = rows_of(conversation.now.done("crawl_parallel"))
    wanted = stems(brief.topic)
    sources = [s for s in sources_of(conversation, rows) if is_about(wanted, f"{s.title} {s.text}")]
    passages = [passage for source in sources for passage in source.passages()]
    told = telling(passages, wanted, ANSWER_SENTENCES)
    if not told:
        return NOTHING.format(topic=brief.topic)
    return linked("\n".join([*(f"- {each}" for each in told), *map(_listed, sources)]))


def linked(text: str) -> str:
    """A text whose numbers are links to the pages that are listed below it."""
    pages = {n: (title, url) for n, title, url in re.findall(r"^(\d+)\. (.*): (\S+)$", text, re.M)}
    body = re.sub(r"^\d+\. .*: http\S+\n?", "", text, flags=re.MULTILINE).strip()
    body = body.partition("\n\nPages:")[0]
    body = re.sub(r" \[(\d+)\](?=[^\n\[]*[^\n\[ ] \[\1\])", "", body)  # once for a run of sentences
    return MARK.sub(lambda m: " ([{}]({}))".format(*pages[m[1]]) if m[1] in pages else m[0], body)


def _listed(source: Source) -> str:
    title = re.sub(r"[\[\]]", "", source.title)
    return f"{source.n}. {title}: {source.url}"


def as_expert(conversation: Conversation) -> Reply:
    """The next step of the report expert: read, save, read on, write the report, and tell of it."""
    brief = Brief.read("\n\n".join(each.asked for each in conversation.exchanges))
    calls = [call for each in conversation.exchanges for call in each.calls]
    steps = (_crawl, _save, _read_saved) if conversation.may_call_tools else ()
    for step in steps:
        if reply := step(conversation, calls):
            return reply
    saved = [call for call in calls if call.name == "save_corpus"]
    sources = sources_of(conversation, rows_of(saved[-1:]))
    if brief.is_branch:
        return conversation.say(_findings(sources, brief))
    written = [call for call in calls if call.name == "write_report" and not call.is_lost]
    bad = {int(n) for call in written for n in re.findall(r"\[(\d{1,4})\]", call.result)}
    if not any(call.data.get("success") for call in written):
        usable = [source for source in sources if source.n not in bad]
        report = write_report(usable, brief.topic, brief.sections)
        if report and len(written) < 2 and conversation.may_call_tools:
            write = conversation.use(
                "write_report",
                title=brief.topic[:1].upper() + brief.topic[1:],
                summary=report.summary,
                markdown=report.markdown,
            )
            return conversation.call(write)
    return conversation.say(_told(written, sources, brief))


def _crawl(conversation: Conversation, calls: Sequence[Call]) -> Reply | None:
    """Batches of ten pages, two at most, until ten could be read."""
    crawls = [call for call in calls if call.name == "crawl_parallel" and not call.is_lost]
    tried = {url for call in crawls for url in as_list(call.arguments.get("urls"))}
    named = URL.findall("\n\n".join(each.asked for each in conversation.exchanges))
    left = [url for url in dict.fromkeys(named) if url not in tried]
    if not left or len(crawls) > 1 or len(rows_of(crawls)) >= ENOUGH_PAGES:
        return None
    crawl = conversation.use("crawl_parallel", urls=left[:BATCH])
    return conversation.call(crawl)


def _save(conversation: Conversation, calls: Sequence[Call]) -> Reply | None:
    urls = [row["url"] for row in rows_of(c for c in calls if c.name == "crawl_parallel")]
    if not urls or any(call.name == "save_corpus" and not call.is_lost for call in calls):
        return None
    save = conversation.use("save_corpus", articles=urls)
    return conversation.call(save)


def _read_saved(conversation: Conversation, calls: Sequence[Call]) -> Reply | None:
    return _read_files(conversation, [call for call in calls if call.name == "save_corpus"][-1:])


def _findings(sources: Sequence[Source], brief: Brief) -> str:
    """What the pages say about one side of a comparison."""
    wanted = stems(brief.topic)
    fit = [source for source in sources if is_about(wanted, f"{source.title} {source.text}")]
    told = telling((p for source in fit for p in source.passages()), wanted)
    if not told:
        return NOTHING.format(topic=brief.topic)
    return "\n".join([*(f"- {each}" for each in told), "", "Pages:", *map(_listed, fit)])


def _told(written: Sequence[Call], sources: Sequence[Source], brief: Brief) -> str:
    """That the report is written, with its most telling sentences; or why it is not."""
    done = [call for call in written if call.data.get("success")]
    if not done:
        reason = " ".join(written[-1].result.split())[:300] if written else ""
        return f"No report was written. {reason or NOTHING.format(topic=brief.topic)}"
    wrote = {
        name: as_text(done[-1].arguments.get(name)) for name in ("title", "summary", "markdown")
    }
    told = CITED.findall(wrote["summary"]) or OPENING.findall(wrote["markdown"])
    head = f"The report “{wrote['title']}” is ready: {as_text(done[-1].data.get('path'))}"
    sections = [section[:1].upper() + section[1:] for section in brief.sections]
    missing = [each for each in sections if f"## {escape(each)}" not in wrote["markdown"]]
    nothing = [NOTHING.format(topic=section) for section in missing]
    pages = "Pages:\n" + "\n".join(map(_listed, sources))
    return "\n\n".join([" ".join(told[:TOLD_SENTENCES]), head, *nothing, pages])
