"""A tool's own name: taken out of a full name, and judged by the words in it. The one word list."""

import re

from agent_core.tools.names import MAX_NAME_CHARS

_PLAIN = re.compile(r"[A-Za-z0-9_.:/-]{1,512}")
_LETTERS = re.compile(r"[A-Z]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_READING = frozenset(
    {
        "ANALYSE", "ANALYSIS", "ANALYZE", "COUNT", "DESCRIBE", "DIAGNOSE", "DOWNLOAD",
        "EXTRACT", "FETCH", "FIND", "GET", "LIST", "LOOKUP", "READ", "RETRIEVE", "SEARCH",
        "SHOW", "UNDERSTAND", "VIEW",
    }
)  # fmt: skip

_CHANGING = frozenset(
    {
        "ACCEPT", "ACTIVATE", "ADD", "ANSWER", "APPEND", "APPLY", "APPROVE", "ARCHIVE", "ASSIGN",
        "ATTACH", "BAN", "BLOCK", "BOOK", "BUY", "CANCEL", "CHANGE", "CHECKOUT", "CLEAR", "CLONE",
        "CLOSE", "COMMIT", "CONFIRM", "CONNECT", "CONVERT", "COPY", "CREATE", "DEACTIVATE",
        "DECLINE", "DELETE", "DEPLOY", "DESTROY", "DISABLE", "DISCONNECT", "DISMISS", "DISTRIBUTE",
        "DONATE", "DRAFT", "DROP", "DUPLICATE", "EDIT", "EMPTY", "ENABLE", "ENROLL", "ERASE",
        "EXECUTE", "EXPORT", "FOLLOW", "FORK", "FORWARD", "GRANT", "HIDE", "IMPORT", "INSERT",
        "INSTALL", "INVITE", "INVOKE", "JOIN", "KICK", "LEAVE", "LINK", "LOCK", "MANAGE", "MARK",
        "MERGE", "MODIFY", "MOVE", "MUTATE", "MUTE", "NOTIFY", "OVERWRITE", "PATCH", "PAY",
        "PERFORM", "PIN", "POST", "PROMOTE", "PUBLISH", "PURCHASE", "PURGE", "PUSH", "PUT", "REACT",
        "REFUND", "REGENERATE", "REINITIATE", "REJECT", "REMOVE", "RENAME", "REOPEN", "REPLACE",
        "REPLY", "REQUEST", "RESCHEDULE", "RESET", "RESTART", "RESTORE", "RESUME", "REVOKE",
        "ROTATE", "RUN", "SAVE", "SCHEDULE", "SEND", "SET", "SHARE", "SIGN", "START", "STOP",
        "SUBMIT", "SUBSCRIBE", "SUSPEND", "SYNC", "TERMINATE", "TRANSFER", "TRASH", "TRIGGER",
        "TRUNCATE", "UNARCHIVE", "UNASSIGN", "UNBLOCK", "UNFOLLOW", "UNINSTALL", "UNLINK", "UNLOCK",
        "UNPIN", "UNPUBLISH", "UNSHARE", "UNSUBSCRIBE", "UNTRASH", "UPDATE", "UPLOAD", "UPSERT",
        "VOID", "VOTE", "WIPE", "WIRE", "WITHDRAW", "WRITE",
    }
)  # fmt: skip

_EITHER = frozenset(
    {
        "BID", "BROADCAST", "CALL", "CHARGE", "COMMENT", "EMAIL", "INVOICE", "LIKE", "LOG", "MAIL",
        "MESSAGE", "ORDER", "PAYOUT", "PROXY", "QUERY", "QUOTE", "REPORT", "STAR", "TRADE", "TWEET",
        "WATCH",
    }
)  # fmt: skip
"""A thing in `STRIPE_GET_CHARGE`, a deed in `STRIPE_CHARGE_LIST` and `GET_AND_EMAIL`."""

_JOINING = frozenset({"AND", "OR", "THEN"})


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
    words = _LETTERS.findall(slug.upper())
    all_words = {*words, *(word.upper() for word in _CAMEL.findall(slug))}
    if all_words & _CHANGING or not all_words & _READING:
        return False
    return not _has_deed([word.upper() for word in _CAMEL.findall(slug)])


def _has_deed(words: list[str]) -> bool:
    """Whether a word that may be a thing is a deed: before the word of reading, or joined to it."""
    if not _EITHER.intersection(words):
        return False
    first = next((n for n, word in enumerate(words) if word in _READING), len(words))
    return bool(_EITHER.intersection(words[:first]) or _JOINING.intersection(words))
