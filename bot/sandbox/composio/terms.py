"""Turns what people type into words that a full-text index can be asked for."""

import re

MAX_TERMS = 32
WORD = re.compile(r"[^\W_]+")
STOP_WORDS = frozenset(
    """
    a about add after all also an and any are as at be been but by can comprehensive continue could
    detailed did do does for from get give had has have how i if in into is it its just latest make
    me more most my new news not of on or our out over please recent report section should show so
    some tell than that the their them then there these they this to up us use using was we were
    what when where which who why will with would write you your
    """.split()  # noqa: SIM905 - a paragraph of words reads better than forty quoted ones
)


def read_terms(query: str) -> tuple[str, ...]:
    """The distinct words of any text in their order, at most 32 of them.

    Letters and digits only, so no operator or quote of the index's language is left. Words
    that say nothing are left out unless there are no others.
    """
    words = list(dict.fromkeys(WORD.findall(query.casefold())))
    telling = [word for word in words if word not in STOP_WORDS]
    return tuple((telling or words)[:MAX_TERMS])


def match_any(terms: tuple[str, ...]) -> str:
    """The expression for pages that hold any of the words."""
    return " OR ".join(f'"{term}"' for term in terms)
