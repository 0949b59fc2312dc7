"""Where a recurrence stands in its sentence, and whether people put it there to ask for posts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent_core.schedules.in_words.composing import elapses
from agent_core.schedules.in_words.pieces import Channel, Piece, Times, When
from agent_core.schedules.in_words.scanning import Run, Source
from agent_core.schedules.in_words.sentences import Sentence
from agent_core.schedules.in_words.words.asking import (
    ABOUT,
    AND_VERB,
    ANOTHER,
    APPOINTING,
    ARTICLE,
    BELONGS,
    DANGLING,
    DEFINITE,
    DIGEST,
    EACH,
    INDEFINITE,
    KEPT,
    LEAD,
    NEWS,
    OBJECT,
    POLITE_QUESTION,
    POSTING,
    PREPARING,
    QUESTION,
    REMINDING,
    SUBJECT,
    SUBORDINATE,
    TECHNICAL_WORD,
    TRAILING,
    WANTING,
    WORKING,
)

_INTRODUCED = re.compile(r".{0,200}[,:;\n-]\s*", re.DOTALL)
_LINKED = re.compile(rf"(?:{AND_VERB.pattern}|[,;]\s*)$")
_BLANKS = re.compile(r"\s+")
_COLON = re.compile(r"\s?[:-]\s?")
_SHORT_WORDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """What stands around a run of pieces in its sentence, and what its beginning says."""

    run: Run
    head: str
    tail: str
    opening: str
    """The head behind politeness, without the pieces that stand in it."""
    has_times: bool
    """Whether a time of day stands in the sentence, be it elsewhere."""
    has_channel: bool
    says_each: bool
    """Whether it says "every", and not Mondays or Monday to Friday alone."""
    wants: bool

    @property
    def begins(self) -> bool:
        return not self.opening

    @property
    def ends(self) -> bool:
        return TRAILING.fullmatch(self.tail) is not None


def asks_for_posts(said: Source, run: Run, runs: Sequence[Run], sentence: Sentence) -> bool:
    """Whether a recurrence stands where people put it who ask for recurring posts."""
    others = [each for each in runs if not each.recurs or (each.is_adverb and not each.has_times)]
    around = _around(said, run, runs, others, sentence)
    if is_question(said, sentence) or _is_one_of_some(around):
        return False
    if around.begins:
        return _begins_request(around)
    return _follows_verb(around) or _precedes_verb(around) or _completes_request(around)


def asks_for_another(said: Source, run: Run, sentence: Sentence) -> bool:
    """Whether a recurrence begins a second digest: and every Friday at 4 one on solar."""
    first = next(piece for piece in run.pieces if isinstance(piece, When))
    head, tail = said.folded[sentence.start : first.start], said.folded[run.end : sentence.end]
    another = ANOTHER.match(tail.lstrip()) or _noun(tail.lstrip())
    return run.has_times and bool(another) and _LINKED.search(head) is not None


def stands_at_edge(said: Source, run: Run, runs: Sequence[Run], sentence: Sentence) -> bool:
    """Whether a run begins or ends its sentence, or follows the verb that begins it."""
    around = _around(said, run, runs, runs, sentence)
    return around.begins or around.ends or bool(_verb_alone(around.opening))


def _around(
    said: Source, run: Run, runs: Sequence[Run], passed_over: Sequence[Run], sentence: Sentence
) -> _Around:
    pieces = [piece for each in runs for piece in each.pieces if is_within(piece, sentence)]
    before = [piece for each in passed_over for piece in each.pieces]
    head = said.folded[sentence.start : run.start]
    plain = head
    for piece in before:
        if sentence.start <= piece.start < run.start:
            start, end = piece.start - sentence.start, piece.end - sentence.start
            plain = f"{plain[:start]}{' ' * (end - start)}{plain[end:]}"
    lead = LEAD.match(plain)
    return _Around(
        run=run,
        head=head,
        tail=said.folded[run.end : sentence.end],
        opening=_BLANKS.sub(" ", plain[lead.end() if lead else 0 :]),
        has_times=any(isinstance(piece, Times) for piece in pieces),
        has_channel=any(isinstance(piece, Channel) for piece in pieces),
        says_each=_says_each(said, run),
        wants=WANTING.match(head.lstrip()) is not None,
    )


def _says_each(said: Source, run: Run) -> bool:
    """Twice a week is as clear as each week."""
    whens = (piece for piece in run.pieces if isinstance(piece, When))
    counted = any(each.cadence.days_a_unit or each.cadence.times_a_day for each in whens)
    return counted or EACH.search(said.folded, run.start, run.end) is not None


def is_within(piece: Piece, sentence: Sentence) -> bool:
    """Whether a piece begins in a sentence."""
    return sentence.start <= piece.start < sentence.end


def is_question(said: Source, sentence: Sentence) -> bool:
    """Whether a sentence asks something, and is no polite request."""
    text = said.folded[sentence.start : sentence.end].strip(" ,;:-*_\n¿¡")
    lead = LEAD.match(text)
    if QUESTION.match(text[lead.end() if lead else 0 :]) and not POSTING.match(text):
        return True
    return text.endswith("?") and not POLITE_QUESTION.search(text)


def _begins_request(around: _Around) -> bool:
    lead = LEAD.match(around.tail)
    tail = around.tail[lead.end() if lead else 0 :]
    if _verb(tail):
        return True
    if around.run.is_adverb and not around.run.has_times:
        return (around.has_times or around.has_channel) and bool(_noun(tail))
    if around.ends or _noun(tail) or _COLON.match(around.tail):
        return True
    return _tells_nothing(around, tail)


def _tells_nothing(around: _Around, tail: str) -> bool:
    """Behind "every Monday at 9" stands a short piece of text, and no sentence with a verb."""
    words = tail.split()
    is_definite = around.has_times or around.has_channel or _has_last_verb(around.tail)
    return is_definite and len(words) <= _SHORT_WORDS and not SUBJECT.search(" ".join(words))


def _has_last_verb(tail: str) -> bool:
    return any(
        (match := TRAILING.fullmatch(tail, place)) and match["verb"]
        for place in range(max(0, len(tail) - 40), len(tail))
    )


def _is_one_of_some(around: _Around) -> bool:
    is_open = isinstance(around.run.pieces[-1], When) and not around.run.is_adverb
    return is_open and BELONGS.match(around.tail) is not None


def _follows_verb(around: _Around) -> bool:
    """Whether it is as in: post daily, post a daily digest, envoie un résumé quotidien."""
    if _verb_alone(around.opening):
        return not around.run.is_adverb or around.run.has_times or _goes_on(around)
    verb = POSTING.match(around.opening)
    is_weak = verb is None or PREPARING.match(around.opening)
    if around.wants and around.tail.lstrip().startswith("digest"):
        is_weak = False
    if not around.run.is_adverb or (is_weak and not (around.has_times or around.has_channel)):
        return False
    place = _behind_object(around.opening, verb.end()) if verb else 0
    return _describes_digest(around, around.opening[place:].strip())


def _goes_on(around: _Around) -> bool:
    """Whether what follows "post daily" is what to post, and no word that daily belongs to."""
    tail = around.tail.lstrip()
    if KEPT.match(around.opening):
        return False
    starts = [_noun(tail), *(_length(pattern, tail) for pattern in (ARTICLE, ABOUT))]
    return around.ends or any(starts)


def _describes_digest(around: _Around, between: str) -> bool:
    """A daily digest, un résumé quotidien; the daily digest only where it is told when."""
    article = DEFINITE if around.has_times else INDEFINITE
    noun = _noun(between)
    if noun and not between[noun:].strip():
        first = between.split()[0]
        return article.fullmatch(first) is not None or ARTICLE.fullmatch(f"{first} ") is None
    return article.fullmatch(between) is not None and bool(_noun(around.tail.lstrip()))


def _precedes_verb(around: _Around) -> bool:
    lead = LEAD.match(around.tail)
    tail = around.tail[lead.end() if lead else 0 :]
    return bool(_verb(tail)) and _INTRODUCED.fullmatch(around.head) is not None


def _completes_request(around: _Around) -> bool:
    """Post a digest on X every Monday at 9; a digest on X every Monday at 9."""
    verb = _verb(around.opening)
    is_noun = _noun(around.opening) > 0 or (around.wants and _noun_before(around.opening))
    if not (verb or is_noun) or _is_of_something_else(around):
        return False
    if not verb and SUBJECT.search(around.tail):
        return False
    posts = is_noun or _posts(around.opening)
    if around.run.is_adverb and not around.run.has_times:
        return around.ends and _posts(around.opening) and not around.opening.endswith("'s ")
    is_definite = around.run.has_times or elapses(around.run.pieces)
    if around.ends:
        return (posts and (is_definite or around.says_each)) or (
            is_definite and not PREPARING.match(around.opening)
        )
    return is_definite and (posts or _goes_on_to_post(around))


def _posts(opening: str) -> bool:
    """Whether it begins with a verb of posting; making is posting where a digest is made."""
    verb = POSTING.match(opening)
    if verb is None or PREPARING.match(opening) is None:
        return verb is not None
    made = opening[_behind_object(opening, verb.end()) :]
    return _noun_before(made)


def _goes_on_to_post(around: _Around) -> bool:
    """Check X every Monday at 9 and post Y; watch X and post every Monday; remind us to do X."""
    if PREPARING.match(around.opening):
        return False
    link = AND_VERB.match(around.tail)
    if REMINDING.match(around.opening) or (link and _verb(around.tail[link.end() :])):
        return True
    words = around.opening.split()
    return any(_verb_alone(" ".join(words[-count:])) for count in (1, 2) if len(words) > count)


def _is_of_something_else(around: _Around) -> bool:
    if SUBORDINATE.search(around.head):
        return True
    if DANGLING.search(around.head) and not APPOINTING.match(around.opening):
        return True
    technical = TECHNICAL_WORD.search(around.head)
    return technical is not None and not _noun_before(around.head[: technical.start()])


def _noun_before(text: str) -> bool:
    """A digest on cron jobs is a digest."""
    return DIGEST.search(text) is not None or NEWS.search(text) is not None


def _verb(text: str) -> int:
    """How far the verb reaches that a text begins with; 0 where none does."""
    verbs = (pattern.match(text) for pattern in (POSTING, WORKING, KEPT))
    return max((verb.end() for verb in verbs if verb), default=0)


def _verb_alone(opening: str) -> int:
    """The same, where nothing else follows but for whom it is."""
    end = _verb(opening)
    return end if end and LEAD.fullmatch(opening, _behind_object(opening, end)) else 0


def _behind_object(text: str, place: int) -> int:
    match = OBJECT.match(text, place)
    return match.end() if match else place


def _noun(text: str) -> int:
    """How far a digest or news reach that a text begins with, with their article."""
    article = ARTICLE.match(text)
    place = article.end() if article else 0
    nouns = (pattern.match(text, place) for pattern in (DIGEST, NEWS))
    return max((noun.end() for noun in nouns if noun), default=0)


def _length(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0
