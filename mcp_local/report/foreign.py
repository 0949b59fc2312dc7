"""What an author may not bring into a report: HTML and pictures. Found, so that it can be told."""

import re
from collections.abc import Iterable, Iterator

from markdown_it.token import Token

MAX_NAMES = 10

_TAG = re.compile(
    r"""<\s*/?\s*(
        a | article | aside | audio | b | base | body | br | button | canvas | center | details
      | dialog | div | em | embed | font | footer | form | frame | frameset | h[1-6] | head
      | header | hr | html | i | iframe | img | input | li | link | map | marquee | math | meta
      | noscript | object | ol | option | p | picture | pre | script | section | select | small
      | source | span | strong | style | sub | sup | svg | table | tbody | td | template | textarea
      | th | thead | title | tr | u | ul | video
    )(?:\s[^<>]*)?/?\s*>""",
    re.IGNORECASE | re.VERBOSE,
)


def find_foreign(title: str, tokens: Iterable[Token]) -> list[str]:
    """Warnings for the author on what has no effect in the page; code may hold anything."""
    children = [child for token in tokens for child in token.children or ()]
    texts = (child.content for child in children if child.type == "text")
    names = sorted({tag[1].lower() for text in (title, *texts) for tag in _TAG.finditer(text)})
    pictures = sum(child.type == "image" for child in children)
    return [*_on_html(names), *_on_pictures(pictures)]


def _on_html(names: list[str]) -> Iterator[str]:
    if names:
        listed = ", ".join(f"<{name}>" for name in names[:MAX_NAMES])
        yield (
            f"HTML has no effect in a report: {listed} stand in it as plain text. Say it in "
            "Markdown and call write_report again."
        )


def _on_pictures(count: int) -> Iterator[str]:
    if count:
        yield f"Pictures are left out of a report, {count} here; only their descriptions are shown."
