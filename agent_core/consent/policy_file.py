"""A policy file, read with the line of whatever is wrong in it."""

from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import ValidationError
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from agent_core.consent.rules import Rule
from agent_core.errors import SettingsError


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
