"""Answers from attached files: which files are meant, what is still to read, what they say."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.sandbox.model.answering import sum_up, tell
from bot.sandbox.model.arguments import field_holding, use
from bot.sandbox.model.conversation import Call, Conversation, Exchange
from bot.sandbox.model.evidence import Chunk, join_chunks, read_chunks, succeeded
from bot.sandbox.model.intent import TOPIC, WRITTEN_REPORT, is_bare_continuation
from bot.sandbox.model.language import REPORT, guess_language, topic_words
from bot.sandbox.model.markup import is_html, text_of_html
from bot.sandbox.model.notes import Attachment
from bot.sandbox.model.phrases import phrase
from bot.sandbox.model.purposes import Tool
from bot.sandbox.model.replies import ToolUse
from bot.sandbox.model.reporting import escape
from bot.sandbox.model.tables import answer_from_table, is_reckoning, read_table
from bot.sandbox.model.wire import as_text

MAX_READS_PER_FILE = 8
OPENING_LINES = 8
OPENING_CHARS = 600
SHORT_WORDS = 6
FILE_WORDS = re.compile(
    r"\b(?:files?|attach\w*|csv|tsv|json|html|markdown|spreadsheets?|tables?|documents?|logs?|"
    r"dateien?|angehängt\w*|anhang|anhänge|tabellen?|dokumente?|"
    r"fichiers?|pièces? jointes?|tableaux?|archivos?|adjunt[oa]s?|tablas?|documentos?)\b",
    re.IGNORECASE,
)
GOES_ON = re.compile(r"^\W*(?:and|what about|how about|und|et|y)\b", re.IGNORECASE)
TABLE_NAMES = (".csv", ".tsv")
TABLE_TYPES = ("text/csv", "text/tab-separated-values")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The files that a request is about, and what was read of them."""

    question: str
    before: tuple[str, ...]
    """What was asked before it, the newest first: it fills in what a short question leaves out."""
    language: str
    files: tuple[Attachment, ...]
    reader: Tool | None
    calls: tuple[Call, ...]
    """The calls of this turn that read a file."""

    @property
    def is_report_on_another_topic(self) -> bool:
        """Whether a report is wanted on a topic that is not the files."""
        found = TOPIC.search(self.question)
        if found is None or not WRITTEN_REPORT.search(self.question):
            return False
        topic = without_file_names(found["topic"], self.files)
        return bool(topic_words(topic)) and not FILE_WORDS.search(topic)

    def left_to_read(self) -> list[ToolUse]:
        """The calls that read what is not read yet, all at once."""
        if self.reader is None:
            return []
        field = self._field
        wanted: list[ToolUse] = []
        for file in self.files:
            chunks = self._chunks(file)
            if self._is_unread(file):
                wanted.append(use(self.reader, {field: file.path}, topic=file.path))
            elif chunks and self._goes_on(file, chunks):
                rest = {field: file.path, "offset": chunks[-1].next_offset}
                wanted.append(use(self.reader, rest, topic=file.path))
        return wanted

    def answer(self) -> str:
        """What the files say to the question, each in a paragraph."""
        told = [self._answer_from(file) for file in self.files]
        if WRITTEN_REPORT.search(self.question) and not self.is_report_on_another_topic:
            told.append(phrase("report_needs_pages", self.language))
        return "\n\n".join(told)

    def _answer_from(self, file: Attachment) -> str:
        name = escape(file.name)
        chunks = self._chunks(file)
        text = join_chunks(chunks).get(file.path, "")
        if file.is_empty or (chunks and not text.strip()):
            return phrase("file_empty", self.language, file=name)
        if not file.is_text:
            return phrase("file_unreadable", self.language, file=name, type=file.media_type)
        if not chunks:
            return phrase("file_failed", self.language, file=name)
        return self._tell(file, text)

    def _tell(self, file: Attachment, text: str) -> str:
        if table := read_table(text) if _is_table(file) else None:
            return answer_from_table(
                table, self.question, before=self.before, file=file.name, language=self.language
            )
        prose = text_of_html(text) if is_html(file.name, text) else text
        topic = FILE_WORDS.sub(" ", without_file_names(self.question, self.files))
        told = sum_up(prose) if REPORT.search(topic) else tell(prose, topic)
        if told:
            return phrase("file_says", self.language, file=escape(file.name), text=told)
        return _opening(file, prose, self.language)

    @property
    def _field(self) -> str:
        return field_holding(self.reader, "path", "file") if self.reader else "path"

    def _chunks(self, file: Attachment) -> list[Chunk]:
        good = [call for call in self._calls_for(file) if succeeded(call)]
        return read_chunks(good, self._field)

    def _calls_for(self, file: Attachment) -> list[Call]:
        return [c for c in self.calls if as_text(c.arguments.get(self._field)) == file.path]

    def _is_unread(self, file: Attachment) -> bool:
        return file.is_text and not file.is_empty and not self._calls_for(file)

    def _goes_on(self, file: Attachment, chunks: Sequence[Chunk]) -> bool:
        may_read = len(self._calls_for(file)) < MAX_READS_PER_FILE
        takes_offset = self.reader is not None and "offset" in self.reader.properties
        return may_read and takes_offset and chunks[-1].next_offset is not None


