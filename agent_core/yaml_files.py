"""The operator's YAML files, read into a form; a fault is told with its line or its place."""

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar, cast

import yaml
from pydantic import BaseModel, ValidationError
from yaml.nodes import MappingNode, Node

from agent_core.errors import SettingsError

Form = TypeVar("Form", bound=BaseModel)


class _Loader(yaml.SafeLoader):
    """Refuses a name that stands twice in one object."""

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Any, Any]:
        names: list[str] = []
        for key, _ in cast("list[tuple[Node, Node]]", node.value):
            name = str(key.value)
            if name in names:
                problem = f"`{name}` stands here twice"
                raise yaml.constructor.ConstructorError(
                    None,
                    None,
                    problem,
                    key.start_mark,
                )
            names.append(name)
        return super().construct_mapping(node, deep)


def read_form(path: Path, form: type[Form], parts: Iterable[str]) -> Form:
    """What a file holds; an empty one holds nothing. `parts` are names inside of its parts.

    Raises SettingsError: the file cannot be read, or has a name or a value that is none.
    """
    try:
        written: object = yaml.load(path.read_text(encoding="utf-8-sig"), _Loader)  # noqa: S506 (safe)
        return form.model_validate(written or {})
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"the file {path} cannot be read: {error}") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise SettingsError(f"{path.name}, line {line}: {error.problem}") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise SettingsError(f"{path.name}: {error}") from error
    except ValidationError as error:
        known = [*form.model_fields, *parts]
        raise SettingsError(f"{path.name}{_fault(error, known)}") from error


def _fault(error: ValidationError, known: Iterable[str]) -> str:
    """What is wrong, behind the place of it; a name that is none is told first."""
    faults = error.errors(include_url=False)
    unknown = [fault for fault in faults if fault["type"] == "extra_forbidden"]
    first = (unknown or faults)[0]
    places = ["the file"]
    for step in first["loc"]:
        if isinstance(step, str):
            places.append(step)
        else:
            places[-1] = f"{places[-1].removesuffix('s')} {step + 1}"
    reason = first["msg"].removeprefix("Value error, ")
    if unknown:
        near = nearest(places[-1], known)
        reason = f"nothing is called so here. Did you mean `{near}`?"
    *parts, name = places[1:] or places
    where = ", ".join(["", *parts])
    return f"{where}: `{name}`: {reason}"


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that a wrong one most likely means; all of them where none is near."""
    near = difflib.get_close_matches(
        name.casefold(),
        known,
        n=1,
    )
    return ", ".join(near or known)
