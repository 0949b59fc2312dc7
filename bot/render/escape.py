"""Foreign text made inert: no mention, no markup, no hidden or reversed characters. Pure."""

import re

WORD_JOINER = "\u2060"
ZERO_WIDTH_SPACE = "\u200b"

_HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, save tab and newline
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction marks and overrides
    "\ufeff\ufff9-\ufffb"  # byte order mark, annotations
    "\ud800-\udfff"  # lone surrogates
    "\U000e0000-\U000e007f"  # tags: text that nobody sees
    "]"
)
_REFERENCE = re.compile(
    r"<(?=@[A-Z0-9]|#[A-Z0-9]|!(?:here|channel|everyone|group|subteam|date)\b|(?:https?|mailto):)"
)
"""What Slack might read even in code, and what code hardly ever holds."""
_BROADCAST = re.compile(r"@(?=(?:here|channel|everyone|group)(?![^\W_]))", re.IGNORECASE)
_TAG = re.compile(r"<(?=[@!#])")
_OPENING = re.compile(r"(?<!\w)[*_~](?=\S)")
_CLOSING = re.compile(r"[*_~](?!\w)")
_OPEN_FENCE = re.compile("``(?=`)")
LOOKS_LIKE_TICK = "\u2035"
"""Stands for every backtick in foreign text, so that all that reach Slack are ours, in pairs."""


def clean(text: str) -> str:
    """The text without characters that hide or reorder what is read."""
    return _HIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def escape(text: str) -> str:
    """Text that Slack shows as it is: no entity, tag or broadcast word in it has an effect.

    `<@U1>`, `<!channel>` and `<!subteam^S1>` are inert once their brackets are entities. `@here` is
    inert in a post without `link_names`; edits are parsed more eagerly, so it is taken apart too.
    """
    entities = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _BROADCAST.sub(f"@{WORD_JOINER}", entities)


def inert(text: str) -> str:
    """Text for places that parse nothing: not escaped, and still no mention if they ever do."""
    apart = _TAG.sub(f"<{WORD_JOINER}", clean(text))
    return _BROADCAST.sub(f"@{WORD_JOINER}", apart)


def inert_code(text: str) -> str:
    """Text for inside Markdown's code: as it is but for references of Slack's own."""
    apart = _REFERENCE.sub(f"<{WORD_JOINER}", clean(text))
    return _BROADCAST.sub(f"@{WORD_JOINER}", apart)


def literal(text: str) -> str:
    """Escaped text in which `*`, `_`, `~` and backticks do not begin any formatting."""
    shown = escape(text).replace("`", LOOKS_LIKE_TICK)
    return "\n".join(map(_without_marks, shown.split("\n")))


def _without_marks(line: str) -> str:
    """A sign begins something only where another one of its kind can end it in the same line."""
    ends = {sign[0]: sign.start() for sign in _CLOSING.finditer(line)}

    def apart(sign: re.Match[str]) -> str:
        is_mark = ends.get(sign[0], 0) > sign.start() + 1
        return f"{sign[0]}{ZERO_WIDTH_SPACE}" if is_mark else sign[0]

    return _OPENING.sub(apart, line)


def code(text: str) -> str:
    """Escaped text for inside a code fence, which it cannot close."""
    return _OPEN_FENCE.sub(rf"\g<0>{ZERO_WIDTH_SPACE}", escape(text))


def inline_code(text: str) -> str:
    """A code span; backticks inside become a look-alike, since Slack has no longer delimiter."""
    inside = escape(text).replace("`", LOOKS_LIKE_TICK).replace("\n", " ").strip()
    return f"`{inside}`" if inside else ""


def one_line(text: str, max_chars: int) -> str:
    """Escaped foreign text as part of one of our sentences: one line, cut with an ellipsis."""
    return literal(_cut(text, max_chars))


def plain_line(text: str, max_chars: int) -> str:
    """The same for places that parse nothing."""
    return inert(_cut(text, max_chars))


def _cut(text: str, max_chars: int) -> str:
    words = " ".join(clean(text).split())
    return words if len(words) <= max_chars else words[: max_chars - 1].rstrip() + "…"
