"""Plain text and Markdown pages, which are kept nearly as they are."""

import re

from mcp_local.extract.article import Article

_TITLE = re.compile(r"^#{1,2} +(.+?)\s*#*$", re.M)


def extract_text(text: str) -> Article:
    """The text with normal line ends; the title is its first heading or first line."""
    lines = (line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    plain = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    if not plain:
        return Article(lack="no text on the page")
    heading = _TITLE.search(plain)
    title = heading[1] if heading else plain.partition("\n")[0]
    return Article(title=title[:200], markdown=plain)
