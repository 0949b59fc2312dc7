"""Playbook: answer by a quotation from a page or from attached files."""

import re
from itertools import pairwise

from bot.sandbox.model.dialogue import Dialogue, topic_of
from bot.sandbox.model.phrases import find, line
from bot.sandbox.model.quoting import escape, quotable_blocks, share, stems
from bot.sandbox.web import PageLoader, WebPage

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
PART = re.compile(r"(?m)^## (?=(?:Page|Sheet) )")
"""The mark of a page or a sheet in the text of a file."""
ROW = re.compile(r"(?m)^(?:\d+: |[^\n]*[,;\t]).*$")
"""A row of a sheet, or of values with separators."""
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


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
        worth, quote = _best_of(page, topic)
        if worth > best:
            best = worth
            title = escape(page.title)
            answer = f"> {escape(quote)}\n\n[{title}]({page.url})"
    return answer


def _best_of(page: WebPage, topic: str) -> tuple[float, str]:
    """The two sentences of a page that hold most of a topic, and how much; none if too little."""
    is_word = len(stems(topic)) == 1
    is_subject = not is_word and share(topic, page.title) >= IN_TITLE
    least = ENOUGH_OF_SUBJECT if is_subject else ENOUGH
    best = (0.0, "")
    text = page.text.replace("\n", "\n\n")
    for _, sentences in quotable_blocks(text, in_report=False):
        for sentence, following in pairwise([*sentences, ""]):
            quote = f"{sentence} {following}".strip()
            context = page.title if is_word else f"{page.title} {quote}"
            worth = share(topic, sentence) + share(topic, quote)
            if worth > best[0] and share(topic, context) >= least:
                best = (worth, quote)
    return best


def from_files(dialogue: Dialogue) -> str:
    """A quotation from attached files, or from a text as long as a file; empty without them."""
    now = dialogue.now
    words = now.words
    if not now.attachments:
        return quote_lines(words, words[-QUESTION_CHARS:]) if len(words) > LONG_CHARS else ""
    texts = now.files
    texts |= dialogue.read(path for path in now.attachments if path not in texts)
    if find("report", words) and stems(topic_of(words)):
        return ""
    answers: list[str] = []
    for path, kind in now.attachments.items():
        name = FILE_ID.sub("", path.rpartition("/")[2])
        answer = _from_file(
            name,
            texts[path],
            words,
        )
        answers.append(
            answer
            or line(
                "no_text",
                name=name,
                kind=kind,
            )
        )
    return "\n\n".join(answers)


def _from_file(name: str, text: str, words: str) -> str:
    """How many rows a table has, where that is asked; else the lines that hold most of it."""
    rows = len(ROW.findall(text)) - 1
    if rows > 0 and find("counts_rows", words):
        count = f"{rows:,}"
        return line(
            "rows",
            name=name,
            count=count,
        )
    quoted: dict[str, float] = {}
    for part in PART.split(text):
        head, _, body = part.partition("\n") if part != text else (name, "", text)
        where = name if head == name else f"{name}, {head.casefold()}"
        if body.strip():
            quotation = line("file_says", name=where) + quote_lines(body, words)
            quoted[quotation] = share(words, body)
    best = [text for text in quoted if quoted[text] == max(quoted.values())]
    return "\n\n".join(best[:MAX_PARTS])


def quote_lines(text: str, question: str) -> str:
    """The lines that hold most of the question, in their order; its first lines where none does."""
    lines = LINE_END.split(text.strip())
    ranked = sorted(
        lines,
        key=lambda one: share(question, one),
        reverse=True,
    )
    best = ranked[:MAX_LINES]
    if re.search(r"[,;|]", lines[0]):  # the head of a table
        best.append(lines[0])
    return "\n".join(f"> {escape(one[:SHOWN_CHARS])}" for one in lines if one in best)
