"""What the work before an order brought: its answer in words, and the file that came of it."""

import mimetypes
import re
from collections.abc import Iterable
from dataclasses import dataclass

from bot.sandbox.model.concluding import sum_up_material
from bot.sandbox.model.conversation import Conversation
from bot.sandbox.model.errands.wording import Wording
from bot.sandbox.model.evidence import URL
from bot.sandbox.model.inquiry import TITLE, read_inquiry

REPORT_PATH = re.compile(r"[\w./~-]*[\w-]+\.html?\b")
LINK = re.compile(r"\[((?:\\.|[^\]\\])+)\]\(<?([^)>\s]+)>?\)")
MARKS = re.compile(r"\s*(?:\[\d{1,4}\])+(?=\s|$|[.,;])")
ESCAPED = re.compile(r"\\([\\`*\[\]<>~|_.)&+#=>-])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What there is to pass on; all empty where an order stands alone."""

    told: str = ""
    """The answer as the person reads it."""
    title: str = ""
    path: str = ""
    """The file to attach."""
    mimetype: str = ""
    failed: bool = False
    """Whether something had to be found out and was not."""

    @property
    def file_name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def summary(self) -> str:
        """The answer as plain text, without the lines that name the file."""
        lines = self.told.split("\n")
        kept = [line for line in lines if not (self.path and self.file_name in line)]
        return plain_text("\n".join(kept), marks=not self.path)


def found_out(conversation: Conversation, told: str) -> Findings:
    """What the finished work of this turn brought."""
    inquiry = read_inquiry(conversation)
    path = _report_path([told])
    wanted_file = inquiry.wants_report and conversation.tool("delegate") is not None
    has_text = bool(conversation.now.attachments or sum_up_material(conversation))
    is_found = has_text or bool(path if wanted_file else inquiry.hits)
    return Findings(
        told=told,
        title=inquiry.brief.title,
        path=path,
        mimetype=mimetype_of(path),
        failed=not is_found,
    )


def found_before(conversation: Conversation, wordings: Iterable[Wording]) -> Findings:
    """What an order without research speaks of: an attached file, a report or answer of before."""
    if not any(wording.refers or wording.says_file for wording in wordings):
        return Findings()
    for file in conversation.now.attachments:
        return Findings(title=file.name, path=file.path, mimetype=file.media_type)
    if summary := sum_up_material(conversation):
        return Findings(told=summary)
    for exchange in reversed(conversation.earlier):
        results = [call.result for call in exchange.calls if call.purpose == "delegate"]
        if path := _report_path([exchange.answer, *results]):
            told = next((t for t in (exchange.answer, *results) if t), "")
            named = TITLE.search(told)
            title = named["title"] if named else read_title(path)
            return Findings(told=told, title=title, path=path, mimetype=mimetype_of(path))
        if exchange.answer:
            return Findings(told=exchange.answer)
    return Findings()


def plain_text(markdown: str, *, marks: bool) -> str:
    """Markdown of an answer as a mail can hold it; `marks` keeps the numbers of sources."""
    text = LINK.sub(r"\1: \2", markdown)
    text = text if marks else MARKS.sub("", text)
    return re.sub(r"\n{3,}", "\n\n", ESCAPED.sub(r"\1", text)).strip()


def mimetype_of(path: str) -> str:
    """The media type that a file's name tells."""
    return mimetypes.guess_type(path)[0] or "application/octet-stream"


def read_title(path: str) -> str:
    """A title from a file's name."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    words = re.sub(r"[_-]+", " ", stem).strip()
    return words[:1].upper() + words[1:]


def _report_path(texts: Iterable[str]) -> str:
    for text in texts:
        if files := REPORT_PATH.findall(URL.sub(" ", text)):
            return files[-1]
    return ""
