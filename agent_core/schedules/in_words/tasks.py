"""What is to be done each time: a request without the words about when, where and for whom."""

import re
from collections.abc import Iterable, Sequence

from agent_core.schedules.in_words.sentences import Sentence
from agent_core.schedules.in_words.words.asking import (
    ABOUT,
    ARTICLE,
    DIGEST,
    KEPT,
    LAST_PREPOSITION,
    LEAD,
    OBJECT,
    POST_IT,
    POSTING,
    THANKS,
    TRAILING,
    WORKING,
)
from agent_core.schedules.in_words.words.set_apart import COURTESY
from agent_core.schedules.in_words.words.vocabulary import fold

Span = tuple[int, int]

_BLANKS = re.compile(r"\s+")
_BLANK_BEFORE_MARK = re.compile(r"\s+([,.;:!?)])")
_DOUBLE_MARK = re.compile(r"([,;:])(?:\s*[,;:])+")
_MARKS = " ,;:-\N{EN DASH}\N{EM DASH}*_\n\t"
_SMILEY = re.compile(r"\s[:;]-?\)\s*$")
_LAST_THANKS = re.compile(rf"[\s,;-]{{1,4}}(?:{THANKS})[\s.!?]*$")
_CLOSING = re.compile(r"[\s.!?…,;:*_-]+$")


def task_of(text: str, sentences: Sequence[Sentence], used: Iterable[Span], place: int) -> str:
    """The task of a text. `used` is left out; the sentence around `place` loses its verb too."""
    blanked = _without(text, used)
    parts = [
        _subject(part) if sentence.start <= place < sentence.end else _tidy(part)
        for sentence in sentences
        if not _is_polite(part := blanked[sentence.start : sentence.end])
        and part.strip(_MARKS + ".!?…")
    ]
    return _joined([part for part in parts if part])


def _is_polite(sentence: str) -> bool:
    folded = fold(sentence)
    return LEAD.fullmatch(folded) is not None or COURTESY.fullmatch(folded) is not None


def _without(text: str, spans: Iterable[Span]) -> str:
    text = _SMILEY.sub("", text)
    for start, end in spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def _subject(sentence: str) -> str:
    """Battery storage, of: please post us a digest on battery storage."""
    text = _tidy(sentence)
    folded = fold(text)
    text = text[_subject_start(folded) :]
    text = _without_last_verb(text)
    for ending in (_LAST_THANKS, POST_IT, LAST_PREPOSITION):
        if match := ending.search(fold(text)):
            text = text[: match.start()]
    return text.strip(_MARKS)


def _subject_start(folded: str) -> int:
    place = _end(LEAD, folded, 0)
    if KEPT.match(folded, place):
        return place
    verb = POSTING.match(folded, place) or WORKING.match(folded, place)
    if verb:
        behind = _end(OBJECT, folded, verb.end())
        is_noun = WORKING.match(folded, place) and not _is_word(folded, behind)
        place = _end(LEAD, folded, behind)
        about = ABOUT.match(folded, place)
        if about and about.end() > place and (is_noun or _is_word(folded, about.end())):
            place = _end(LEAD, folded, about.end())
    return _behind_digest(folded, place)


def _behind_digest(folded: str, place: int) -> int:
    """Behind "a digest on"; the place itself where the digest is the end of a name."""
    digest = DIGEST.match(folded, _end(ARTICLE, folded, place))
    if digest is None:
        return place
    about = ABOUT.match(folded, digest.end())
    if about is None or about.end() == digest.end():
        return len(folded) if not folded[digest.end() :].strip(_MARKS + ".!?") else place
    return _end(LEAD, folded, about.end())


def _is_word(folded: str, place: int) -> bool:
    return bool(folded[place:].strip(_MARKS))


def _without_last_verb(text: str) -> str:
    folded = fold(text)
    for place in range(max(0, len(text) - 60), len(text)):
        match = TRAILING.fullmatch(folded, place)
        if match and (match["verb"] or place == match.end()):
            return text[:place]
    return _CLOSING.sub("", text)


def _tidy(text: str) -> str:
    plain = _BLANK_BEFORE_MARK.sub(r"\1", _BLANKS.sub(" ", text))
    return _DOUBLE_MARK.sub(r"\1", plain).strip(_MARKS)


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return match.end() if match else place


def _joined(parts: Sequence[str]) -> str:
    """Sentences in a row, the last without its full stop."""
    closed = [part if part[-1] in ".!?…:" else f"{part}." for part in parts]
    return " ".join(closed).removesuffix(".")
