"""Where the sentences of a plain text begin and end."""

import re

# Punctuation of several scripts is meant here, not mistyped.
_END = re.compile(r"(?:[.!?…]+[\"'”’»)\]]*(?=\s|$))|(?:[。！？]+[」』”’)]*)")  # noqa: RUF001
_ABBREVIATION = re.compile(
    r"\b(?:dr|mr|mrs|ms|prof|st|no|nr|vs|etc|fig|approx|ca|inc|ltd|corp|co|jr|sr|vol|pp|bzw"
    r"|cf|al|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|[a-z](?:\.[a-z])*)\.$",
    re.IGNORECASE,
)
_LOOK_BACK = 12


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The (start, end) offsets of each sentence, in order, without the white space around it."""
    spans: list[tuple[int, int]] = []
    start = _skip_space(text, 0)
    for end in _END.finditer(text):
        if end.end() > start and _ends_sentence(text, end):
            spans.append((start, end.end()))
            start = _skip_space(text, end.end())
    tail = text.rstrip()
    if start < len(tail):
        spans.append((start, len(tail)))
    return spans


def split_sentences(text: str) -> list[str]:
    """The sentences of `text`, letter by letter."""
    return [text[start:end] for start, end in sentence_spans(text)]


def _skip_space(text: str, start: int) -> int:
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def _ends_sentence(text: str, end: re.Match[str]) -> bool:
    following = text[end.end() :].lstrip()[:1] if end.end() < len(text) else ""
    if following.islower():
        return False
    before = text[max(0, end.start() - _LOOK_BACK) : end.start() + 1]
    return not following or not _ABBREVIATION.search(before)
