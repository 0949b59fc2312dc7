"""Native citations: passages go to the provider as search results, and what it cites becomes marks.

A passage's block begins with its mark, such as `[3#12]`, and a citation quotes its block: so a
reply that cites natively reads as one whose model wrote the marks, and one check serves both.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from agent_core.messages import JsonObject

_SEARCH = "mcp__local_toolkit__search_corpus"
"""The one tool whose passages have numbers that a citation may name."""
_MARK = re.compile(r"\[\d+#\d+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class _PassageRow:
    text: str
    id: str | None = None
    """Source and number, such as `3#12`; a file that somebody attached has none."""
    title: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _PassageList:
    passages: list[_PassageRow]
    note: str = ""


_reader = TypeAdapter(_PassageList)


def cite_natively(messages: Sequence[JsonObject]) -> None:
    """Write the passages that our search of the sources gave so that the model may cite them."""
    searches: set[str] = set()
    for message in messages:
        for block in message["content"]:
            if block["type"] == "tool_use" and block["name"] == _SEARCH:
                searches.add(block["id"])
            elif block["type"] == "tool_result" and block["tool_use_id"] in searches:
                block["content"] = _as_search_results(block["content"]) or block["content"]


def _as_search_results(result: str) -> list[JsonObject]:
    """The blocks of a result; none where it holds no passages, or one that has no number."""
    try:
        answer = _reader.validate_json(result)
    except ValidationError:
        return []
    blocks: list[JsonObject] = []
    for passage in answer.passages:
        if not (passage.id and passage.url and passage.text.strip()):
            return []  # the API refuses blocks that are blank
        mark = f"[{passage.id}]"
        block = {
            "type": "search_result",
            "source": passage.url,
            "title": passage.title or passage.url,
            "content": [{"type": "text", "text": f"{mark} {passage.text}"}],
            "citations": {"enabled": True},
        }
        blocks.append(block)
    if blocks and answer.note:
        blocks.append({"type": "text", "text": answer.note})
    return blocks


def mark_of(citation: JsonObject) -> str:
    """The mark of the passage that a citation quotes; empty where it quotes none of ours."""
    match = _MARK.match(str(citation.get("cited_text") or ""))
    return match[0] if match else ""
