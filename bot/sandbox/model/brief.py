"""The task that one agent gives another: written as plain text, and read back from plain text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.sandbox.model.evidence import Hit, find_urls
from bot.sandbox.model.intent import new_section_of, topic_of, wants_continuation, wants_depth
from bot.sandbox.model.language import guess_language

MAX_SNIPPET_CHARS = 300
REQUEST = re.compile(r'Request, word for word:\s*"""\s*(?P<text>.*?)\s*"""', re.DOTALL)
FIELD = r"^[\s*>-]*{name}[*]*:[*\s]*(?P<text>\S.*)$"
FULL = "Depth: read the pages in full and save them as the corpus before writing."
SHORT = "Depth: the search results below are enough."
EXTENDS = (
    "This extends the earlier report of the same title: the session's corpus already exists, "
    "add to it and write the report anew with the new section."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """A task for a report: what about, how deep, from which pages."""

    request: str
    """The person's own words."""
    topic: str
    title: str
    language: str
    is_deep: bool
    urls: tuple[str, ...] = ()
    new_sections: tuple[str, ...] = ()
    """Where an earlier report is extended: the sections asked for so far, the newest last."""


def write_brief(brief: Brief, hits: Sequence[Hit], correction: str = "") -> str:
    """The task as text, with every page that was found."""
    parts = [
        f'Request, word for word:\n"""\n{brief.request}\n"""',
        f"Topic: {brief.topic}\nTitle: {brief.title}\nLanguage: {brief.language}",
        FULL if brief.is_deep else SHORT,
    ]
    if brief.new_sections:
        listed = [f"New section: {section}" for section in brief.new_sections]
        parts.append("\n".join([*listed, EXTENDS]))
    if correction:
        parts.append(f"An earlier attempt was not accepted: {correction}")
    parts.append("Pages found:\n" + "\n".join(_line(hit) for hit in hits))
    return "\n\n".join(parts)


def read_brief(text: str) -> Brief:
    """A task from text: ours with its fields, or anybody's, as well as it can be understood."""
    quoted = REQUEST.search(text)
    request = quoted["text"] if quoted else text
    topic = _field(text, "Topic") or topic_of(request)
    sections = _fields(text, "New section")
    if not sections and wants_continuation(request):
        sections = [section for section in [new_section_of(request)] if section]
    deep = FULL in text or (SHORT not in text and wants_depth(request))
    return Brief(
        request=request,
        topic=topic,
        title=_field(text, "Title") or title_of(topic),
        language=_field(text, "Language") or guess_language(request),
        is_deep=deep or bool(sections),
        urls=tuple(find_urls(text)),
        new_sections=tuple(sections),
    )


def title_of(topic: str) -> str:
    """A topic as a title."""
    return topic[:1].upper() + topic[1:]


def _field(text: str, name: str) -> str:
    return next(iter(_fields(text, name)), "")


def _fields(text: str, name: str) -> list[str]:
    found = re.finditer(FIELD.format(name=name), text, re.MULTILINE)
    return [match["text"].strip().strip('"“”*') for match in found]


def _line(hit: Hit) -> str:
    snippet = hit.snippet[:MAX_SNIPPET_CHARS]
    head = f"- {hit.title or hit.url}: {hit.url}"
    return f"{head}\n  {snippet}" if snippet else head
