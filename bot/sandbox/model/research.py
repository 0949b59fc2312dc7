"""The behaviour of the main agent: discover, search, then delegate a report or read and answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.sandbox.model.answering import compose_answer, sum_up
from bot.sandbox.model.arguments import field_holding, use
from bot.sandbox.model.brief import Brief, read_brief, title_of, write_brief
from bot.sandbox.model.conversation import TAGGED, Call, Conversation, Exchange
from bot.sandbox.model.evidence import (
    Hit,
    find_report_file,
    join_chunks,
    read_chunks,
    read_hits,
    read_passages,
    read_rows,
)
from bot.sandbox.model.experts import choose_expert
from bot.sandbox.model.intent import (
    new_section_of,
    search_query,
    subtopics,
    topic_of,
    wants_continuation,
    wants_depth,
    wants_report,
)
from bot.sandbox.model.language import content_words, guess_language, stem, topic_words
from bot.sandbox.model.phrases import phrase
from bot.sandbox.model.quotes import SourceText
from bot.sandbox.model.replies import Reply, ToolUse, call, say
from bot.sandbox.model.searching import (
    Searches,
    discovery_call,
    queries_asked,
    read_searches,
)
from bot.sandbox.model.sentences import whole_parts

PAGES_TO_READ = 5
MAX_DELEGATIONS = 2
MAX_BROAD_QUERIES = 3
FINAL_SENTENCES = 3
REFERS_TO_MATERIAL = re.compile(
    r"\b(this|that|these|above|thread|discussion|conversation|agreed|here|dies\w*|oben|"
    r"verlauf|diskussion|ceci|ci-dessus|discussion|esto|arriba|conversación)\b",
    re.IGNORECASE,
)
COMPLAINT = re.compile(
    r"\b(must|missing|not saved|was not|were not|non-?compliant|compliance|violat\w+|correction|"
    r"no report was written|try again|error)\b",
    re.IGNORECASE,
)
CITED = re.compile(r"(?P<text>[^\n]+?)\s*(?P<marks>(?:\[\d{1,4}\])+)(?=\s|$)")
TITLE = re.compile(r"[“«„]\s?(?P<title>[^”»“]+?)\s?[”»“]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """What the person wants to know and what has been found so far."""

    conversation: Conversation
    brief: Brief
    wants_report: bool
    hits: tuple[Hit, ...]

    @property
    def queries(self) -> list[str]:
        """The searches to begin with: the topic, then parts of it."""
        topic, section = self.brief.topic, self.brief.new_section
        if section:
            return [search_query(f"{section} {topic}"), search_query(section)]
        more = subtopics(topic) if self.wants_report else []
        return [search_query(topic), *more]

    @property
    def broad_queries(self) -> list[str]:
        """Single words of the topic, for a second try when nothing was found."""
        words = topic_words(self.brief.new_section or self.brief.topic)
        return sorted(words, key=len, reverse=True)[:MAX_BROAD_QUERIES]


def decide(conversation: Conversation) -> Reply:
    """The next step of the turn, told by what the messages show as done."""
    material = _material(conversation)
    if material and not conversation.now.calls:
        return say(sum_up(material), "research")
    inquiry = _read_inquiry(conversation)
    if not conversation.may_call_tools:
        return _conclude(inquiry)
    return _discover(inquiry) or _search(inquiry) or _use_hits(inquiry)


def _read_inquiry(conversation: Conversation) -> Inquiry:
    asked = conversation.asked
    earlier = find_earlier_report(conversation) if wants_continuation(asked) else None
    topic = topic_of(asked)
    brief = Brief(
        request=asked,
        topic=topic,
        title=title_of(topic),
        language=guess_language(asked),
        is_deep=wants_depth(asked),
    )
    if earlier is not None:
        brief = _extension(asked, earlier)
    hits = _best_first(read_hits(conversation.now.calls), brief)
    return Inquiry(
        conversation=conversation,
        brief=brief,
        wants_report=earlier is not None or wants_report(asked),
        hits=tuple(hits),
    )


def _extension(asked: str, earlier: Brief) -> Brief:
    return Brief(
        request=asked,
        topic=earlier.topic,
        title=earlier.title,
        language=earlier.language,
        is_deep=True,
        new_section=new_section_of(asked) or " ".join(topic_words(asked)),
    )


def find_earlier_report(conversation: Conversation) -> Brief | None:
    """The task of the newest report of this conversation, also from its texts alone."""
    for exchange in reversed(conversation.earlier):
        tasks = [c.arguments.get("prompt") for c in exchange.calls if c.purpose == "delegate"]
        if tasks:
            return read_brief(str(tasks[-1]))
        if find_report_file(exchange.answer) or wants_report(exchange.asked):
            return _brief_from_texts(exchange)
    return None


def _brief_from_texts(exchange: Exchange) -> Brief:
    brief = read_brief(TAGGED.sub("", exchange.asked).strip() or exchange.asked)
    named = TITLE.search(exchange.answer)
    if named is None:
        return brief
    return Brief(
        request=brief.request,
        topic=named["title"],
        title=named["title"],
        language=brief.language,
        is_deep=brief.is_deep,
    )


def _discover(inquiry: Inquiry) -> Reply | None:
    conversation = inquiry.conversation
    tool = conversation.tool("discover_tools")
    if tool is None or conversation.has_called("discover_tools"):
        return None
    return _step(discovery_call(tool, inquiry.brief.topic), thought="Looking for search tools.")


def _search(inquiry: Inquiry) -> Reply | None:
    searches = read_searches(inquiry.conversation)
    asked = queries_asked(inquiry.conversation.now.calls)
    if not (searches.direct or (searches.batch and searches.discovered)):
        return say(phrase("tools_missing", inquiry.brief.language), "research")
    if not asked & set(inquiry.queries):
        return _search_step(searches, inquiry.queries)
    broad = [query for query in inquiry.broad_queries if query not in asked]
    if not inquiry.hits and broad:
        return _search_step(searches, broad)
    return None


def _search_step(searches: Searches, queries: Sequence[str]) -> Reply:
    return _step(*searches.calls_for(queries), thought=f"Searching for {queries[0]}.")


def _use_hits(inquiry: Inquiry) -> Reply:
    if not inquiry.hits:
        return _conclude(inquiry)
    steps = (_delegate,) if _delegates(inquiry) else (_crawl, _read)
    for step in steps:
        reply = step(inquiry)
        if reply is not None:
            return reply
    return _conclude(inquiry)


def _delegates(inquiry: Inquiry) -> bool:
    return inquiry.wants_report and inquiry.conversation.tool("delegate") is not None


def _delegate(inquiry: Inquiry) -> Reply | None:
    tool, tasks = inquiry.conversation.tool("delegate"), inquiry.conversation.calls("delegate")
    complaint = _complaint(tasks)
    if tool is None or len(tasks) >= MAX_DELEGATIONS or (tasks and not complaint):
        return None
    expert_field = field_holding(tool, "agent", "expert", "assistant")
    wanted = {
        expert_field: choose_expert(tool, expert_field, inquiry.brief.request),
        field_holding(tool, "prompt", "task", "instructions", "message"): write_brief(
            inquiry.brief, inquiry.hits, complaint
        ),
        "description": f"Report: {inquiry.brief.title}"[:80],
    }
    return _step(use(tool, wanted, topic=inquiry.brief.topic), thought="Delegating the report.")


def _complaint(tasks: Sequence[Call]) -> str:
    """What is wrong with the last delegation, in the words of its result."""
    if not tasks:
        return ""
    result = tasks[-1].result
    frame = CITED.sub("", result)
    wrong = tasks[-1].is_error or (
        COMPLAINT.search(frame) and not (find_report_file(frame) and not _is_corrected(frame))
    )
    return " ".join(frame.split())[:600] if wrong else ""


def _is_corrected(frame: str) -> bool:
    return re.search(r"\b(must|compliance|violat\w+|correction)\b", frame, re.I) is not None


def _crawl(inquiry: Inquiry) -> Reply | None:
    tool = inquiry.conversation.tool("crawl")
    if tool is None or inquiry.conversation.has_called("crawl"):
        return None
    urls = [hit.url for hit in inquiry.hits[:PAGES_TO_READ]]
    crawl = use(tool, {field_holding(tool, "url", "link", "page"): urls}, topic=inquiry.brief.topic)
    return _step(crawl, thought=f"Reading {len(urls)} pages.")


def _read(inquiry: Inquiry) -> Reply | None:
    conversation = inquiry.conversation
    rows = [row for row in read_rows(conversation.calls("crawl")) if row.ok and row.path]
    if (
        not rows
        or conversation.has_called("read_file")
        or conversation.has_called("search_passages")
    ):
        return None
    wanted: list[ToolUse] = []
    if reader := conversation.tool("read_file"):
        field = field_holding(reader, "path", "file")
        wanted += [use(reader, {field: row.path}, topic=row.path) for row in rows]
    elif finder := conversation.tool("search_passages"):
        query = {field_holding(finder, "query", "question", "q"): inquiry.brief.topic}
        wanted.append(use(finder, query, topic=inquiry.brief.topic))
    return _step(*wanted, thought="Reading what was fetched.") if wanted else None


def _conclude(inquiry: Inquiry) -> Reply:
    tasks = inquiry.conversation.calls("delegate")
    if tasks:
        return say(_told_by(tasks[-1]) or tasks[-1].result[:1000].strip(), "research")
    brief = inquiry.brief
    answer = compose_answer(_read_sources(inquiry), brief.topic, brief.language)
    nothing = phrase("nothing_found", brief.language, topic=inquiry.queries[0])
    return say(answer or _titles(inquiry) or nothing, "research")


def _told_by(task: Call) -> str:
    """Three sentences of a delegate's result and the file that it wrote."""
    cited = [f"{match['text'].strip()} {match['marks']}" for match in CITED.finditer(task.result)]
    head = next((line for line in task.result.splitlines() if find_report_file(line)), "")
    told = " ".join(dict.fromkeys(cited[:FINAL_SENTENCES]))
    return "\n\n".join(part for part in (told, head.strip()) if part)


