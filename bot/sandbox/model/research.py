"""The behaviour of the main agent: discover, search, then delegate a report or read and answer."""

import re
from collections.abc import Sequence

from bot.sandbox.model.arguments import field_holding, use
from bot.sandbox.model.brief import write_brief
from bot.sandbox.model.concluding import (
    after_files,
    conclude,
    sum_up_long_text,
    sum_up_material,
    without_cited_lines,
)
from bot.sandbox.model.conversation import Call, Conversation
from bot.sandbox.model.errands import steps
from bot.sandbox.model.errands.resuming import resume
from bot.sandbox.model.evidence import find_report_file, read_rows
from bot.sandbox.model.experts import choose_expert
from bot.sandbox.model.files import find_reading
from bot.sandbox.model.inquiry import Inquiry, read_inquiry
from bot.sandbox.model.intent import request_in, wants_action
from bot.sandbox.model.language import guess_language
from bot.sandbox.model.orders import read_request
from bot.sandbox.model.phrases import phrase
from bot.sandbox.model.replies import Reply, ToolUse, call, say
from bot.sandbox.model.searching import (
    Searches,
    discovery_call,
    queries_asked,
    read_searches,
)

PAGES_TO_READ = 5
MAX_DELEGATIONS = 2
QUOTED = re.compile(r"[“«„][^”»“]*[”»“]")
COMPLAINT = re.compile(
    r"\b(must|missing|not saved|was not|were not|non-?compliant|compliance|violat\w+|correction|"
    r"no report was written|try again|error)\b",
    re.IGNORECASE,
)


def decide(conversation: Conversation) -> Reply:
    """The next step of the turn, told by what the messages show as done."""
    resumed = resume(conversation)
    request = read_request(request_in(resumed.now.words))
    if request.orders:
        return steps.decide(resumed, request, _inform)
    return _inform(conversation)


def _inform(conversation: Conversation) -> Reply:
    """The next step towards what is to be found out and answered."""
    if wants_action(conversation.asked) and not conversation.now.calls:
        return say(phrase("cannot_act", guess_language(conversation.asked)), "research")
    reading = find_reading(conversation)
    unread = reading.left_to_read() if reading and conversation.may_call_tools else []
    if unread:
        return _step(*unread, thought="Reading what is attached.")
    if reading and not reading.is_report_on_another_topic:
        return say(reading.answer(), "research")
    summary = sum_up_material(conversation) or sum_up_long_text(conversation)
    if summary and not conversation.now.calls:
        return say(summary, "research")
    work = _work(conversation)
    return after_files(reading.answer(), work) if reading else work


def _work(conversation: Conversation) -> Reply:
    inquiry = read_inquiry(conversation)
    if not conversation.may_call_tools:
        return conclude(inquiry)
    return _discover(inquiry) or _search(inquiry) or _use_hits(inquiry)


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
        return conclude(inquiry)
    steps = (_delegate,) if _delegates(inquiry) else (_crawl, _read)
    for step in steps:
        reply = step(inquiry)
        if reply is not None:
            return reply
    return conclude(inquiry)


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
    frame = QUOTED.sub("", without_cited_lines(result))
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


def _step(*tools: ToolUse, thought: str) -> Reply:
    return call(*tools, kind="research", thought=thought)
