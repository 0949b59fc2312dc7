"""Notes that a program sets beside a person's words, such as a list of attached files."""

import re
from dataclasses import dataclass

MAX_LINE_CHARS = 600
FILE_LINE = re.compile(
    r"^\s*(?:[-*•]|\d+[.)])?\s*`?(?P<path>[^\s`(].*?)`?\s+"
    r"\((?P<type>[\w.+-]+/[\w.+-]+)[^()]*?[,;]\s*"
    r"(?P<size>\d[\d., ]*)\s*(?:bytes?|[kmg]i?b)\b[^()]*\)$",
    re.IGNORECASE,
)
KEPT = re.compile(
    r"\b(?:message|text)\b[^\n]*\b\d[\d.,]* characters\b[^\n]*\b(?:saved|kept|stored)"
    r" (?:as|in|at|under) \S+$",
    re.IGNORECASE,
)
STORED_ID = re.compile(r"^(?=[A-Z]*\d)[A-Z0-9]{8,}_(?=.)")
PLACEHOLDER = re.compile(r"\([^()\n]*\)")
READABLE_TYPES = re.compile(r"text/|application/(?:[\w.+-]*(?:json|xml|yaml|toml|sql))\b", re.I)
READABLE_NAMES = re.compile(
    r"\.(?:csv|tsv|txt|md|markdown|html?|jsonl?|xml|ya?ml|log|py|toml|sql|tex)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that lies ready for a tool to read."""

    path: str
    media_type: str
    is_empty: bool

    @property
    def name(self) -> str:
        """The name as the person knows it, without an id that storing it set before it."""
        return STORED_ID.sub("", self.path.rpartition("/")[2])

    @property
    def is_text(self) -> bool:
        """Whether reading it as text makes sense."""
        named = READABLE_NAMES.search(self.name) is not None
        return named or READABLE_TYPES.match(self.media_type) is not None


def find_attachments(text: str) -> tuple[Attachment, ...]:
    """The files that the notes in a text list, each path once."""
    found = [file for note in _paragraphs(text) for file in _files_in(note)]
    return tuple({file.path: file for file in found}.values())


def without_notes(text: str) -> str:
    """A text without its notes; empty where nobody said a word beside the files."""
    attachments = False
    for paragraph in _paragraphs(text):
        files = _files_in(paragraph)
        attachments = attachments or bool(files)
        if files or _says_where_it_is_kept(paragraph):
            text = text.replace(paragraph, "", 1)
    words = text.strip()
    return "" if attachments and PLACEHOLDER.fullmatch(words) else words


def _paragraphs(text: str) -> list[str]:
    return [paragraph for paragraph in re.split(r"\n\s*\n", text) if paragraph.strip()]


def _files_in(paragraph: str) -> list[Attachment]:
    """The files of a paragraph that is a list of files below one line of heading at most."""
    lines = paragraph.strip().split("\n")
    if lines[0].rstrip().endswith(":"):
        lines = lines[1:]
    matches = [_match(line) for line in lines]
    files = [_attachment(match) for match in matches if match is not None]
    return files if len(files) == len(lines) else []


def _match(line: str) -> re.Match[str] | None:
    return FILE_LINE.match(line.rstrip()) if len(line) <= MAX_LINE_CHARS else None


def _attachment(match: re.Match[str]) -> Attachment:
    return Attachment(
        path=match["path"],
        media_type=match["type"].lower(),
        is_empty=not match["size"].strip(" 0.,"),
    )


def _says_where_it_is_kept(paragraph: str) -> bool:
    line = paragraph.strip()
    return len(line) <= MAX_LINE_CHARS and "\n" not in line and KEPT.search(line) is not None
