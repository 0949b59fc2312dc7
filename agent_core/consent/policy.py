"""The policy: whether a call is made at once, approved by a person first, or never made.

The rules stand in a file for people, so an error names the rule that is wrong.

After text from outside was read, words go to nobody whom that text could have chosen: not to a
foreign server, nor to an app that the asker has no account of. They do go to the asker's own
accounts, and to Composio's web search, without which no report could be written: the operator
chose the search provider and trusts it with them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from agent_core.consent.provenance import addresses_in
from agent_core.consent.results import is_trusted_search
from agent_core.json_values import leaves_of, names_in, texts_in
from agent_core.messages import JsonObject
from agent_core.tools import AGENT, MAX_NAME_CHARS, Action, OpenedCall, canonical, prefix_of
from agent_core.yaml_files import read_form

PolicyVerdict = Literal["allow", "ask", "refuse"]
RuleValue = str | int | float | bool

MCP = "mcp__"

_PLAINLY_FALSE = ("", "0", "false", "no", "none", "null", "off")

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
        if not self._fits_tool(action, prefix) or not self._fits_names(action):
            return False
        for name, wanted in self.arguments.items():
            if not _has_value(action.arguments, name, wanted):
                return False
        return _any_matches(self.texts, texts_in(action.arguments))

    def _fits_tool(self, action: Action, prefix: str) -> bool:
        kind = "reads" if action.reads else "effects"
        if self.kind not in (None, kind):
            return False
        slug = canonical(action.tool)
        return any(_fits_name(pattern, prefix, slug) for pattern in self.tools or ("*",))

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
        return _matches(pattern, slug)
    server = prefix_of(pattern)
    return fnmatchcase(prefix, server) and _matches(pattern.removeprefix(server), slug)


def _matches(pattern: str, text: str) -> bool:
    return fnmatchcase(text.upper(), pattern.upper())


def _any_matches(patterns: Sequence[str] | None, texts: Iterable[str]) -> bool:
    """Whether a text fits a pattern; without patterns nothing has to."""
    if patterns is None:
        return True
    return any(_matches(pattern, text) for text in texts for pattern in patterns)


def _has_value(arguments: JsonObject, name: str, wanted: RuleValue) -> bool:
    """Whether an argument of that name has the value; one in a list belongs to the list's name."""
    for path, value in leaves_of(arguments):
        if path[-1].upper() != name.upper():
            continue
        given = "" if value is None else str(value).strip()
        if wanted is True and given.lower() not in _PLAINLY_FALSE:
            return True
        if wanted is not True and _matches(str(wanted), given):
            return True
    return False


SHIPPED = Path(__file__).with_name("policy.yaml")

UNREADABLE = (
    "what it would do cannot be read; a batch needs entries with a plain tool_slug each, and their "
    "arguments as an object"
)
AFTER_OUTSIDE_TEXT = "text from outside was read, which may have asked for this"
_NO_RULE = PolicyRule(rule="no rule speaks of it", verdict="ask")

_STRICTNESS: tuple[PolicyVerdict, ...] = ("allow", "ask", "refuse")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAction:
    """An action with what is to become of it."""

    action: Action
    verdict: PolicyVerdict
    rule: str
    """What decided, in words for people."""
    has_effect: bool
    """Somebody else may see or feel it, or it costs something: such a call is audited."""
    unseen_forbidden: tuple[str, ...] = ()
    """Its addresses, where each must have been seen literally in the session."""
    unknown_forbidden: bool = False
    """Whether all else in it must be known to the server that gets it."""

    @property
    def asks(self) -> bool:
        """Whether a person has to approve it."""
        return self.verdict != "allow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What is to become of a call: as strict as its strictest action."""

    verdict: PolicyVerdict
    reason: str
    """Why it is not simply made; of the first action with this verdict."""
    actions: tuple[JudgedAction, ...]

    @property
    def has_effect(self) -> bool:
        return any(each.has_effect for each in self.actions)

    @property
    def addresses(self) -> tuple[str, ...]:
        """All that must have been seen; see `addresses.keys_in`. Empty before the taint."""
        addresses = chain.from_iterable(judged.unseen_forbidden for judged in self.actions)
        return tuple(dict.fromkeys(addresses))

    def asking(self, reason: str) -> "Judgement":
        """The same, asked of a person although the rules allow it."""
        actions = tuple(replace(each, verdict="ask") for each in self.actions)
        return replace(self, verdict="ask", reason=reason, actions=actions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Rules in their order; the first that fits decides, and none means ask."""

    rules: tuple[PolicyRule, ...]

    def judge(self, call: OpenedCall, *, is_tainted: bool) -> Judgement:
        """Judge every action of a call.

        Once `is_tainted`, nothing that has an effect is allowed unless the rule itself says that it
        is meant for that. An action that cannot be read is refused, whatever the rules say.
        """
        judged = [
            self._judge_action(action, call.prefix, is_tainted=is_tainted)
            for action in call.actions
        ]
        strictest = max(judged, key=lambda each: _STRICTNESS.index(each.verdict))
        name = strictest.action.tool or call.name[:MAX_NAME_CHARS]
        return Judgement(
            verdict=strictest.verdict,
            reason=f"{name}: {strictest.rule}",
            actions=tuple(judged),
        )

    def _judge_action(self, action: Action, prefix: str, *, is_tainted: bool) -> JudgedAction:
        if not action.tool:
            return JudgedAction(
                action=action,
                verdict="refuse",
                rule=UNREADABLE,
                has_effect=True,
            )
        rule = next((rule for rule in self.rules if rule.fits(action, prefix)), _NO_RULE)
        has_effect = not action.reads and not rule.stays_inside
        judged = JudgedAction(
            action=action,
            verdict=rule.verdict,
            rule=rule.rule,
            has_effect=has_effect,
        )
        if not is_tainted:
            return judged
        if has_effect and rule.verdict == "allow" and not rule.even_when_tainted:
            judged = replace(judged, verdict="ask", rule=AFTER_OUTSIDE_TEXT)
        is_trusted = is_trusted_search(prefix, action.tool)
        return replace(
            judged,
            unseen_forbidden=addresses_in(action.arguments) if rule.addresses == "seen" else (),
            unknown_forbidden=rule.words == "known" and not is_trusted,
        )


def read_policy(path: Path | None = None) -> Policy:
    """The policy that ships with the product, behind the operator's rules where there is a file.

    Raises SettingsError, with the line or the number of the rule, where that cannot be read.
    """
    own = read_rules(path) if path is not None else ()
    return Policy(rules=(*own, *read_rules(SHIPPED)))


class _PolicyFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    rules: list[PolicyRule] | None = None


def read_rules(path: Path) -> tuple[PolicyRule, ...]:
    """The rules of a file, in their order; as `read_policy` where something is wrong in it."""
    return tuple(read_form(path, _PolicyFile, PolicyRule.model_fields).rules or ())
