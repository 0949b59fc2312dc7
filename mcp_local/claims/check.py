"""Whether a source says what a sentence claims: figures, dates, quotations, names, opposites."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from mcp_local.claims.evidence import Evidence
from mcp_local.claims.figures import Day, language_of, read_facts
from mcp_local.claims.names import names_in, words_of

Kind = Literal["figure", "date", "quotation", "name", "opposite", "negation"]

_QUOTE = re.compile(r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»")
_OMISSION = re.compile(r"\[[^\]]*\]|…|\.\.\.")
_NOT_CLAIMED = re.compile(r"\b(?:other|remaining|final|last|these|those|all|latter) $", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Something in a claim that no source of it says."""

    kind: Kind
    text: str


def check_claim(claim: str, sources: Sequence[Evidence]) -> list[Doubt]:
    """What in the claim stands in none of the sources."""
    words = words_of(claim)
    relevance = [source.relevance(words) for source in sources]
    known = list(zip(sources, relevance, strict=True))
    first = [*_check_facts(claim, known), *_check_quotations(claim, sources)]
    close = max((source.closeness(words, scores) for source, scores in known), default=0.0)
    if close < 1 / 3:
        return first
    return [*first, *_check_names(claim, sources), *_check_opposites(claim, known)]


def _check_facts(claim, known) -> Iterator[Doubt]:
    language = language_of(claim)
    facts = read_facts(claim, language)
    years = {day.text for day in facts.days}
    for figure in facts.figures:
        is_counted = figure.values[0] <= 1 or not figure.text or figure.text in years
        if is_counted or figure.is_back_reference: continue
        if not any(source.knows_figure(figure, scores) for source, scores in known):
            yield Doubt(kind="figure", text=figure.text)
    readings: dict[str, list[Day]] = {}
    for day in facts.days:
        key = day.text if "/" in day.text or "." in day.text else f"{day}"
        readings.setdefault(key, []).append(day)
    for days in readings.values():
        if not any(source.knows_day(day, scores) for source, scores in known for day in days):
            yield Doubt(kind="date", text=days[0].text)


def _check_quotations(claim, sources):
    for match in _QUOTE.finditer(claim):
        quote = next(filter(None, match.groups()))
        if _is_title(quote): continue
        parts = [" ".join(words_of(part)) for part in _OMISSION.split(quote)]
        if sum(len(p.split()) for p in parts) < 2: continue
        if not any(all(s.quotes(p) for p in parts if p) for s in sources):
            yield Doubt(kind="quotation", text=quote)

def _is_title(quote):
    long = [w for w in re.findall(r"[^\W\d_]+", quote) if len(w) > 3]
    return bool(quote[:1].isupper()) and all(w[0].isupper() for w in long)

def _check_names(claim, sources):
    language = language_of(claim)
    if any(s.language != language for s in sources): return
    for name in names_in(claim, language):
        if not any(s.knows_name(name) for s in sources):
            yield Doubt(kind="name", text=name)

_PAIRS = [tuple(frozenset(side.split()) for side in pair.split("|")) for pair in (
    "largest biggest greatest|smallest", "highest|lowest", "first|last final", "oldest|youngest", "more|fewer less",
    "most|least fewest", "rose rise rises risen increased increase increases grew growth grown up climbed gained|fell fall falls fallen decreased decrease declined decline dropped drop down shrank lost",
    "before prior ahead|after following", "younger|older elder", "higher|lower", "larger bigger|smaller", "longest|shortest", "longer|shorter",
    "best|worst", "better|worse", "won win wins winning beat defeated|lost lose loses losing", "majority|minority", "early earlier|late later", "north northern|south southern", "east eastern|west western",
    "over above|under below", "faster|slower", "richest|poorest", "cheaper|dearer costlier", "maximum|minimum", "gained|lost",
)]
_NEGATIONS = frozenset("not no never none neither nor without cannot nobody nothing nicht kein keine keinen nie niemals ohne pas jamais sans aucun aucune ni nunca sin failed fail denied deny denies refused declined lack lacks lacked unable banned prohibited illegal forbidden ruled".split())

def _check_opposites(claim, known):
    words = set(words_of(_QUOTE.sub(" ", claim)))
    near = set()
    for source, scores in known:
        best = max(scores, default=0)
        for s, score in zip(source.sentences, scores):
            if score >= .7 * best: near |= s.words
    for one, other in _PAIRS:
        for a, b in ((one, other), (other, one)):
            if words & a and not words & b and near & b and not near & a:
                yield Doubt(kind="opposite", text=next(iter(words & a)))
    denied = not re.search(r'not (?:only|just)',claim) and words & _NEGATIONS or any(w.endswith(("n't", "n’t")) for w in words)
    if denied and not (near & _NEGATIONS or any(w.endswith(("n't", "n’t")) for w in near)):
        yield Doubt(kind="negation", text="not")
