"""The web pages that a tool result names, as sources for people."""

from agent_core.events import Source
from agent_core.messages import JsonObject
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
    sources: dict[str, Source] = {}
    for item in objects(parse_result(text), _DEPTH):
        source = _source(item)
        if source is not None:
            sources.setdefault(source.url, source)
        if len(sources) == MAX_SOURCES:
            break
    return tuple(sources.values())


def _source(item: JsonObject) -> Source | None:
    url = text_in(item, "link", "url")
    title = text_in(item, "title")
    status = item.get("status")
    if not url.startswith(("http://", "https://")) or len(url) > MAX_URL_CHARS:
        return None
    is_hit = bool(title) and status is None
    if not is_hit and status != "success":
        return None
    return Source(url=url, title=" ".join(title.split())[:MAX_TITLE_CHARS])
