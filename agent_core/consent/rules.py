"""One rule of a policy: what it says, and which actions it fits."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from agent_core.consent.leaf_values import (
    Leaf,
    leaves_of,
    names_in,
    texts_in,
)
from agent_core.tools import AGENT, Action, canonical, prefix_of

PolicyVerdict = Literal["allow", "ask", "refuse"]
RuleValue = str | int | float | bool

MCP = "mcp__"

_PLAINLY_FALSE = (
    "",
    "0",
    "false",
    "no",
    "none",
    "null",
    "off",
)


_Patterns = Annotated[list[str], Field(min_length=1)]
"""Names or texts, with * and ?."""


class PolicyRule(BaseModel):
    """A rule as it stands in a policy file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    rule: str = Field(min_length=1)
    tools: _Patterns | None = None
    kind: Literal["reads", "effects"] | None = None
    arguments: dict[str, RuleValue] = Field(default_factory=dict)
    argument_names: _Patterns | None = None
    names_beyond: list[str] | None = None
    texts: _Patterns | None = None
    verdict: PolicyVerdict
    addresses: Literal["any", "seen"] = "any"
    words: Literal["any", "known"] = "any"
    stays_inside: bool = False
    even_when_tainted: bool = False

    @field_validator("tools")
    @classmethod
    def _name_whole_servers(cls, tools: list[str] | None) -> list[str] | None:
        for pattern in tools or ():
            if pattern.startswith(MCP) and prefix_of(pattern) == AGENT:
                raise ValueError(f"{pattern}: write mcp__server__TOOL, with * for all of its tools")
        return tools

    def fits(self, action: Action, prefix: str) -> bool:
        """Whether the rule decides about an action of a call whose name begins with `prefix`."""
        if not self._fits_tool(action, prefix):
            return False
        if not self._fits_values(action) or not self._fits_names(action):
            return False
        return _any_matches(self.texts, texts_in(action.arguments))

    def _fits_tool(self, action: Action, prefix: str) -> bool:
        kind = "reads" if action.reads else "effects"
        if self.kind not in (None, kind):
            return False
        if self.tools is None:
            return True
        slug = canonical(action.tool)
        return any(_fits_name(pattern, prefix, slug) for pattern in self.tools)

    def _fits_values(self, action: Action) -> bool:
        if not self.arguments:
            return True
        leaves = tuple(leaves_of(action.arguments))
        for name, wanted in self.arguments.items():
            holds = [leaf for leaf in leaves if _holds(leaf, name, wanted)]
            if not holds:
                return False
        return True

    def _fits_names(self, action: Action) -> bool:
        names = tuple(names_in(action.arguments))
        if not _any_matches(self.argument_names, names):
            return False
        if self.names_beyond is None:
            return True
        return any(not _any_matches(self.names_beyond, [name]) for name in names)


def _fits_name(pattern: str, prefix: str, slug: str) -> bool:
    """A server's name counts letter by letter, a tool's in whatever case."""
    if not pattern.startswith((MCP, AGENT)):
        return fnmatchcase(slug, pattern.upper())
    server = prefix_of(pattern)
    if not fnmatchcase(prefix, server):
        return False
    tool = pattern.removeprefix(server)
    return fnmatchcase(slug, tool.upper())


def _any_matches(patterns: Sequence[str] | None, texts: Iterable[str]) -> bool:
    """Whether a text fits a pattern; without patterns nothing has to."""
    if patterns is None:
        return True
    wanted = [pattern.upper() for pattern in patterns]
    for text in map(str.upper, texts):
        for pattern in wanted:
            if fnmatchcase(text, pattern):
                return True
    return False


def _holds(leaf: Leaf, name: str, wanted: RuleValue) -> bool:
    """A value in a list belongs to the list's name."""
    if not leaf.path:
        return False
    innermost = leaf.path[-1]
    if innermost.upper() != name.upper():
        return False
    given = ""
    if leaf.value is not None:
        given = str(leaf.value).strip()
    if wanted is True:
        return given.lower() not in _PLAINLY_FALSE
    pattern = str(wanted)
    return fnmatchcase(given.upper(), pattern.upper())