def find_reading(conversation: Conversation) -> Reading | None:
    """The reading that a request is about; None where it is about no file or none can be read."""
    asked = conversation.now.words
    files = files_meant(conversation)
    reader = conversation.tool("read_file")
    if not files or (reader is None and asked):
        return None
    spoken = [exchange.words for exchange in reversed(conversation.earlier)]
    before = tuple(words for words in spoken if not is_bare_continuation(words))
    question = before[0] if before and is_bare_continuation(asked) else asked
    return Reading(
        question=question,
        before=before,
        language=guess_language(question),
        files=_named_in(asked, files) or files,
        reader=reader,
        calls=tuple(conversation.calls("read_file")),
    )


def files_meant(conversation: Conversation) -> tuple[Attachment, ...]:
    """The files of this message, or those that came before where it speaks of them."""
    now = conversation.now
    if now.attachments:
        return now.attachments
    known = [file for exchange in conversation.earlier for file in exchange.attachments]
    if named := _named_in(now.words, known):
        return named
    latest = [exchange for exchange in conversation.earlier if exchange.attachments][-1:]
    if latest and (FILE_WORDS.search(now.words) or _goes_on_about(conversation)):
        return latest[0].attachments
    return ()


def without_file_names(text: str, files: Sequence[Attachment]) -> str:
    """A text without the names of the files."""
    for file in files:
        text = re.sub(re.escape(file.name), " ", text, flags=re.IGNORECASE)
    return text


def _goes_on_about(conversation: Conversation) -> bool:
    """Whether a short message says nothing of its own after an answer that came from files."""
    words, before = conversation.now.words, conversation.earlier[-1]
    asks_more = GOES_ON.search(words) or is_reckoning(words) or is_bare_continuation(words)
    is_short = len(words.split()) <= SHORT_WORDS
    return is_short and bool(asks_more) and (bool(before.attachments) or _is_from_files(before))


def _is_from_files(exchange: Exchange) -> bool:
    return bool(exchange.calls) and {c.purpose for c in exchange.calls} == {"read_file"}


def _is_table(file: Attachment) -> bool:
    return file.name.lower().endswith(TABLE_NAMES) or file.media_type in TABLE_TYPES


def _named_in(text: str, files: Sequence[Attachment]) -> tuple[Attachment, ...]:
    said = text.casefold()
    return tuple(file for file in files if file.name.casefold() in said)


def _opening(file: Attachment, text: str, language: str) -> str:
    """The first lines of a file that holds no whole sentence."""
    lines = text.strip()[:OPENING_CHARS].split("\n")[:OPENING_LINES]
    shown = "\n".join(lines).replace("```", "'''")
    return f"{phrase('file_opens', language, file=escape(file.name))}\n```\n{shown}\n```"
