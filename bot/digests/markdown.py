"""A model's Markdown line by line: its words, its addresses, and how it is cut. Pure."""

import re
from collections.abc import Iterator
from urllib.parse import quote

from markdown_it import MarkdownIt
from markdown_it.token import Token

MAX_CHARS = 20_000
"""What is behind so many is not looked at."""

_PARSER = MarkdownIt("commonmark", {"html": False})
_BARE = re.compile(r"https?://[^\s<>|`]+", re.IGNORECASE)
_TRAILING = ".,;:!?'\"*_~\u2019\u201d"
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>&~|!#])")
_ATOM = re.compile(
    r"!?\[(?P<label>[^\[\]]{0,300})\]\(\S{1,3000}?(?:\s\"[^\"]{0,200}\")?\)\S{0,20}|\S+"
)
_BARE_COST = 30
_URL_CHARS = "%;/?:@&=+$,-_.!~*'()#"


def words_of(markdown: str) -> str:
    """The words of a line as they are read: no markup, no address."""
    return " ".join(_BARE.sub(" ", "".join(map(_word, _inline(markdown)))).split())


def addresses_in(markdown: str) -> Iterator[str]:
    """The addresses of a text that a reader could follow, in order."""
    depth = 0
    for token in _inline(markdown):
        if token.type == "link_open" and depth == 0:
            yield str(token.attrs.get("href", ""))
        depth += token.nesting if token.type.startswith("link_") else 0
        if token.type == "text" and depth == 0:
            for match in _BARE.finditer(token.content):
                yield _without_ending(match[0])


def cut(text: str, max_chars: int) -> str:
    """Plain words in one line, cut with an ellipsis."""
    flat = " ".join(text.split())
    return flat if len(flat) <= max_chars else f"{flat[: max_chars - 1].rstrip()}…"


def cut_markdown(markdown: str, max_chars: int) -> str:
    """A line of Markdown, cut between words or links and never inside an address.

    `max_chars` counts what is read: the address behind a label costs nothing.
    """
    kept, room = list[str](), max_chars
    for match in _ATOM.finditer(markdown):
        cost = _cost(match)
        if cost > room:
            return f"{' '.join(kept)}…" if kept else cut(words_of(markdown), max_chars)
        kept.append(match[0])
        room -= cost + 1
    return " ".join(kept)


def escaped(text: str) -> str:
    """Plain words as Markdown in which nothing is markup."""
    return _SPECIAL.sub(r"\\\1", text)


def wire_url(url: str) -> str:
    """An address in ASCII, as the parser writes those of links."""
    return quote(url.strip(), safe=_URL_CHARS, errors="replace")


def _inline(markdown: str) -> list[Token]:
    return _PARSER.parseInline(markdown[:MAX_CHARS])[0].children or []


def _word(token: Token) -> str:
    return " " if token.type.endswith("break") else token.content


def _without_ending(address: str) -> str:
    """A sentence's end is no part of its last address, nor is a bracket that opens before it."""
    shorter = address.rstrip(_TRAILING)
    while shorter.endswith((")", "]")) and not _is_closing(shorter):
        shorter = shorter[:-1].rstrip(_TRAILING)
    return shorter


def _is_closing(address: str) -> bool:
    closing = address[-1]
    return address.count("(" if closing == ")" else "[") >= address.count(closing)


def _cost(match: re.Match[str]) -> int:
    label = match["label"]
    if label is not None:
        return len(label)
    return min(len(match[0]), _BARE_COST) if "://" in match[0] else len(match[0])
