"""Redaction of secrets, by shape and by value, in logs, run.log, traces, posts and the live view.

It is applied at those doors alone; what agents read and write stays as it is, and so does what a
person is to approve: a text from outside could choose these shapes to hide in. Linear in the text:
what is looked at is consumed, whether it is a secret or not. What is masked stays as it is when it
is masked once more.
"""

import logging
import re
from collections.abc import Callable, Iterable
from typing import Any, cast

PREFIXES = (
    r"xox[a-z]-", r"xoxe\.", r"xapp-", r"sk-", r"[sr]k_(?:live|test)_", r"gh[oprsu]_",
    r"github_pat_", r"glpat-", r"hf_", r"npm_", r"pypi-", r"pylf_", r"u?ak_", r"ya29\.", r"SG\.",
    r"AKIA", r"ASIA", r"AIza", r"eyJ", r"\d{8,10}:AA",
    r"hooks\.slack\.com/services/(?:\w{1,20}/){0,2}",
)  # fmt: skip
"""What tokens of known services begin with; `eyJ` is any JWT, digits with `:AA` are Telegram's."""

MASK = "[masked]"
_HINTS = (
    "xox", "xapp-", "sk-", "k_", "gh", "github_pat_", "glpat", "hf_", "npm_", "pypi-", "pylf_",
    "ya29", "SG.", "AKIA", "ASIA", "AIza", "eyJ", "hooks.slack", "earer", "BEARER", "asic",
    "BASIC", ":AA", "://", "?", "&", "%26", "%3", "PRIVATE KEY",
)  # fmt: skip
"""Without one of these there is nothing to look for: most texts are done at once."""
_known: list[str] = []
_MIN_CHARS = 12
"""Of a token behind its prefix; it has a digit among them."""
_LIKE_WORDS = ("sk-", "hf_", "npm_", "pypi-", "ak_", "uak_", "SG.", "AKIA", "ASIA")
"""Words and links begin so as well: behind these, letters and digits stand in one long piece."""
_MIN_LIKE_WORDS = 16
_PASSCODE = re.compile(r"(?:[?&]|&amp;|%26|%3F)pwd(?:=|%3D)", re.IGNORECASE)
"""In the links of meetings, which are useless to people without it."""
_FREE = r"(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))"
"""Nothing before it belongs to it: also behind `%3D` in an address and `\\n` in JSON."""
_NAMES = (
    r"(?:[\w-]{0,24}[_-])?(?:token|secret|password|passwd|pwd|credential|signature)"
    r"|(?:x-)?api[_-]?key|private[_-]?key"
)
_SECRET = re.compile(
    rf"(?P<token>{_FREE}(?:{'|'.join(PREFIXES)}))(?P<rest>[\w.~+=-]*+)"
    r"|(?P<scheme>\b(?:[Bb]earer|[Bb]asic|BEARER|BASIC)\s{1,3})(?P<given>[\w./~+=-]*+)"
    rf"|(?P<name>(?:&amp;|[?&;]|%26|%3[Ff])(?i:{_NAMES})(?:=|%3[Dd]))[^&;\s\"'<>#|)\\]++"
    r"|(?P<user>://[^\s/:@\"']{0,64}:)[^\s/@\"']{1,256}@"
    r"|(?P<pem>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)(?s:.*?)"
    r"(?=(?P<close>-----END [A-Z0-9 ]{0,40}-----)|\Z)"
)

_PARTIAL = re.compile(
    r"(?<![!-~])[!-~]*+\Z"
    r"|\b(?:[Bb]earer|[Bb]asic|BEARER|BASIC)\s{1,3}\Z"
    r"|-----BEGIN [A-Z0-9 ]{0,64}-{0,5}\Z"
    r"|://[^\s/@\"']{0,321}\Z"
)
"""The end of a text in which a secret may have begun that is not yet known as such."""
_PARTIAL_CHARS = 400
"""Behind so many characters it would be known."""


def know(secrets: Iterable[str]) -> None:
    """Mask these values, too, from now on: what this process is configured with, of any shape.

    Less what is no token: a short password may be a word that texts are full of.
    """
    _known.extend(each for each in secrets if _is_secret("", each))


def masked(text: str) -> str:
    """The text with `[masked]` in the place of every secret; what it begins with stays."""
    return _redacted(text, _mask)


def certain_chars(text: str) -> int:
    """How many characters of a text that still grows can be shown: no secret is under way there."""
    partial = _PARTIAL.search(text)
    certain = max(partial.start(), len(text) - _PARTIAL_CHARS) if partial else len(text)
    if _may_hold_secrets(text):
        for match in _SECRET.finditer(text):
            end = max(match.end(), match.end("close"))
            if end > certain or match.end() == len(text):
                return min(certain, match.start())
    return certain


class MaskedStream:
    """A text that comes in pieces, masked: what may be the beginning of a secret is held back."""

    def __init__(self) -> None:
        self.shown = ""
        """All that was given out, until the end."""
        self._held = ""

    def take(self, text: str) -> str:
        """Take the next piece; what can be shown now."""
        self._held += text
        end = certain_chars(self._held)
        news = masked_post(self._held[:end])
        self._held = self._held[end:]
        self.shown += news
        return news

    def end(self) -> str:
        """The rest, once the text is whole; the stream is then empty."""
        rest = masked_post(self._held)
        self._held = ""
        self.shown = ""
        return rest


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with all its texts changed, however deep; names stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        return [with_texts(each, change) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {name: with_texts(each, change) for name, each in items}
    return value


class Exact(dict[str, Any]):
    """An object in which nothing is masked: a person decides about exactly what it shows."""


def masked_value(value: Any) -> Any:
    """A JSON value with all its texts masked; names stay."""
    return with_texts(value, masked)


def masked_post(value: Any) -> Any:
    """The same for what people read: links to meetings keep their passcode, `Exact` blocks all."""
    if isinstance(value, list | tuple):
        return [masked_post(each) for each in cast("list[Any]", value)]
    if isinstance(value, Exact):
        return value
    return with_texts(value, lambda text: _redacted(text, _mask_but_passcodes))


class MaskingFormatter(logging.Formatter):
    """Masks whole entries, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        return masked(super().format(record))


def _redacted(text: str, mask: Callable[[re.Match[str]], str]) -> str:
    for value in _known:
        text = text.replace(value, MASK)
    return _SECRET.sub(mask, text) if _may_hold_secrets(text) else text


def _may_hold_secrets(text: str) -> bool:
    return any(hint in text for hint in _HINTS)


def _mask(match: re.Match[str]) -> str:
    token = match["token"] or match["scheme"]
    if token:
        rest: str = match["rest"] or match["given"] or ""
        return f"{token}{MASK}" if _is_secret(token, rest) else match[0]
    if match["user"]:
        return f"{match['user']}{MASK}@"
    name = match["name"] or match["pem"]
    return f"{name}{MASK}"


def _mask_but_passcodes(match: re.Match[str]) -> str:
    if _PASSCODE.fullmatch(match["name"] or ""):
        return match[0]
    return _mask(match)


def _is_secret(begin: str, rest: str) -> bool:
    if begin not in _LIKE_WORDS:
        return len(rest) >= _MIN_CHARS and any(map(str.isdigit, rest))
    if len(rest) < _MIN_LIKE_WORDS:
        return False
    for piece in re.split(r"[\W_]+", rest):
        is_mixed = not piece.isalpha() and not piece.isdigit()
        if len(piece) >= _MIN_CHARS and is_mixed:
            return True
    return False
