"""The judging of a call: made at once, approved by a person first, or never made.

The rules stand in a file for people, which is read with the line of whatever is wrong in it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import ValidationError
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from agent_core.consent.addresses import addresses_in
from agent_core.consent.rules import Rule, Verdict
from agent_core.errors import SettingsError
from agent_core.tools.actions import Action, OpenedCall
from agent_core.tools.names import MAX_NAME_CHARS

SHIPPED = Path(__file__).with_name("policy.yaml")

UNREADABLE = (
    "what it would do cannot be read; a batch needs entries with a plain tool_slug each, and their "
    "arguments as an object"
)
AFTER_OUTSIDE_TEXT = "text from outside was read, which may have asked for this"
NO_RULE = "no rule speaks of it"

_STRICTNESS: tuple[Verdict, ...] = ("allow", "ask", "refuse")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAction:
    """An action with what is to become of it."""

    action: Action
    verdict: Verdict
    rule: str
    """What decided, in words for people."""
    has_effect: bool
    """Somebody else may see or feel it, or it costs something: such a call is audited."""
    unseen_forbidden: tuple[str, ...] = ()
    """Its addresses, where each must have been seen literally in the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What is to become of a call: as strict as its strictest action."""

    verdict: Verdict
    reason: str
    """Why it is not simply made; of the first action with this verdict."""
    actions: tuple[JudgedAction, ...]

    @property
    def has_effect(self) -> bool:
        return any(each.has_effect for each in self.actions)

    @property
    def addresses(self) -> tuple[str, ...]:
        """All that must have been seen; see `addresses.made_up`. Empty before the taint."""
        return tuple(dict.fromkeys(url for each in self.actions for url in each.unseen_forbidden))


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Rules in their order; the first that fits decides, and none means ask."""

    rules: tuple[Rule, ...]

    def judge(self, call: OpenedCall, *, is_tainted: bool) -> Judgement:
        """Judge every action of a call.

        Once `is_tainted`, nothing that has an effect is allowed unless the rule itself says that it
        is meant for that. An action that cannot be read is refused, whatever the rules say.
        """
        judged = tuple(
            self._judge_action(action, call.prefix, is_tainted=is_tainted)
            for action in call.actions
        )
        strictest = max(judged, key=lambda each: _STRICTNESS.index(each.verdict))
        name = strictest.action.tool or call.name[:MAX_NAME_CHARS]
        return Judgement(
            verdict=strictest.verdict, reason=f"{name}: {strictest.rule}", actions=judged
        )

    def _judge_action(self, action: Action, prefix: str, *, is_tainted: bool) -> JudgedAction:
        if not action.tool:
            return JudgedAction(action=action, verdict="refuse", rule=UNREADABLE, has_effect=True)
        has_effect = not action.reads
        rule = next((rule for rule in self.rules if rule.fits(action, prefix)), None)
        if rule is None:
            return JudgedAction(action=action, verdict="ask", rule=NO_RULE, has_effect=has_effect)
        has_effect = has_effect and not rule.stays_inside
        overruled = is_tainted and has_effect and not rule.even_when_tainted
        overruled = overruled and rule.verdict == "allow"
        must_be_seen = is_tainted and rule.addresses == "seen"
        return JudgedAction(
            action=action,
            verdict="ask" if overruled else rule.verdict,
            rule=AFTER_OUTSIDE_TEXT if overruled else rule.rule,
            has_effect=has_effect,
            unseen_forbidden=addresses_in(action.arguments) if must_be_seen else (),
        )


def read_policy(path: Path | None = None) -> Policy:
    """The policy that ships with the product, behind the operator's rules where there is a file.

    Raises:
        SettingsError: the file cannot be read, or what is wrong in it, with the line.
    """
    own = read_rules(path) if path is not None else ()
    return Policy(rules=(*own, *read_rules(SHIPPED)))


class _Fault(Exception):
    def __init__(self, node: Node, reason: str) -> None:
        super().__init__(reason)
        self.line = cast("int", node.start_mark.line) + 1


def read_rules(path: Path) -> tuple[Rule, ...]:
    """The rules of a file, in their order.

    Raises:
        SettingsError: the file cannot be read, or what is wrong in it, with the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"the policy {path} cannot be read: {error}") from error
    try:
        top = yaml.SafeLoader(text).get_single_node()
        return () if top is None else tuple(map(_rule, _rule_nodes(top)))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise SettingsError(f"{path.name}, line {line}: {error.problem}") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise SettingsError(f"{path.name}: {error}") from error
    except _Fault as fault:
        raise SettingsError(f"{path.name}, line {fault.line}: {fault}") from fault


def _rule_nodes(top: Node) -> list[Node]:
    fields = _fields(top)
    for name, node in fields.items():
        if name != "rules":
            raise _Fault(node, f"there is no `{name}` in a policy, only `rules`")
    rules = fields.get("rules")
    if rules is None or rules.tag.endswith(":null"):
        return []
    if not isinstance(rules, SequenceNode):
        raise _Fault(rules, "`rules` has to be a list")
    return cast("list[Node]", rules.value)


def _rule(node: Node) -> Rule:
    fields = _fields(node)
    try:
        return Rule.model_validate(_plain(node))
    except ValidationError as error:
        faults = error.errors(include_url=False)
        first = next((each for each in faults if each["type"] == "extra_forbidden"), faults[0])
        name = str(first["loc"][0]) if first["loc"] else ""
        is_unknown = first["type"] == "extra_forbidden"
        reason = "no rule has this" if is_unknown else first["msg"].removeprefix("Value error, ")
        raise _Fault(fields.get(name, node), f"`{name}`: {reason}") from error


def _fields(node: Node) -> dict[str, Node]:
    """The values of an object by their names, each of which may stand there once."""
    if not isinstance(node, MappingNode):
        raise _Fault(node, "this has to be an object with names and values")
    found: dict[str, Node] = {}
    for key, value in cast("list[tuple[Node, Node]]", node.value):
        if not isinstance(key, ScalarNode):
            raise _Fault(key, "a name has to be a plain text")
        if key.value in found:
            raise _Fault(key, f"`{key.value}` stands here twice")
        found[str(key.value)] = value
    return found


def _plain(node: Node) -> Any:
    if isinstance(node, MappingNode):
        return {name: _plain(value) for name, value in _fields(node).items()}
    if isinstance(node, SequenceNode):
        return [_plain(each) for each in cast("list[Node]", node.value)]
    return cast("Any", yaml.SafeLoader("")).construct_document(node)
