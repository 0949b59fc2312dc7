"""Playbook: answer by a quotation from a page, a file or earlier work."""

import re

from bot.sandbox.model.dialogue import Dialogue, topic_of
from bot.sandbox.model.phrases import find, line
from bot.sandbox.model.quoting import escape, quotable_blocks, share, stems
from bot.sandbox.web import PageLoader

ENOUGH = 0.75
"""So much of a question must stand in a quotation and its page's title; one word in the title."""
ENOUGH_OF_SUBJECT = 0.6
"""Of a question whose page has IN_TITLE of it in its title."""
IN_TITLE = 0.5
MAX_LINES = 4
MAX_PARTS = 3
SHOWN_CHARS = 600
LONG_CHARS = 2_000
QUESTION_CHARS = 300
"""The end of a long text is taken for the question about it."""
LINE_END = re.compile(r"\s*\n\s*|(?<=[.!?])\s+")
FILE_ID = re.compile(r"^(?=[A-Z]*\d)[A-Z0-9]{8,}_(?=.)")
PART = re.compile(r"(?m)^## (Page|Sheet) (.*)$")
"""The mark of a page or a sheet in the text of a file."""
ROW = re.compile(r"(?m)^(?:\d+: |[^\n]*[,;\t]).*$")
"""A row of a sheet, or of values with separators."""
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
EARLIER_WORK = re.compile(r"(?m)^- id (\w+)(.*(?:\n  .*)*)")


def about_request(request: str) -> str:
    """Whom an open request reaches, for somebody who asks beside it."""
    people = " and ".join(sorted(set(ADDRESS.findall(request))))
    return (line("reaches", people=people) if people else "") + line("undecided")


async def from_pages(dialogue: Dialogue, pages: PageLoader) -> str:
    """The two sentences of the small web that hold most of the question, with their page."""
    topic = topic_of(dialogue.now.words)
    best = 0.0
    answer = ""
    for page in await pages():
        least = _enough_of(topic, page.title)
        for _, sentences in quotable_blocks(page.text.replace("\n", "\n\n")):
            for index, sentence in enumerate(sentences):
                quote = " ".join(sentences[index : index + 2])
                context = page.title
                if len(stems(topic)) > 1:
                    context += f" {quote}"
                worth = share(topic, sentence) + share(topic, quote)
                if worth > best and share(topic, context) >= least:
                    best = worth
                    link = f"[{escape(page.title)}]({page.url})"
                    answer = f"> {escape(quote)}\n\n{link}"
    return answer


def _enough_of(topic: str, title: str) -> float:
    """So much of a question is enough: less where the page is about its subject."""
    is_subject = len(stems(topic)) > 1 and share(topic, title) >= IN_TITLE
    return ENOUGH_OF_SUBJECT if is_subject else ENOUGH


def from_files(dialogue: Dialogue) -> str:
    """A quotation from attached files, or from a text as long as a file; empty without them."""
    now = dialogue.now
    if not now.attachments:
        is_long = len(now.words) > LONG_CHARS
        return quote_lines(now.words, now.words[-QUESTION_CHARS:]) if is_long else ""
    texts = dict(now.files)
    unread = [path for path in now.attachments if path not in texts]
    texts |= dialogue.read(unread)
    if find("report", now.words) and stems(topic_of(now.words)):
        return ""
    answers: list[str] = []
    for path, kind in now.attachments.items():
        name = FILE_ID.sub("", path.rpartition("/")[2])
        text = texts.get(path, "")
        counted = _rows_of(text) if find("counts_rows", now.words) else 0
        if counted:
            answers.append(
                line(
                    "rows",
                    name=name,
                    count=f"{counted:,}",
                )
            )
        else:
            answers.append(
                _quotation(
                    name,
                    text,
                    now.words,
                )
                or line(
                    "no_text",
                    name=name,
                    kind=kind,
                )
            )
    return "\n\n".join(answers)


def _rows_of(text: str) -> int:
    """How many rows a table has below its head; none where the text is no table."""
    return max(0, len(ROW.findall(text)) - 1)


def _quotation(
    name: str,
    text: str,
    words: str,
) -> str:
    """The lines that hold most of the question, with the name of their page or sheet."""
    _, *parts = PART.split(f"## Page \n{text}")
    quoted: dict[str, str] = {}
    for kind, number, body in zip(
        parts[::3],
        parts[1::3],
        parts[2::3],
        strict=True,
    ):
        if body.strip():
            where = f"{name}, {kind.casefold()} {number}" if number.strip() else name
            quoted[where] = quote_lines(body, words)
    shares = {where: share(words, text) for where, text in quoted.items()}
    best = [where for where in quoted if shares[where] == max(shares.values())]
    parts = [line("file_says", name=where) + quoted[where] for where in best[:MAX_PARTS]]
    return "\n\n".join(parts)


def from_earlier(dialogue: Dialogue) -> str:
    """A quotation from an earlier report, with its thread."""
    words = dialogue.now.words
    search = dialogue.call("find_earlier_work", query=words[:SHOWN_CHARS])
    works = dict(EARLIER_WORK.findall(search.result))
    if not works:
        return line("no_earlier")
    fitting = max(works, key=lambda work: share(words, works[work]))
    text = dialogue.call("read_earlier_work", id=fitting).result
    thread = text.partition("Thread: ")[2].partition("\n")[0]
    answer = text.partition("The answer:\n")[2] or text
    return line("wrote", thread=thread) + quote_lines(answer, words)


def quote_lines(text: str, question: str) -> str:
    """The lines that hold most of the question, in their order; its first lines where none does."""
    lines = LINE_END.split(text.strip())
    ranked = sorted(
        lines,
        key=lambda one: share(question, one),
        reverse=True,
    )
    best = ranked[:MAX_LINES]
    head = lines[0]
    if "," in head or "|" in head:  # of a table
        best.append(head)
    return "\n".join(f"> {escape(one[:SHOWN_CHARS])}" for one in lines if one in best)