def _titles(inquiry: Inquiry) -> str:
    """The pages found, where none of them holds a sentence to quote."""
    if not inquiry.hits:
        return ""
    lines = [f"- [{hit.title}]({hit.url})" for hit in inquiry.hits[:PAGES_TO_READ]]
    return "\n".join([phrase("sources", inquiry.brief.language) + ":", *lines])


def _read_sources(inquiry: Inquiry) -> list[SourceText]:
    """The hits in their order with the fullest text that was read of each."""
    calls = inquiry.conversation.now.calls
    paths = {row.url: row.path for row in read_rows(calls) if row.ok}
    texts = join_chunks(read_chunks([c for c in calls if _path_in(c)], "path"))
    found = read_passages([c for c in calls if c.purpose == "search_passages"])
    passages = {passage.url: passage.text for passage in found}
    return [
        SourceText(
            n=n,
            url=hit.url,
            title=hit.title,
            text=texts.get(paths.get(hit.url, ""), "")
            or passages.get(hit.url)
            or whole_parts(hit.snippet),
            favoured=hit.snippet,
        )
        for n, hit in enumerate(inquiry.hits, start=1)
    ]


def _path_in(call: Call) -> bool:
    return isinstance(call.arguments.get("path"), str)


def _material(conversation: Conversation) -> str:
    """Earlier posts that the request is about, where it names no topic of its own."""
    match = TAGGED.search(conversation.now.asked)
    names_topic = len(topic_words(conversation.asked)) > 3
    if match is None or names_topic or not REFERS_TO_MATERIAL.search(conversation.asked):
        return ""
    return re.sub(r"</?[\w-]+[^>]*>", "", match[0])


def _best_first(hits: list[Hit], brief: Brief) -> list[Hit]:
    wanted = {stem(word) for word in content_words(f"{brief.new_section} {brief.topic}")}

    def overlap(hit: Hit) -> int:
        return len(wanted & {stem(w) for w in content_words(f"{hit.title} {hit.snippet}")})

    return sorted(hits, key=lambda hit: -overlap(hit))


def _step(*tools: ToolUse, thought: str) -> Reply:
    return call(*tools, kind="research", thought=thought)
