"""The web pages that a tool result names, as sources for people."""

from agent_core.events import Source
from agent_core.tools.payloads import objects, parse_result, text_in

MAX_SOURCES = 20
MAX_URL_CHARS = 1_000
MAX_TITLE_CHARS = 200
_DEPTH = 9
"""A search that a batch carries lies so deep."""


def sources_in(text: str) -> tuple[Source, ...]:
    """The pages that a result names: found with a title, or read by a tool that says so.

    A result in any other form than JSON, or of which only a part is here, names none.
    """
    found: dict[str, Source] = {}
    for item in objects(parse_result(text), _DEPTH):
        url, title = text_in(item, "link", "url"), text_in(item, "title")
        is_page = url.startswith(("http://", "https://")) and len(url) <= MAX_URL_CHARS
        status = item.get("status")
        if is_page and (status == "success" or (title and status is None)):
            found.setdefault(url, Source(url=url, title=" ".join(title.split())[:MAX_TITLE_CHARS]))
        if len(found) == MAX_SOURCES:
            break
    return tuple(found.values())
