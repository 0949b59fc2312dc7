"""One rule of a policy: what it says, and which actions it fits."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from agent_core.consent.leaf_values import Leaf, leaves_of, names_in, texts_in
from agent_core.tools import AGENT, Action, canonical, prefix_of

PolicyVerdict = Literal["allow", "ask", "refuse"]
RuleValue = str | int | float | bool

MCP = "mcp__"

_PLAINLY_FALSE = ("", "0", "false", "no", "none", "null", "off")


class PolicyRule(BaseModel):
    """A rule as it stands in a policy file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    rule: str = Field(min_length=1)
    tools: list[str] | None = Field(default=None, min_length=1)
    kind: Literal["reads", "effects"] | None = None
    arguments: dict[str, RuleValue] = Field(default_factory=dict)
    argument_names: list[str] | None = Field(default=None, min_length=1)
    names_beyond: list[str] | None = None
    texts: list[str] | None = Field(default=None, min_length=1)
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
        return (
            self._fits_tool(action, prefix)
            and self._fits_values(action)
            and self._fits_names(action)
            and _any_matches(self.texts, texts_in(action.arguments))
        )

    def _fits_tool(self, action: Action, prefix: str) -> bool:
        if self.kind is not None and (self.kind == "reads") != action.reads:
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
            if not any(_holds(leaf, name, wanted) for leaf in leaves):
                return False
        return True

    def _fits_names(self, action: Action) -> bool:
        names = tuple(names_in(action.arguments))
        if not _any_matches(self.argument_names, names):
            return False
        if self.names_beyond is None:
            return True
        return not all(_any_matches(self.names_beyond, [name]) for name in names)


def _fits_name(pattern: str, prefix: str, slug: str) -> bool:
    """A server's name counts letter by letter, a tool's in whatever case."""
    if not pattern.startswith((MCP, AGENT)):
        return fnmatchcase(slug, pattern.upper())
    server = prefix_of(pattern)
    tool = pattern.removeprefix(server).upper()
    return fnmatchcase(prefix, server) and fnmatchcase(slug, tool)


def _any_matches(patterns: Sequence[str] | None, texts: Iterable[str]) -> bool:
    """Whether a text fits a pattern; without patterns nothing has to."""
    if patterns is None:
        return True
    return any(_matches(text, pattern) for text in texts for pattern in patterns)


def _matches(text: str, pattern: str) -> bool:
    return fnmatchcase(text.upper(), pattern.upper())


def _holds(leaf: Leaf, name: str, wanted: RuleValue) -> bool:
    """A value in a list belongs to the list's name."""
    if not leaf.path or leaf.path[-1].upper() != name.upper():
        return False
    given = "" if leaf.value is None else str(leaf.value).strip()
    if wanted is True:
        return given.lower() not in _PLAINLY_FALSE
    return _matches(given, str(wanted))
