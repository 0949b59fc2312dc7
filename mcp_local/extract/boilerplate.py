"""Blocks that speak about the site and not about the subject: share bars, offers, further links."""

import re
from collections.abc import Collection, Sequence

MAX_NOTICE_CHARS = 260
"""Longer blocks are taken for text, whatever their first words are."""

_NOTICE = re.compile(
    r"""
    advertisement | also\ (?:on|read) | click\ here | do(?:n['\u2019]t|\ not)\ miss
    | download\ (?:our|the\ app) | email\ \S+\ at | filed\ under
    | follow\ (?:her|him|me|the|them|us)\b | get\ the\ (?:day|latest) | image: | join\ the\ conv
    | like\ this\ (?:article|post|story) | listen: | more: | more\ (?:from|in|on)\b | most\ read
    | photo: | read\ (?:also|more|next|the\ full) | recommended\b | related\b | reporting\ by
    | see\ (?:also|more) | share\ (?:on|this) | sign\ up | source: | sponsored | subscribe\b
    | tags?: | tell\ us\ what | want\ more | watch: | you\ (?:may|might)\ also
    """,
    re.I | re.X,
)
_MARKS = "#>-*[( "


def drop_boilerplate(blocks: Sequence[str], headlines: Collection[str]) -> list[str]:
    """The blocks without notices, without repeated titles, and without headings over nothing.

    `headlines` are the spellings of the page's title, in lower case.
    """
    kept = [block for block in blocks if not (_is_notice(block) or _repeats(block, headlines))]
    while kept and _is_heading(kept[-1]):
        kept.pop()
    return kept


def _is_notice(block: str) -> bool:
    if block.startswith("```") or len(block) > MAX_NOTICE_CHARS:
        return False
    return bool(_NOTICE.match(block.lstrip(_MARKS)))


def _repeats(block: str, headlines: Collection[str]) -> bool:
    return _is_heading(block) and block.lstrip("# ").casefold() in headlines


def _is_heading(block: str) -> bool:
    return bool(re.match(r"#{1,6} ", block))
