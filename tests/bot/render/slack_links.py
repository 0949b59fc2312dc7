"""Of which parts of a post's text Slack makes links, as far as is known, and rather more of them.

Code is seen as code only where Slack surely sees it; what looks like a host's name is taken for one
whatever its last part is; a scheme makes a link of anything behind it.
"""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt

from agent_core.messages import JsonObject
from bot.render import PostDraft

_DOT = "[.\u3002\uff0e\uff61]"
_BLOCK = re.compile(r"```.*?```", re.DOTALL)
_SPAN = re.compile(r"(?:(?<=[\s(\[{*_~>\u200b])|^)`(?!\s)[^`\n]+(?<!\s)`(?!`|[^\W_])", re.MULTILINE)
_LINK = re.compile(r"<([^<>|]+)(?:\|[^<>]*)?>")
_SCHEME = re.compile(r"(?:[a-z][a-z0-9+-]*://|mailto:|tel:)[^\s<>]+", re.IGNORECASE)
_NAME = re.compile(
    rf"(?<![\w-])(?:[\w.+-]+@)?(?:[\w-]{{1,63}}{_DOT})+[^\W\d_][\w-]{{1,62}}(?![\w-])(?::\d+)?"
    rf"(?:[/?#][^\s<>]*)?|(?<![\w.])\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?::\d+)?(?:[/?#][^\s<>]*)?"
)
_TRAILING = re.compile(r"(?:[.,:;*_~|!)\]/\u200b\u2019\u201d\"'}`]|&gt;)+$")


def linked(text: str) -> set[str]:
    """The addresses of a post's links."""
    plain = _SPAN.sub(" ", _BLOCK.sub(" ", text))
    found = _LINK.findall(plain)
    plain = _LINK.sub(" ", plain).replace("&lt;", " ").replace("&gt;", " ")
    found += _SCHEME.findall(plain)
    found += _NAME.findall(_SCHEME.sub(" ", plain))
    return {_TRAILING.sub("", address) for address in found}


MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def linked_in_markdown(text: str) -> set[str]:
    """The addresses of a Markdown block's links, and of all in its words that Slack may link."""
    found: set[str] = set()
    for token in MARKDOWN.parse(text):
        words, depth = "", 0
        for child in token.children or ():
            if child.type in {"link_open", "image"}:
                found.add(str(child.attrs.get("href") or child.attrs.get("src")))
            depth += {"link_open": 1, "link_close": -1}.get(child.type, 0)
            is_apart = child.type in {"code_inline", "softbreak"} or depth
            words += " " if is_apart else child.content
        found |= _in_words(words)
    return found


def _in_words(words: str) -> set[str]:
    found = {_TRAILING.sub("", address) for address in _SCHEME.findall(words)}
    return found | {_TRAILING.sub("", each) for each in _NAME.findall(_SCHEME.sub(" ", words))}


def linked_in(draft: PostDraft) -> set[str]:
    """The addresses of all links of a post."""
    found = linked(draft.text) | linked(draft.whole)
    for block in draft.blocks:
        found |= linked_in_markdown(block["text"]) if block["type"] == "markdown" else set()
        found |= {leaf["url"] for leaf in leaves(block) if leaf["type"] == "link"}
    return found


def leaves(block: JsonObject) -> Iterator[JsonObject]:
    """What the cells of a table hold."""
    for row in block.get("rows", ()):
        for cell in row:
            if cell["type"] == "rich_text":
                yield from cell["elements"][0]["elements"]
            else:
                yield {"type": "text", "text": cell["text"]}


def words_of(draft: PostDraft) -> str:
    """All that a post's blocks say, as a reader has it, without any space."""
    said = ""
    for block in draft.blocks:
        if block["type"] == "markdown":
            for token in MARKDOWN.parse(block["text"]):
                said += token.content if token.type in {"fence", "code_block"} else ""
                said += "".join(child.content for child in token.children or ())
        else:
            said += "".join(leaf["text"] for leaf in leaves(block))
    return re.sub(r"[\s\u200b\u2060]+", "", said)
