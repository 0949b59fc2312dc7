"""The operator's YAML files: read with the line of a fault, a name that stands twice refused."""

from pathlib import Path
from typing import Any, cast

import yaml
from yaml.nodes import MappingNode, Node

from agent_core.errors import SettingsError


class _Loader(yaml.SafeLoader):
    """Refuses a name that stands twice in one object."""

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Any, Any]:
        names: list[str] = []
        entries = cast("list[tuple[Node, Node]]", node.value)
        for key, _ in entries:
            name = str(key.value)
            if name in names:
                problem = f"`{name}` stands here twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            names.append(name)
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
