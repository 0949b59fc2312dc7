"""Foreign text made inert: no mention, no markup, no hidden or reversed characters.

Links show their real host, or are text that nobody can follow. Pure.
"""

import html
import re
from collections.abc import Callable
from urllib.parse import urlsplit

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
"""What Slack might read anywhere, and what code hardly ever holds."""
_BROADCAST = re.compile(r"@(?=(?:here|channel|everyone|group)(?![^\W_]))", re.IGNORECASE)
_SPLIT_BROADCAST = f"@{WORD_JOINER}"
_OPENING = re.compile(r"(?<!\w)[*_~](?=\S)")
_FENCE = re.compile("``(?=`)")
_WITH_SPACE_BEHIND = rf"\g<0>{ZERO_WIDTH_SPACE}"
LOOKS_LIKE_TICK = "\u2035"
"""Stands for every backtick in foreign text, so that all that reach Slack are ours, in pairs."""

QUOTE_BAR = "&gt; "
"""Before each line of a quotation."""

IsLive = Callable[[str], bool]
"""Whether an address may be a link."""
WriteLiterally = Callable[[str], str]
"""Writes a text so that nothing in it is markup."""

_LIVE_SCHEMES = frozenset({"http", "https", "mailto"})
MAX_LIVE_CHARS = 900
"""A longer address is not live: a post's border could run through it."""
MAX_LABEL_CHARS = 300
"""A longer label stands before its link, so that no host hides in it."""
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]+", re.IGNORECASE)
_ON_THE_WIRE = str.maketrans(
    {
        "<": "%3C",
        ">": "%3E",
        "|": "%7C",
        '"': "%22",
        " ": "%20",
        "\n": "",
        "\t": "",
        "&": "&amp;",
    }
)
_DOT = "[.\u3002\uff0e\uff61]"
"""All that browsers take for the dot in a name."""
_NAME = rf"(?:[\w-]+{_DOT}){{1,6}}[^\W\d_][\w-]+"
_NUMBERS = r"\d+(?:\.\d+){3}"
ADDRESSES = re.compile(
    r"`[^`\n]+`|<[^<>\n]*>|(?P<bare>(?:[a-z][a-z0-9+-]{0,20}://|mailto:|tel:)[^\s<>`]+"
    rf"|(?<![\w-])(?:[\w.+-]{{1,64}}@)?(?:{_NAME}|{_NUMBERS})(?::\d+)?(?:[/?#][^\s<>`]*)?)",
    re.IGNORECASE,
)
"""Code, links, and addresses that Slack makes links of, with a scheme wherever in a word they
begin, and without: names of hosts and machines, and mail addresses."""
_SCHEME = re.compile(r"[a-z][a-z0-9+-]{0,20}://|mailto:|tel:", re.IGNORECASE)
_TRAILING = f".,;:!?)]}}>\u2019\u201d\"'*_~{ZERO_WIDTH_SPACE}"
_EDGES = f"([{{*_~>{ZERO_WIDTH_SPACE}"
"""Behind these, blanks and at the beginning Slack surely sees code."""


def clean(text: str) -> str:
    """The text without characters that hide or reorder what is read."""
    return _HIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def escape(text: str) -> str:
    """Text that Slack shows as it is: no entity, tag or broadcast word in it has an effect.

    `<@U1>`, `<!channel>` and `<!subteam^S1>` are inert once their brackets are entities. `@here` is
    inert in a post without `link_names`; edits are parsed more eagerly, so it is taken apart too.
    """
    entities = html.escape(clean(text), quote=False)
    return _BROADCAST.sub(_SPLIT_BROADCAST, entities)


def quoted(text: str) -> str:
    """Foreign text as a quotation in a post, letter by letter."""
    return "\n".join(f"{QUOTE_BAR}{line}" for line in literal(text).splitlines())


def inert(text: str) -> str:
    """Text for places that parse nothing, and Markdown's code: as it is but for references."""
    split_references = _REFERENCE.sub(f"<{WORD_JOINER}", clean(text))
    return _BROADCAST.sub(_SPLIT_BROADCAST, split_references)


def literal(text: str) -> str:
    """Escaped text in which `*`, `_`, `~` and backticks do not begin any formatting."""
    without_ticks = escape(text).replace("`", LOOKS_LIKE_TICK)
    return _OPENING.sub(_WITH_SPACE_BEHIND, without_ticks)


def code(text: str) -> str:
    """Escaped text for inside a code fence, which it cannot close."""
    return without_fences(escape(text))


def without_fences(text: str) -> str:
    """The text without three backticks in a row."""
    return _FENCE.sub(_WITH_SPACE_BEHIND, text)


def inline_code(text: str) -> str:
    """A code span; backticks inside become a look-alike, since Slack has no longer delimiter."""
    line = escape(text).replace("\n", " ").strip()
    inside = line.replace("`", LOOKS_LIKE_TICK)
    return f"`{inside}`" if inside else ""


