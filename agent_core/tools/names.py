"""The names of tools: `mcp__<server>__<tool>` for the model, and what the words in one say.

Whether a tool reads or changes something is told by its name alone; this is the one word list.
"""

import hashlib
import re

MAX_NAME_CHARS = 128
_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")
_DIGEST_CHARS = 8
_PLAIN = re.compile(r"[A-Za-z0-9_.:/-]{1,512}")
_LETTERS = re.compile(r"[A-Z]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_READING = frozenset(
    {
        "ANALYSE", "ANALYSIS", "ANALYZE", "COUNT", "DESCRIBE", "DIAGNOSE", "DOWNLOAD", "EXTRACT",
        "FETCH", "FIND", "GET", "LIST", "LOOKUP", "READ", "RETRIEVE", "SEARCH", "SHOW",
        "UNDERSTAND", "VIEW",
    }
)  # fmt: skip

_CHANGING = frozenset(
    {
        "ABORT", "ACCEPT", "ACKNOWLEDGE", "ACTIVATE", "ADD", "ADJUST", "ADMIT", "ALLOCATE", "ALLOW",
        "ANSWER", "APPEND", "APPLY", "APPROVE", "ARCHIVE", "ASSIGN", "ATTACH", "AUTHORISE",
        "AUTHORIZE", "BAN", "BLAST", "BLOCK", "BOOK", "BUY", "CANCEL", "CHANGE", "CHECKOUT",
        "CLEAR", "CLONE", "CLOSE", "COMMIT", "CONFIRM", "CONNECT", "CONSUME", "CONVERT", "COPY",
        "CREATE", "DEACTIVATE", "DECLINE", "DECREASE", "DECREMENT", "DELETE", "DELIVER", "DENY",
        "DEPLOY", "DEQUEUE", "DESTROY", "DETACH", "DISABLE", "DISCARD", "DISCONNECT", "DISMISS",
        "DISPATCH", "DISTRIBUTE", "DONATE", "DOWNGRADE", "DRAFT", "DROP", "DUPLICATE", "EDIT",
        "EMPTY", "ENABLE", "ENRICH", "ENROLL", "ERASE", "ESCALATE", "EVAL", "EXEC", "EXECUTE",
        "EXPEL", "EXPIRE", "EXPORT", "EXPOSE", "FINALISE", "FINALIZE", "FINISH", "FOLLOW", "FORK",
        "FORWARD", "FREEZE", "FULFIL", "FULFILL", "GENERATE", "GIVE", "GRANT", "HIDE", "IMPORT",
        "INCREASE", "INCREMENT", "INSERT", "INSTALL", "INVALIDATE", "INVITE", "INVOKE", "JOIN",
        "KICK", "KILL", "LEAVE", "LINK", "LOCK", "MAKE", "MANAGE", "MARK", "MERGE", "MIGRATE",
        "MODIFY", "MOVE", "MUTATE", "MUTE", "NOTIFY", "OVERWRITE", "PATCH", "PAUSE", "PAY",
        "PERFORM", "PIN", "POST", "PROMOTE", "PROVISION", "PUBLISH", "PURCHASE", "PURGE", "PUSH",
        "PUT", "RAISE", "REACT", "REARRANGE", "REASSIGN", "REBOOT", "REDEEM", "REDO", "REFUND",
        "REGENERATE", "REINITIATE", "REJECT", "RELINQUISH", "REMOVE", "RENAME", "RENEW", "REOPEN",
        "REORDER", "REPLACE", "REPLY", "REPOST", "REQUEST", "RESCHEDULE", "RESEND", "RESET",
        "RESIZE", "RESOLVE", "RESTART", "RESTOCK", "RESTORE", "RESUME", "RETRY", "REVERSE",
        "REVERT", "REVOKE", "ROLLBACK", "ROTATE", "RUN", "SAVE", "SCHEDULE", "SELL", "SEND", "SET",
        "SETTLE", "SHARE", "SHRED", "SHUTDOWN", "SIGN", "SILENCE", "SKIP", "SNOOZE", "SPEND",
        "START", "STOP", "SUBMIT", "SUBSCRIBE", "SUSPEND", "SYNC", "TERMINATE", "TOGGLE",
        "TRANSFER", "TRASH", "TRIGGER", "TRUNCATE", "TURN", "UNARCHIVE", "UNASSIGN", "UNBAN",
        "UNBLOCK", "UNDO", "UNFOLLOW", "UNFREEZE", "UNHIDE", "UNINSTALL", "UNLIKE", "UNLINK",
        "UNLOCK", "UNMOUNT", "UNMUTE", "UNPAUSE", "UNPIN", "UNPUBLISH", "UNSHARE", "UNSTAR",
        "UNSUBSCRIBE", "UNTAG", "UNTRASH", "UPDATE", "UPLOAD", "UPSERT", "VOID", "VOTE", "WIPE",
        "WIRE", "WITHDRAW", "WRITE",
    }
)  # fmt: skip

