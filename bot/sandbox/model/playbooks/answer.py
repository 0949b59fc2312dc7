"""Playbook: answer by a quotation from a page, a file or earlier work, or say that none has it."""

import re
from collections.abc import Awaitable, Callable, Sequence

from bot.sandbox.model.conversation import REPORT, Dialogue, say, topic_of
from bot.sandbox.model.message import StandInReply
from bot.sandbox.model.sentences import NumberedPage, phrases, share, stems
from bot.sandbox.model.writing import escape
from bot.sandbox.web import WebPage

NO_MODEL = (
    "No model is connected to this sandbox, so I can only quote its pages, and none of them "
    "answers this. Set ANTHROPIC_API_KEY to connect one."
)
NO_TEXT = "{name} is of the type {type}, and without a model I can only quote texts."
EARLIER = phrases("earlier")
ENOUGH = 0.75
"""So much of a question must stand in a quotation and its page's title; one word in the title."""
MAX_LINES = 4
SHOWN_CHARS = 600
LONG_CHARS = 2_000
SHOWN = "The picture is shown"
FILE_ID = re.compile(r"^(?=[A-Z]*\d)[A-Z0-9]{8,}_(?=.)")


async def from_pages(
    conversation: Dialogue, pages: Callable[[], Awaitable[Sequence[WebPage]]]
) -> StandInReply:
    """The two sentences of the small web that hold most of the question, with their page."""
    wanted = stems(topic_of(conversation.now.words))
    best, found = 0.0, ""
    for page in await pages():
        source = NumberedPage(
            n=1, url=page.url, title=page.title, text=page.text.replace("\n", "\n\n")
        )
        for passage in source.passages():
            for place, sentence in enumerate(passage.sentences):
                quote = " ".join(passage.sentences[place : place + 2])
                asked_of = f"{page.title} {quote}" if len(wanted) > 1 else page.title
                if share(wanted, asked_of) < ENOUGH:
                    continue
                if (worth := share(wanted, sentence) + share(wanted, quote)) > best:
                    best, found = worth, f"> {escape(quote)}\n\n[{escape(page.title)}]({page.url})"
    return say(found or NO_MODEL)


def from_files(conversation: Dialogue) -> StandInReply | None:
    """What attached files, or a text as long as a file, say to the question; None without them."""
    now = conversation.now
    if not now.attachments:
        is_long = len(now.words) > LONG_CHARS
        return say(_quote(now.words, now.words[-300:])) if is_long else None
    read = dict(now.files)
    for call in now.done("read_local_file"):
        text, about = str(call.data.get("text", "")), str(call.data.get("note", ""))
        read[str(call.arguments.get("path"))] = (text, about)
    unread = [path for path, _ in now.attachments if path not in read]
    if unread and conversation.may_call_tools and "read_local_file" in conversation.tools:
        calls = [conversation.use("read_local_file", path=path) for path in unread]
        return tuple(calls)
    if REPORT.search(now.words) and stems(topic_of(now.words)):
        return None
    told: list[str] = []
    for path, kind in now.attachments:
        name = FILE_ID.sub("", path.rpartition("/")[2])
        text, about = read.get(path, ("", ""))
        if SHOWN in text or not (text or about):
            told.append(NO_TEXT.format(name=name, type=kind))
        else:
            told.append(f"{name} says:\n\n{_quote(text, now.words)}" if text else about)
    return say("\n\n".join(told))


def from_earlier(conversation: Dialogue) -> StandInReply | None:
    """What an earlier report says, with its thread; None where nobody speaks of one."""
    now = conversation.now
    if "find_earlier_work" not in conversation.tools or not EARLIER.search(now.words):
        return None
    found, read = now.done("find_earlier_work"), now.done("read_earlier_work")
    if not found:
        return (conversation.use("find_earlier_work", query=now.words[:SHOWN_CHARS]),)
    told = dict(re.findall(r"^- id (\w+)(.*(?:\n  .*)*)", found[-1].result, re.MULTILINE))
    if not told:
        return None
    if not read:
        fitting = max(told, key=lambda each: share(stems(now.words), told[each]))
        return (conversation.use("read_earlier_work", id=fitting),)
    thread = read[-1].result.partition("Thread: ")[2].partition("\n")[0]
    said = read[-1].result.partition("The answer:\n")[2] or read[-1].result
    return say(f"In [an earlier thread]({thread}) I wrote:\n\n{_quote(said, now.words)}")


def _quote(text: str, question: str) -> str:
    """The lines that hold most of the question, in their order; its first lines where none does."""
    lines = [line.strip() for line in re.split(r"\n+|(?<=[.!?])\s+", text) if line.strip()]
    wanted = stems(question)
    best = sorted(lines, key=lambda line: -share(wanted, line))[:MAX_LINES]
    fitting = [line for line in lines if line in best and share(wanted, line)]
    head = lines[:1] if "," in lines[0] and fitting and lines[0] not in fitting else []
    return "\n".join(
        f"> {escape(line[:SHOWN_CHARS])}" for line in head + (fitting or lines[:MAX_LINES])
    )
