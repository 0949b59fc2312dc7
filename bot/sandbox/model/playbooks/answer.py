"""Playbook: answer by a quotation from a page, a file or earlier work, or say that none has it."""

import re
from collections.abc import Iterator

from bot.sandbox.model.dialogue import (
    REPORT,
    Dialogue,
    say,
    topic_of,
)
from bot.sandbox.model.message import StandInReply, as_text
from bot.sandbox.model.quoting import (
    escape,
    phrases,
    quotable_blocks,
    share,
    stems,
)
from bot.sandbox.web import PageLoader

NO_MODEL = (
    "No model is connected to this sandbox, so I can only quote its pages, and none of them "
    "answers this. What works here: “Write a report on keeping chat bots reliable”, “Compare heat "
    "pumps, battery storage and wind power”, “What is full jitter?”. A real model "
    "answers the rest: set ANTHROPIC_API_KEY."
)
NO_EARLIER = "I find no earlier work of mine about this that you may read here."
NO_TEXT = "{name} is of the type {type}, and without a model I can only quote texts."
EARLIER = phrases("earlier")
ENOUGH = 0.75
"""So much of a question must stand in a quotation and its page's title; one word in the title."""
MAX_LINES = 4
SHOWN_CHARS = 600
LONG_CHARS = 2_000
QUESTION_CHARS = 300
"""The end of a long text is taken for the question about it."""
LINE_END = re.compile(r"\s*\n\s*|(?<=[.!?])\s+")
FILE_ID = re.compile(r"^(?=[A-Z]*\d)[A-Z0-9]{8,}_(?=.)")
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
EARLIER_WORK = re.compile(r"(?m)^- id (\w+)(.*(?:\n  .*)*)")


def about_request(request: str) -> StandInReply:
    """Whom an open request reaches, for somebody who asks beside it."""
    people = " and ".join(sorted(set(ADDRESS.findall(request))))
    reach = f"It goes to {people}, and to nobody else. " if people else ""
    return say(f"{reach}Nothing is done before the request above is decided with its buttons.")


async def from_pages(dialogue: Dialogue, pages: PageLoader) -> StandInReply | None:
    """The two sentences of the small web that hold most of the question, with their page."""
    topic = topic_of(dialogue.now.words)
    best = 0.0
    answer = ""
    for page in await pages():
        for sentence, quote in _pairs(page.text):
            context = page.title
            if len(stems(topic)) > 1:
                context += f" {quote}"
            worth = share(topic, sentence) + share(topic, quote)
            if worth > best and share(topic, context) >= ENOUGH:
                best = worth
                link = f"[{escape(page.title)}]({page.url})"
                answer = f"> {escape(quote)}\n\n{link}"
    return say(answer) if answer else None


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """The sentences of a page, each alone and together with the next."""
    for _, sentences in quotable_blocks(text.replace("\n", "\n\n")):
        for index, sentence in enumerate(sentences):
            pair = sentences[index : index + 2]
            yield sentence, " ".join(pair)


def from_files(dialogue: Dialogue) -> StandInReply | None:
    """A quotation from attached files, or from a text as long as a file; None without them."""
    now = dialogue.now
    if not now.attachments:
        is_long = len(now.words) > LONG_CHARS
        return say(quote_lines(now.words, now.words[-QUESTION_CHARS:])) if is_long else None
    files = now.files
    for call in now.done("read_local_file"):
        files[call.arguments["path"]] = call.data.get("text") or as_text(call.data.get("note"))
    unread = [path for path in now.attachments if path not in files]
    if unread and dialogue.may_call_tools and "read_local_file" in dialogue.tools:
        return tuple(dialogue.use("read_local_file", path=path) for path in unread)
    if REPORT.search(now.words) and stems(topic_of(now.words)):
        return None
    answers = [
        _answer_from(path, kind, files.get(path, ""), now.words)
        for path, kind in now.attachments.items()
    ]
    return say("\n\n".join(answers))


def _answer_from(path: str, kind: str, text: str, words: str) -> str:
    name = FILE_ID.sub("", path.rpartition("/")[2])
    if not text:
        return NO_TEXT.format(name=name, type=kind)
    return f"{name} says:\n\n{quote_lines(text, words)}"


def from_earlier(dialogue: Dialogue) -> StandInReply | None:
    """A quotation from an earlier report, with its thread; None where nobody speaks of one."""
    now = dialogue.now
    if "find_earlier_work" not in dialogue.tools or not EARLIER.search(now.words):
        return None
    searches = now.done("find_earlier_work")
    if not searches:
        return (dialogue.use("find_earlier_work", query=now.words[:SHOWN_CHARS]),)
    works = dict(EARLIER_WORK.findall(searches[-1].result))
    if not works:
        return say(NO_EARLIER)
    reads = now.done("read_earlier_work")
    if not reads:
        fitting = max(works, key=lambda work: share(now.words, works[work]))
        return (dialogue.use("read_earlier_work", id=fitting),)
    text = reads[-1].result
    thread = text.partition("Thread: ")[2].partition("\n")[0]
    answer = text.partition("The answer:\n")[2] or text
    quote = quote_lines(answer, now.words)
    return say(f"In [an earlier thread]({thread}) I wrote:\n\n{quote}")


def quote_lines(text: str, question: str) -> str:
    """The lines that hold most of the question, in their order; its first lines where none does."""
    lines = LINE_END.split(text.strip())
    ranked = sorted(
        lines,
        key=lambda line: share(question, line),
        reverse=True,
    )
    best = ranked[:MAX_LINES]
    head = lines[0]
    if "," in head:  # of a table
        best.append(head)
    return "\n".join(f"> {escape(line[:SHOWN_CHARS])}" for line in lines if line in best)