_SECRETS = frozenset(
    {
        "CREDENTIAL", "CREDENTIALS", "PASSPHRASE", "PASSWORD", "PASSWORDS", "SECRET", "SECRETS",
        "TOKEN", "TOKENS",
    }
)  # fmt: skip
"""Who hands them out does more than read."""

_EITHER = frozenset(
    {
        "ALERT", "BID", "BROADCAST", "CALL", "CAPTURE", "CHARGE", "CLAIM", "COMMENT", "COMPLETE",
        "CREDIT", "DEBIT", "DELEGATE", "DEPOSIT", "DIAL", "EMAIL", "END", "FAX", "FLAG", "INVOICE",
        "ISSUE", "LABEL", "LAUNCH", "LIKE", "LOG", "MAIL", "MESSAGE", "MINT", "OPEN", "ORDER",
        "PAYOUT", "PLAY", "PROXY", "QUERY", "QUOTE", "RANK", "RATE", "RECORD", "REDIRECT",
        "REGISTER", "RELEASE", "REPORT", "RETWEET", "RING", "RSVP", "SCALE", "SMS", "STAKE", "STAR",
        "STORE", "SWAP", "SWITCH", "TAG", "TEXT", "TICK", "TIP", "TRADE", "TRANSITION", "TWEET",
        "UPGRADE", "WATCH",
    }
)  # fmt: skip
"""A thing in `STRIPE_GET_CHARGE`, a deed in `STRIPE_CHARGE_LIST` and `GET_AND_EMAIL`."""

_JOINING = frozenset({"AND", "OR", "THEN"})
_BEFORE_THINGS = frozenset({"A", "AN", "AS", "FROM", "IN", "INTO", "NO", "OF", "ON", "THE", "TO"})
"""Behind them a word of reading is a thing: `MARK_AS_READ`, `ADD_TO_LIST`, `NO_SHOW`."""
_ENDINGS = (
    ("IES", "Y"), ("IED", "Y"), ("ING", ""), ("ING", "E"), ("ED", ""), ("ES", ""), ("D", ""),
    ("S", ""),
)  # fmt: skip


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
    words = [word.upper() for word in _CAMEL.findall(slug)]
    all_words = {*words, *_LETTERS.findall(slug.upper())}
    if all_words & (_CHANGING | _SECRETS) or not all_words & _READING:
        return False
    return not _has_deed(words)


def _has_deed(words: list[str]) -> bool:
    """Whether nothing is read, or a word that may be a thing is a deed.

    It is one before the word of reading, or joined to it.
    """
    pairs = list(zip(["", *words], words, strict=False))
    verbs = (word in _READING and before not in _BEFORE_THINGS for before, word in pairs)
    first = next((n for n, is_verb in enumerate(verbs) if is_verb), None)
    if first is None or _EITHER.intersection(words[:first]) or any(map(_changes, words[:first])):
        return True
    if _EITHER.intersection(words) and _JOINING.intersection(words):
        return True
    return any(before in _JOINING and _changes(word) for before, word in pairs)


def _changes(word: str) -> bool:
    """Whether it is a form of a word of change: `ADDS`, `MOVED`, `CANCELLING`."""
    stems = {word.removesuffix(old) + new for old, new in _ENDINGS if word.endswith(old)}
    stems |= {stem[:-1] for stem in stems if stem[-2:-1] == stem[-1:]}
    return not stems.isdisjoint(_CHANGING)
