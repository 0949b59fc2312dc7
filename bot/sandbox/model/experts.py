"""Which sub-agent fits a request, read from the delegation tool's schema and description."""

import re

from bot.sandbox.model.language import REPORT, content_words, stem
from bot.sandbox.model.purposes import Tool
from bot.sandbox.model.wire import as_list, as_text

LISTED = re.compile(
    r"(?:^|\s)[-*•]\s+[`*\"']*(?P<name>[a-z][\w-]+)[`*\"']*\s*(?:[:(\u2014\u2013]|-\s)",
    re.IGNORECASE,
)
QUOTED = re.compile(r"[`\"'*](?P<name>[a-z][\w]*-[\w-]+)[`\"'*]", re.IGNORECASE)


def choose_expert(tool: Tool, field: str, request: str) -> str:
    """The sub-agent whose description names most of what the request asks for."""
    spec = tool.properties.get(field, {})
    described = f"{tool.description} {as_text(spec.get('description'))}"
    names = [as_text(name) for name in as_list(spec.get("enum"))] or _names_in(described)
    if not names:
        return as_text(spec.get("default"))
    triggers = {stem(match[0]) for match in REPORT.finditer(f"{request} report")}
    wanted = {stem(word) for word in content_words(request)}

    def fit(name: str) -> tuple[int, int]:
        about = _words_about(name, names, described)
        return len(triggers & about), len(wanted & about)

    return max(names, key=fit)


def _names_in(described: str) -> list[str]:
    listed = [match["name"] for match in LISTED.finditer(described)]
    return listed or [match["name"] for match in QUOTED.finditer(described)]


def _words_about(name: str, names: list[str], described: str) -> set[str]:
    """The stems of a name and of what stands between it and the next name."""
    start = described.find(name)
    if start < 0:
        return {stem(word) for word in name.split("-")}
    others = [described.find(n, start + len(name)) for n in names if n != name]
    end = min((place for place in others if place > 0), default=len(described))
    about = f"{name.replace('-', ' ')} {described[start:end]}"
    return {stem(word) for word in content_words(about)}
