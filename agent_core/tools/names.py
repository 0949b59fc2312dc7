"""The names of tools: `mcp__<server>__<tool>` for the model, and what the words in one say.

Whether a tool reads or changes something is told by its name alone; the words are in `names.toml`.
"""

import hashlib
import re
import tomllib
from functools import cache
from pathlib import Path

MAX_NAME_CHARS = 128
_WORDS = Path(__file__).with_name("names.toml")
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
    ("IES", "Y"), ("IED", "Y"), ("ING", ""), ("ING", "E"), ("ED", ""), ("ES", ""), ("D", ""),
    ("S", ""),
)  # fmt: skip


@cache
def name_words(kind: str) -> frozenset[str]:
    """The words of one kind in the list."""
    found = tomllib.loads(_WORDS.read_text(encoding="utf-8"))
    return frozenset(found[kind])


@cache
def _apps() -> dict[str, str]:
    return tomllib.loads(_WORDS.read_text(encoding="utf-8"))["apps"]


def app_name(name: str) -> str:
    """What people call an app or a server: `googledocs` is Google Docs, `jira` Jira. Not masked."""
    if known := _apps().get(name.lower().replace("_", "")):
        return known
    plain = name.lower() if name.isupper() else name
    return " ".join(word[:1].upper() + word[1:] for word in _SPACING.split(plain) if word)


def full_name(server: str, tool: str) -> str:
    """The same name every time; one that is too long is cut and ends in a digest of the whole."""
    name = server_prefix(server) + _clean(tool)
    if len(name) <= MAX_NAME_CHARS:
        return name
    digest = hashlib.sha256(f"{server}\n{tool}".encode()).hexdigest()[:_DIGEST_CHARS]
    return f"{name[: MAX_NAME_CHARS - _DIGEST_CHARS - 1]}_{digest}"


def server_prefix(server: str) -> str:
    """What the names of all of a server's tools begin with."""
    return f"mcp__{_clean(server)}__"


def _clean(name: str) -> str:
    """`name` with every character that providers refuse replaced by `_`."""
    return _FORBIDDEN.sub("_", name)


def slug_of(name: str) -> str:
    """`GMAIL_SEND_EMAIL` of `mcp__composio__GMAIL_SEND_EMAIL`; a name without a server is its own.

    What cannot be told from the server's name counts as the tool's, so that no word is lost.
    """
    parts = name.split("__", 2)
    return parts[2] if len(parts) == len(("mcp", "server", "slug")) and parts[0] == "mcp" else name


def canonical(slug: str) -> str:
    """How a slug is compared: upper case, the older prefix `RUBE_` as `COMPOSIO_`.

    Empty for what is no plain name: letters of other alphabets that look like ours, signs that
    nobody sees. Never send this.
    """
    if not _PLAIN.fullmatch(slug):
        return ""
    upper = slug.upper()
    return f"COMPOSIO_{upper.removeprefix('RUBE_')}" if upper.startswith("RUBE_") else upper


def reads(name: str) -> bool:
    """Whether a slug or full name says, in whole words, that the tool reads and changes nothing.

    A word of change always wins, and a name without a known word does not read. Neither does one
    that was cut to fit: the word may be in what is missing.
    """
    slug = slug_of(name)
    if len(name) >= MAX_NAME_CHARS or not canonical(slug):
        return False
    in_order = [word.upper() for word in _CAMEL.findall(slug)]
    all_words = {*in_order, *_LETTERS.findall(slug.upper())}
    if all_words & (name_words("changing") | name_words("secrets")) or not all_words & name_words(
        "reading"
    ):
        return False
    return not _has_deed(in_order)


def _has_deed(in_order: list[str]) -> bool:
    """Whether nothing is read, or a word that may be a thing is a deed.

    It is one before the word of reading, or joined to it.
    """
    pairs = list(zip(["", *in_order], in_order, strict=False))
    verbs = (
        word in name_words("reading") and before not in _BEFORE_THINGS for before, word in pairs
    )
    first = next((n for n, is_verb in enumerate(verbs) if is_verb), None)
    either = name_words("either")
    if (
        first is None
        or either.intersection(in_order[:first])
        or any(map(_changes, in_order[:first]))
    ):
        return True
    if either.intersection(in_order) and _JOINING.intersection(in_order):
        return True
    return any(before in _JOINING and _changes(word) for before, word in pairs)


def _changes(word: str) -> bool:
    """Whether it is a form of a word of change: `ADDS`, `MOVED`, `CANCELLING`."""
    stems = {word.removesuffix(old) + new for old, new in _ENDINGS if word.endswith(old)}
    stems |= {stem[:-1] for stem in stems if stem[-2:-1] == stem[-1:]}
    return not stems.isdisjoint(name_words("changing"))
