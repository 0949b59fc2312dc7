"""Plain text and Markdown pages, which are kept nearly as they are."""

import re

from mcp_local.extract.article import Article

_HEADING = re.compile(r"^##? (.+)$", re.M)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def extract_text(text: str) -> Article:
    """The text with plain line ends; the title is its first heading or first line."""
    lines = (_CONTROLS.sub("", line).rstrip() for line in text.splitlines())
    plain = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    if not plain:
        return Article(lack="no text on the page")
    heading = _HEADING.search(plain)
    title = heading[1].strip("# ") if heading else plain.partition("\n")[0]
    return Article(title=title[:200], markdown=plain)
