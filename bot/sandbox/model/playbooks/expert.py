"""Playbook of the report expert: read, save, read on, write the report, and sum it up."""

from collections.abc import Sequence
from dataclasses import replace

from bot.sandbox.model.dialogue import Dialogue, Exchange, say, topic_of
from bot.sandbox.model.message import StandInReply
from bot.sandbox.model.playbooks.research import (
    NOTHING,
    URL,
    Brief,
    listed_line,
    pages_read,
    read_files,
    rows_of,
    sentences_on,
    unread_in,
)
from bot.sandbox.model.quoting import NumberedPage, capitalised, escape, write_report

BATCH = 10
MAX_BATCHES = 2
ENOUGH_PAGES = 10
SUMMARY_SENTENCES = 3
FOLLOW_UPS = ("Find the latest news on {topic}", "Look up what people say about {topic}")


def decide(dialogue: Dialogue) -> StandInReply:
    """The expert's next step."""
    whole = Exchange(asked="\n\n".join(exchange.asked for exchange in dialogue.exchanges))
    for exchange in dialogue.exchanges:
        whole.calls += exchange.calls
        whole.notes += exchange.notes
    dialogue = replace(dialogue, exchanges=[whole])
    brief = Brief.read(whole.asked)
    noted = filter(None, map(topic_of, whole.notes))
    sections = dict.fromkeys([*brief.sections, *noted])
    brief = replace(brief, sections=tuple(sections))
    saves = whole.done("save_corpus")[-1:]
    pages = pages_read(dialogue, saves)
    step = None
    if dialogue.may_call_tools:
        step = (
            _crawl_and_save(dialogue, URL.findall(whole.asked))
            or read_files(dialogue, saves)
            or _write(dialogue, brief, pages)
        )
    return step or say(_summary(dialogue, brief, pages))


def _crawl_and_save(dialogue: Dialogue, urls: Sequence[str]) -> StandInReply | None:
    """The pages crawled in two batches at most, and saved; None once they were."""
    crawls = dialogue.now.done("crawl_parallel")
    tried = [url for call in crawls for url in call.arguments["urls"]]
    left = [url for url in dict.fromkeys(urls) if url not in tried]
    articles = [row["url"] for row in rows_of(crawls)]
    if left and len(crawls) < MAX_BATCHES and len(articles) < ENOUGH_PAGES:
        return (dialogue.use("crawl_parallel", urls=left[:BATCH]),)
    if articles and not dialogue.now.done("save_corpus"):
        return (dialogue.use("save_corpus", articles=articles),)
    return None


def _write(
    dialogue: Dialogue,
    brief: Brief,
    pages: Sequence[NumberedPage],
) -> StandInReply | None:
    """The call that writes the report, once more where a note adds to it; else None."""
    report = write_report(pages, brief.topic, brief.sections)
    if report is None:
        return None
    for call in dialogue.now.done("write_report")[-1:]:
        is_same = call.arguments["markdown"] == report["markdown"]
        if is_same or not dialogue.now.notes:
            return None
    write = dialogue.use(
        "write_report",
        title=capitalised(brief.topic),
        follow_ups=[question.format(topic=brief.topic) for question in FOLLOW_UPS],
        **report,
    )
    return (write,)


def _summary(dialogue: Dialogue, brief: Brief, pages: Sequence[NumberedPage]) -> str:
    """The most telling sentences of the report that was written; or why none was."""
    written = dialogue.now.done("write_report")
    done = [call for call in written if call.data.get("success")]
    if not done:
        reason = NOTHING.format(topic=brief.topic) + unread_in(dialogue)
        for call in written:
            reason = call.result[:300]
        return f"No report was written. {reason}"
    report = done[-1].arguments
    topic = [brief.topic, *brief.sections][-1]
    sentences = sentences_on(topic, pages, SUMMARY_SENTENCES)
    lines = [" ".join(sentences), f"The report “{report['title']}” is ready."]
    lines += [
        NOTHING.format(topic=name)
        for name in map(capitalised, brief.sections)
        if f"## {escape(name)}\n" not in report["markdown"]
    ]
    table = ["Pages:", *map(listed_line, pages)]
    lines.append("\n".join(table))
    return "\n\n".join(lines)
