"""The names of tools: `mcp__<server>__<tool>` for the model, and the meaning of the words in them.

Whether a tool reads or changes something is decided by its name alone; the words are in
`names.toml`.
"""

import hashlib
import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

MAX_NAME_CHARS = 128
AGENT = "agent__"
"""The prefix of the agent's own tools in a policy; no server's tool can have it."""

_WORDS = Path(__file__).with_name("names.toml")
_KNOWN_NAMES = 4_096
_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")
_DIGEST_CHARS = 8
_PLAIN = re.compile(r"[A-Za-z0-9_.:/-]{1,512}")
_SPACING = re.compile(r"[\W_]+")
_LETTERS = re.compile(r"[A-Z]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_JOINING = frozenset({"AND", "OR", "THEN"})
_BEFORE_THINGS = frozenset({"A", "AN", "AS", "FROM", "IN", "INTO", "NO", "OF", "ON", "THE", "TO"})
"""Behind them a word of reading is a thing: `MARK_AS_READ`, `ADD_TO_LIST`, `NO_SHOW`."""
_ENDINGS = (
    ("IES", "Y"),
    ("IED", "Y"),
    ("ING", ""),
    ("ING", "E"),
    ("ED", ""),
    ("ES", ""),
    ("D", ""),
    ("S", ""),
)


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(_WORDS.read_text(encoding="utf-8"))


@cache
def name_words(kind: str) -> frozenset[str]:
    """The words of one kind in the list."""
    return frozenset(_tables()[kind])


def app_name(name: str) -> str:
    """An app or server as people call it: `googledocs` is Google Docs, `jira` Jira. Not masked."""
    if known := _tables()["apps"].get(name.lower().replace("_", "")):
        return known
    plain = name.lower() if name.isupper() else name
    words = _SPACING.sub(" ", plain).split()
    return " ".join(word[0].upper() + word[1:] for word in words)


def full_name(server: str, tool: str) -> str:
    """The same name every time; one that is too long is cut and ends in a digest of the whole."""
    name = server_prefix(server) + _clean(tool)
    if len(name) <= MAX_NAME_CHARS:
        return name
    whole = f"{server}\n{tool}"
    digest = hashlib.sha256(whole.encode()).hexdigest()[:_DIGEST_CHARS]
    begin = name[: MAX_NAME_CHARS - _DIGEST_CHARS - 1]
    return f"{begin}_{digest}"


def server_prefix(server: str) -> str:
    """The beginning of the names of all of a server's tools."""
    return f"mcp__{_clean(server)}__"


def _clean(name: str) -> str:
    """`name` with every character that providers refuse replaced by `_`."""
    return _FORBIDDEN.sub("_", name)


def slug_of(name: str) -> str:
    """`GMAIL_SEND_EMAIL` of `mcp__composio__GMAIL_SEND_EMAIL`; a name without a server is its own.

    What cannot be told from the server's name counts as the tool's, so that no word is lost.
    """
    return _parts(name)[2]


def server_of(name: str) -> str:
    """`composio` of `mcp__composio__GMAIL_SEND_EMAIL`; empty for the agent's own tools."""
    return _parts(name)[1]


def prefix_of(name: str) -> str:
    """`mcp__composio__` of `mcp__composio__GMAIL_SEND_EMAIL`; the agent's own for its own tools."""
    return _parts(name)[0]


@lru_cache(_KNOWN_NAMES)
def _parts(name: str) -> tuple[str, str, str]:
    """Prefix, server and slug."""
    parts = name.split("__", 2)
    if len(parts) < 3 or parts[0] != "mcp":
        return AGENT, "", name
    _, server, slug = parts
    return f"mcp__{server}__", server, slug


def canonical(slug: str) -> str:
    """The form in which slugs are compared: upper case, the prefix `RUBE_` as `COMPOSIO_`.

    Empty for what is no plain name: letters of other alphabets that look like ours, signs that
    nobody sees. Never send this.
    """
    if not _PLAIN.fullmatch(slug):
        return ""
    upper = slug.upper()
    if upper.startswith("RUBE_"):
        return f"COMPOSIO_{upper.removeprefix('RUBE_')}"
    return upper


@lru_cache(_KNOWN_NAMES)
def reads(name: str) -> bool:
    """Whether a slug or full name says, in whole words, that the tool reads and changes nothing.

    A word of change always wins, and a name without a known word does not read. Neither does one
    that was cut to fit: the word may be in what is missing.
    """
    slug = slug_of(name)
    if len(name) >= MAX_NAME_CHARS or not canonical(slug):
        return False
    words = [word.upper() for word in _CAMEL.findall(slug)]
    every = {*words, *_LETTERS.findall(slug.upper())}
    for kind in ("changing", "secrets"):
        if not every.isdisjoint(name_words(kind)):
            return False
    if every.isdisjoint(name_words("reading")):
        return False
    return not _has_deed(words)


def _has_deed(words: list[str]) -> bool:
    """Whether nothing is read, or a word that may be a thing is a deed.

    It is a deed before the word of reading, or joined to it.
    """
    either = name_words("either")
    is_read = False
    before = ""
    for word in words:
        if word in name_words("reading") and before not in _BEFORE_THINGS:
            is_read = True
        elif not is_read and (word in either or _changes(word)):
            return True
        if before in _JOINING and _changes(word):
            return True
        before = word
    if not is_read:
        return True
    return not either.isdisjoint(words) and not _JOINING.isdisjoint(words)


def _changes(word: str) -> bool:
    """Whether it is a form of a word of change: `ADDS`, `MOVED`, `CANCELLING`."""
    changing = name_words("changing")
    for ending, replacement in _ENDINGS:
        if not word.endswith(ending):
            continue
        stem = word.removesuffix(ending) + replacement
        if stem in changing:
            return True
        is_doubled = stem[-2:-1] == stem[-1:]
        if is_doubled and stem[:-1] in changing:
            return True
    return False
