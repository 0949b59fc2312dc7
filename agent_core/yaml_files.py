"""The operator's YAML files: read with the line of a fault, a name that stands twice refused."""

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import yaml
from yaml.nodes import MappingNode, Node

from agent_core.errors import SettingsError


class _Loader(yaml.SafeLoader):
    """Refuses a name that stands twice in one object."""

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Any, Any]:
        names: list[str] = []
        for key, _ in cast("list[tuple[Node, Node]]", node.value):
            if str(key.value) in names:
                problem = f"`{key.value}` stands here twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            names.append(str(key.value))
        return super().construct_mapping(node, deep)


def read_yaml(path: Path, what: str) -> object:
    """What a file holds; an empty one holds an empty object.

    Raises SettingsError, with the line where there is one; `what` names the file's purpose.
    """
    try:
        written: object = yaml.load(path.read_text(encoding="utf-8-sig"), _Loader)  # noqa: S506 (safe)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{what} {path} cannot be read: {error}") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise SettingsError(f"{path.name}, line {line}: {error.problem}") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise SettingsError(f"{path.name}: {error}") from error
    return written or {}


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that a wrong one most likely means; empty where none is near."""
    return next(iter(difflib.get_close_matches(name.casefold(), known, n=1)), "")