def one_line(text: str, max_chars: int) -> str:
    """Escaped foreign text as part of one of our sentences: one line, cut with an ellipsis."""
    return literal(_cut(text, max_chars))


def plain_line(text: str, max_chars: int) -> str:
    """The same for places that parse nothing."""
    return inert(_cut(text, max_chars))


def _cut(text: str, max_chars: int) -> str:
    line = flat(text)
    if len(line) <= max_chars:
        return line
    return line[: max_chars - 1].rstrip() + "…"


def flat(text: str) -> str:
    """The text in one line."""
    return " ".join(clean(text).split())


def all_live(_url: str) -> bool:
    """For text in which nothing came from outside."""
    return True


def none_live(_url: str) -> bool:
    """For words that came from outside."""
    return False


def link(
    url: str,
    label: str,
    is_live: IsLive = all_live,
    literal: WriteLiterally = literal,
) -> str:
    """A link in Slack's form, or text where the address may not be live.

    The host stands beside a label that does not show it, unless it leads to where people are: into
    Slack. A label that names another host is shown as text, and the link wears its own host.
    Anything but http, https and mailto is not live.
    """
    host = real_host(url)
    words = flat(label)
    address = clean(url)
    wire = address.translate(_ON_THE_WIRE)
    if host is None or len(wire) > MAX_LIVE_CHARS or not is_live(address):
        return unlinked(url, words, literal)
    if not words or words in {url, host}:
        return f"<{wire}|{literal(words or host)}>"
    hosts = set(_HOST.findall(words[:MAX_LABEL_CHARS].lower()))
    own_names = {host, f"www.{host}", host.removeprefix("www.")}
    if hosts - own_names or len(words) > MAX_LABEL_CHARS:
        return f"{literal(words)} (<{wire}|{literal(host)}>)"
    inside = literal(words).replace("|", "\u00a6")
    live = f"<{wire}|{inside}>"
    if hosts or host in words.split() or host.endswith(".slack.com"):
        return live
    beside = literal(host)
    return f"{live} ({beside})"


def unlinked(url: str, label: str, literal: WriteLiterally = literal) -> str:
    """A label and its address as text that nobody can follow by accident."""
    words = flat(label)
    if not words or "://" in words:
        return as_code(url)
    return f"{literal(words)} ({as_code(url)})"


def defanged(text: str, is_live: IsLive = none_live) -> str:
    """Rendered text in which every address that may not be live is code.

    It is to be the whole text of a line: addresses also come about where parts of it meet. All
    backticks and angle brackets in it are ours, around code and links, which stay as they are.
    A code span is the one place where Slack makes no link of an address; the scheme is left out, so
    that nothing else does either. Slack sees code only at a word's edge and apart from other code.
    """
    if is_live is not all_live:
        text = ADDRESSES.sub(lambda match: _part(match, is_live), text)
    return text.replace("``", f"`{ZERO_WIDTH_SPACE}`")


def foreign_line(text: str, max_chars: int) -> str:
    """Foreign words in a sentence of ours: one line, no mention, no markup, no live address."""
    return defanged(one_line(text, max_chars))


def _part(match: re.Match[str], is_live: IsLive) -> str:
    start, end = match.span()
    edge = _edge(match.string[max(start - 1, 0) : start])
    if match[0].startswith("`"):
        after = match.string[end : end + 1]
        code_span = f"{edge}{match[0]}"
        return code_span + ZERO_WIDTH_SPACE if after.isalnum() else code_span
    if not match["bare"]:
        return match[0]
    address, rest = bare_address(match["bare"])
    if len(match[0]) <= MAX_LIVE_CHARS and is_live(address):
        return match[0]
    return f"{edge}{as_code(address)}{escape(rest)}"


def _edge(before: str) -> str:
    """The separator between a character and code, without which Slack does not see the code."""
    if not before or before.isspace() or before in _EDGES:
        return ""
    if before in ":/":
        return " "
    return ZERO_WIDTH_SPACE


def bare_address(text: str) -> tuple[str, str]:
    """An address as it stands in a rendered text, and the sentence's own signs behind it."""
    whole = html.unescape(text)
    address = whole.rstrip(_TRAILING)
    return address, whole[len(address) :]


def real_host(url: str) -> str | None:
    """The host that a click would reach, or a mail address's domain; None for what is not live."""
    try:
        parts = urlsplit(clean(url))
        host = parts.hostname or ""
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in _LIVE_SCHEMES:
        return None
    if scheme == "mailto":
        _, _, host = parts.path.rpartition("@")
    return host.lower() or None


def as_code(url: str) -> str:
    """An address that nobody can follow by accident."""
    return inline_code(_SCHEME.sub(ZERO_WIDTH_SPACE, url).lstrip(ZERO_WIDTH_SPACE))
