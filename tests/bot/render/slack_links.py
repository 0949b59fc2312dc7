"""Of which parts of a post's text Slack makes links, as far as is known, and rather more of them.

Code is seen as code only where Slack surely sees it; what looks like a host's name is taken for one
whatever its last part is; a scheme makes a link of anything behind it.
"""

import re

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
