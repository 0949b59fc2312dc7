"""The final answer of the main agent, from everything that its tools brought."""

import re
from collections.abc import Iterator
from dataclasses import replace

from bot.sandbox.model.answering import compose_answer, sum_up, tell
from bot.sandbox.model.arguments import field_holding
from bot.sandbox.model.conversation import TAGGED, Call, Conversation
from bot.sandbox.model.evidence import (
    find_report_file,
    join_chunks,
    read_chunks,
    read_passages,
    read_rows,
)
from bot.sandbox.model.inquiry import Inquiry
from bot.sandbox.model.intent import TOPIC, WRITTEN_REPORT, request_in
from bot.sandbox.model.language import REPORT, topic_words
from bot.sandbox.model.phrases import phrase
from bot.sandbox.model.quotes import SourceText
from bot.sandbox.model.replies import Reply, Text, ToolUse, say
from bot.sandbox.model.sentences import whole_parts

FINAL_SENTENCES = 3
LISTED_PAGES = 5
MARKS = re.compile(r"(?:\[\d{1,4}\])+(?=\s|$)")
REFERS_TO_MATERIAL = re.compile(
    r"\b(this|that|these|above|thread|discussion|conversation|agreed|here|dies\w*|oben|"
    r"verlauf|diskussion|ceci|ci-dessus|discussion|esto|arriba|conversación)\b",
    re.IGNORECASE,
)


def conclude(inquiry: Inquiry) -> Reply:
    """The final answer: what a delegate wrote, or sentences of what was read."""
    tasks = inquiry.conversation.calls("delegate")
    if tasks:
        return say(_told_by(tasks[-1]) or tasks[-1].result[:1000].strip(), "research")
    brief = inquiry.brief
    answer = compose_answer(_read_sources(inquiry), brief.topic, brief.language)
    nothing = phrase("nothing_found", brief.language, topic=inquiry.queries[0])
    return say(answer or _titles(inquiry) or nothing, "research")


def _told_by(task: Call) -> str:
    """Three sentences of a delegate's result and the file that it wrote."""
    cited = list(_cited_sentences(task.result))
    head = next((line for line in task.result.splitlines() if find_report_file(line)), "")
    told = " ".join(dict.fromkeys(cited[:FINAL_SENTENCES]))
    return "\n\n".join(part for part in (told, head.strip()) if part)


def _cited_sentences(text: str) -> Iterator[str]:
    start = 0
    for marks in MARKS.finditer(text):
        sentence = text[start : marks.start()].rpartition("\n")[2].strip()
        start = marks.end()
        if sentence:
            yield f"{sentence} {marks[0]}"


def without_cited_lines(text: str) -> str:
    """What a delegate says beside the sentences that it cites."""
    return "\n".join(line for line in text.splitlines() if not MARKS.search(line))


def _titles(inquiry: Inquiry) -> str:
    """The pages found, where none of them holds a sentence to quote."""
    if not inquiry.hits:
        return ""
    lines = [f"- [{hit.title}]({hit.url})" for hit in inquiry.hits[:LISTED_PAGES]]
    return "\n".join([phrase("sources", inquiry.brief.language) + ":", *lines])


def _read_sources(inquiry: Inquiry) -> list[SourceText]:
    """The hits in their order with the fullest text that was read of each."""
    calls = inquiry.conversation.now.calls
    paths = {row.url: row.path for row in read_rows(calls) if row.ok}
    reader = inquiry.conversation.tool("read_file")
    field = field_holding(reader, "path", "file") if reader else "path"
    texts = join_chunks(read_chunks([c for c in calls if c.arguments.get(field)], field))
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


def sum_up_material(conversation: Conversation) -> str:
    """A summary of earlier posts, where the request is about them and names no other topic."""
    match = TAGGED.search(conversation.now.asked)
    names_topic = len(topic_words(conversation.asked)) > 3
    if match is None or names_topic or not REFERS_TO_MATERIAL.search(conversation.asked):
        return ""
    return sum_up(re.sub(r"</?[\w-]+[^>]*>", "", match[0]))


def sum_up_long_text(conversation: Conversation) -> str:
    """What a long message says to its own question.

    Empty for a short one, and where it asks for a report on a topic that it names.
    """
    text = conversation.asked
    request = request_in(text)
    if request == text or (WRITTEN_REPORT.search(request) and TOPIC.search(request)):
        return ""
    material = text.replace(request, "", 1) if request else text
    return sum_up(material) if REPORT.search(request) else tell(material, request)


def after_files(told: str, work: Reply) -> Reply:
    """The work's reply; once it is the answer, what the files say stands before it."""
    if any(isinstance(block, ToolUse) for block in work.blocks):
        return work
    return replace(work, blocks=(Text(text=f"{told}\n\n"), *work.blocks))
